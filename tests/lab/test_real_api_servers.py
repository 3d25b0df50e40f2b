"""OGC APIs, STAC, ArcGIS, SensorThings, tiles, OPeNDAP and OpenSearch of real servers are identified."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from lab_truth import FEATURES, FEATURES_BOX, MARKS, Truth, check, pick
from lab_world import BASIN_BOX, DEPTH_BOX, HARBOUR_BOX

from geohound.model.service import Verdict

pytestmark = MARKS
Identify = Callable[[str], Verdict]
Address = Callable[[str], str]

PYGEOAPI = {
    truth.kind: truth
    for truth in [
        Truth("ogcapi-features", "1.0", "Baltic pygeoapi", FEATURES, FEATURES_BOX),
        Truth(
            "ogcapi-coverages",
            "1.0",
            "Baltic pygeoapi",
            {"depth": DEPTH_BOX},
            DEPTH_BOX,
        ),
        Truth("ogcapi-edr", "1.0", "Baltic pygeoapi", {"waves": DEPTH_BOX}, DEPTH_BOX),
        Truth(
            "ogcapi-records",
            "1.0",
            "Baltic pygeoapi",
            {"logbook": DEPTH_BOX},
            DEPTH_BOX,
        ),
        Truth("ogcapi-maps", "1.0", "Baltic pygeoapi", {"chart": DEPTH_BOX}, DEPTH_BOX),
        Truth(
            "ogcapi-tiles",
            "1.0",
            "Baltic pygeoapi",
            {"harbour-tiles": HARBOUR_BOX},
            HARBOUR_BOX,
        ),
    ]
}
PROCESSES = Truth("ogcapi-processes", "1.0", "Baltic pygeoapi", {"hello-world": None})
MAPSERVER = Truth("ogcapi-features", "1.0", "Baltic MapServer", FEATURES, FEATURES_BOX)
# its landing page has no title
QGIS = Truth("ogcapi-features", "1.0", "", FEATURES, FEATURES_BOX)
CHARTS = {"sea": DEPTH_BOX, "sea_uncached": DEPTH_BOX}
IN_PUBLIC = {f"public.{name}": box for name, box in FEATURES.items()}
SCENES = Truth(
    "stac-api", "1.0.0", "Baltic STAC", {"baltic-scenes": DEPTH_BOX}, DEPTH_BOX
)
# The spec's nine entity sets without MultiDatastreams, which is an extension.
ENTITY_SETS = {
    "Things", "Locations", "HistoricalLocations", "Datastreams", "Sensors", "ObservedProperties", "Observations",
    "FeaturesOfInterest",
}  # fmt: skip
SENSORS = Truth("sensorthings", "1.1", "", dict.fromkeys(ENTITY_SETS))
VARIABLES = dict.fromkeys(["wave_height", "time", "lat", "lon"])
WAVES = Truth("opendap", "2.0", "Baltic wave forecast", VARIABLES, DEPTH_BOX)

CASES = [
    *(
        (place, truth)
        for truth in PYGEOAPI.values()
        for place in ("pygeoapi/", "pygeoapi/collections")
    ),
    *(
        (place, truth)
        for truth in PYGEOAPI.values()
        for place in ("pygeoapi/conformance", "pygeoapi/?f=html")
    ),
    *(
        (place, PROCESSES)
        for place in (
            "pygeoapi/",
            "pygeoapi/processes",
            "pygeoapi/processes/hello-world",
        )
    ),
    ("pygeoapi/collections/harbours/items", PYGEOAPI["ogcapi-features"]),
    ("pygeoapi/collections/depth", PYGEOAPI["ogcapi-coverages"]),
    ("pygeoapi/collections/waves", PYGEOAPI["ogcapi-edr"]),
    ("pygeoapi/collections/logbook", PYGEOAPI["ogcapi-records"]),
    ("pygeoapi/collections/chart", PYGEOAPI["ogcapi-maps"]),
    ("pygeoapi/stac", Truth("stac", "1.0.0-rc.2", "Baltic pygeoapi", {"chest": None})),
    ("mapserver/cgi-bin/mapserv/BALTIC/ogcapi", MAPSERVER),
    ("mapserver/cgi-bin/mapserv/BALTIC/ogcapi/?f=html", MAPSERVER),
    ("mapserver/cgi-bin/mapserv/BALTIC/ogcapi/collections", MAPSERVER),
    ("mapserver/cgi-bin/mapserv/BALTIC/ogcapi/collections/harbours/items", MAPSERVER),
    ("qgis/wfs3", QGIS),
    ("qgis/wfs3/collections", QGIS),
    ("qgis/wfs3/collections.json", QGIS),
    ("qgis/wfs3.html", QGIS),
    ("mapproxy/ogcapi", Truth("ogcapi-tiles", "1.0", "", CHARTS, DEPTH_BOX)),
    ("mapproxy/ogcapi", Truth("ogcapi-maps", "1.0", "", CHARTS, DEPTH_BOX)),
    ("mapproxy/ogcapi/collections", Truth("ogcapi-maps", "1.0", "", CHARTS, DEPTH_BOX)),
    (
        "mapproxy/tms/1.0.0",
        Truth("tms", "1.0.0", "Baltic MapProxy", {"sea/mercator": None}),
    ),
    (
        "mapproxy/tms/1.0.0/sea/mercator",
        Truth("tms", "1.0.0", "Sea chart", {"sea/mercator": DEPTH_BOX}, DEPTH_BOX),
    ),
    ("tipg/", Truth("ogcapi-features", "1.0", "Baltic TiPg", IN_PUBLIC, FEATURES_BOX)),
    ("tipg/", Truth("ogcapi-tiles", "1.0", "Baltic TiPg", IN_PUBLIC, FEATURES_BOX)),
    (
        "tipg/collections",
        Truth("ogcapi-features", "1.0", "Baltic TiPg", IN_PUBLIC, FEATURES_BOX),
    ),
    (
        "tipg/collections/public.harbours/items",
        Truth("ogcapi-features", "1.0", "Baltic TiPg", IN_PUBLIC, FEATURES_BOX),
    ),
    (
        "tipg/collections/public.harbours/tiles/WebMercatorQuad/tilejson.json",
        Truth(
            "tilejson",
            "3.0.0",
            "public.harbours",
            {"default": HARBOUR_BOX},
            HARBOUR_BOX,
        ),
    ),
    ("stac/", SCENES),
    ("stac/collections", SCENES),
    ("stac/collections/baltic-scenes", SCENES),
    ("stac/collections/baltic-scenes/items", SCENES),
    ("sensorthings/sensors/v1.1", SENSORS),
    ("sensorthings/sensors/v1.1/", SENSORS),
    ("sensorthings/sensors/v1.1/Datastreams", SENSORS),
    ("sensorthings/sensors/v1.1/Things('B1')", SENSORS),
    ("pydap/forecast.nc.das", WAVES),
    (
        "pydap/forecast.nc.dds",
        Truth("opendap", "2.0", "forecast.nc", VARIABLES, DEPTH_BOX),
    ),  # as a DDS is called
    (
        "pydap/forecast.nc.html",
        Truth("opendap", "2.0", "forecast.nc", VARIABLES, DEPTH_BOX),
    ),
    (
        "pydap/forecast.nc.dmr",
        Truth("opendap", "4.0", "Baltic wave forecast", VARIABLES, DEPTH_BOX),
    ),
]


@pytest.mark.parametrize(
    ("place", "truth"), CASES, ids=[f"{truth.kind} {place}" for place, truth in CASES]
)
def test_an_api_tells_what_is_configured(
    identify: Identify, place: str, truth: Truth
) -> None:
    check(identify(place), truth)


ENDPOINTS = [
    ("pygeoapi/collections/harbours/items", "ogcapi-features", "pygeoapi/"),
    ("mapserver/cgi-bin/mapserv/BALTIC/ogcapi/?f=html", "ogcapi-features", "mapserver/cgi-bin/mapserv/BALTIC/ogcapi"),
    ("qgis/wfs3.html", "ogcapi-features", "qgis/wfs3"),
    ("stac/collections/baltic-scenes/items", "stac-api", "stac/"),
    ("sensorthings/sensors/v1.1/Datastreams", "sensorthings", "sensorthings/sensors/v1.1"),
    ("pydap/forecast.nc.html", "opendap", "pydap/forecast.nc"),
    ("koop/file-geojson/rest/services/basins/FeatureServer/0/query?where=1=1&f=json", "arcgis-featureserver",
     "koop/file-geojson/rest/services/basins/FeatureServer"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("place", "kind", "endpoint"), ENDPOINTS, ids=[place for place, _, _ in ENDPOINTS]
)
def test_deep_addresses_lead_to_the_root_of_the_service(
    identify: Identify, address: Address, place: str, kind: str, endpoint: str
) -> None:
    assert pick(identify(place), kind).endpoint == address(endpoint)


def test_an_api_is_only_what_it_says_it_is(identify: Identify) -> None:
    assert {s.kind for s in identify("pygeoapi/").services} == {
        *PYGEOAPI,
        "ogcapi-processes",
    }
    assert {s.kind for s in identify("mapproxy/ogcapi").services} == {
        "ogcapi-tiles",
        "ogcapi-maps",
    }
    assert {s.kind for s in identify("qgis/wfs3").services} == {"ogcapi-features"}
    assert {s.kind for s in identify("stac/").services} == {
        "stac-api",
        "ogcapi-features",
    }


def test_a_static_catalogue_lists_its_files(identify: Identify) -> None:
    service = pick(identify("pygeoapi/stac/chest"), "stac")
    assert {layer.name for layer in service.layers} == {
        "basins",
        "buoys",
        "depth",
        "harbours",
    }


def test_the_list_above_a_tile_map_service_leads_to_it(
    identify: Identify, address: Address
) -> None:
    service = pick(identify("mapproxy/tms"), "tms")
    assert (service.version, service.title) == ("1.0.0", "Baltic MapProxy")
    assert service.links == (address("mapproxy/tms/1.0.0/"),)


def test_a_tile_proves_the_tiles_around_it(
    identify: Identify, address: Address
) -> None:
    service = pick(identify("mapproxy/tiles/1.0.0/sea/mercator/3/4/5.png"), "xyz")
    assert service.endpoint == address("mapproxy/tiles/1.0.0/sea/mercator")
    assert service.formats == ("image/png",)


@pytest.mark.parametrize(
    ("name", "box"), [("harbours", HARBOUR_BOX), ("basins", BASIN_BOX)]
)
@pytest.mark.parametrize("below", ["", "?f=json", "/0", "/0?f=json"])
def test_a_feature_server_of_arcgis_is_identified(
    identify: Identify, name: str, box: object, below: str
) -> None:
    service = pick(
        identify(f"koop/file-geojson/rest/services/{name}/FeatureServer{below}"),
        "arcgis-featureserver",
    )
    assert (service.version, service.title) == ("11.2", name)
    assert service.abstract == f"The {name} of a small sea."
    assert [layer.name for layer in service.layers] == [name]
    assert service.extent is not None
    assert service.extent.box is not None
    assert service.extent.box.as_tuple() == pytest.approx(box)


def test_an_opensearch_description_of_a_catalogue_is_identified(
    identify: Identify,
) -> None:
    place = (
        "pycsw/csw?mode=opensearch&service=CSW&version=3.0.0&request=GetCapabilities"
    )
    service = pick(identify(place), "opensearch")
    assert (service.version, service.title) == ("1.1", "Baltic pycsw")
    assert "application/atom+xml" in {
        f for layer in service.layers for f in layer.formats
    }


def test_metadata_of_an_api_are_read_as_configured(identify: Identify) -> None:
    service = pick(identify("pygeoapi/"), "ogcapi-features")
    assert service.abstract == "A small Baltic Sea by way of OGC APIs."
    harbours = next(layer for layer in service.layers if layer.name == "harbours")
    assert (harbours.title, harbours.abstract, harbours.keywords) == (
        "Harbours",
        "Five harbours and their cargo.",
        ("ports",),
    )
    assert harbours.times
    assert harbours.times[0].startswith("2025-01-01")
    assert harbours.queryable
