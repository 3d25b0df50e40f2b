"""Laws that every service of the geoweb keeps, whatever its kind, version and seed."""

from __future__ import annotations

import subprocess
import sys
import time
from urllib.parse import urlsplit

import orjson
import pytest
from fuzzing import fuzzed
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from geohound.model.bbox import BBox, is_within, union
from geoweb import services
from geoweb.box import Box
from geoweb.protocol import Request, ServiceSpec

SEEDS = (0, 1, 2, 3, 4, 5, 6)
CASES = [
    (kind, version) for kind in services.KINDS for version in services.VERSIONS[kind]
]
OGC = "http://www.opengis.net/"
ROOTS = {
    ("wms", "1.0.0"): "WMT_MS_Capabilities", ("wms", "1.1.0"): "WMT_MS_Capabilities",
    ("wms", "1.1.1"): "WMT_MS_Capabilities", ("wms", "1.3.0"): f"{{{OGC}wms}}WMS_Capabilities",
    ("wfs", "1.0.0"): f"{{{OGC}wfs}}WFS_Capabilities", ("wfs", "1.1.0"): f"{{{OGC}wfs}}WFS_Capabilities",
    ("wfs", "2.0.0"): f"{{{OGC}wfs/2.0}}WFS_Capabilities", ("wfs",
    "2.0.2"): f"{{{OGC}wfs/2.0}}WFS_Capabilities",
    ("wcs", "1.0.0"): f"{{{OGC}wcs}}WCS_Capabilities", ("wcs", "1.1.0"): f"{{{OGC}wcs/1.1}}Capabilities",
    ("wcs", "1.1.1"): f"{{{OGC}wcs/1.1.1}}Capabilities", ("wcs", "1.1.2"): f"{{{OGC}wcs/1.1}}Capabilities",
    ("wcs", "2.0.0"): f"{{{OGC}wcs/2.0}}Capabilities", ("wcs", "2.0.1"): f"{{{OGC}wcs/2.0}}Capabilities",
    ("wcs", "2.1.0"): f"{{{OGC}wcs/2.1/gml}}Capabilities", ("wcps", "2.0.1"): f"{{{OGC}wcs/2.0}}Capabilities",
    ("wmts", "1.0.0"): f"{{{OGC}wmts/1.0}}Capabilities", ("wps", "1.0.0"): f"{{{OGC}wps/1.0.0}}Capabilities",
    ("wps", "2.0.0"): f"{{{OGC}wps/2.0}}Capabilities", ("csw",
    "2.0.2"): f"{{{OGC}cat/csw/2.0.2}}Capabilities",
    ("csw", "3.0.0"): f"{{{OGC}cat/csw/3.0}}Capabilities", ("sos", "1.0.0"): f"{{{OGC}sos/1.0}}Capabilities",
    ("sos", "2.0.0"): f"{{{OGC}sos/2.0}}Capabilities", ("sps", "1.0.0"): f"{{{OGC}sps/1.0}}Capabilities",
    ("sps", "2.0"): f"{{{OGC}sps/2.0}}Capabilities", ("tms", "1.0.0"): "TileMapService",
    ("thredds", "1.2"): "{http://www.unidata.ucar.edu/namespaces/thredds/InvCatalog/v1.0}catalog",
    ("opendap", "4.0"): "{http://xml.opendap.org/ns/DAP/4.0#}Dataset",
    ("opensearch", "1.1"): "{http://a9.com/-/spec/opensearch/1.1/}OpenSearchDescription",
    ("atom", "1.0"): "{http://www.w3.org/2005/Atom}feed", ("kml", "2.2"): f"{{{OGC}kml/2.2}}kml",
    ("wmc", "1.1.0"): f"{{{OGC}context}}ViewContext",
}  # fmt: skip
# Where the names of the offerings stand, for the kinds whose first answer is XML.
NAMES = {
    "wms": "//*[local-name()='Layer']/*[local-name()='Name']/text()",
    "wfs": "//*[local-name()='FeatureType']/*[local-name()='Name']/text()",
    "wcs": "//*[local-name()='CoverageOfferingBrief']/*[local-name()='name']/text()"
    " | //*[local-name()='CoverageSummary']/*[local-name()='Identifier' or local-name()='CoverageId']/text()",
    "wcps": "//*[local-name()='CoverageId']/text()",
    "wmts": "//*[local-name()='Layer']/*[local-name()='Identifier']/text()",
    "wps": "//*[local-name()='Process' or local-name()='ProcessSummary']/*[local-name()='Identifier']/text()",
    "sps": "//*[local-name()='SensorOffering']/*[local-name()='SensorID']/text()"
    " | //*[local-name()='SensorOffering']/*[local-name()='identifier']/text()",
    "thredds": "//*[local-name()='dataset'][@urlPath]/@name",
    "opendap": "//*[local-name()='Float64' or local-name()='Float32']/@name",
    "atom": "//*[local-name()='spatial_dataset_identifier_code']/text()",
    "kml": "//*[local-name()='NetworkLink']/*[local-name()='name']/text()",
    "wmc": "//*[local-name()='Layer']/*[local-name()='Name']/text()",
}
JSON_KINDS = [
    k
    for k in services.KINDS
    if k.startswith(("ogcapi", "stac", "arcgis")) or k in ("tilejson", "erddap")
]


def _parse(body: bytes) -> etree._Element:
    return etree.fromstring(
        body, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    )


@pytest.mark.parametrize(("kind", "version"), CASES)
def test_the_published_request_is_answered_with_200_and_the_same_bytes_each_time(
    kind, version, make_spec, ask
):
    for seed in SEEDS:
        spec = make_spec(kind, version, seed)
        first = ask(spec, services.request_url(spec))
        second = ask(make_spec(kind, version, seed), services.request_url(spec))
        assert first.status == 200
        assert first.body
        assert first == second


@pytest.mark.parametrize(("kind", "version"), list(ROOTS))
def test_xml_is_well_formed_and_has_the_root_that_its_specification_names(
    kind, version, make_spec, ask
):
    for seed in SEEDS:
        spec = make_spec(kind, version, seed)
        root = _parse(ask(spec, services.request_url(spec)).body)
        assert root.tag == ROOTS[kind, version]
        if root.get("version"):
            assert root.get("version") == version


@pytest.mark.parametrize(
    ("kind", "version"), [c for c in CASES if c[0] in NAMES and c != ("opendap", "2.0")]
)
def test_the_names_in_the_document_are_those_of_the_facts_in_that_order(
    kind, version, make_spec, ask
):
    for seed in SEEDS:
        spec = make_spec(kind, version, seed)
        root = _parse(ask(spec, services.request_url(spec)).body)
        assert tuple(root.xpath(NAMES[kind])) == services.facts(spec).layers
        assert len(set(services.facts(spec).layers)) == len(services.facts(spec).layers)


@pytest.mark.parametrize("kind", JSON_KINDS)
def test_json_services_answer_with_an_object(kind, make_spec, ask):
    for seed in SEEDS:
        spec = make_spec(kind, seed=seed)
        assert isinstance(
            orjson.loads(ask(spec, services.request_url(spec)).body), dict
        )


@pytest.mark.parametrize("kind", services.KINDS)
def test_no_two_seeds_share_an_endpoint_path(kind):
    paths = [services.endpoint_path(kind, seed) for seed in range(300)]
    assert len(set(paths)) == len(paths)
    assert all(p.startswith("/") and " " not in p for p in paths)


@pytest.mark.parametrize("kind", services.KINDS)
def test_the_path_of_another_service_is_not_answered(kind, make_spec):
    mine, other = make_spec(kind, seed=3), make_spec(kind, seed=40)
    parts = urlsplit(services.request_url(other))
    assert (
        services.answer(mine, Request("GET", parts.netloc, parts.path, parts.query))
        is None
    )


def test_the_box_of_the_facts_is_the_union_of_layers_inside_the_box_of_the_spec(
    make_spec,
):
    for box in (Box(5, 45, 15, 55), Box(-180, -90, 180, 90), Box(170, -50, -170, -30)):
        for seed in SEEDS:
            spec = make_spec("wms", seed=seed, bbox=box)
            found = services.facts(spec).bbox
            assert found is not None
            assert found.as_tuple() == pytest.approx(box.as_tuple())


def test_layers_lie_inside_the_box_of_the_spec_also_across_the_antimeridian(
    make_spec, ask
):
    for box in (Box(5, 45, 15, 55), Box(170, -50, -170, -30)):
        spec = make_spec("wmts", seed=3, bbox=box, layers=30)
        root = _parse(ask(spec, services.request_url(spec)).body)
        boxes = []
        for node in root.iter("{*}WGS84BoundingBox"):
            (west, south), (east, north) = (map(float, c.text.split()) for c in node)
            boxes.append(BBox(west, south, east, north))
            assert is_within(boxes[-1], BBox(*box.as_tuple()))
        assert len(boxes) == 30
        assert union(boxes) == BBox(*box.as_tuple())


def test_every_topic_speaks_every_language_and_an_unknown_topic_goes_by_its_own_words(
    make_spec,
):
    from geoweb.services._content import vocabulary

    words = vocabulary()
    assert len(words["topics"]) >= 20
    for topic, languages in words["topics"].items():
        assert set(languages) == set(words["languages"]), topic
        assert {len(themes) for themes in languages.values()} == {5}, topic
    title = services.facts(make_spec("wms", topic="peat bogs", language="en")).title
    assert "peat bogs" in title.lower()


def test_titles_are_in_the_language_of_the_spec(make_spec):
    assert any(
        "一" <= c <= "鿿"
        for c in services.facts(make_spec("wfs", language="zh", topic="rivers")).title
    )
    assert any(
        "а" <= c <= "я"
        for c in services.facts(make_spec("wfs", language="ru", topic="rivers")).title
    )


@pytest.mark.slow
def test_another_process_writes_the_same_bytes(make_spec, ask):
    spec = make_spec("wms", "1.3.0", 5)
    code = (
        "import sys, hashlib; from geoweb import services; from geoweb.protocol import *;"
        "from geoweb.box import Box; from urllib.parse import urlsplit;"
        f"s = {spec!r}; u = urlsplit(services.request_url(s));"
        "r = services.answer(s, Request('GET', u.netloc, u.path, u.query));"
        "print(hashlib.sha256(r.body).hexdigest())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": hash_seed},
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(found) == 1


def test_capabilities_of_five_layers_take_about_a_millisecond(make_spec, ask):
    """Generous bounds, for the machine may be busy: the best of many is what the code takes."""
    best = 1.0
    for seed in range(60):
        spec = make_spec("wms", "1.3.0", seed, layers=5)
        start = time.perf_counter()
        ask(spec, services.request_url(spec))
        best = min(best, time.perf_counter() - start)
    assert best < 0.003


_TEXT = st.text(max_size=40)
_KEYS = st.sampled_from(
    [
        "SERVICE",
        "REQUEST",
        "VERSION",
        "ACCEPTVERSIONS",
        "LAYERS",
        "LAYER",
        "QUERY_LAYERS",
        "BBOX",
        "WIDTH",
        "HEIGHT",
        "CRS",
        "SRS",
        "FORMAT",
        "TYPENAMES",
        "COUNT",
        "STARTINDEX",
        "ID",
        "COVERAGEID",
        "COVERAGE",
        "IDENTIFIER",
        "SUBSET",
        "QUERY",
        "OFFERING",
        "f",
        "limit",
        "offset",
        "$top",
        "$skip",
        "where",
        "geometry",
        "size",
        "bbox",
        "TILEMATRIX",
        "TILEROW",
        "TILECOL",
        "TILEMATRIXSET",
        "coords",
        "token",
        "collections",
        "I",
        "X",
    ]
)
_VALUES = st.one_of(
    _TEXT,
    st.sampled_from(
        [
            "GetCapabilities",
            "GetMap",
            "GetFeature",
            "GetCoverage",
            "DescribeCoverage",
            "GetTile",
            "GetRecords",
            "GetRecordById",
            "Execute",
            "GetObservation",
            "DescribeSensor",
            "GetFeatureInfo",
            "GetLegendGraphic",
            "ProcessCoverages",
            "DescribeFeatureType",
            "WMS",
            "WFS",
            "-1",
            "0",
            "1",
            "99999999999999999999",
            "1e999",
            "nan",
            "0,0,1,1",
            "5,45,6,46",
            "1,1,0,0",
            "EPSG:4326",
            "image/png",
            "image/jpeg",
            "json",
            "geojson",
            "river_network",
            "0",
            "1",
            "GoogleMapsCompatible",
            "1=1",
            "٣",
        ]
    ),
)
_STEPS = st.one_of(
    _TEXT,
    st.sampled_from(
        [
            "collections",
            "items",
            "tiles",
            "map",
            "coverage",
            "processes",
            "execution",
            "styles",
            "search",
            "conformance",
            "api",
            "position",
            "cube",
            "query",
            "0",
            "1",
            "tile",
            "export",
            "river_network",
            "catchment_areas.nc.dds",
            "Things(1)",
            "Observations",
            "Datastreams(2)",
            "info",
            "index.json",
            "tabledap",
            "allDatasets.json",
            ".dds",
            "7.png",
            "WebMercatorQuad",
            "results",
            "²",
        ]
    ),
)


@fuzzed(100)
@given(
    seed=st.integers(0, 10**6),
    steps=st.lists(_STEPS, max_size=5),
    pairs=st.lists(st.tuples(_KEYS | _TEXT, _VALUES), max_size=8),
    body=st.binary(max_size=200),
    method=st.sampled_from(["GET", "POST", "HEAD"]),
)
def test_no_path_and_no_query_makes_a_service_fail(seed, steps, pairs, body, method):
    for kind in services.KINDS:
        endpoint = "http://h.test" + services.endpoint_path(kind, seed)
        spec = ServiceSpec(
            kind, services.VERSIONS[kind][0], seed, endpoint, topic="rivers", layers=3
        )
        parts = urlsplit(endpoint)
        path = "/".join([parts.path, *steps])
        query = "&".join([parts.query, *(f"{k}={v}" for k, v in pairs)])
        for asked in (parts.path, path, parts.path + "".join(steps)):
            reply = services.answer(
                spec, Request(method, "h.test", asked, query, {}, body)
            )
            assert reply is None or 200 <= reply.status < 600
