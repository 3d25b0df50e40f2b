"""Scripts of real shape, broken in every way that chance finds: never an exception, and budgets hold."""

from __future__ import annotations

import gc
import time

import pytest
import webapps
from books import analyse
from fuzzing import fuzzed
from hypothesis import given
from hypothesis import strategies as st

from geohound.jsflow import AnalysisBudget, Endpoint, Script
from geohound.jsflow.syntax import source as sources

FILES = sorted(
    {
        text
        for app in webapps.load()
        for text in app.files.values()
        if 20 < len(text) < 20_000
    }
)
MARKS = ("{", "}", "(", ")", "[", "]", "`", "${", "'", '"', "/", "*/", "/*", "//", "=>", "?", ":", ",", ";", "\\", "\n",
         "wms", "url", "...", "new ", "function", "=", "+=", "\x00", "\ud800", "<!--", "import ", "await ")  # fmt: skip
BUDGET = AnalysisBudget(steps=20_000)
CUT = st.tuples(
    st.integers(0, 20_000),
    st.integers(0, 400),
    st.sampled_from(("drop", "twice", "swap", *MARKS)),
)


def mutate(text: str, cuts: list[tuple[int, int, str]]) -> str:
    for place, length, what in cuts:
        at = place % (len(text) + 1)
        piece = text[at : at + length]
        new = {"drop": "", "twice": piece * 3, "swap": piece[::-1]}.get(
            what, what + piece
        )
        text = text[:at] + new + text[at + length :]
    return text


@fuzzed(30)
@given(st.sampled_from(FILES), st.lists(CUT, min_size=1, max_size=8), st.booleans())
def test_no_mutation_of_a_script_breaks_the_analysis(
    text: str, cuts: list[tuple[int, int, str]], inline: bool
) -> None:
    began = time.thread_time()
    analyse(
        "https://p.test/",
        [Script("https://p.test/a.js", mutate(text, cuts), is_inline=inline)],
        BUDGET,
    )
    assert time.thread_time() - began < 4.0


@pytest.mark.slow
@fuzzed(1000)
@given(st.sampled_from(FILES), st.lists(CUT, min_size=1, max_size=20))
def test_a_thousand_mutations_break_nothing(
    text: str, cuts: list[tuple[int, int, str]]
) -> None:
    analyse(
        "https://p.test/", [Script("https://p.test/a.js", mutate(text, cuts))], BUDGET
    )


def test_searching_and_the_index_find_the_same_places(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "\n".join(t for t in FILES if "function" in t and not t.startswith("<"))[
        :60_000
    ]

    def found(limit: int) -> tuple[Endpoint, ...]:
        monkeypatch.setattr(sources, "_SEARCHED", limit)
        script = Script("https://p.test/a.js", text)
        return analyse("https://p.test/", [script]).endpoints

    assert found(-10) == found(1_000_000)


def test_the_collector_is_as_it_was_after_a_long_script() -> None:
    long = [Script("https://p.test/a.js", f"/* {'x' * 500_000} */ var wms = 1;")]
    analyse("https://p.test/", long, BUDGET)
    assert gc.isenabled()
    gc.disable()
    try:
        analyse("https://p.test/", long, BUDGET)
        assert not gc.isenabled()
    finally:
        gc.enable()
