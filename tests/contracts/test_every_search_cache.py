"""What every cache of search results must do, whatever database is behind it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from sql_stores import STORES, open_sql

from geohound.model.crawl.web_search import KEPT_PAGES_H, SearchPage, WebResult
from geohound.stores.memory.searches import MemorySearchCache

PAGE = SearchPage(
    (WebResult("http://a.test/", "Maps", "of Fiji"), WebResult("http://b.test/")),
    4200,
    True,
)


class StillClock:
    passed_s = 0.0

    def now(self):
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.passed_s)

    def monotonic(self):
        return self.passed_s


@pytest.fixture
def clock():
    return StillClock()


@pytest.fixture(params=STORES)
def cache(request, tmp_path, clock):
    if request.param == "memory":
        yield MemorySearchCache(clock)
        return
    store = open_sql(request.param, tmp_path, clock)
    yield store.searches
    store.close()


def keep(cache, *words):
    async def kept():
        await cache.keep(*words)

    asyncio.run(kept())


def begin(cache, *words):
    async def begun():
        await cache.begin(*words)

    asyncio.run(begun())


def test_a_page_comes_back_with_its_age(cache, clock) -> None:
    keep(cache, "searxng=http://s.test", "land cover", 1, PAGE)
    clock.passed_s = 3600.0
    found = cache.cached("searxng=http://s.test", "land cover", 1)
    assert found is not None
    assert (found.page, found.age_s) == (PAGE, 3600.0)


def test_another_source_query_or_page_is_another_page(cache) -> None:
    keep(cache, "brave", "land cover", 1, PAGE)
    assert cache.cached("mojeek", "land cover", 1) is None
    assert cache.cached("brave", "land use", 1) is None
    assert cache.cached("brave", "land cover", 2) is None


def test_pages_are_counted_for_the_task_that_asked(cache) -> None:
    keep(cache, "brave", "land cover", 1, PAGE, 7)
    keep(cache, "brave", "land cover", 2, PAGE, 7)
    keep(cache, "mojeek", "land cover", 1, PAGE, 7)
    keep(cache, "brave", "land use", 1, PAGE, 8)
    assert cache.asked_by(7) == {"brave": 2, "mojeek": 1}
    assert cache.asked_by(9) == {}


def test_the_latest_answer_takes_the_place_of_an_older_one(cache, clock) -> None:
    keep(cache, "brave", "land cover", 1, PAGE)
    clock.passed_s = 60.0
    keep(cache, "brave", "land cover", 1, SearchPage())
    found = cache.cached("brave", "land cover", 1)
    assert found is not None
    assert (found.page, found.age_s) == (SearchPage(), 0.0)


def test_what_is_too_old_for_anybody_goes_from_the_file(tmp_path, clock) -> None:
    store = open_sql("sqlite", tmp_path, clock)
    keep(store.searches, "brave", "old", 1, PAGE)
    clock.passed_s = KEPT_PAGES_H * 3600 + 1
    keep(store.searches, "brave", "new", 1, PAGE)
    assert store.searches.cached("brave", "old", 1) is None
    store.close()


def test_all_pages_that_are_young_enough_are_listed_in_order(cache, clock) -> None:
    keep(cache, "brave", "old", 1, PAGE)
    clock.passed_s = 100.0
    keep(cache, "brave", "new", 2, PAGE)
    keep(cache, "brave", "new", 1, SearchPage())
    keep(cache, "arc", "new", 1, PAGE)
    assert [(each.source, each.query, each.number, each.page) for each in cache.kept(50.0)] == [
        ("arc", "new", 1, PAGE), ("brave", "new", 1, SearchPage()), ("brave", "new", 2, PAGE),
    ]  # fmt: skip
    assert len(list(cache.kept(100.0))) == 4
    keep(cache, "brave", "own", 1, PAGE, 7)
    assert [each.query for each in cache.kept(100.0, 7)] == ["own"]


def test_what_was_asked_for_without_an_answer_is_known_to_the_task_that_asked(
    cache,
) -> None:
    begin(cache, "brave", "land cover", 1, 7)
    assert cache.has_begun("brave", "land cover", 1, 7)
    assert not cache.has_begun("brave", "land cover", 1, 8), "another task may ask"
    assert not cache.has_begun("brave", "land cover", 2, 7)
    assert cache.cached("brave", "land cover", 1) is None
    assert cache.asked_by(7) == {"brave": 1}, "it was perhaps answered, and is paid for"
    assert [(each.query, each.page) for each in cache.kept(50.0, 7)] == [
        ("land cover", SearchPage())
    ]


def test_an_answer_takes_the_place_of_what_was_asked_for(cache) -> None:
    begin(cache, "brave", "land cover", 1, 7)
    keep(cache, "brave", "land cover", 1, PAGE, 7)
    assert not cache.has_begun("brave", "land cover", 1, 7)
    found = cache.cached("brave", "land cover", 1)
    assert found is not None
    assert found.page == PAGE


def test_what_is_withdrawn_may_be_asked_for_again_and_an_answer_stays(cache) -> None:
    begin(cache, "brave", "land cover", 1, 7)
    keep(cache, "brave", "land use", 1, PAGE, 7)

    async def withdrawn():
        for query in ("land cover", "land use", "unknown"):
            await cache.withdraw("brave", query, 1)

    asyncio.run(withdrawn())
    assert not cache.has_begun("brave", "land cover", 1, 7)
    assert cache.cached("brave", "land use", 1) is not None
    assert cache.asked_by(7) == {"brave": 1}
