"""STAC catalogues, static and served, are told from their items and from other OGC APIs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from geohound.document import Document
from geohound.kinds import stac
from geohound.model.service import Service
from geohound.model.visit import Response

CORE = "https://api.stacspec.org/v1.0.0/core"


def claims(value: Any, url: str) -> dict[str, Service]:
    body = orjson.dumps(value)
    document = Document(
        Response(url, url, 200, {}, body, datetime(2024, 1, 1, tzinfo=UTC))
    )
    found = {kind.id: kind.read(document) for kind in stac.KINDS}
    return {
        kind: service for kind, service in found.items() if isinstance(service, Service)
    }


CATALOG = {
    "type": "Catalog",
    "stac_version": "1.0.0",
    "id": "town",
    "title": "Images of the town",
    "description": "From the air",
    "links": [
        {"rel": "root", "href": "./catalog.json"},
        {"rel": "child", "href": "./2020/collection.json", "title": "Year 2020"},
        {"rel": "child", "href": "./2021/catalog.json"},
        {"rel": "item", "href": "./odd/odd.json"},
    ],
}
COLLECTION = {
    "type": "Collection",
    "stac_version": "1.0.0",
    "id": "y2020",
    "description": "d",
    "license": "CC-BY-4.0",
    "keywords": ["air"],
    "providers": [
        {"name": "Flyer", "roles": ["producer"]},
        {"name": "Town", "roles": ["host"], "url": "http://town.test"},
    ],
    "extent": {
        "spatial": {"bbox": [[5, 47, 15, 55]]},
        "temporal": {"interval": [["2020-01-01T00:00:00Z", None]]},
    },
    "links": [{"rel": "items", "href": "http://a.test/stac/collections/y2020/items"}],
}


def test_a_static_catalogue_lists_children_and_items() -> None:
    found = claims(CATALOG, "http://a.test/cat/catalog.json")
    assert list(found) == ["stac"]
    service = found["stac"]
    assert (service.title, service.version) == ("Images of the town", "1.0.0")
    assert [layer.name for layer in service.layers] == ["2020", "2021", "odd"]
    assert service.layers[0].links == ("http://a.test/cat/2020/collection.json",)


def test_a_static_collection_has_box_provider_and_licence() -> None:
    service = claims(COLLECTION, "http://a.test/cat/2020/collection.json")["stac"]
    assert service.extent is not None
    assert service.extent.box is not None
    assert service.extent.box.as_tuple() == (5, 47, 15, 55)
    assert (service.provider.name, service.access.licence) == ("Town", "CC-BY-4.0")


def test_before_one_point_zero_a_catalogue_had_no_type_and_a_flat_box() -> None:
    old = {
        "stac_version": "0.8.1",
        "id": "old",
        "description": "d",
        "links": [],
        "extent": {"spatial": [5, 47, 15, 55], "temporal": ["2001-01-01", None]},
    }
    service = claims(old, "http://a.test/old.json")["stac"]
    assert service.extent is not None
    assert service.extent.box is not None
    assert service.extent.box.as_tuple() == (5, 47, 15, 55)


def test_a_landing_page_that_conforms_to_the_core_is_an_api() -> None:
    landing = {
        **CATALOG,
        "conformsTo": [CORE],
        "links": [
            {"rel": "search", "href": "http://a.test/stac/search", "method": "GET"},
            {"rel": "search", "href": "http://a.test/stac/search", "method": "POST"},
            {
                "rel": "child",
                "href": "http://a.test/stac/collections/y2020",
                "title": "Y",
            },
        ],
    }
    found = claims(landing, "http://a.test/stac/")
    assert list(found) == ["stac-api"]
    assert found["stac-api"].endpoint == "http://a.test/stac"
    assert found["stac-api"].operations[0].post == "http://a.test/stac/search"
    assert found["stac-api"].layers[0].name == "y2020"


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"collections": [COLLECTION], "links": []}, "collections"),
        (COLLECTION, "collections/y2020"),
    ],
)
def test_collections_served_below_an_api_belong_to_it(value: Any, path: str) -> None:
    found = claims(value, f"http://a.test/stac/{path}")
    assert list(found) == ["stac-api"]
    assert found["stac-api"].endpoint == "http://a.test/stac"
    assert found["stac-api"].layers[0].times == ("2020-01-01T00:00:00Z/..",)


@pytest.mark.parametrize(
    "value",
    [
        {
            "type": "Feature",
            "stac_version": "1.0.0",
            "id": "i",
            "geometry": None,
            "properties": {},
            "links": [],
            "assets": {},
        },
        {
            "type": "FeatureCollection",
            "stac_version": "1.0.0",
            "features": [],
            "links": [{"rel": "search"}],
        },
        {"type": "Catalog", "id": "c", "links": []},
        {"stac_version": 1, "type": "Catalog", "id": "x"},
        {"stac_version": "1.0.0", "stac_extensions": []},
        {"collections": [{"id": "a", "links": []}]},
        [CATALOG],
    ],
)
def test_items_and_look_alikes_are_no_catalogue(value: Any) -> None:
    assert not claims(value, "http://a.test/stac/collections/a/items/i")


def test_probes_go_to_the_root_of_the_api() -> None:
    api = stac.KINDS[0]
    assert api.probe_urls("https://a.test/stac/v1/collections/x") == (
        "https://a.test/stac/v1",
        "https://a.test/stac/v1/collections",
    )
    assert stac.KINDS[1].probe_urls("https://a.test/catalog.json#x") == (
        "https://a.test/catalog.json",
    )


def test_a_landing_page_with_an_extent_is_still_the_api() -> None:
    landing = {
        **CATALOG,
        "conformsTo": [CORE],
        "extent": COLLECTION["extent"],
        "links": [
            {
                "rel": "child",
                "href": "http://a.test/stac/collections/y2020",
                "title": "Year 2020",
            }
        ],
    }
    found = claims(landing, "http://a.test/stac")
    assert list(found) == ["stac-api"]
    assert found["stac-api"].title == "Images of the town"
    assert [layer.title for layer in found["stac-api"].layers] == ["Year 2020"]


def test_a_saved_collection_whose_items_are_served_belongs_to_the_api() -> None:
    own = {"rel": "self", "href": "http://a.test/stac/collections/y2020"}
    found = claims(
        {**COLLECTION, "links": [*COLLECTION["links"], own]}, "file:///tmp/answer.json"
    )
    assert list(found) == ["stac-api"]
    assert found["stac-api"].online_resource == "http://a.test/stac"
    assert [layer.name for layer in found["stac-api"].layers] == ["y2020"]


def test_relative_links_of_a_saved_collection_lead_from_where_it_came() -> None:
    links = [
        {"rel": "self", "href": "http://a.test/stac/collections/y2020"},
        {"rel": "root", "href": "../"},
        {"rel": "items", "href": "./y2020/items"},
    ]
    found = claims({**COLLECTION, "links": links}, "file:///tmp/answer.json")
    assert list(found) == ["stac-api"]
    assert found["stac-api"].online_resource == "http://a.test/stac"
    assert found["stac-api"].layers[0].links == (
        "http://a.test/stac/collections/y2020/items",
    )


@pytest.mark.parametrize(
    "root",
    ["http://s.test/api", "http://s.test/stac/v1/api", "http://s.test/api/search"],
)
def test_an_api_whose_root_is_called_api_has_that_as_its_endpoint(root: str) -> None:
    """The landing page, a collection and the list of collections are pages of one service."""
    links = [
        {"rel": "self", "href": root},
        {"rel": "root", "href": root},
        {"rel": "search", "href": f"{root}/search"},
        {"rel": "data", "href": f"{root}/collections"},
    ]
    landing = {**CATALOG, "conformsTo": [CORE], "links": links}
    items = {"rel": "items", "href": f"{root}/collections/y2020/items"}
    collection = {**COLLECTION, "links": [items, {"rel": "root", "href": root}]}
    pages = {
        root: landing,
        f"{root}/collections/y2020": collection,
        f"{root}/collections": {"collections": [collection]},
    }
    found = [claims(page, url)["stac-api"] for url, page in pages.items()]
    assert [service.endpoint for service in found] == [root, root, root]
    assert found[0].online_resource == found[1].online_resource == root
    assert found[0].companions == (f"{root}/collections",)


def test_an_address_called_api_is_asked_as_a_root_and_then_the_one_above_it() -> None:
    """A look at a known service starts at its endpoint; a found address may be the description of the API above."""
    asked = stac.KINDS[0].probe_urls("http://s.test/api")
    assert asked[0] == "http://s.test" + "/api"
    assert "http://s.test/collections" in asked
