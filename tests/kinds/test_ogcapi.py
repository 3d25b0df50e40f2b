"""OGC APIs are told apart by what they conform to, link to and list."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from geohound.document import Document
from geohound.kinds import ogcapi
from geohound.model.service import Service
from geohound.model.visit import Response

ROOT = "http://api.town.test/ogc"
SPEC = "http://www.opengis.net/spec"
REL = "http://www.opengis.net/def/rel/ogc/1.0"
CRS = "http://www.opengis.net/def/crs"


def claims(value: Any, url: str = ROOT) -> dict[str, Service]:
    body = value if isinstance(value, bytes) else orjson.dumps(value)
    document = Document(
        Response(url, url, 200, {}, body, datetime(2024, 1, 1, tzinfo=UTC))
    )
    found = {kind.id: kind.read(document) for kind in ogcapi.KINDS}
    return {
        kind: service for kind, service in found.items() if isinstance(service, Service)
    }


def collection(**more: Any) -> dict[str, Any]:
    items = {
        "rel": "items",
        "href": f"{ROOT}/collections/lakes/items",
        "type": "application/geo+json",
    }
    return {
        "id": "lakes",
        "title": "Lakes of the town",
        "description": "All standing waters",
        "keywords": ["water"],
        "extent": {
            "spatial": {
                "bbox": [[5.0, 47.0, 15.0, 55.0]],
                "crs": f"{SPEC.replace('spec', 'def')}/crs/OGC/1.3/CRS84",
            },
            "temporal": {"interval": [["2001-01-01T00:00:00Z", None]]},
        },
        "crs": [
            "http://www.opengis.net/def/crs/OGC/1.3/CRS84",
            "http://www.opengis.net/def/crs/EPSG/0/3857",
        ],
        "links": [items],
        **more,
    }


LANDING = {
    "title": "Town data",
    "description": "Open data of the town",
    "attribution": "CC BY 4.0 the town",
    "links": [
        {
            "rel": "self",
            "href": f"{ROOT}/?f=json",
            "type": "application/json",
            "hreflang": "de",
        },
        {"rel": "service-desc", "href": f"{ROOT}/api"},
        {"rel": "conformance", "href": f"{ROOT}/conformance"},
        {"rel": "data", "href": f"{ROOT}/collections"},
    ],
}


def test_a_landing_page_with_data_is_a_features_api() -> None:
    found = claims(LANDING, f"{ROOT}/?f=json")
    assert list(found) == ["ogcapi-features"]
    service = found["ogcapi-features"]
    assert (service.endpoint, service.title, service.language) == (
        ROOT,
        "Town data",
        "de",
    )
    assert service.access.licence == "CC-BY-4.0"
    assert {o.name: o.get for o in service.operations}["data"] == f"{ROOT}/collections"


@pytest.mark.parametrize(
    ("classes", "kinds"),
    [
        (["ogcapi-features-1/1.0/conf/core"], {"ogcapi-features"}),
        (["wfs-1/3.0/req/core"], {"ogcapi-features"}),
        (
            ["ogcapi-features-1/1.0/conf/core", "ogcapi-tiles-1/1.0/conf/core"],
            {"ogcapi-features", "ogcapi-tiles"},
        ),
        (
            ["ogcapi-maps-1/1.0/conf/core", "ogcapi-styles-1/0.0/conf/core"],
            {"ogcapi-maps", "ogcapi-styles"},
        ),
        (["ogcapi-coverages-1/0.0/conf/geodata-coverage"], {"ogcapi-coverages"}),
        (
            ["ogcapi-records-1/1.0/conf/core", "ogcapi-features-3/1.0/conf/filter"],
            {"ogcapi-records"},
        ),
        (["ogcapi-processes-1/1.0/conf/core"], {"ogcapi-processes"}),
        (["ogcapi-edr-1/1.1/conf/core"], {"ogcapi-edr"}),
        (["ogcapi-common-1/1.0/conf/core"], set()),
        (["json-fg-1/0.3/conf/core"], set()),
    ],
)
def test_conformance_says_which_apis_they_are(
    classes: list[str], kinds: set[str]
) -> None:
    found = claims(
        {"conformsTo": [f"{SPEC}/{c}" for c in classes]}, f"{ROOT}/conformance?f=json"
    )
    assert set(found) == kinds
    assert all(service.endpoint == ROOT for service in found.values())


def test_the_template_of_a_tile_is_kept_for_it_says_what_comes_first() -> None:
    told = f"{ROOT}/collections/{{collectionId}}/tiles/{{tileMatrixSetId}}/{{z}}/{{x}}/{{y}}"
    links = [*LANDING["links"], {"rel": "data", "href": told, "templated": True}]
    found = claims({**LANDING, "links": links}, f"{ROOT}/?f=json")["ogcapi-features"]
    assert {o.name: o.get for o in found.operations}["tile"] == told


def test_a_draft_has_no_version() -> None:
    classes = [f"{SPEC}/ogcapi-styles-1/0.0/conf/core"]
    assert claims({"conformsTo": classes})["ogcapi-styles"].version == ""


def test_the_version_is_that_of_the_core() -> None:
    classes = [
        f"{SPEC}/ogcapi-edr-1/1.2/conf/html",
        f"{SPEC}/ogcapi-edr-1/1.1/conf/core",
    ]
    assert claims({"conformsTo": classes})["ogcapi-edr"].version == "1.1"


def test_collections_are_layers_with_box_time_and_address() -> None:
    value = {
        "links": [],
        "collections": [
            collection(),
            collection(id="ponds", title={"de": "Weiher"}, extent=None),
        ],
    }
    service = claims(value, f"{ROOT}/collections?f=json&token=t")["ogcapi-features"]
    lakes, ponds = service.layers
    assert service.endpoint == f"{ROOT}?token=t"
    assert (lakes.name, lakes.title, lakes.abstract) == (
        "lakes",
        "Lakes of the town",
        "All standing waters",
    )
    assert lakes.extent is not None
    assert lakes.extent.box is not None
    assert lakes.extent.box.as_tuple() == (5, 47, 15, 55)
    assert lakes.times == ("2001-01-01T00:00:00Z/..",)
    assert lakes.crs == ("CRS:84", "EPSG:3857")
    assert lakes.links == (f"{ROOT}/collections/lakes/items",)
    assert (ponds.name, ponds.title, ponds.extent) == ("ponds", "Weiher", None)
    assert service.extent is not None


@pytest.mark.parametrize(
    ("row", "kinds"),
    [
        (collection(itemType="record"), {"ogcapi-records"}),
        (collection(data_queries={"position": {"link": {}}}), {"ogcapi-edr"}),
        (
            collection(links=[{"rel": f"{REL}/coverage", "href": "x"}]),
            {"ogcapi-coverages"},
        ),
        (
            collection(
                links=[
                    {"rel": f"{REL}/tilesets-map", "href": "x"},
                    {"rel": f"{REL}/map", "href": "y"},
                ]
            ),
            {"ogcapi-tiles", "ogcapi-maps"},
        ),
        (collection(links=[]), {"ogcapi-features"}),
        (collection(stac_version="1.0.0"), set()),
    ],
)
def test_each_collection_speaks_for_its_kinds(
    row: dict[str, Any], kinds: set[str]
) -> None:
    assert set(claims({"collections": [row]}, f"{ROOT}/collections")) == kinds


def test_a_single_collection_proves_the_api_above_it() -> None:
    service = claims(collection(), f"{ROOT}/collections/lakes?f=json")[
        "ogcapi-features"
    ]
    assert (service.endpoint, service.layers[0].name) == (ROOT, "lakes")


def test_processes_styles_and_tilesets_are_read_from_their_lists() -> None:
    processes = {
        "processes": [{"id": "buffer", "title": "Buffer", "version": "1.0"}],
        "links": [],
    }
    assert (
        claims(processes, f"{ROOT}/processes")["ogcapi-processes"].layers[0].name
        == "buffer"
    )
    styles = {"default": "night", "styles": [{"id": "night", "links": []}]}
    assert claims(styles, f"{ROOT}/styles")["ogcapi-styles"].layers[0].name == "night"
    tilesets = {
        "tilesets": [
            {
                "title": "Lakes",
                "dataType": "vector",
                "links": [],
                "tileMatrixSetId": "WebMercatorQuad",
            }
        ]
    }
    assert claims(tilesets, f"{ROOT}/tiles")["ogcapi-tiles"].layers[0].title == "Lakes"


def test_a_grid_definition_proves_tiles_only_where_the_api_keeps_it() -> None:
    grid = {
        "id": "g",
        "crs": "http://www.opengis.net/def/crs/EPSG/0/3857",
        "tileMatrices": [{"scaleDenominator": 1.0}],
    }
    assert set(claims(grid, f"{ROOT}/tileMatrixSets/g")) == {"ogcapi-tiles"}
    assert not claims(grid, "http://register.test/definitions/g.json")


@pytest.mark.parametrize(
    "value",
    [
        {
            "type": "FeatureCollection",
            "features": [],
            "links": [{"rel": "self", "href": "x"}],
            "numberMatched": 0,
        },
        {
            "type": "Feature",
            "id": "a",
            "geometry": None,
            "properties": {},
            "links": [{"rel": "collection", "href": "x"}],
        },
        {
            "type": "FeatureCollection",
            "conformsTo": [f"{SPEC}/json-fg-1/0.2/conf/core"],
            "features": [],
        },
        {"openapi": "3.0.3", "info": {"title": "t"}, "paths": {"/collections": {}}},
        {"collections": [{"title": "Spring fashion", "products": [1, 2]}]},
        {"collections": ["a", "b"]},
        {"links": [{"rel": "next", "href": "x"}], "items": []},
        {"id": "a", "styles": [{"name": "default"}], "links": []},
        {"processes": [{"pid": 1, "name": "init"}]},
        {"conformsTo": "http://www.opengis.net/"},
        [],
        {},
        b"<html></html>",
        b"",
        b"{",
        b"null",
    ],
)
def test_look_alikes_are_no_api(value: Any) -> None:
    assert not claims(value, f"{ROOT}/collections/lakes/items")


def test_suspicion_and_probes_keep_to_the_root() -> None:
    features = ogcapi.KINDS[0]
    assert features.suspects(
        "http://a.test/geoserver/ogc/features/v1/collections/x/items?f=html"
    )
    assert not features.suspects("http://a.test/shop/items")
    assert features.probe_urls("http://a.test/v1/collections/x?f=html&key=k") == (
        "http://a.test/v1/conformance?key=k&f=json",
        "http://a.test/v1/collections?key=k&f=json",
        "http://a.test/v1?key=k&f=json",
    )


TILESET = {
    "title": "Lakes in the Web Mercator quad",
    "dataType": "vector",
    "crs": "http://www.opengis.net/def/crs/EPSG/0/3857",
    "tileMatrixSetURI": "http://www.opengis.net/def/tilematrixset/OGC/1.0/WebMercatorQuad",
    "links": [
        {"rel": "self", "href": f"{ROOT}/collections/lakes/tiles/WebMercatorQuad"},
        {
            "rel": "item",
            "href": f"{ROOT}/collections/lakes/tiles/WebMercatorQuad/{{tileMatrix}}/{{tileRow}}",
        },
    ],
}


def test_a_single_tileset_is_proof_of_a_tiles_api_and_its_layer() -> None:
    found = claims(TILESET, f"{ROOT}/collections/lakes/tiles/WebMercatorQuad")
    assert set(found) == {"ogcapi-tiles"}
    assert found["ogcapi-tiles"].endpoint == ROOT
    assert [layer.title for layer in found["ogcapi-tiles"].layers] == [
        "Lakes in the Web Mercator quad"
    ]


@pytest.mark.parametrize(
    "stated",
    [
        {"lowerLeft": [10, 50], "upperRight": [11, 55], "crs": f"{CRS}/OGC/1.3/CRS84"},
        {"lowerLeft": [50, 10], "upperRight": [55, 11], "crs": f"{CRS}/EPSG/0/4326"},
        {
            "lowerLeft": [50, 10],
            "upperRight": [55, 11],
            "crs": {"uri": f"{CRS}/EPSG/0/4326"},
        },
        # 111,319.49 m east for each degree; the parallels of 50 and 55° in EPSG:3857.
        {
            "lowerLeft": [1113194.908, 6446275.841],
            "upperRight": [1224514.399, 7361866.113],
        },
    ],
    ids=["longitude first", "latitude first", "a CRS as an object", "its own CRS"],
)
def test_the_bounding_box_of_a_tileset_is_that_of_its_layer(
    stated: dict[str, Any],
) -> None:
    """OGC 17-083r4: corners in the CRS of the box, else in that of the tiles, and in its order of axes."""
    (layer,) = claims({**TILESET, "boundingBox": stated})["ogcapi-tiles"].layers
    assert layer.extent is not None and layer.extent.box is not None
    assert layer.extent.box.as_tuple() == pytest.approx((10, 50, 11, 55), abs=1e-4)


def test_a_collection_of_edr_needs_no_link_beside_its_queries() -> None:
    """OGC API EDR: `data_queries` says what may be asked of a collection."""
    wind = {"id": "wind", "title": "Wind", "links": []}
    asked = {**wind, "data_queries": {"position": {"link": {"href": "x"}}}}
    assert set(claims({"links": [], "collections": [asked]})) == {"ogcapi-edr"}
    assert not claims({"links": [], "collections": [wind]})


def test_a_tileset_without_a_grid_proves_nothing() -> None:
    assert not claims(
        {key: value for key, value in TILESET.items() if key != "tileMatrixSetURI"}
    )


def test_a_conformance_document_may_call_itself_an_object() -> None:
    conformance = {
        "type": "object",
        "conformsTo": [f"{SPEC}/ogcapi-features-1/1.0/conf/core"],
    }
    assert set(claims(conformance, f"{ROOT}/conformance")) == {"ogcapi-features"}


def test_the_json_schema_of_a_conformance_document_is_none() -> None:
    schema = {
        "type": "object",
        "required": ["conformsTo"],
        "properties": {"conformsTo": {"type": "array", "items": {"type": "string"}}},
        "links": [
            {"rel": "conformance", "href": f"{ROOT}/conformance"},
            {"rel": "data", "href": ROOT},
        ],
    }
    assert not claims(schema)


def test_a_list_of_collections_has_the_title_of_the_api_where_it_names_one() -> None:
    listed = {"title": "Waters of the town", "collections": [collection()], "links": []}
    found = claims(listed, f"{ROOT}/collections")["ogcapi-features"]
    assert found.title == "Waters of the town"


def test_a_list_that_is_called_collections_says_nothing_of_the_api() -> None:
    listed = {"title": "Collections", "collections": [collection()], "links": []}
    assert claims(listed, f"{ROOT}/collections")["ogcapi-features"].title == ""


def test_a_single_collection_does_not_speak_for_the_api() -> None:
    assert (
        claims(collection(), f"{ROOT}/collections/lakes")["ogcapi-features"].title == ""
    )


def test_a_saved_document_of_an_api_names_the_root_not_its_own_page() -> None:
    own = {"rel": "self", "href": f"{ROOT}/collections?f=json&limit=10"}
    found = claims(
        {"collections": [collection()], "links": [own]}, "file:///tmp/answer.json"
    )
    assert found["ogcapi-features"].online_resource == ROOT


@pytest.mark.parametrize(
    "selection",
    ["datetime=2020-01-01/..", "bbox=1,2,3,4", "q=lakes&limit=5", "sortby=-updated"],
)
def test_what_selects_among_the_contents_is_no_part_of_the_root(selection: str) -> None:
    found = claims({"collections": [collection()]}, f"{ROOT}/collections?{selection}")
    assert found["ogcapi-features"].endpoint == ROOT


def test_what_belongs_to_the_address_stays_with_the_root() -> None:
    found = claims(
        {"collections": [collection()]},
        f"{ROOT}/collections?token=abc&datetime=2020-01-01",
    )
    assert found["ogcapi-features"].endpoint == f"{ROOT}?token=abc"


def moved(value: Any, root: str) -> Any:
    """The same document as an API at another root serves it."""
    return orjson.loads(orjson.dumps(value).replace(ROOT.encode(), root.encode()))


@pytest.mark.parametrize(
    "root",
    ["http://town.test/api", "http://town.test/openapi", "http://town.test/maps/api"],
)
@pytest.mark.parametrize("path", ["", "/", "?f=json"])
def test_a_landing_page_called_api_is_its_own_root(root: str, path: str) -> None:
    """Most servers put the description of an API there; a landing page is none."""
    service = claims(moved(LANDING, root), root + path)["ogcapi-features"]
    assert (service.endpoint, service.online_resource) == (root, root)
    collections = claims(
        {"collections": [moved(collection(), root)]}, f"{root}/collections"
    )["ogcapi-features"]
    assert collections.endpoint == root


@pytest.mark.parametrize(
    ("given", "root"),
    [
        (
            "https://town.test/tiles/api",
            "http://town.test/tiles/api",
        ),  # TLS ends before the server
        (
            "http://inner:8080/tiles/api",
            "http://town.test",
        ),  # the name of an inner network says nothing here
        ("http://town.test/elsewhere", "http://town.test"),
    ],
)
def test_the_root_that_a_page_links_to_is_cut_no_further(given: str, root: str) -> None:
    page = collection(links=[*collection()["links"], {"rel": "root", "href": given}])
    service = claims(page, "http://town.test/tiles/api/collections/lakes")[
        "ogcapi-features"
    ]
    assert service.endpoint.rstrip("/") == root


def test_a_list_of_collections_that_links_to_its_conformance_is_not_the_root() -> None:
    links = [
        {"rel": "self", "href": f"{ROOT}/collections"},
        {"rel": "data", "href": f"{ROOT}/collections"},
        {"rel": "conformance", "href": f"{ROOT}/conformance"},
    ]
    found = claims(
        {"collections": [collection()], "links": links}, f"{ROOT}/collections"
    )
    assert found["ogcapi-features"].endpoint == ROOT


def test_an_address_called_api_is_asked_as_a_root_and_then_the_one_above_it() -> None:
    """A look at a known service starts at its endpoint; a found address may be the description of the API above."""
    asked = ogcapi.KINDS[0].probe_urls("http://s.test/api")
    assert asked[0] == "http://s.test" + "/api/conformance?f=json"
    assert "http://s.test/collections?f=json" in asked
