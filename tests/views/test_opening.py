"""Requests and snippets for a layer: right numbers in the right order, and nothing that a hostile name could break."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geohound.kinds._request_boxes import grid_tile, slippy_tile, view
from geohound.model.bbox import BBox
from geohound.model.grid import Grid, Level, parse_grid
from geohound.model.layer_request import Rel
from geohound.model.service import Extent, Layer, Operation, Service
from geohound.plugins import discover
from geohound.portal.maps.drawing import drawing_of
from geohound.views.opening import Opener

open_layer = Opener(discover("kinds"), discover("snippets")).open
BRAZIL = BBox(-75.0, -34.0, -34.0, 6.0)
FOREST = Layer(
    "ws:forest", "Forest", extent=Extent(BRAZIL), crs=("EPSG:4326", "EPSG:3857")
)
WMS = Service(
    "wms", "https://maps.example/ows?map=/a.map", version="1.3.0", layers=(FOREST,)
)


def asked(url: str) -> dict[str, str]:
    return {
        k.upper(): v[0]
        for k, v in parse_qs(urlsplit(url).query, keep_blank_values=True).items()
    }


def get_map(
    service: Service, layer: Layer = FOREST, box: BBox | None = None
) -> dict[str, str]:
    return asked(open_layer(service, layer, box).first(Rel.MAP))


def test_wms_1_3_0_puts_latitude_first_and_earlier_versions_longitude() -> None:
    new, old = get_map(WMS), get_map(replace(WMS, version="1.1.1"))
    assert (new["CRS"], new["BBOX"]) == ("EPSG:4326", "-34,-75,6,-34")
    assert (old["SRS"], old["BBOX"]) == ("EPSG:4326", "-75,-34,-34,6")
    assert (old["WIDTH"], old["HEIGHT"]) == ("800", "780")  # 41 by 40 degrees
    assert new["MAP"] == "/a.map"


def test_crs_84_puts_longitude_first_in_every_version() -> None:
    assert get_map(WMS, replace(FOREST, crs=("CRS:84",)))["BBOX"] == "-75,-34,-34,6"


def test_a_layer_in_one_national_grid_is_asked_in_it() -> None:
    layer = Layer("a", extent=Extent(BBox(15.0, 55.0, 20.0, 60.0)), crs=("EPSG:3006",))
    request = get_map(WMS, layer)
    north_west = [float(v) for v in request["BBOX"].split(",")]
    assert request["CRS"] == "EPSG:3006"
    assert (
        6_000_000 < north_west[0] < 6_200_000
    )  # northing first: SWEREF 99 TM has its axes so
    assert 450_000 < north_west[1] < 510_000


def test_wms_1_0_0_is_asked_in_its_own_words() -> None:
    service = replace(
        WMS, version="1.0.0", operations=(Operation("GetMap", formats=("GIF", "PNG")),)
    )
    request = get_map(service)
    assert (request["WMTVER"], request["REQUEST"], request["FORMAT"]) == (
        "1.0.0",
        "map",
        "PNG",
    )


def test_a_server_that_tells_the_name_it_has_at_home_is_asked_where_it_answered() -> (
    None
):
    home = replace(WMS, operations=(Operation("GetMap", "http://localhost:8080/ows?"),))
    here = replace(
        WMS, operations=(Operation("GetMap", "https://maps.example/getmap?"),)
    )
    assert (
        open_layer(home, FOREST).first(Rel.MAP).startswith("https://maps.example/ows?")
    )
    assert (
        open_layer(here, FOREST)
        .first(Rel.MAP)
        .startswith("https://maps.example/getmap?")
    )


def test_a_box_across_the_antimeridian_is_asked_for_in_its_wider_part() -> None:
    fiji = Layer(
        "reefs", extent=Extent(BBox(176.0, -20.0, -178.0, -12.0)), crs=("CRS:84",)
    )
    assert get_map(WMS, fiji)["BBOX"] == "176,-20,180,-12"


def test_the_part_asked_for_is_cut_to_the_layer_and_forgotten_where_the_layer_is_elsewhere() -> (
    None
):
    assert view(WMS, FOREST, BBox(-80.0, 0.0, -50.0, 20.0)) == BBox(
        -75.0, 0.0, -50.0, 6.0
    )
    assert view(WMS, FOREST, BBox(100.0, 0.0, 120.0, 20.0)) == BRAZIL


def test_a_layer_that_hides_when_zoomed_out_is_asked_for_in_close_up() -> None:
    shy = replace(FOREST, scale=(None, 50_000.0))
    box = view(WMS, shy, None)
    metres = box.width * 111_320
    assert metres / (800 * 0.00028) < 50_000
    assert BRAZIL.west < box.west < box.east < BRAZIL.east


def test_a_point_gets_room_around_it() -> None:
    box = view(WMS, Layer("well", extent=Extent(BBox(180.0, 90.0, 180.0, 90.0))), None)
    assert box.width > 0
    assert box.height > 0


@pytest.mark.parametrize(
    ("version", "name", "count", "box"),
    [
        ("2.0.0", "TYPENAMES", "COUNT", "-10,-60,0,-50,urn:ogc:def:crs:EPSG::4326"),
        (
            "1.1.0",
            "TYPENAME",
            "MAXFEATURES",
            "-10,-60,0,-50,urn:ogc:def:crs:EPSG::4326",
        ),
        ("1.0.0", "TYPENAME", "MAXFEATURES", "-60,-10,-50,0"),
    ],
)
def test_each_wfs_version_is_asked_in_its_own_words(
    version: str, name: str, count: str, box: str
) -> None:
    wfs = Service("wfs", "https://maps.example/wfs", version=version)
    request = asked(
        open_layer(wfs, FOREST, BBox(-60.0, -10.0, -50.0, 0.0)).first(Rel.FEATURES)
    )
    assert (request[name], request[count], request["BBOX"]) == ("ws:forest", "10", box)


def test_geojson_is_asked_for_by_the_name_that_the_server_has_for_it() -> None:
    formats = (
        "text/xml; subtype=gml/3.2",
        "text/javascript",
        "application/json; subtype=geojson",
    )
    wfs = Service(
        "wfs",
        "https://a.example/wfs",
        version="2.0.0",
        operations=(Operation("GetFeature", formats=formats),),
    )
    url = open_layer(wfs, FOREST).first(Rel.FEATURES)
    assert asked(url)["OUTPUTFORMAT"] == "application/json; subtype=geojson"


LEVELS = tuple(
    Level(
        f"EPSG:900913:{z}",
        559082264.0287178 / 2**z,
        (-20037508.3427892, 20037508.3427892),
        (256, 256),
        2**z,
        2**z,
    )
    for z in range(19)
)
MERCATOR = Grid("EPSG:900913", "EPSG:3857", LEVELS)
DEGREES = Grid("EPSG:4326", "EPSG:4326", tuple(
    Level(str(z), 279541132.0143589 / 2**z, (90.0, -180.0), (256, 256), 2 ** (z + 1), 2**z) for z in range(19)
))  # fmt: skip


def test_a_tile_holds_the_middle_of_the_box() -> None:
    # Zoom 4 at 60 W, 10 S: column (120/360)*16 = 5.33, and just south of the equator row 8.
    assert slippy_tile(BBox(-70.0, -20.0, -50.0, 0.0)) == (4, 5, 8)
    found = grid_tile(MERCATOR, BBox(-70.0, -20.0, -50.0, 0.0))
    assert found is not None
    assert (found[0].id, found[1], found[2]) == ("EPSG:900913:4", 5, 8)
    # In degrees a tile of level 3 is 22.5 wide: column 120/22.5 = 5, row 100/22.5 = 4.
    found = grid_tile(DEGREES, BBox(-70.0, -20.0, -50.0, 0.0))
    assert found is not None
    assert (found[0].id, found[1], found[2]) == ("3", 5, 4)


def test_wmts_is_asked_by_key_or_by_template_as_the_layer_offers() -> None:
    grids = (DEGREES.as_text(), MERCATOR.as_text())
    layer = replace(
        FOREST,
        grids=("EPSG:900913", "EPSG:4326"),
        formats=("image/png",),
        styles=("green",),
    )
    wmts = Service(
        "wmts", "https://t.example/wmts", version="1.0.0", grids=grids, layers=(layer,)
    )
    request = asked(open_layer(wmts, layer).first(Rel.TILE))
    assert request["TILEMATRIX"].startswith("EPSG:900913:")
    assert (request["TILEMATRIXSET"], request["STYLE"]) == ("EPSG:900913", "green")
    template = (
        "https://t.example/{Style}/{TileMatrixSet}/{TileMatrix}/{TileRow}/{TileCol}.png"
    )
    rest = open_layer(wmts, replace(layer, links=(template,)))
    assert rest.first(Rel.TILE).startswith(
        "https://t.example/green/EPSG:900913/EPSG:900913:3/"
    )
    preview = drawing_of(rest.links)
    assert preview is not None
    assert (
        preview.url == "https://t.example/green/EPSG:900913/EPSG:900913:{z}/{y}/{x}.png"
    )


def test_a_grid_survives_being_written_down() -> None:
    assert parse_grid(MERCATOR.as_text()) == MERCATOR
    assert parse_grid("nonsense") is None


def test_tiles_whose_address_does_not_say_what_they_are_open_as_what_the_layer_says() -> (
    None
):
    template = "http://a.test/tiles/{z}/{x}/{y}"
    vector = Layer(
        "roads", links=(template,), formats=("application/vnd.mapbox-vector-tile",)
    )
    plain = Layer("roads", links=(template,))
    picture = replace(vector, links=(f"{template}.png",))

    def tools(layer: Layer) -> str:
        opening = open_layer(
            Service("tilejson", "http://a.test/tilejson.json", layers=(layer,)), layer
        )
        return "\n".join(snippet.code for snippet in opening.snippets)

    assert "addVectorTileLayer" in tools(vector)
    assert "VectorTileLayer" in tools(vector)
    assert "addRasterLayer" in tools(plain)
    assert "addRasterLayer" in tools(picture)


def test_tiles_of_an_api_are_asked_row_first_unless_it_says_otherwise() -> None:
    layer = Layer("lakes", links=("http://a.test/collections/lakes/tiles",))
    service = Service("ogcapi-tiles", "http://a.test", layers=(layer,))
    box = BBox(24.0, 60.0, 25.0, 61.0)
    zoom, column, row = slippy_tile(view(service, layer, box), 14)
    assert f"/WebMercatorQuad/{zoom}/{row}/{column}?" in open_layer(
        service, layer, box
    ).first(Rel.TILE)
    told = (
        "http://a.test/collections/{collectionId}/tiles/{tileMatrixSetId}/{z}/{x}/{y}"
    )
    other = replace(service, operations=(Operation("tile", told),))
    assert f"/WebMercatorQuad/{zoom}/{column}/{row}?" in open_layer(
        other, layer, box
    ).first(Rel.TILE)


def test_tms_rows_are_counted_from_the_south() -> None:
    layer = replace(
        FOREST, links=("https://t.example/tms/1.0.0/forest",), formats=("image/jpeg",)
    )
    url = open_layer(
        Service("tms", "https://t.example/tms/1.0.0"),
        layer,
        BBox(-70.0, -20.0, -50.0, 0.0),
    ).first(Rel.TILE)
    assert url == "https://t.example/tms/1.0.0/forest/4/5/7.jpg"


def test_what_cannot_be_opened_says_why() -> None:
    script = open_layer(Service("wms", "javascript:alert(1)", layers=(FOREST,)))
    assert (script.links, script.snippets, script.reason) == (
        (),
        (),
        "The endpoint is not a web address.",
    )
    stranger = open_layer(Service("gopher", "https://a.example/"))
    assert (stranger.links, stranger.reason) == (
        (),
        "No installed part knows services of the kind 'gopher'.",
    )
    planning = open_layer(Service("sps", "https://a.example/sps"))
    assert [link.rel for link in planning.links] == [Rel.CAPABILITIES]
    assert (
        planning.reason
        == "Nothing but its description can be asked for by a simple request."
    )


def test_a_scene_is_asked_for_by_its_layer_and_any_other_service_by_the_name_it_states() -> (
    None
):
    scene = Service(
        "arcgis-sceneserver", "https://a.example/arcgis/rest/services/Town/SceneServer"
    )
    assert open_layer(scene).first(Rel.DATA).startswith(f"{scene.endpoint}/layers/0?")
    table_joining = Service("ows", "https://a.example/tjs", keywords=("tables", "TJS"))
    assert asked(open_layer(table_joining).first(Rel.CAPABILITIES)) == {
        "SERVICE": "TJS",
        "REQUEST": "GetCapabilities",
    }


def test_programs_are_given_what_brings_data_before_what_describes_it() -> None:
    opening = open_layer(replace(WMS, operations=()), FOREST)
    assert [link.rel for link in opening.links] == [Rel.CAPABILITIES, Rel.MAP]
    assert all(
        "GetCapabilities" not in snippet.code
        for snippet in opening.snippets
        if snippet.tool == "curl"
    )


@given(
    st.floats(-180, 180), st.floats(-90, 90), st.floats(-180, 180), st.floats(-90, 90),
    st.sampled_from(["wms", "wfs", "wcs", "wmts", "ogcapi-features", "arcgis-mapserver", "xyz"]),
)  # fmt: skip
def test_any_box_gives_requests(
    west: float, a: float, east: float, b: float, kind: str
) -> None:
    box = BBox(west, min(a, b), east, max(a, b))
    layer = replace(FOREST, extent=Extent(box), grids=("EPSG:900913",))
    service = Service(kind, "https://a.example/x", grids=(MERCATOR.as_text(),), layers=(layer,), operations=(
        Operation("GetTile", "https://a.example/{z}/{x}/{y}.png"),
    ))  # fmt: skip
    for link in open_layer(service, layer, box).links:
        assert link.url.startswith("https://a.example/")
        assert "nan" not in link.url
        assert "{" not in link.url


@pytest.mark.parametrize("kind", ["wfs", "ogcapi-features"])
def test_a_name_that_looks_like_an_option_is_none_to_ogr2ogr(kind: str) -> None:
    name = '--config "x'
    service = Service(
        kind, "https://maps.example/ows", version="2.0.0", layers=(Layer(name),)
    )
    code = next(s.code for s in open_layer(service).snippets if s.tool == "gdal")
    assert shlex.split(code)[-4:] == [
        "-nln",
        "layer",
        "-sql",
        'SELECT * FROM "--config \\"x"',
    ]


@pytest.mark.parametrize("tool", ["python", "curl", "gdal"])
def test_a_coverage_of_wcs_1_1_is_taken_out_of_the_parts_it_comes_in(
    tool: str, tmp_path: Path
) -> None:
    """MapServer begins with an empty line and ends its own with one sign, others with two."""
    picture = bytes(range(256)) + b"\r\n--wc\r\r\n\n\x85"
    service = Service(
        "wcs", "https://maps.example/ows", version="1.1.2", layers=(Layer("depth"),)
    )
    opening = open_layer(service)
    code = next(s.code for s in opening.snippets if s.tool == tool)
    if tool == "python":
        lines = code.splitlines()
        code = "\n".join(lines[lines.index("import email") :])
    else:
        code = shlex.split(code.splitlines()[1])[2]
    for end in (b"\n", b"\r\n"):
        told = (b"", b"--wcs", b"Content-Type: text/xml", b"", b"<Coverages/>", b"--wcs", b"Content-Type: image/tiff",
                b"Content-Transfer-Encoding: binary", b"", picture, b"--wcs--", b"")  # fmt: skip
        (tmp_path / "coverage.mime").write_bytes(end.join(told))
        subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
        assert (tmp_path / "coverage.tif").read_bytes() == picture
    assert {link.media_type for link in opening.links if link.rel == Rel.COVERAGE} == {
        "multipart/related"
    }


@pytest.mark.parametrize(
    "crs", ["+proj=merc +x=:$(touch x)", "+init=epsg:3857 +a$(id)", "EPSG:3857;id"]
)
def test_a_reference_system_that_no_authority_registers_is_not_asked_for(
    crs: str,
) -> None:
    """PROJ would take these for a projection, and a shell for a command."""
    opening = open_layer(WMS, replace(FOREST, crs=(crs,)))
    assert asked(opening.first(Rel.MAP))["CRS"] == "EPSG:4326"
    assert all(crs not in each.code for each in opening.snippets)


def test_reference_systems_of_other_authorities_are_asked_for() -> None:
    assert (
        get_map(WMS, replace(FOREST, crs=("IGNF:LAMB93", "ESRI:54009")))["CRS"]
        == "IGNF:LAMB93"
    )


@pytest.mark.parametrize(
    "media", ["image/;id;", 'image/"+x', "image/`w`", 'image/\\"', "image/$(w"]
)
def test_the_type_of_a_tile_is_no_command(media: str) -> None:
    layer = Layer("a", extent=Extent(BRAZIL), formats=(media,), grids=("EPSG:900913",))
    service = Service(
        "wmts",
        "https://t.example/wmts",
        version="1.0.0",
        grids=(MERCATOR.as_text(),),
        layers=(layer,),
    )
    codes = {each.tool: each.code for each in open_layer(service).snippets}
    assert re.fullmatch(r"curl -fsS -o tile\.[a-z]{1,4} \S+\n", codes["curl"])
    assert re.search(r'open\("tile\.[a-z]{1,4}", "wb"\)', codes["python"])
