"""What other words for the same may find, and the reason that each hit gives."""

from __future__ import annotations

from datetime import UTC, datetime

from geohound.model.catalogue import Observation
from geohound.model.search.query import Query
from geohound.model.service import Layer, Provider, Service, Sighting
from geohound.model.visit import Via

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def put(store, name, **fields):
    service = Service("wms", f"http://{name}.example.org/ows", **fields)
    store.catalogue.record_now(
        [
            Observation(
                service, Sighting(service.id, service.endpoint, "", Via.LINK, "", NOON)
            )
        ]
    )


def found(store, text):
    return {hit.service.title for hit in store.search(Query(text)).hits}


def test_the_stem_of_a_translation_finds_nothing_in_another_language(store):
    """Swedish floder and English floods have one stem, as have German marin and a Spanish María."""
    put(
        store,
        "floods",
        title="Flood risk of the county",
        abstract="This is the map of all floods.",
    )
    put(
        store,
        "floder",
        title="Flodernas namn och lägen",
        abstract="Kartan visar floder som är kända.",
    )
    put(
        store,
        "geology",
        title="Geología de la comarca",
        provider=Provider(contact="María"),
        language="es",
    )
    assert found(store, "rivers") == {"Flodernas namn och lägen"}
    assert found(store, "sea") == set()


def why(store, text):
    (hit,) = store.search(Query(text)).hits
    return hit.why


def test_a_reason_names_whole_words_that_stand_there(store):
    """The comarca holds the letters of mar, and Landbedeckung those of land, but neither says it."""
    layers = (Layer("arable_land", "Ackerland"), Layer("forest", "Wald"))
    put(
        store,
        "land",
        title="Landbedeckung der Comarca",
        provider=Provider(contact="Inés Mar"),
        layers=layers,
    )
    assert why(store, "land") == "layer name matches 'land'"
    assert why(store, "mar") == "provider matches 'mar'"
    assert why(store, "coma*") == "title matches 'coma'"


def test_who_asks_for_nothing_but_the_absence_of_a_word_is_told_that_it_is_absent(
    store,
):
    put(store, "rivers", title="Rivers")
    assert (
        why(store, '-lakes -"land cover"')
        == "does not say 'lakes'; does not say 'land cover'"
    )


def test_a_word_of_several_parts_is_translated_like_its_parts_with_a_space(store):
    put(store, "german", title="Landbedeckung der Region")
    put(store, "english", title="Land cover of the region")
    assert (
        found(store, "land-cover")
        == found(store, "land_cover")
        == found(store, "land cover")
    )
    assert found(store, '"land-cover"') == {"Land cover of the region"}


def test_an_address_finds_its_service_with_or_without_encryption(store):
    put(store, "rivers", title="Rivers")
    assert (
        why(store, "https://rivers.example.org/ows?REQUEST=GetCapabilities")
        == "this is the address you asked for"
    )


def test_a_word_typed_twice_is_told_once(store):
    put(store, "rivers", title="Rivers")
    assert why(store, "rivers rivers rivers") == "title matches 'rivers'"


def test_a_mended_text_keeps_beginnings_phrases_and_unwanted_words(store):
    put(store, "rivers", title="Rivers and their names")
    asked = store.search(Query('rievrs nam* "dry land" -"land cover" -lak*'))
    assert asked.suggestion == 'rivers nam* "dry land" -"land cover" -lak*'
