"""Oddities that real servers showed: kept here in small, so that they stay read without starting the servers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from geohound.document import Document
from geohound.kinds import ogcapi, opendap, stac, tms
from geohound.model.service import Service
from geohound.model.service_merge import join
from geohound.model.visit import Response

(OPENDAP,) = opendap.KINDS
TMS = tms.KINDS[0]
STATIC_STAC = stac.KINDS[1]
ROOT = "http://a.test/ogcapi"


def document(
    body: bytes, url: str, headers: Mapping[str, str] | None = None
) -> Document:
    return Document(
        Response(url, url, 200, headers or {}, body, datetime(2025, 6, 1, tzinfo=UTC))
    )


def read_api(value: Any, url: str) -> dict[str, Service]:
    answer = document(json.dumps(value).encode(), url)
    found = ((kind.id, kind.read(answer)) for kind in ogcapi.KINDS)
    return {kind: service for kind, service in found if isinstance(service, Service)}


def link(rel: str, path: str = "", **more: str) -> dict[str, str]:
    return {"rel": rel, "href": ROOT + path, **more}


def test_a_landing_page_with_maps_and_data_is_no_proof_of_features() -> None:
    rels = (
        "self",
        "conformance",
        "data",
        "http://www.opengis.net/def/rel/ogc/1.0/tilesets-map",
    )
    landing = read_api({"links": [link(rel) for rel in rels]}, ROOT)
    assert landing["ogcapi-features"].provisional
    assert not landing["ogcapi-tiles"].provisional
    told = read_api(
        {"conformsTo": ["http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf/core"]},
        f"{ROOT}/conformance",
    )
    assert {service.kind for service in join(landing.values(), told.values())} == {
        "ogcapi-tiles"
    }


def test_a_collection_of_tiles_with_a_link_to_items_holds_no_features() -> None:
    links = [
        link("items"),
        link("http://www.opengis.net/def/rel/ogc/1.0/tilesets-vector"),
    ]
    row = {
        "id": "roads",
        "itemType": "tile",
        "links": links,
        "extent": {"spatial": {"bbox": [[1, 2, 3, 4]]}},
    }
    assert read_api(
        {"collections": [row], "links": []}, f"{ROOT}/collections"
    ).keys() == {"ogcapi-tiles"}


def test_a_collection_whose_data_link_leads_to_tiles_has_tiles() -> None:
    row = {
        "id": "roads",
        "itemType": "feature",
        "links": [link("items"), link("data", "/collections/roads/tiles")],
    }
    found = read_api({"collections": [row], "links": []}, f"{ROOT}/collections")
    assert found.keys() == {"ogcapi-features", "ogcapi-tiles"}


@pytest.mark.parametrize(
    "path", ["/wfs3", "/wfs3.json", "/wfs3/collections.json", "/wfs3/collections"]
)
def test_views_written_as_endings_belong_to_one_service(path: str) -> None:
    row = {"id": "roads", "links": [link("items")]}
    found = read_api({"collections": [row], "links": []}, f"http://a.test{path}")
    assert found["ogcapi-features"].endpoint == "http://a.test/wfs3"


def test_a_child_listed_as_json_and_as_page_is_one_child() -> None:
    children = [
        link("child", "/stac/a?f=json", type="application/json"),
        link("child", "/stac/a", type="text/html"),
    ]
    value = {
        "id": "c",
        "type": "Catalog",
        "stac_version": "1.0.0",
        "description": "d",
        "links": children,
    }
    service = STATIC_STAC.read(
        document(json.dumps(value).encode(), "http://a.test/stac")
    )
    assert isinstance(service, Service)
    assert [layer.name for layer in service.layers] == ["a"]


def test_the_mercator_of_the_tile_map_specification_is_understood() -> None:
    body = b"""<TileMap version="1.0.0"><Title>Sea</Title><SRS>OSGEO:41001</SRS>
    <BoundingBox minx="0" miny="0" maxx="1113194.9" maxy="1118889.97"/><TileSets/></TileMap>"""
    service = TMS.read(document(body, "http://a.test/tms/1.0.0/sea/mercator"))
    assert isinstance(service, Service)
    assert [layer.name for layer in service.layers] == ["sea/mercator"]
    assert service.extent is not None
    assert service.extent.box is not None
    assert service.extent.box.as_tuple() == pytest.approx((0, 0, 10, 10), abs=1e-4)


def test_a_dataset_of_pydap_is_called_by_its_name_and_its_sizes_are_no_variable() -> (
    None
):
    headers = {"opendap-server": "pydap/3.5.9"}
    dds = OPENDAP.read(
        document(
            b"Dataset {\n Float32 h[t = 3];\n} sea%2Enc;\n",
            "http://a.test/sea.nc.dds",
            headers,
        )
    )
    das = OPENDAP.read(
        document(
            b"Attributes {\n    dimensions {\n        Int32 t 3;\n    }\n    h {\n    }\n}\n",
            "http://a.test/sea.nc.das",
        )
    )
    assert isinstance(dds, Service)
    assert isinstance(das, Service)
    assert (dds.title, dds.software) == ("sea.nc", "pydap/3.5.9")
    assert [layer.name for layer in das.layers] == ["h"]


def test_the_page_of_a_dataset_leads_to_its_structure() -> None:
    assert OPENDAP.suspects("http://a.test/data/sea.nc.html")
    assert (
        OPENDAP.probe_urls("http://a.test/data/sea.nc.html")[0]
        == "http://a.test/data/sea.nc.dds"
    )
    assert not OPENDAP.suspects("http://a.test/data/sea.html")
