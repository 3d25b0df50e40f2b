"""Every export format: what it holds, what it does to hostile text, and that it does not keep what it wrote."""

from __future__ import annotations

import csv
import io
import json
import struct
import tracemalloc

import pyarrow.parquet as pq
import pytest
from export_examples import FIJI, FORMULA, RIVERS, SERVICES, TWIN
from lxml import etree
from owslib.owscontext.core import OwcContext

from geohound.model.export import ExportedService
from geohound.model.service import Layer, Service
from geohound.plugins import discover

FORMATS = discover("exporters")


def test_the_formats_that_users_rely_on_are_there():
    assert {"csv", "geojson", "json", "jsonl", "qgis", "geoparquet"} <= set(FORMATS)


def test_csv_has_a_row_for_each_service(export):
    rows = list(csv.DictReader(io.StringIO(export("csv").decode())))
    assert {row["id"] for row in rows} == {service.id for service in SERVICES}
    rivers = next(row for row in rows if row["id"] == RIVERS.id)
    assert (rivers["kind"], rivers["title"], rivers["keywords"]) == (
        "wms",
        "Rivers & lakes",
        "rivers; lakes",
    )
    assert [rivers[side] for side in ("west", "south", "east", "north")] == [
        "19.1",
        "59.3",
        "31.6",
        "70.1",
    ]
    assert (rivers["provider"], rivers["licence"], rivers["layer_count"]) == (
        "Water Institute",
        "CC-BY-4.0",
        "2",
    )


def test_no_cell_of_the_csv_is_a_formula(export):
    """OWASP, CSV injection: cells that begin with = + - @, tab or carriage return are run by spreadsheets."""
    rows = list(csv.reader(io.StringIO(export("csv").decode())))
    for row in rows[1:]:
        numbers = row[-4:]
        assert not any(
            cell.startswith(("=", "+", "-", "@", "\t", "\r"))
            for cell in row
            if cell not in numbers
        )
    assert any(FORMULA.title in cell for row in rows for cell in row)


def test_geojson_splits_a_box_at_the_antimeridian(export):
    """RFC 7946, section 3.1.9: geometries that cross it are cut in two."""
    features = {f["id"]: f for f in json.loads(export("geojson"))["features"]}
    assert len(features) == len(SERVICES)
    assert features[RIVERS.id]["geometry"] == {
        "type": "Polygon",
        "coordinates": [
            [[19.1, 59.3], [31.6, 59.3], [31.6, 70.1], [19.1, 70.1], [19.1, 59.3]]
        ],
    }
    reefs = features[FIJI.id]["geometry"]
    assert reefs["type"] == "MultiPolygon"
    assert [ring[0][0][0] for ring in reefs["coordinates"]] == [176.5, -180.0]
    assert features[FORMULA.id]["geometry"] is None


def test_json_and_lines_hold_the_same_records(export):
    records = json.loads(export("json"))["services"]
    assert [json.loads(line) for line in export("jsonl").splitlines()] == records
    assert {"id", "kind", "endpoint", "title", "bbox", "state", "layer_count"} <= set(
        records[0]
    )


def test_the_filters_of_a_search_hold(export):
    found = [
        json.loads(line)["id"]
        for line in export("jsonl", text="rivers", kinds=("wms",)).splitlines()
    ]
    assert sorted(found) == sorted([RIVERS.id, TWIN.id])


def test_qgis_connections_have_unique_names_and_one_sort_a_file(export):
    root = etree.fromstring(export("qgis-wms"))
    assert (root.tag, root.get("version")) == ("qgsWMSConnections", "1.0")
    names = [each.get("name") for each in root.iterfind("wms")]
    assert len(names) == len(set(names)) == 3
    assert {"Rivers & lakes", "Rivers & lakes (2)"} <= set(names)
    assert {each.get("url") for each in root.iterfind("wms")} == {
        RIVERS.endpoint, TWIN.endpoint, FORMULA.endpoint,
    }  # fmt: skip
    assert {each.get("dpiMode") for each in root.iterfind("wms")} == {"7"}
    features = etree.fromstring(export("qgis-wfs"))
    assert (features.tag, features.get("version")) == ("qgsWFSConnections", "1.1")
    assert [each.get("url") for each in features.iterfind("wfs")] == [FIJI.endpoint]
    tiles = etree.fromstring(export("qgis-xyz"))
    assert [each.get("url") for each in tiles.iterfind("xyztiles")] == [
        "https://tiles.example/{z}/{x}/{y}.png"
    ]


def test_qgis_takes_the_sort_of_what_was_asked_for(export):
    assert etree.fromstring(export("qgis", kinds=("wfs",))).tag == "qgsWFSConnections"
    assert etree.fromstring(export("qgis", kinds=("wms",))).tag == "qgsWMSConnections"
    nothing = etree.fromstring(export("qgis", text="unicorns"))
    assert len(nothing.xpath("*")) == 0


@pytest.mark.parametrize(
    ("kind", "is_offered"),
    [
        ("ogcapi-features", True),
        ("ogcapi-maps", False),
        ("ogcapi-tiles", False),
        ("ogcapi-coverages", False),
        ("ogcapi-processes", False),
    ],
)
def test_of_the_ogc_apis_only_features_are_a_connection(kind, is_offered):
    """The dialogue "WFS / OGC API - Features" of QGIS opens nothing else."""
    service = Service(kind, "https://api.example/", layers=(Layer("a"),))
    requests = discover("kinds")[kind].requests
    each = ExportedService(service, {}, lambda la: requests(service, la, None))
    root = etree.fromstring(b"".join(FORMATS["qgis-wfs"].write([each])))
    assert bool(root.xpath("*")) is is_offered


def test_markup_in_names_stays_text_in_a_layer_definition(export):
    root = etree.fromstring(export("qlr"))
    assert root.xpath("//evil | //script") == []
    assert "<script>" in [
        each.text for each in root.iterfind("maplayers/maplayer/layername")
    ]
    trees = {each.get("id") for each in root.iter("layer-tree-layer")}
    assert trees == {each.text for each in root.iterfind("maplayers/maplayer/id")}


def test_geoparquet_says_what_its_geometries_are(export):
    """GeoParquet 1.1: file metadata `geo` with version, primary column, and of each column encoding and types."""
    table = pq.read_table(io.BytesIO(export("geoparquet")))
    described = json.loads(table.schema.metadata[b"geo"])
    assert (described["version"], described["primary_column"]) == ("1.1.0", "geometry")
    assert described["columns"]["geometry"]["encoding"] == "WKB"
    rows = {row["id"]: row for row in table.to_pylist()}
    order, kind, rings, points = struct.unpack_from(
        "<BIII", rows[RIVERS.id]["geometry"]
    )
    assert (order, kind, rings, points) == (1, 3, 1, 5)
    assert struct.unpack_from("<dd", rows[RIVERS.id]["geometry"], 13) == (19.1, 59.3)
    assert struct.unpack_from("<BII", rows[FIJI.id]["geometry"]) == (1, 6, 2)
    assert rows[FORMULA.id]["geometry"] is None
    assert rows[RIVERS.id]["bbox"] == {
        "xmin": 19.1,
        "ymin": 59.3,
        "xmax": 31.6,
        "ymax": 70.1,
    }


def test_terria_gets_a_group_for_each_server(export):
    """docs.terria.io, catalog groups: the types of WMS and WFS servers are wms-group and wfs-group."""
    catalogue = json.loads(export("terria"))["catalog"]
    members = {member["url"]: member for member in catalogue[0]["members"]}
    assert members[RIVERS.endpoint]["type"] == "wms-group"
    assert members[FIJI.endpoint]["type"] == "wfs-group"
    assert len({member["id"] for member in members.values()}) == len(members)


def test_owslib_reads_the_context(export):
    context = OwcContext.from_json(export("owc").decode())
    offered = {resource.title: resource.offerings[0] for resource in context.resources}
    assert (
        offered["Reefs"].offering_code
        == "http://www.opengis.net/spec/owc-geojson/1.0/req/wfs"
    )
    asked = {operation.operations_code for operation in offered["Reefs"].operations}
    assert "GetCapabilities" in asked


@pytest.mark.parametrize("format_id", FORMATS)
def test_memory_does_not_grow_with_the_number_of_services(many, format_id):
    """600 services with 60 kB of text each would be 36 MB if a format kept them."""
    tracemalloc.start()
    size = sum(len(piece) for piece in FORMATS[format_id].write(many))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size
    assert peak < 16_000_000
