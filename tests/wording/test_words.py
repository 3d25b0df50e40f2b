"""Text to words, words to stems, stems to meanings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geohound.wording import (
    closest,
    fold,
    guess,
    known_code,
    parse_terms,
    phrases_like,
    pieces,
    split,
    split_name,
    stem,
    stems,
    stop_words,
)
from geohound.wording.languages import languages
from geohound.wording.spelling import distance


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "rivers", "river"), ("en", "boundaries", "boundary"), ("en", "buildings", "building"),
        ("de", "Flüsse", "Fluss"), ("de", "Wälder", "Wald"), ("de", "Gewässer", "Gewaesser"),
        ("de", "Straßen", "Straße"),
        ("fr", "rivières", "rivière"), ("fr", "réseaux", "réseau"), ("fr", "eaux", "eau"), ("es", "suelos", "suelo"),
        ("es", "bosques", "bosque"), ("pt", "estações", "estação"), ("nl", "bossen", "bos"),
        ("nl", "percelen", "perceel"),
        ("it", "boschi", "bosco"), ("it", "fiumi", "fiume"), ("pl", "lasy", "las"), ("ru", "реки", "река"),
        ("ru", "леса", "лес"), ("sv", "skogar", "skog"), ("da", "veje", "vej"),
    ],
)  # fmt: skip
def test_forms_of_a_word_share_a_stem(language, one, other):
    assert stem(fold(one), language) == stem(fold(other), language)


@pytest.mark.parametrize(
    ("one", "other"), [("sea", "research"), ("coast", "cost"), ("port", "portugal"), ("haus", "hafen")]
)
def test_different_words_keep_different_stems(one, other):
    assert stems(one).isdisjoint(stems(other))


def test_every_language_in_the_data_has_what_search_needs():
    for code, language in languages().items():
        assert len(code) == 2
        assert language.stop
        assert language.weak
        assert all(fold(word) == word for word in language.stop)


def test_accents_ligatures_and_case_are_folded():
    assert fold("ÎLE Straße Łódź Smørrebrød Œuvre") == "ile strasse lodz smorrebrod oeuvre"
    assert split("l'Île-de-France (2010)") == ["l", "ile", "de", "france", "2010"]


def test_names_are_split_where_words_stand_together():
    assert split_name("LandCover2010") == ["landcover2010", "land", "cover", "2010"]
    assert split_name("rivers_v2")[:2] == ["rivers", "v2"]


def test_scripts_without_spaces_come_in_pairs_and_single_characters():
    assert pieces(split("土地覆盖")) == ["土地", "地覆", "覆盖", "土", "地", "覆", "盖"]


@pytest.mark.parametrize(
    ("text", "declared", "code"),
    [
        ("Karte der Flüsse und Seen", "", "de"), ("Carte des cours d'eau de la région", "", "fr"),
        ("Mapa de los ríos del país", "", "es"), ("河流与湖泊", "", "zh"), ("河川の水位データ", "", "ja"),
        ("Карта рек и озёр", "", "ru"), ("Rivers", "ger", "de"), ("Rivers", "", "en"), ("XPQ 7", "x-klingon", "en"),
    ],
)  # fmt: skip
def test_the_language_of_a_text_is_guessed(text, declared, code):
    assert guess(split(text), declared) == code


def test_declared_languages_come_in_many_spellings():
    assert [known_code(c) for c in ("de-DE", "ger", "DEU", "fr_FR", "eng; utf8", "xx", "")] == [
        "de", "de", "de", "fr", "en", "", "",
    ]  # fmt: skip


def test_landbedeckung_means_land_cover():
    length, phrases, own = phrases_like(("landbedeckung", "bayern"))
    assert length == 1
    assert own == {"de"}
    said = {(phrase.words, phrase.language) for phrase in phrases}
    assert {(("land", "cover"), "en"), (("occupation", "sol"), "fr"), (("土地覆盖",), "zh")} <= said


def test_the_longest_name_of_an_idea_counts():
    assert phrases_like(("land", "cover", "2010"))[0] == 2
    assert phrases_like(("qwertz",)) == (0, [], frozenset())


def test_a_word_spelt_exactly_is_not_taken_for_another_languages_stem():
    """floder is Swedish for rivers, and its stem looks like that of flood."""
    assert not any("rivers" in phrase.words for phrase in phrases_like(("flood",))[1])


def test_stop_words_are_no_topic():
    assert not stop_words() & {"map", "sea", "sol", "land", "karte"}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("landcovr", "landcover"), ("geolgoy", "geology"), ("floood", "flood"), ("xyzzyq", ""), ("flood", "")],
)
def test_slips_are_mended_by_the_nearest_known_word(typed, meant):
    known = [("landcover", 3), ("land", 9), ("geology", 5), ("flood", 7)]
    assert closest(typed, [k for k in known if k[0] != typed]) == meant


def test_among_equally_near_words_the_more_frequent_is_meant():
    assert closest("rever", [("river", 2), ("fever", 9), ("never", 1)]) == "fever"


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_slips_are_counted_the_same_in_both_directions(one, other):
    assert distance(one, other, 9) == distance(other, one, 9)
    assert (distance(one, other, 9) == 0) == (one == other)


def test_what_is_typed_is_taken_apart():
    terms = parse_terms('land "sea ice" -dead riv* -"old maps"')
    assert [(t.text, t.is_prefix, t.is_quoted) for t in terms.wanted] == [
        ("land", False, False), ("sea ice", False, True), ("riv", True, False),
    ]  # fmt: skip
    assert [t.words for t in terms.unwanted] == [("dead",), ("old", "maps")]


@given(st.text())
def test_any_text_can_be_folded_split_and_typed(text):
    assert fold(fold(text)) == fold(text) or not text.isascii()
    assert all(word and len(word) <= 40 for word in split(text))
    parse_terms(text)
