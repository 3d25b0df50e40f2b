"""Search over the SQLite catalogue: words in any script, boxes anywhere on the globe, any nonsense.

What is indexed is that of Hou, Chen & Wu 2016, section 4.2. PolarHub (section 5) searches it before it crawls again.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from fuzzing import fuzzed
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from geohound.model.bbox import BBox, Relation
from geohound.model.catalogue import Observation
from geohound.model.health import Check, HealthState
from geohound.model.search.query import Query
from geohound.model.service import Access, Extent, Layer, Provider, Service, Sighting
from geohound.model.visit import Via
from geohound.search.facets import duplicate_key

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
WORLD = BBox(-180, -90, 180, 90)
BRAZIL = BBox(-74, -34, -34, 6)
FIJI = BBox(176, -21, -178, -12)


def put(store, name, /, kind="wms", **fields):
    service = Service(
        kind, f"http://{name}.example.org/ows", **{"title": name, **fields}
    )
    store.catalogue.record_now(
        [
            Observation(
                service, Sighting(service.id, service.endpoint, "", Via.LINK, "", NOON)
            )
        ]
    )
    return service


def names(results):
    return [hit.service.endpoint[7:].partition(".")[0] for hit in results.hits]


FIELDS_OF_THE_PAPER = {
    "service name": {"name": "zanzibarone"},
    "service title": {"title": "zanzibarone"},
    "service abstract": {"abstract": "zanzibarone"},
    "service keywords": {"keywords": ("zanzibarone",)},
    "layer name": {"layers": (Layer("zanzibarone", "A"),)},
    "layer title": {"layers": (Layer("a", "zanzibarone"),)},
    "layer abstract": {"layers": (Layer("a", "A", "zanzibarone"),)},
}


@pytest.mark.parametrize("field", FIELDS_OF_THE_PAPER)
def test_each_text_that_the_paper_indexes_is_found(store, field: str) -> None:
    """Hou, Chen & Wu 2016, section 4.2: service name, title, abstract, keywords, layer names, titles, abstracts."""
    put(store, "here", **FIELDS_OF_THE_PAPER[field])
    put(store, "other")
    assert names(store.search(Query("zanzibarone"))) == ["here"]


def test_words_of_the_address_are_found(store) -> None:
    """Hou, Chen & Wu 2016, section 4.2: the service URL is indexed, too."""
    put(store, "zanzibarone", title="Maps")
    put(store, "other")
    assert names(store.search(Query("zanzibarone"))) == ["zanzibarone"]


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
    put(
        store,
        "world",
        title="Global land cover",
        layers=(Layer("glc", "Cover", extent=Extent(WORLD)),),
    )
    put(
        store,
        "fiji",
        "wfs",
        title="Reefs",
        layers=(Layer("reef", "Coral reefs", extent=Extent(FIJI)),),
    )
    put(store, "china", title="国家土地覆盖数据", abstract="全国范围的地图")
    put(store, "thai", title="แผนที่การใช้ที่ดิน")
    put(
        store,
        "paris",
        "wfs",
        title="Forêts d'Île-de-France",
        abstract="Données publiques",
    )
    return store


def looks(service_id: str, *, ok: bool) -> list[Check]:
    """Checks that make it alive, or dead."""
    reason = "" if ok else "not found: HTTP 404"
    return [Check(service_id, NOON + timedelta(hours=n), ok, reason) for n in range(3)]


@pytest.mark.parametrize("box", [None, BRAZIL])
def test_a_layer_that_says_an_unwanted_word_is_not_shown_where_its_service_says_the_wanted_one(
    store, box
):
    layers = tuple(
        Layer(name, name.title(), extent=Extent(BRAZIL))
        for name in ("basins", "lakes", "gauges")
    )
    put(store, "water", title="Rivers", layers=layers, extent=Extent(BRAZIL))
    (hit,) = store.search(Query("rivers -lakes", box)).hits
    assert {layer.name for layer in hit.layers} == {"basins", "gauges"}
    assert hit.match_count == 2


def test_a_layer_by_its_own_name_comes_before_others_of_its_workspace(store) -> None:
    """The first is what a card of the portal opens and draws."""
    layers = (
        Layer("rivers:lakes", "Озёра"),
        Layer("rivers:gauges", "Посты"),
        Layer("rivers:river_network", "Гидросеть"),
    )
    put(store, "water", title="Вода", layers=layers)
    (hit,) = store.search(Query("rivers")).hits
    assert hit.layers[0].name == "rivers:river_network"
    assert hit.match_count == 3


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
    results = shop.search(Query(text, expand=False))
    assert set(names(results)) == found
    assert results.total == len(found)


def test_where_nothing_holds_all_words_those_that_hold_some_are_found(shop):
    assert set(names(shop.search(Query("reefs rivers")))) == {"fiji", "brazil"}


def test_a_hit_shows_the_matching_layers_and_says_why(shop):
    (hit,) = shop.search(Query("savannas", bbox=BRAZIL)).hits
    assert [layer.name for layer in hit.layers] == ["MapaBiomas"]
    assert (hit.layer_count, hit.match_count) == (2, 1)
    assert hit.why == "abstract matches 'savannas'; box fits by 100.0 %"
    (hit,) = shop.search(Query("reefs")).hits
    assert hit.why == "title matches 'reefs'"
    assert hit.state is HealthState.UNKNOWN


def test_a_title_counts_more_than_an_abstract(store):
    put(store, "deep", title="Data", abstract="all about glaciers and ice")
    put(store, "top", title="Glaciers", abstract="all about data and ice")
    assert names(store.search(Query("glaciers"))) == ["top", "deep"]


def test_a_whole_world_layer_does_not_outrank_the_local_one(shop):
    assert names(shop.search(Query(bbox=BBox(-70, -30, -40, 0)))) == ["brazil", "world"]
    assert names(shop.search(Query("cover", bbox=BRAZIL))) == ["brazil", "world"]


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
def test_boxes_stand_in_relation_also_across_the_antimeridian(
    shop, relation, box, found
):
    assert set(names(shop.search(Query(bbox=box, relation=relation)))) == found


def test_words_and_box_must_hold_for_the_same_layer(store):
    put(
        store, "two",
        layers=(Layer("a", "Soil", extent=Extent(BRAZIL)), Layer("b", "Reef", extent=Extent(FIJI))),
    )  # fmt: skip
    assert store.search(Query("soil", bbox=BRAZIL)).total == 1
    assert store.search(Query("soil", bbox=FIJI)).total == 0


def test_a_layer_without_a_box_stands_where_its_service_does(store):
    put(store, "one", extent=Extent(BRAZIL), layers=(Layer("a", "Soil"),))
    (hit,) = store.search(Query("soil", bbox=BRAZIL)).hits
    assert [layer.name for layer in hit.layers] == ["a"]


def test_filters_facets_and_pages_agree(store):
    for number in range(30):
        service = put(store, f"s{number}", "wms" if number % 3 else "wfs", title="map")
        if number < 5:
            store.catalogue.record_now(looks(service.id, ok=number < 2))
    results = store.search(Query("map", kinds=("wms",), limit=7))
    assert results.total == 20
    assert results.facets["kind"] == {"wms": 20, "wfs": 10}
    assert results.facets["state"] == {"unknown": 17, "dead": 2, "alive": 1}
    pages = [
        name
        for offset in range(0, 30, 7)
        for name in names(
            store.search(Query("map", kinds=("wms",), limit=7, offset=offset))
        )
    ]
    assert len(pages) == len(set(pages)) == 20
    assert store.search(Query("map", states=(HealthState.ALIVE,))).total == 2
    assert store.search(Query("", limit=0)).total == 30


def test_a_refreshed_service_is_found_by_its_new_words_and_box_only(store):
    put(
        store, "one", title="Glaciers", layers=(Layer("x", "Ice", extent=Extent(FIJI)),)
    )
    put(
        store,
        "one",
        title="Deserts",
        layers=(Layer("y", "Sand", extent=Extent(BRAZIL)),),
    )
    for gone in (Query("glaciers"), Query("ice"), Query(bbox=FIJI)):
        assert store.search(gone).total == 0
    for here in (Query("deserts"), Query("sand"), Query(bbox=BRAZIL)):
        assert store.search(here).total == 1


@fuzzed(300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(st.characters(), max_size=40)
    | st.text("\"*-()^:+AND ORNEAR{}a\0\\'", max_size=30)
)
@example('"unbalanced')
@example("title:land OR NEAR(a b, 3) NOT {x y}: ^a + b")
@example("a" * 100_000)
@example('-"a" -* "*" "" * -')
def test_any_text_at_all_is_a_search(shop, text):
    for box in (None, FIJI):
        results = shop.search(Query(text, bbox=box))
        assert 0 <= len(results.hits) <= results.total <= 6


def test_landbedeckung_finds_land_cover_unless_that_is_switched_off(shop):
    assert {"brazil", "world", "china"} <= set(
        names(shop.search(Query("Landbedeckung")))
    )
    assert shop.search(Query("Landbedeckung", expand=False)).total == 0


def test_a_translation_is_told_as_the_reason(shop):
    results = shop.search(Query("Landbedeckung"))
    hit = results.hits[names(results).index("world")]
    assert hit.why == "title says 'land cover' for 'Landbedeckung'"


def test_forms_of_a_word_are_found(shop):
    assert names(shop.search(Query("river", expand=False))) == ["brazil"]
    assert names(shop.search(Query("foret", expand=False))) == ["paris"]


def test_words_that_every_map_carries_are_not_required(shop):
    assert names(shop.search(Query("map of rivers", expand=False))) == ["brazil"]


def test_a_misspelt_word_brings_a_suggestion(shop):
    results = shop.search(Query("savanas"))
    assert results.total == 0 or results.hits
    assert shop.search(Query("enviromental")).suggestion == "environmental"
    assert shop.search(Query("brazil")).suggestion == ""


def test_where_only_some_words_are_held_the_answer_says_so(shop):
    assert shop.search(Query("reefs rivers", expand=False)).partial
    assert not shop.search(Query("brazil rivers")).partial


def test_near_duplicates_are_folded_under_the_one_that_works(store):
    layers = (Layer("a:roads", "Main roads"), Layer("a:rails", "Rails"))
    mirror = put(store, "mirror", title="Traffic!", layers=layers)
    home = put(
        store,
        "home",
        title="Traffic",
        layers=(Layer("roads", "Main roads"), Layer("rails", "Rails")),
    )
    put(store, "other", "wfs", title="Traffic", layers=layers)
    store.catalogue.record_now([Check(home.id, NOON, True)])
    store.catalogue.record_now(looks(mirror.id, ok=False))
    results = store.search(Query("traffic"))
    assert sorted(names(results)) == ["home", "other"]
    assert results.total == 2
    assert results.hits[names(results).index("home")].also == (mirror.id,)
    assert names(store.search(Query("traffic", states=(HealthState.DEAD,)))) == [
        "mirror"
    ]


ITALY, NORWAY = BBox(6.6, 36.6, 18.5, 47.1), BBox(4.6, 57.9, 31.1, 71.2)


@pytest.mark.parametrize(
    ("italian", "norwegian"),
    [
        (
            {"provider": Provider("Regione"), "extent": Extent(ITALY)},
            {"provider": Provider("Kartverket"), "extent": Extent(NORWAY)},
        ),
        ({"extent": Extent(ITALY)}, {"extent": Extent(NORWAY)}),
        ({"provider": Provider("Regione")}, {"provider": Provider("Kartverket")}),
        ({"abstract": "Strade"}, {"abstract": "Veier"}),
        ({}, {}),
    ],
)
def test_services_that_share_but_common_words_are_not_folded(store, italian, norwegian):
    for name, fields in (("it", italian), ("no", norwegian)):
        put(
            store,
            name,
            title="Web Map Service",
            layers=(Layer("roads", "Roads"),),
            **fields,
        )
    results = store.search(Query("roads"))
    assert (results.total, sorted(names(results))) == (2, ["it", "no"])
    told = [
        fields["provider"].name
        for fields in (italian, norwegian)
        if "provider" in fields
    ]
    assert sorted(results.facets["provider"]) == sorted(told)


@pytest.mark.parametrize(
    "telling",
    [
        {"provider": Provider("Kartverket")},
        {"abstract": "Public roads."},
        {"layers": tuple(Layer(f"roads{n}") for n in range(5))},
    ],
)
def test_copies_whose_boxes_were_computed_anew_are_folded(store, telling):
    for name, box in (("home", NORWAY), ("copy", BBox(4.62, 57.94, 31.08, 71.21))):
        put(
            store,
            name,
            **{"title": "Roads", "layers": (Layer("roads"),), **telling},
            extent=Extent(box),
        )
    assert store.search(Query("roads")).total == 1


def test_the_key_of_many_layers_costs_no_more_than_reading_them():
    service = Service(
        "wms",
        "http://a.test/",
        layers=tuple(Layer(f"l{n}", f"sheet{n}") for n in range(20_000)),
    )
    began = time.process_time()
    assert duplicate_key(1, service) == duplicate_key(2, service)
    assert time.process_time() - began < 2


def test_what_a_filter_leaves_out_is_not_told_as_a_near_duplicate(store):
    services = [
        put(store, n, title="Traffic", abstract="All roads.", layers=(Layer("roads"),))
        for n in ("one", "two")
    ]
    store.catalogue.record_now([Check(services[0].id, NOON, True)])
    store.catalogue.record_now(looks(services[1].id, ok=False))
    assert store.search(Query("traffic")).hits[0].also == (services[1].id,)
    alive = store.search(Query("traffic", states=(HealthState.ALIVE,)))
    assert (alive.total, alive.hits[0].also) == (1, ())


def test_of_two_equals_the_one_that_works_comes_first(store):
    for name, ok in (("dead", False), ("unknown", None), ("alive", True)):
        service = put(store, name, title="Glaciers", abstract=name)
        if ok is not None:
            store.catalogue.record_now(looks(service.id, ok=ok))
    assert names(store.search(Query("glaciers"))) == ["alive", "unknown", "dead"]


def test_saying_it_often_gains_nothing(store):
    put(
        store,
        "stuffed",
        title="Maps",
        keywords=("glaciers",) * 3 + tuple(f"word{n}" for n in range(150)),
    )
    put(store, "honest", title="Maps", keywords=("glaciers", "ice"))
    assert names(store.search(Query("glaciers"))) == ["honest", "stuffed"]


def test_facets_count_what_is_found_and_filters_hold(tmp_path, open_searched):
    store = open_searched(tmp_path / "facets.db")
    for number in range(6):
        service = Service(
            "wms" if number % 2 else "wfs", f"https://geo{number}.example.{'de' if number < 4 else 'fr'}/ows",
            title="Der Wald in Bayern" if number < 3 else "Wald und Flur" if number == 3 else "Forêts et eaux",
            provider=Provider("Forstamt" if number < 2 else ""), access=Access(licence="CC-BY-4.0" if number else ""),
            layers=(Layer(f"l{number}", crs=("urn:ogc:def:crs:EPSG::25832", "EPSG:4326"), times=("2010-01-01/2015",)),),
            formats=("image/png; mode=8bit",),
        )  # fmt: skip
        sighting = Sighting(service.id, service.endpoint, "", Via.LINK, "", NOON)
        topics = (("land_cover", "forest"),) if "Wald" in service.title else ()
        store.catalogue.record_now([Observation(service, sighting, topics=topics)])
    facets = store.search(Query("Wald")).facets
    assert facets["kind"] == {"wfs": 3, "wms": 3}
    assert facets["topic"] == {"land_cover": 4}
    assert facets["class"] == {"forest": 4}
    assert facets["country"] == {"DE": 4, "FR": 2}
    assert facets["language"] == {"de": 4, "fr": 2}
    assert facets["crs"] == {"EPSG:25832": 6, "EPSG:4326": 6}
    assert facets["format"] == {"image/png": 6}
    assert facets["licence"] == {"CC-BY-4.0": 5}
    assert facets["provider"] == {"Forstamt": 2}
    assert facets["https"] == {"yes": 6}
    assert facets["decade"] == {"2010s": 6}
    assert facets["state"] == {"unknown": 6}
    for query, total in [
        (Query(topics=("land_cover",)), 4), (Query("Wald", classes=("forest",), kinds=("wms",)), 2),
        (Query(countries=("fr",)), 2), (Query(countries=("fr",), kinds=("wms", "wfs")), 2),
        (Query(where={"crs": ("EPSG:25832",), "provider": ("forstamt",)}), 2), (Query(where={"crs": ("EPSG:1",)}), 0),
        (Query(years=(2012, 2013)), 6), (Query(years=(1990, 2009)), 0), (Query(where={"https": ("no",)}), 0),
    ]:  # fmt: skip
        assert store.search(query).total == total, query
    # A facet is counted as if its own filter were not set, so that one may choose otherwise.
    assert store.search(Query(countries=("fr",))).facets["country"] == {
        "DE": 4,
        "FR": 2,
    }
    store.close()


def test_who_types_the_name_of_a_kind_gets_services_of_that_kind_first(store):
    put(store, "other", "wfs", title="Coastline", keywords=("WMS", "coast"))
    put(
        store,
        "meant",
        "wms",
        title="Coastline, shores and beaches of the northern bay",
        keywords=("coast", "sea"),
    )
    assert names(store.search(Query("wms"))) == ["meant", "other"]


ADDRESS = "http://world.example.org/ows"


@pytest.mark.parametrize(
    "typed",
    [
        ADDRESS,
        "HTTP://World.example.org/ows",
        f"{ADDRESS}?SERVICE=WMS&REQUEST=GetCapabilities",
    ],
)
def test_an_address_finds_the_service_that_lives_there(shop, typed):
    results = shop.search(Query(typed))
    assert (names(results), results.total, results.facets["kind"]) == (
        ["world"],
        1,
        {"wms": 1},
    )
    assert results.hits[0].why == "this is the address you asked for"
    assert shop.search(Query(typed, kinds=("wfs",))).total == 0
    assert [hit.layer.name for hit in shop.layers(Query(typed)).hits] == ["glc"]


def test_an_address_that_is_not_known_finds_nothing_that_claims_to_be_it(shop):
    assert all(
        "address you" not in hit.why
        for hit in shop.search(Query("https://nowhere.example/wms")).hits
    )


def test_a_hit_of_filters_alone_says_which(shop):
    hit = shop.search(Query(kinds=("wfs",), where={"https": ("no",)})).hits[0]
    assert hit.why == "https is no; kind is wfs"
    assert (
        shop.search(Query("reefs", kinds=("wfs",))).hits[0].why
        == "title matches 'reefs'"
    )


@pytest.mark.parametrize(
    "layers",
    [
        (Layer("old", times=("1990-01-01/1991",)), Layer("new", times=("2018-06-01",))),
        (Layer("both", times=("1990-01-01", "1991-01-01", "2018-01-01")),),
        (Layer("both", times=("1990-01-01/1991-12-31/PT2005S,2018-01-01T00:00:00Z",)),),
    ],
)
def test_the_years_between_two_layers_are_not_covered(store, layers):
    put(store, "two", title="Aerial images", layers=layers)
    found = {
        years: store.search(Query(years=years)).total
        for years in [(2005, 2005), (1992, 2017)]
    }
    assert set(found.values()) == {0}
    for years in ((1991, 1991), (2018, 2018), (1980, 1990), (2005, 2030), (1900, 2100)):
        assert store.search(Query(years=years)).total == 1, years
    assert store.search(Query()).facets["decade"] == {"1990s": 1, "2010s": 1}


def test_of_many_times_the_nearest_are_taken_together(store):
    years = (1700, 1800, 1900, 1903, 2000, 2010)
    put(
        store,
        "many",
        layers=tuple(Layer(f"l{year}", times=(str(year),)) for year in years),
    )
    for year in years:
        assert store.search(Query(years=(year, year))).total == 1, year
    for year in (1750, 1850, 1950):
        assert store.search(Query(years=(year, year))).total == 0, year
