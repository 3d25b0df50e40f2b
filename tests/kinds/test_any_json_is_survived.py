"""No JSON, no XML and no bytes whatever upset a reader outside the OWS family."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from fuzzing import fuzzed
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from geohound.document import Document
from geohound.kinds import (
    arcgis,
    atom,
    erddap,
    kml,
    ogcapi,
    opendap,
    opensearch,
    ows_context,
    sensorthings,
    stac,
    thredds,
    tilejson,
    tms,
)
from geohound.model.service import Refusal, Service
from geohound.model.visit import Response

MODULES = (
    ogcapi,
    stac,
    arcgis,
    sensorthings,
    tms,
    tilejson,
    thredds,
    opendap,
    erddap,
    opensearch,
    atom,
    kml,
    ows_context,
)
READERS = [kind for module in MODULES for kind in module.KINDS]
# Names under which the readers look, so that the odd values land where they hurt.
NAMES = st.sampled_from(
    [
        "type",
        "id",
        "name",
        "title",
        "description",
        "links",
        "rel",
        "href",
        "conformsTo",
        "collections",
        "extent",
        "spatial",
        "bbox",
        "crs",
        "temporal",
        "interval",
        "itemType",
        "data_queries",
        "processes",
        "styles",
        "tilesets",
        "tileMatrixSets",
        "tileMatrices",
        "tileMatrix",
        "supportedCRS",
        "scaleDenominator",
        "stac_version",
        "license",
        "providers",
        "roles",
        "keywords",
        "assets",
        "item_assets",
        "currentVersion",
        "folders",
        "services",
        "layers",
        "tables",
        "mapName",
        "singleFusedMapCache",
        "fullExtent",
        "xmin",
        "ymin",
        "xmax",
        "ymax",
        "spatialReference",
        "wkid",
        "latestWkid",
        "bandCount",
        "pixelType",
        "tileInfo",
        "tiles",
        "defaultStyles",
        "serviceVersion",
        "store",
        "error",
        "code",
        "capabilities",
        "supportedExtensions",
        "documentInfo",
        "geometryType",
        "fields",
        "parentLayer",
        "parentLayerId",
        "value",
        "url",
        "serverSettings",
        "conformance",
        "tilejson",
        "vector_layers",
        "bounds",
        "table",
        "columnNames",
        "rows",
        "features",
        "properties",
        "offerings",
        "operations",
        "profiles",
        "contact",
        "inputs",
        "outputs",
        "timeInfo",
    ]
)
WORDS = st.sampled_from(
    [
        *[
            "Catalog",
            "Collection",
            "FeatureCollection",
            "Feature",
            "conformance",
            "data",
            "self",
            "items",
            "search",
            "child",
            "item",
            "service-desc",
            "1.0.0",
            "2.0.0",
            "Datastreams",
            "Things",
            "Observations",
            "MapServer",
            "griddap",
            "tabledap",
            "datasetID",
            "title",
            "minLongitude",
            "minLatitude",
            "maxLongitude",
            "maxLatitude",
            "https://api.stacspec.org/v1.0.0/core",
            "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core",
            "http://[",
            "//",
            "{z}/{x}",
            "NaN",
            "http://www.opengis.net/spec/owc-geojson/1.0/req/core",
        ],
        *["Feature Layer", "Dataset ID", "\ud800", "a\0b", ""],
    ]
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.just(10**400),
    st.just(-1),
    st.text(max_size=8),
    WORDS,
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(NAMES, inner, max_size=7)
    ),
    max_leaves=30,
)
URLS = st.sampled_from(
    [
        "http://a.test/rest/services/X/MapServer/0?f=json",
        "http://a.test/rest/services",
        "http://a.test/collections/x",
        "http://a.test/erddap/info/index.json",
        "http://a.test/v1.1",
        "file:///x.json",
        "",
        "http://a.test/1/1/1.png",
    ]
)


def read_all(body: bytes, url: str) -> list[Service]:
    document = Document(
        Response(url, url, 200, {}, body, datetime(2024, 1, 1, tzinfo=UTC))
    )
    found = [reader.read(document) for reader in READERS]
    assert all(isinstance(f, Service | Refusal | None) for f in found)
    return [f for f in found if isinstance(f, Service)]


def check(service: Service) -> None:
    """What stores and exporters rely on."""
    for layer in service.layers:
        assert layer.name
        layer.name.encode()
        layer.title.encode()
    service.title.encode()
    service.abstract.encode()
    assert service.id
    assert service.fingerprint


@pytest.mark.slow
@fuzzed(100)
@given(st.dictionaries(NAMES, VALUES, max_size=8), URLS)
def test_any_json_is_survived(value: dict[str, Any], url: str) -> None:
    for service in read_all(json.dumps(value).encode(), url):
        check(service)


TEMPLATES: list[dict[str, Any]] = [
    {
        "conformsTo": ["http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core"],
        "links": [],
        "collections": [],
    },
    {
        "collections": [
            {
                "id": "a",
                "links": [{"rel": "items", "href": "x"}],
                "extent": {"spatial": {"bbox": [[1, 2, 3, 4]]}},
            }
        ]
    },
    {
        "stac_version": "1.0.0",
        "type": "Collection",
        "id": "a",
        "links": [{"rel": "child", "href": "x"}],
        "providers": [{}],
        "extent": {
            "spatial": {"bbox": [[1, 2, 3, 4]]},
            "temporal": {"interval": [[None, None]]},
        },
        "license": "x",
    },
    {
        "currentVersion": 1,
        "mapName": "m",
        "layers": [{"id": 0, "name": "n", "parentLayerId": 1}],
        "tables": [],
        "fullExtent": {
            "xmin": 1,
            "ymin": 2,
            "xmax": 3,
            "ymax": 4,
            "spatialReference": {"wkid": 4326},
        },
        "documentInfo": {},
    },
    {
        "currentVersion": 1,
        "folders": ["a"],
        "services": [{"name": "n", "type": "MapServer"}],
    },
    {
        "value": [{"name": "Datastreams", "url": "u"}],
        "serverSettings": {"conformance": []},
    },
    {
        "tilejson": "2.0.0",
        "tiles": ["{z}"],
        "bounds": [1, 2, 3, 4],
        "vector_layers": [{"id": "a", "fields": {}}],
    },
    {
        "table": {
            "columnNames": ["griddap", "tabledap", "Dataset ID", "Title"],
            "rows": [["", "", "a", "b"]],
        }
    },
    {
        "type": "FeatureCollection",
        "properties": {"links": [{"href": "owc-geojson"}]},
        "features": [{"properties": {}}],
    },
]


def corrupt(value: Any, path: int, replacement: Any) -> Any:
    """The same document with one of its parts, counted in reading order, replaced."""
    counter = [path]

    def walk(part: Any) -> Any:
        counter[0] -= 1
        if counter[0] == 0:
            return replacement
        if isinstance(part, dict):
            return {k: walk(v) for k, v in part.items()}
        return [walk(v) for v in part] if isinstance(part, list) else part

    return walk(value)


@pytest.mark.slow
@fuzzed(150)
@given(st.sampled_from(TEMPLATES), st.integers(2, 30), VALUES, URLS)
def test_a_true_document_with_one_wrong_part_is_survived(
    template: dict[str, Any], path: int, part: Any, url: str
) -> None:
    for service in read_all(json.dumps(corrupt(template, path, part)).encode(), url):
        check(service)


@pytest.mark.parametrize("template", TEMPLATES)
def test_the_templates_above_are_known_when_left_alone(
    template: dict[str, Any],
) -> None:
    url = "http://a.test/x"
    body = json.dumps(template).encode()
    document = Document(
        Response(url, url, 200, {}, body, datetime(2024, 1, 1, tzinfo=UTC))
    )
    assert any(reader.read(document) for reader in READERS)


MARKUP = st.sampled_from(
    [
        "catalog",
        "dataset",
        "service",
        "feed",
        "entry",
        "link",
        "title",
        "kml",
        "NetworkLink",
        "Link",
        "href",
        "Region",
        "LatLonAltBox",
        "west",
        "TileMapService",
        "TileMaps",
        "TileMap",
        "BoundingBox",
        "Services",
        "OpenSearchDescription",
        "Url",
        "ViewContext",
        "OWSContext",
        "General",
        "LayerList",
        "Layer",
        "Server",
        "OnlineResource",
        "Dataset",
        "where",
    ]
)
SPACES = st.sampled_from(
    [
        "http://www.w3.org/2005/Atom",
        "http://www.unidata.ucar.edu/namespaces/thredds/InvCatalog/v1.0",
        "",
        "http://a9.com/-/spec/opensearch/1.1/",
        "http://www.opengis.net/owc/1.0",
        "http://xml.opendap.org/ns/DAP/4.0#",
    ]
)
LEAVES = st.sampled_from(
    [
        "",
        "x",
        "1",
        "-1e999",
        "NaN",
        "http://[",
        "a b c",
        "1 2 3 4",
        "http://b.test/wms?service=WMS",
    ]
)
ATTRIBUTES = st.dictionaries(
    st.sampled_from(
        [
            "name",
            "href",
            "rel",
            "type",
            "version",
            "base",
            "serviceType",
            "urlPath",
            "minx",
            "template",
            "term",
        ]
    ),
    LEAVES,
    max_size=4,
)


@st.composite
def trees(draw: st.DrawFn, depth: int = 4) -> str:
    tag, attributes = draw(MARKUP), draw(ATTRIBUTES)
    inner = (
        "".join(draw(st.lists(trees(depth - 1), max_size=3))) if depth else draw(LEAVES)
    )
    written = "".join(f' {k}="{v}"' for k, v in attributes.items())
    return f'<{tag} xmlns="{draw(SPACES)}"{written}>{inner}</{tag}>'


@fuzzed(80, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(trees(), URLS)
def test_any_xml_is_survived(markup: str, url: str) -> None:
    for service in read_all(markup.encode(), url):
        check(service)


@given(st.binary(max_size=200), URLS)
@example(b"\x89PNG\r\n\x1a\n", "http://a.test/1/1/1.png")
@example(b"RIFF\0\0\0\0WEBPVP8 ", "http://a.test/1/1/1.png")
@example(b"\xff\xd8\xff\xc0\x00", "http://a.test/1/1/1.png")
@example(b"Dataset {", "http://a.test/x.dds")
@example(b"Attributes {", "http://a.test/x.das")
@example(b"[" * 100_000, "http://a.test/x")
@example(b'{"a":' * 50_000, "http://a.test/x")
def test_any_bytes_are_survived(body: bytes, url: str) -> None:
    for service in read_all(body, url):
        check(service)


@pytest.mark.parametrize("reader", READERS, ids=lambda r: r.id)
@fuzzed(30)
@given(url=st.text(max_size=40) | URLS)
def test_any_address_may_be_suspected_and_probes_are_few(reader: Any, url: str) -> None:
    assert reader.suspects(url) in (True, False)
    assert 1 <= len(reader.probe_urls(url)) <= 3


@pytest.mark.slow
def test_a_huge_list_is_read_in_bounded_time_and_size() -> None:
    row = {"id": "a", "links": [{"rel": "items", "href": "x"}]}
    services = read_all(
        json.dumps({"collections": [row] * 120_000}).encode(),
        "http://a.test/collections",
    )
    assert len(services) == 1
    assert len(services[0].layers) == 100_000


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "url"),
    [
        (b"Dataset {" + b" Grid {" * 200_000 + b"} x;", "http://a.test/x.dds"),
        (b"Attributes {" + b' String a "' * 200_000, "http://a.test/x.das"),
        (
            b"<html>ArcGIS REST Services Directory" + b"<a <input " * 200_000,
            "http://a.test/rest/services",
        ),
        (
            b"<html>ArcGIS REST Services Directory" + b"<a href='x'" * 200_000,
            "http://a.test/rest/services",
        ),
        (
            b'{"tilejson":"2.0.0","tiles":["' + b"{z}/" * 300_000 + b'"]}',
            "http://a.test/x",
        ),
    ],
)
def test_hostile_length_costs_time_in_proportion(body: bytes, url: str) -> None:
    began = time.perf_counter()
    read_all(body, url)
    assert time.perf_counter() - began < 5
