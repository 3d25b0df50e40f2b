"""Many words in one pass: the same answer as looking for them one by one."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from geohound.text.pattern_scan import PatternScan, WordScan

WORDS = ("wms", "map", "a.b", "[x]", "mapserv", "/ows", "data-")
pieces = st.sampled_from(
    (*WORDS, "WMS", "Map", "aXb", "\n", " ", "ü", "\x00", "serv", "<")
)
texts = st.lists(pieces, max_size=12).map("".join)


@given(texts)
@example("")
@example("A.B")
def test_words_in_any_case_are_found_as_one_by_one(text: str) -> None:
    expected = {word for word in WORDS if word in text.lower()}
    assert WordScan(WORDS, any_case=True).found(text.encode()) == expected


@given(texts)
def test_words_in_their_own_case_are_found_as_one_by_one(text: str) -> None:
    assert WordScan(WORDS).found(text.encode()) == {
        word for word in WORDS if word in text
    }


def test_a_word_that_is_not_plain_ascii_is_never_ruled_out() -> None:
    assert WordScan(("Übersicht", "karte"), any_case=True).found(b"nothing") == {
        "Übersicht"
    }


def test_a_scan_for_nothing_finds_nothing() -> None:
    assert WordScan(()).found(b"text") == frozenset()
    assert PatternScan(()).numbers(b"text") == []


def test_an_expression_is_reported_once_however_often_it_matches() -> None:
    assert sorted(
        PatternScan((rb"a+", rb"[^>]{5}", rb"z")).numbers(b"aaa>aaaaaaaa>a")
    ) == [0, 1]
