"""The search engine of the geoweb answers as SearXNG does, and has the faults of real engines."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

import pytest

from geoweb import Request, World
from geoweb.respond import respond
from geoweb.search_engine import MAX_PAGES, PER_PAGE, SearchEngine


class Clock:
    now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


@pytest.fixture(scope="module")
def world() -> World:
    return World(seed=7, hosts=40, pages=1500, trouble=False)


@pytest.fixture
def engine(world: World) -> SearchEngine:
    return SearchEngine(world, Clock())


def ask(engine: SearchEngine, words: str, page: int = 1) -> dict[str, Any]:
    query = f"q={words.replace(' ', '+')}&format=json&pageno={page}"
    reply = engine.answer(Request("GET", "search.test", "/search", query))
    assert reply.status == 200
    found: dict[str, Any] = json.loads(reply.body)
    return found


def test_results_are_pages_that_hold_the_words(
    engine: SearchEngine, world: World
) -> None:
    found = ask(engine, "wms")
    assert found["results"]
    for row in found["results"]:
        parts = urlsplit(row["url"])
        page = respond(
            world, Request("GET", parts.netloc, parts.path or "/", parts.query)
        )
        assert page.status == 200
        assert b"wms" in page.body.lower()


def test_more_words_bring_fewer_results(engine: SearchEngine) -> None:
    one = ask(engine, "wms")["number_of_results"]
    assert ask(engine, "wms zzzz")["results"] == []
    assert one > 0


def test_the_estimate_is_far_too_high(engine: SearchEngine) -> None:
    real = sum(
        len(ask(engine, "wms", page)["results"]) for page in range(1, MAX_PAGES + 1)
    )
    assert ask(engine, "wms")["number_of_results"] > 10 * real


def test_the_same_question_brings_other_results_each_time(engine: SearchEngine) -> None:
    asked = [
        tuple(row["url"] for row in ask(engine, "wms")["results"]) for _ in range(8)
    ]
    assert len(set(asked)) > 1
    assert set(asked[0]) & set(asked[1]), "but not all others"


def test_there_are_no_pages_beyond_a_limit(engine: SearchEngine) -> None:
    assert len(ask(engine, "data")["results"]) <= PER_PAGE
    assert ask(engine, "data", MAX_PAGES + 1)["results"] == []


def test_too_many_questions_a_second_are_refused(world: World) -> None:
    engine = SearchEngine(world, lambda: 5.0)
    replies = [
        engine.answer(Request("GET", "search.test", "/search", "q=zzzz&format=json"))
        for _ in range(30)
    ]
    assert [reply.status for reply in replies].count(429) == 10
    assert replies[-1].headers == (("Retry-After", "1"),)


def test_without_json_it_is_a_page_for_people(engine: SearchEngine) -> None:
    reply = engine.answer(Request("GET", "search.test", "/search", "q=wms"))
    assert reply.content_type.startswith("text/html")
    assert b'<article class="result">' in reply.body
