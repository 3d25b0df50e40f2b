"""What holds for every program, ours and those of plug-ins: whatever services call their things, code stays code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
import tree_sitter_javascript
from fuzzing import fuzzed
from hypothesis import given
from hypothesis import strategies as st
from tree_sitter import Language, Node, Parser

from geohound.contracts import SnippetWriter
from geohound.model.bbox import BBox
from geohound.model.grid import Grid, Level
from geohound.model.layer_request import LayerRequest
from geohound.model.service import Extent, Layer, Operation, Service
from geohound.plugins import discover

KINDS = discover("kinds")
WRITERS = discover("snippets")
LANGUAGES = {"python", "r", "sh", "javascript"}
BRAZIL = BBox(-75.0, -34.0, -34.0, 6.0)
JAVASCRIPT = Parser(Language(tree_sitter_javascript.language()))


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\S+", text))


# The only words that are ours; whatever else stands in a snippet must be in a literal or a comment.
PYTHON_WORDS = _words(
    "iface addRasterLayer addVectorLayer addVectorTileLayer QgsProject instance addMapLayer QgsVectorLayer "
    "owslib.wms owslib.wfs owslib.wcs owslib.wmts owslib.csw owslib.wps owslib.sos owslib.fes "
    "owslib.ogcapi.features owslib.ogcapi.records siphon.catalog urllib.request json xarray pystac email arcpy "
    "WebMapService WebFeatureService WebCoverageService WebMapTileService CatalogueServiceWeb WebProcessingService "
    "SensorObservationService Features Records BBox TDSCatalog urlopen urlretrieve "
    "wms wfs wcs wmts csw wps sos api server image tile features items content file dataset raw head parts found "
    "catalogue record records process processes name offering link contents title description identifier datasets "
    "getmap gettile getfeature getrecords getrecords2 collection_items open_dataset read_file get_links get_href "
    "read write open load print len isinstance bytes encode split lstrip values items rel access_urls "
    "message_from_bytes get_payload project map mp ArcGISProject activeMap addDataFromPath conversion KMLToLayer"
)
SHELL_WORDS = {"curl", "ogr2ogr", "ogrinfo", "gdal_translate", "gdalinfo", "python3"}
R_WORDS = _words(
    "library sf terra ncdf4 ows4R jsonlite fromJSON download.file mode rast ext crs c plot map features st_read "
    "st_geometry coverage dataset nc_open print client getCapabilities new "
    "WMSClient WFSClient WCSClient CSWClient WPSClient"
)
JAVASCRIPT_WORDS = _words(
    "await map addLayer addSource fitBounds getView fit transformExtent getProjection L tileLayer wms addTo "
    "imageOverlay vectorGrid protobuf geoJSON esri dynamicMapLayer imageMapLayer fetch json text options features "
    "source params url ImageLayer ImageWMS ImageArcGISRest ImageStatic TileLayer XYZ WMTS optionsFromCapabilities "
    "WMTSCapabilities read VectorLayer VectorSource VectorTileLayer VectorTileSource MVT GeoJSON KML"
)


@pytest.fixture(params=WRITERS.values(), ids=list(WRITERS))
def writer(request: pytest.FixtureRequest) -> SnippetWriter:
    found: SnippetWriter = request.param
    return found


def test_it_is_named_for_people_and_programs(writer: SnippetWriter) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]*", writer.id)
    assert writer.title.strip() == writer.title != ""
    assert writer.language in LANGUAGES


def test_lists_of_programs_have_one_order() -> None:
    ranks = [writer.rank for writer in WRITERS.values()]
    assert len(set(ranks)) == len(ranks)


def grid(name: str, level: str = "EPSG:900913:") -> str:
    corner = (-20037508.3427892, 20037508.3427892)
    levels = (
        Level(f"{level}{z}", 559082264.0287178 / 2**z, corner, (256, 256), 2**z, 2**z)
        for z in range(19)
    )
    return Grid(name, "EPSG:3857", tuple(levels)).as_text()


VERSIONS = ("", "1.0.0", "1.1.1", "1.1.2", "2.0.2", "3.0.0")


def asked(
    kind: str, layer: Layer, version: str = "", word: str = ""
) -> Iterator[tuple[Service, LayerRequest]]:
    """What is asked of a layer; `word` stands wherever a service of this kind may write what it likes."""
    operations = tuple(
        Operation(
            name,
            f"https://a.example/{name}{word}",
            formats=(f"application/json{word}", f"image/png{word}"),
        )
        for name in ("GetMap", "GetFeature", "GetCoverage", "GetTile", "search", "tile")
    )
    silent = Service(
        kind,
        f"https://a.example/x{word}",
        version=version and version + word,
        title=word,
        keywords=(word,),
        layers=(layer,),
        grids=(grid(f"EPSG:900913{word}"),),
        formats=(word,),
        online_resource="https://a.example/{z}/{x}/{y}.png",
    )
    for service in (silent, replace(silent, operations=operations)):
        for box in (None, BRAZIL):
            for request in KINDS[kind].requests(service, layer, box):
                yield service, request


def made(word: str = "") -> Iterator[Layer]:
    plain = Layer(
        f"forest{word}",
        f"Forest{word}",
        keywords=(f"urn:x:temperature{word}", word),
        extent=Extent(BRAZIL),
        crs=(f"EPSG:4326{word}",),
        formats=(f"application/geo+json{word}",),
        styles=(f"green{word}",),
        times=(word,),
        queryable=True,
        grids=(f"EPSG:900913{word}",),
    )
    yield plain
    yield replace(plain, name=word, title="")
    for link in (
        "0",
        "{z}/{x}/{y}.pbf",
        "wms?service=WMS",
        "data.dds",
        "griddap/a.dds",
        "a.kml",
        "items?f=json",
    ):
        yield replace(
            plain,
            links=(f"https://a.example/{link}{word}",),
            formats=(f"image/png{word}",),
        )
    yield replace(
        plain,
        links=(f"https://a.example/{word}/{{TileMatrix}}/{{TileRow}}/{{TileCol}}.png",),
    )
    yield replace(
        plain,
        links=(f"https://a.example/a{word}",),
        formats=("application/x-shapefile",),
    )


def test_every_program_opens_something(writer: SnippetWriter) -> None:
    codes = (
        writer.write(service, layer, request)
        for kind in KINDS
        for layer in made()
        for service, request in asked(kind, layer)
    )
    assert any(codes)


@pytest.mark.slow
def test_code_ends_its_last_line_and_holds_no_control_characters(
    writer: SnippetWriter,
) -> None:
    for kind in KINDS:
        for layer in made("\x1b[2J\r\n\u202e"):
            for service, request in asked(kind, layer, word="\x07"):
                code = writer.write(service, layer, request)
                if code is not None:
                    assert code.endswith("\n")
                    assert all(line.isprintable() for line in code[:-1].split("\n"))


HOSTILE = st.sampled_from(
    ["'; rm -rf / #", '"); import os #', "$(id)", "`id`", "</script><!--", "\n\nimport os\n", "\u2028x", "\\",
     "a'b\"c\\", "-oo", "--config x", "{}", "{z}", "${x}", "%0a", '\\"); x("', "'\\''", "; id", "|id", "&id", "\ud800",
     "*/", "//", "]]>", "\x00", "\t"]
) | st.text(st.characters(), min_size=1, max_size=30)  # fmt: skip


@pytest.mark.slow
@fuzzed(25)
@given(HOSTILE, st.sampled_from(VERSIONS), st.integers(0, len(list(made())) - 1))
@pytest.mark.parametrize("kind", KINDS)
def test_no_word_of_a_service_becomes_code(
    kind: str, word: str, version: str, which: int
) -> None:
    layer = list(made(word))[which]
    for service, request in asked(kind, layer, version, word):
        for writer in WRITERS.values():
            code = writer.write(service, layer, request)
            if code is not None:
                CHECKS[writer.language](code)


def check_python(code: str) -> None:
    words: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                words.add(name)
            case ast.ImportFrom(module=str(name)):
                words.add(name)
    assert words <= PYTHON_WORDS


def check_shell(code: str) -> None:
    """Outside of single quotes nothing stands that a shell would take for more than a word, but for our `||`."""
    for line in code.splitlines():
        bare = re.sub(r"'[^']*'|\"'\"", "Q", line)
        assert re.fullmatch(
            r"[\w@%+=:,./ -]*(?: \|\| [\w@%+=:,./ -]*)?", bare, re.ASCII
        ), line
        for command in bare.split(" || "):
            assert command.split()[0] in SHELL_WORDS


def check_r(code: str) -> None:
    """Outside of string literals there are our own words, numbers and punctuation."""
    bare = re.sub(r'"(?:[^"\\]|\\[\\"])*"', "", code)
    assert '"' not in bare
    assert "'" not in bare
    words = set(re.findall(r"[A-Za-z_][\w.]*", bare))
    assert words <= R_WORDS
    assert re.fullmatch(r"[\w.\s(),$:<=-]*", bare, re.ASCII)


def check_javascript(code: str) -> None:
    assert not re.search(r"</script|<!--", code, re.IGNORECASE)
    tree = JAVASCRIPT.parse(code.encode())
    assert not tree.root_node.has_error, code
    words = set(_identifiers(tree.root_node))
    assert words <= JAVASCRIPT_WORDS


def _identifiers(node: Node) -> Iterator[str]:
    if (
        node.type
        in ("identifier", "property_identifier", "shorthand_property_identifier")
        and node.parent is not None
    ):
        is_key = (
            node.parent.type == "pair"
            and node.parent.child_by_field_name("key") == node
        )
        if not is_key:
            yield (node.text or b"").decode()
    for child in node.children:
        yield from _identifiers(child)


CHECKS = {
    "python": check_python,
    "sh": check_shell,
    "r": check_r,
    "javascript": check_javascript,
}
