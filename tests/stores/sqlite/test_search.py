"""Search over the SQLite catalogue: words in any script, boxes anywhere on the globe, any nonsense."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from geohound.model.bbox import BBox, Relation
from geohound.model.health import Check, State
from geohound.model.query import Query
from geohound.model.service import Extent, Layer, Provider, Service, Sighting
from geohound.model.visit import Via

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
WORLD = BBox(-180, -90, 180, 90)
BRAZIL = BBox(-74, -34, -34, 6)
FIJI = BBox(176, -21, -178, -12)


def put(store, name, kind="wms", **fields):
    service = Service(kind, f"http://{name}.example.org/ows", **{"title": name, **fields})
    store.catalogue.put(service, Sighting(service.id, service.endpoint, "", Via.LINK, "", NOON))
    return service


def names(results):
    return [hit.service.endpoint[7:].partition(".")[0] for hit in results.hits]


@pytest.fixture
def shop(store):
    """A small catalogue with one of everything."""
    put(
        store, "brazil", title="Environmental data of Brazil", provider=Provider("Instituto Geográfico"),
        layers=(
            Layer("MapaBiomas", "Land cover 2020", "Forests and savannas", ("biomes",), Extent(BRAZIL)),
            Layer("rivers", "Rivers", extent=Extent(BRAZIL)),
        ),
        extent=Extent(BRAZIL),
    )  # fmt: skip
    put(store, "world", title="Global land cover", layers=(Layer("glc", "Cover", extent=Extent(WORLD)),))
    put(store, "fiji", "wfs", title="Reefs", layers=(Layer("reef", "Coral reefs", extent=Extent(FIJI)),))
    put(store, "china", title="国家土地覆盖数据", abstract="全国范围的地图")
    put(store, "thai", title="แผนที่การใช้ที่ดิน")
    put(store, "paris", "wfs", title="Forêts d'Île-de-France", abstract="Données publiques")
    return store


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("land cover", {"brazil", "world"}),
        ('"land cover 2020"', {"brazil"}),
        ('"cover land"', set()),
        ("LAND Cover -global", {"brazil"}),
        ("riv*", {"brazil"}),
        ("riv", set()),
        ("brazil rivers", {"brazil"}),
        ("biomas", {"brazil"}),
        ("geografico", {"brazil"}),
        ("forets", {"paris"}),
        ("Forêts", {"paris"}),
        ("île-de-france", {"paris"}),
        ("土地", {"china"}),
        ("土地覆盖", {"china"}),
        ("地土", set()),
        ("การใช้", {"thai"}),
        ("fiji.example.org", {"fiji"}),
        ("coral", {"fiji"}),
        ("!!! ---", set()),
        ('"', set()),
        ("-reefs -cover", {"brazil", "china", "thai", "paris"}),
    ],
)
def test_words_find_what_says_them(shop, text, found):
    results = shop.catalogue.search(Query(text, expand=False))
    assert set(names(results)) == found
    assert results.total == len(found)


def test_where_nothing_holds_all_words_those_that_hold_some_are_found(shop):
    assert set(names(shop.catalogue.search(Query("reefs rivers")))) == {"fiji", "brazil"}


def test_a_hit_shows_the_matching_layers_and_says_why(shop):
    (hit,) = shop.catalogue.search(Query("savannas", bbox=BRAZIL)).hits
    assert [layer.name for layer in hit.layers] == ["MapaBiomas"]
    assert (hit.layer_count, hit.match_count) == (2, 1)
    assert hit.why == "abstract matches 'savannas'; box fits by 100.0 %"
    (hit,) = shop.catalogue.search(Query("reefs")).hits
    assert hit.why == "title matches 'reefs'"
    assert hit.state is State.UNKNOWN


def test_a_title_counts_more_than_an_abstract(store):
    put(store, "deep", title="Data", abstract="all about glaciers and ice")
    put(store, "top", title="Glaciers", abstract="all about data and ice")
    assert names(store.catalogue.search(Query("glaciers"))) == ["top", "deep"]


def test_a_whole_world_layer_does_not_outrank_the_local_one(shop):
    assert names(shop.catalogue.search(Query(bbox=BBox(-70, -30, -40, 0)))) == ["brazil", "world"]
    assert names(shop.catalogue.search(Query("cover", bbox=BRAZIL))) == ["brazil", "world"]


@pytest.mark.parametrize(
    ("relation", "box", "found"),
    [
        (Relation.OVERLAPS, BBox(178, -15, 179, -14), {"fiji", "world"}),
        (Relation.OVERLAPS, BBox(-179, -15, -178.5, -14), {"fiji", "world"}),
        (Relation.OVERLAPS, BBox(-170, -15, 170, -14), {"brazil", "world"}),
        (Relation.WITHIN, BBox(170, -30, -170, 0), {"fiji"}),
        (Relation.WITHIN, BBox(177, -30, -170, 0), set()),
        (Relation.WITHIN, WORLD, {"fiji", "world", "brazil"}),
        (Relation.CONTAINS, BBox(179, -15, -179, -14), {"fiji", "world"}),
        (Relation.CONTAINS, BBox(179, -15, -177, -14), {"world"}),
        (Relation.CONTAINS, WORLD, {"world"}),
    ],
)
def test_boxes_stand_in_relation_also_across_the_antimeridian(shop, relation, box, found):
    assert set(names(shop.catalogue.search(Query(bbox=box, relation=relation)))) == found


def test_words_and_box_must_hold_for_the_same_layer(store):
    put(
        store, "two",
        layers=(Layer("a", "Soil", extent=Extent(BRAZIL)), Layer("b", "Reef", extent=Extent(FIJI))),
    )  # fmt: skip
    assert store.catalogue.search(Query("soil", bbox=BRAZIL)).total == 1
    assert store.catalogue.search(Query("soil", bbox=FIJI)).total == 0


def test_a_layer_without_a_box_stands_where_its_service_does(store):
    put(store, "one", extent=Extent(BRAZIL), layers=(Layer("a", "Soil"),))
    (hit,) = store.catalogue.search(Query("soil", bbox=BRAZIL)).hits
    assert [layer.name for layer in hit.layers] == ["a"]


def test_filters_facets_and_pages_agree(store):
    for number in range(30):
        service = put(store, f"s{number}", "wms" if number % 3 else "wfs", title="map")
        if number < 5:
            store.catalogue.record_check(Check(service.id, NOON, number < 2))
    results = store.catalogue.search(Query("map", kinds=("wms",), limit=7))
    assert results.total == 20
    assert results.facets["kind"] == {"wms": 20, "wfs": 10}
    assert results.facets["state"] == {"unknown": 17, "dead": 2, "alive": 1}
    pages = [
        name
        for offset in range(0, 30, 7)
        for name in names(store.catalogue.search(Query("map", kinds=("wms",), limit=7, offset=offset)))
    ]
    assert len(pages) == len(set(pages)) == 20
    assert store.catalogue.search(Query("map", states=(State.ALIVE,))).total == 2
    assert store.catalogue.search(Query("", limit=0)).total == 30


def test_a_refreshed_service_is_found_by_its_new_words_and_box_only(store):
    put(store, "one", title="Glaciers", layers=(Layer("x", "Ice", extent=Extent(FIJI)),))
    put(store, "one", title="Deserts", layers=(Layer("y", "Sand", extent=Extent(BRAZIL)),))
    for gone in (Query("glaciers"), Query("ice"), Query(bbox=FIJI)):
        assert store.catalogue.search(gone).total == 0
    for here in (Query("deserts"), Query("sand"), Query(bbox=BRAZIL)):
        assert store.catalogue.search(here).total == 1


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(), max_size=40) | st.text("\"*-()^:+AND ORNEAR{}a\0\\'", max_size=30))
@example('"unbalanced')
@example("title:land OR NEAR(a b, 3) NOT {x y}: ^a + b")
@example("a" * 100_000)
@example('-"a" -* "*" "" * -')
def test_any_text_at_all_is_a_search(shop, text):
    for box in (None, FIJI):
        results = shop.catalogue.search(Query(text, bbox=box))
        assert 0 <= len(results.hits) <= results.total <= 6
