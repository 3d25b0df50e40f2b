"""What programs are given, word for word, where nothing but reading can tell whether it is right."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

from geohound.model.bbox import BBox
from geohound.model.service import Extent, Layer, Operation, Service
from geohound.plugins import discover
from geohound.views.opening import Opener

BOX = BBox(10.0, 50.0, 20.0, 60.0)
LAKES = Layer("hy:lakes", "Lakes", extent=Extent(BOX), crs=("EPSG:4326", "EPSG:3857"))
WMS = Service(
    "wms", "https://maps.example/ows?map=/a.map", version="1.3.0", layers=(LAKES,)
)
OPENER = Opener(discover("kinds"), discover("snippets"))


def code(
    tool: str, service: Service, layer: Layer = LAKES, box: BBox | None = None
) -> str:
    return next(
        (s.code for s in OPENER.open(service, layer, box).snippets if s.tool == tool),
        "",
    )


def tile_url(text: str) -> str:
    found = re.search(r'tiles: \["([^"]+)"\]', text)
    assert found is not None, text
    return found[1]


def test_maplibre_asks_a_wms_for_the_box_of_each_tile_in_mercator() -> None:
    text = code("maplibre", WMS)
    url = tile_url(text)
    assert url.endswith("&BBOX={bbox-epsg-3857}")
    asked = {
        name: values[0]
        for name, values in parse_qs(
            urlsplit(url).query, keep_blank_values=True
        ).items()
    }
    assert asked == {
        "map": "/a.map",
        "SERVICE": "WMS",
        "VERSION": "1.3.0",
        "REQUEST": "GetMap",
        "LAYERS": "hy:lakes",
        "STYLES": "",
        "FORMAT": "image/png",
        "TRANSPARENT": "TRUE",
        "CRS": "EPSG:3857",
        "WIDTH": "256",
        "HEIGHT": "256",
        "BBOX": "{bbox-epsg-3857}",
    }
    assert text.endswith("map.fitBounds([[10, 50], [20, 60]]);\n")
    assert "SRS=EPSG:3857" in tile_url(code("maplibre", replace(WMS, version="1.1.1")))


def test_maplibre_does_not_ask_for_mercator_where_a_layer_has_none() -> None:
    assert code("maplibre", WMS, replace(LAKES, crs=("EPSG:3006",))) == ""


def test_maplibre_is_given_tiles_and_features_as_its_sources_want_them() -> None:
    tms = Service("tms", "https://t.example/tms/1.0.0")
    layer = replace(LAKES, links=("https://t.example/tms/1.0.0/lakes",))
    assert (
        'tiles: ["https://t.example/tms/1.0.0/lakes/{z}/{x}/{y}.png"], scheme: "tms"'
        in code("maplibre", tms, layer)
    )
    tiles = Service(
        "tilejson",
        "https://t.example/tiles.json",
        operations=(Operation("GetTile", "https://t.example/{z}/{x}/{y}.pbf"),),
    )
    assert 'source: "found", "source-layer": "hy:lakes"' in code("maplibre", tiles)
    api = Service("ogcapi-features", "https://a.example/api")
    data = '{ type: "geojson", data: "https://a.example/api/collections/hy%3Alakes/items?limit=10" }'
    assert f'map.addSource("found", {data});' in code("maplibre", api)


def test_maplibre_asks_an_arcgis_map_service_by_export() -> None:
    service = Service(
        "arcgis-mapserver", "https://a.example/arcgis/rest/services/Water/MapServer"
    )
    url = tile_url(
        code("maplibre", service, replace(LAKES, links=(f"{service.endpoint}/3",)))
    )
    assert url.startswith(f"{service.endpoint}/export?")
    assert "size=256,256" in url
    assert "layers=show:3" in url
    assert url.endswith("&BBOX={bbox-epsg-3857}")


def test_arcgis_pro_adds_what_its_own_servers_have_by_path() -> None:
    root = "https://a.example/arcgis/rest/services/Water"
    layer = replace(LAKES, links=(f"{root}/MapServer/3",))
    added = 'project = arcpy.mp.ArcGISProject("CURRENT")\nproject.activeMap.addDataFromPath("{}")\n'
    for kind, server, path in (
        ("arcgis-mapserver", "MapServer", "/3"),
        ("arcgis-featureserver", "FeatureServer", "/3"),
        ("arcgis-imageserver", "ImageServer", ""),
        ("arcgis-vectortileserver", "VectorTileServer", ""),
        ("arcgis-sceneserver", "SceneServer", "/layers/3"),
    ):
        address = f"{root}/{server}"
        assert code("arcgis_pro", Service(kind, address), layer).endswith(
            added.format(address + path)
        )


def test_arcgis_pro_connects_to_servers_of_others() -> None:
    assert code("arcgis_pro", WMS) == (
        "# Insert > Connections > Server > New WMS Server, URL: https://maps.example/ows?map=/a.map\n"
        "# then Catalog > Servers: add hy:lakes to the map\n"
    )
    directory = Service("arcgis-directory", "https://a.example/arcgis/rest/services")
    assert "New ArcGIS Server, URL: https://a.example/arcgis/rest/services" in code(
        "arcgis_pro", directory, Layer("")
    )


def test_a_dataset_of_thredds_is_opened_in_each_way_that_it_is_served() -> None:
    base = "https://t.example/thredds"
    links = (
        f"{base}/wms/a.nc?service=WMS&request=GetCapabilities",
        f"{base}/dodsC/a.nc.dds",
    )
    dataset = Layer("Sea ice", links=links)
    service = Service("thredds", f"{base}/catalog.xml", layers=(dataset,))
    assert f'xarray.open_dataset("{base}/dodsC/a.nc")' in code(
        "python", service, dataset
    )
    assert f"URL: {base}/wms/a.nc\n" in code("qgis", service, dataset)
    assert f'TDSCatalog("{base}/catalog.xml")' in code("python", service, Layer(""))


def test_an_opensearch_template_is_filled_and_what_nobody_asked_for_left_out() -> None:
    template = "https://s.example/find?q={searchTerms}&n={count?}&box={geo:box?}&from={time:start?}&page={os:startPage?}&f=atom"
    layer = Layer(
        "application/atom+xml", formats=("application/atom+xml",), links=(template,)
    )
    service = Service("opensearch", "https://s.example/osdd.xml", layers=(layer,))
    kind = discover("kinds")["opensearch"]
    assert (
        kind.requests(service, layer, None)[1].url
        == "https://s.example/find?q=&n=10&page=1&f=atom"
    )
    part = kind.requests(service, layer, BBox(1.0, 2.0, 3.0, 4.5))[1].url
    assert part == "https://s.example/find?q=&n=10&box=1,2,3,4.5&page=1&f=atom"


def test_a_table_of_erddap_is_asked_for_positions_in_the_box() -> None:
    service = Service("erddap", "https://d.example/erddap")
    opening = OPENER.open(
        service, replace(LAKES, name="buoys"), BBox(12.0, 52.0, 14.5, 53.0)
    )
    assert opening.links[-1].url == (
        "https://d.example/erddap/tabledap/buoys.geoJson?longitude,latitude&longitude%3E=12&longitude%3C=14.5"
        "&latitude%3E=52&latitude%3C=53&distinct()"
    )


def test_catalogues_and_sensors_are_asked_for_the_box() -> None:
    box = BBox(12.0, 52.0, 14.5, 53.0)
    catalogue = (
        OPENER.open(
            Service("csw", "https://c.example/csw", version="2.0.2"), Layer(""), box
        )
        .links[1]
        .url
    )
    asked = parse_qs(urlsplit(catalogue).query)
    assert asked["CONSTRAINTLANGUAGE"] == ["FILTER"]
    assert (
        "<gml:lowerCorner>52 12</gml:lowerCorner><gml:upperCorner>53 14.5</gml:upperCorner>"
        in asked["CONSTRAINT"][0]
    )
    third = (
        OPENER.open(
            Service("csw", "https://c.example/csw", version="3.0.0"), Layer(""), box
        )
        .links[1]
        .url
    )
    assert parse_qs(urlsplit(third).query)["BBOX"] == ["12,52,14.5,53"]
    things = Layer("Things", links=("https://s.example/v1.1/Things",))
    sensors = (
        OPENER.open(Service("sensorthings", "https://s.example/v1.1"), things, box)
        .links[2]
        .url
    )
    ring = "12 52,14.5 52,14.5 53,12 53,12 52"
    assert sensors.startswith("https://s.example/v1.1/Locations?")
    wanted = f"st_within(location,geography'POLYGON(({ring}))')"
    assert parse_qs(urlsplit(sensors).query)["$filter"] == [wanted]
