"""Text to words, words to stems, stems to meanings."""

from __future__ import annotations

import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from geohound.text import (
    Vocabulary,
    closest_word,
    concepts,
    find_synonyms,
    fold,
    guess_language,
    index_tokens,
    language_code,
    stem,
    stems,
    stop_words,
    tokenize,
    tokenize_name,
)
from geohound.text.languages import languages


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
        ("pt", "regioes", "regiao"), ("cs", "řeky", "řeka"), ("nl", "gebouwen", "gebouw"), ("ja", "川", "川"),
    ],
)  # fmt: skip
def test_forms_of_a_word_share_a_stem(language, one, other):
    assert stem(fold(one), language) == stem(fold(other), language)


@pytest.mark.parametrize(
    ("one", "other"),
    [("sea", "research"), ("coast", "cost"), ("port", "portugal"), ("haus", "hafen")],
)
def test_different_words_keep_different_stems(one, other):
    assert stems(one).isdisjoint(stems(other))


def test_many_threads_get_the_stems_that_one_gets():
    words = [
        f"{beginning}{ending}"
        for beginning in ("river", "forest", "bound")
        for ending in ("s", "ing", "aries", "")
    ]
    alone = [languages()["en"].stem(word) for word in words]
    with ThreadPoolExecutor(8) as threads:
        together = list(
            threads.map(
                lambda _: [languages()["en"].stem(word) for word in words], range(200)
            )
        )
    assert all(found == alone for found in together)


def test_every_language_in_the_data_has_what_search_needs():
    for code, language in languages().items():
        assert len(code) == 2
        assert language.stop
        assert language.weak
        assert all(fold(word) == word for word in language.stop)


def test_accents_ligatures_and_case_are_folded():
    assert (
        fold("ÎLE Straße Łódź Smørrebrød Œuvre") == "ile strasse lodz smorrebrod oeuvre"
    )
    assert tokenize("l'Île-de-France (2010)") == ["l", "ile", "de", "france", "2010"]


def test_names_are_split_where_words_stand_together():
    assert tokenize_name("LandCover2010") == ["landcover2010", "land", "cover", "2010"]
    assert tokenize_name("rivers_v2")[:2] == ["rivers", "v2"]


def test_scripts_without_spaces_come_in_pairs_and_single_characters():
    assert index_tokens(tokenize("土地覆盖")) == [
        "土地",
        "地覆",
        "覆盖",
        "土",
        "地",
        "覆",
        "盖",
    ]


@pytest.mark.parametrize(
    ("text", "declared", "code"),
    [
        ("Karte der Flüsse und Seen", "", "de"), ("Carte des cours d'eau de la région", "", "fr"),
        ("Mapa de los ríos del país", "", "es"), ("河流与湖泊", "", "zh"), ("河川の水位データ", "", "ja"),
        ("Карта рек и озёр", "", "ru"), ("Rivers", "ger", "de"), ("Rivers", "", "en"), ("XPQ 7", "x-klingon", "en"),
    ],
)  # fmt: skip
def test_the_language_of_a_text_is_guessed(text, declared, code):
    assert guess_language(tokenize(text), declared) == code


def test_declared_languages_come_in_many_spellings():
    assert [language_code(c) for c in ("de-DE", "ger", "DEU", "fr_FR", "eng; utf8", "xx", "")] == [
        "de", "de", "de", "fr", "en", "", "",
    ]  # fmt: skip


def test_landbedeckung_means_land_cover():
    length, phrases, own = find_synonyms(("landbedeckung", "bayern"))
    assert length == 1
    assert own == {"de"}
    said = {(phrase.words, phrase.language) for phrase in phrases}
    assert {
        (("land", "cover"), "en"),
        (("occupation", "sol"), "fr"),
        (("土地覆盖",), "zh"),
    } <= said


def test_the_longest_name_of_an_idea_counts():
    assert find_synonyms(("land", "cover", "2010"))[0] == 2
    assert find_synonyms(("qwertz",)) == (0, [], frozenset())


def test_a_word_spelt_exactly_is_not_taken_for_another_languages_stem():
    """floder is Swedish for rivers, and its stem looks like that of flood."""
    assert not any("rivers" in phrase.words for phrase in find_synonyms(("flood",))[1])


@pytest.mark.slow
def test_every_phrase_of_the_file_and_its_stems_lead_to_its_concept():
    """Only few lines are read for a search; none that names the concept may be among those that are left out."""
    text = Path(concepts.__file__).with_name("concepts.toml").read_text("utf-8")
    assert list(concepts.lines()) == list(tomllib.loads(text)), "one line per concept"
    for concept in concepts.lines():
        for words, code, _ in concepts.phrases(concept):
            assert len(words) <= concepts.MAX_WORDS
            assert concept in concepts.concepts_named((code, words))
            assert concept in concepts.concepts_named(
                (code, tuple(stem(word, code) for word in words))
            )


def test_stop_words_are_no_topic():
    assert not stop_words() & {"map", "sea", "sol", "land", "karte"}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("landcovr", "landcover"),
        ("geolgoy", "geology"),
        ("floood", "flood"),
        ("xyzzyq", ""),
        ("flood", ""),
    ],
)
def test_slips_are_mended_by_the_nearest_known_word(typed, meant):
    known = {"landcover": 3, "land": 9, "geology": 5, "flood": 7}
    known.pop(typed, None)
    assert closest_word(typed, [Vocabulary(known)]) == meant


def test_among_equally_near_words_the_more_frequent_is_meant():
    rivers, fevers = Vocabulary({"river": 2, "never": 1}), Vocabulary({"fever": 9})
    assert (
        closest_word("rever", [rivers, fevers])
        == closest_word("rever", [fevers, rivers])
        == "fever"
    )


@pytest.mark.parametrize("typed", ["iver", "rriver", "rivr", "rievr", "tiver"])
def test_a_slip_may_be_anywhere_also_in_the_first_letter(typed):
    assert closest_word(typed, [Vocabulary({"river": 2, "lake": 50})]) == "river"


def test_short_words_may_have_one_slip_and_long_ones_two():
    assert closest_word("rivxy", [Vocabulary({"river": 2})]) == ""
    assert (
        closest_word("enviromnetal", [Vocabulary({"environmental": 2})])
        == "environmental"
    )
