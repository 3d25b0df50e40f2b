"""What every store of copies of pages must do, whatever database is behind it (LI-6, PH-5)."""

from __future__ import annotations

import asyncio
import tempfile
from datetime import UTC, datetime, timedelta

import pytest
from fuzzing import fuzzed
from hypothesis import example, given
from hypothesis import strategies as st
from isal import isal_zlib
from sql_stores import SQL_STORES, STORES, open_sql

from geohound.model.crawl.kept_page import KeptPage, PageRoom
from geohound.stores.memory.kept_pages import MemoryKeptPages

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class DayClock:
    """A clock that is moved by hand."""

    def __init__(self):
        self.days = 0.0

    def now(self):
        return NOON + timedelta(days=self.days)

    def monotonic(self):
        return self.days * 86400.0


@pytest.fixture
def clock():
    return DayClock()


@pytest.fixture(params=STORES)
def kept(request, tmp_path, clock):
    if request.param == "memory":
        yield MemoryKeptPages(clock)
        return
    store = open_sql(request.param, tmp_path, clock)
    yield store.kept_pages
    store.close()


AMPLE = PageRoom(30, 10**6)


def keep(kept, page, room=AMPLE, task=1):
    async def write():
        await kept.keep(task, page, room)

    asyncio.run(write())


def page(name, size=10, group=0, days=30.0, is_whole=False):
    return KeptPage(
        f"http://{name}.test/", group, "text/html", b"x" * size, days, is_whole
    )


def names(kept):
    return [each.url[7:-6] for each in kept.pages(3)]


def test_a_page_comes_back_as_it_was_read(kept):
    body = "<p>Web Map Service of Åland".encode("latin-1")
    copy = KeptPage(
        "http://a.test/", 2, "text/html; charset=latin-1", isal_zlib.compress(body, 1)
    )
    keep(kept, copy, task=7)
    (back,) = kept.pages(3)
    assert (back.url, back.group, back.content_type, back.body) == (
        "http://a.test/", 2, "text/html; charset=latin-1", body,
    )  # fmt: skip
    assert (back.task, back.at) == (7, NOON)


def test_a_page_that_is_read_again_stands_in_place_of_what_was_kept(kept, clock):
    keep(kept, page("a"))
    clock.days = 1
    keep(kept, page("a", size=20, group=1))
    assert [(each.group, len(each.packed), each.at) for each in kept.pages(3)] == [
        (1, 20, NOON + timedelta(days=1))
    ]


def test_pages_are_kept_for_as_many_days_as_the_setting_says(kept, clock):
    for day, name in enumerate("abcde"):
        clock.days = day
        keep(kept, page(name, days=3))
    assert names(kept) == ["e", "d", "c", "b"]  # at day 4 those of days 1 to 4


def test_where_there_is_no_more_room_the_least_promising_go_and_of_these_the_oldest(
    kept, clock
):
    room = PageRoom(30, 30)
    for day, (name, group) in enumerate([("a", 0), ("b", 2), ("c", 1), ("d", 2)]):
        clock.days = day
        keep(kept, page(name, group=group), room)
    assert names(kept) == ["a", "c", "d"]
    keep(kept, page("e", group=0), room)
    assert names(kept) == ["e", "a", "c"]
    keep(kept, page("huge", size=31, group=0), room)
    assert names(kept) == ["e", "a", "c"], (
        "what alone is too much does not drive out the others"
    )


def test_a_page_of_another_group_is_not_among_those_for_a_second_look(kept):
    keep(kept, page("a", group=3, is_whole=True))
    assert names(kept) == []
    assert kept.recent("http://a.test/", 3600).group == 3


def test_the_copy_of_a_page_is_given_out_while_it_is_young(kept, clock):
    """A URL in the database "has been visited and will not be crawled again" (Li, Wang & Bhatia 2016, section 4.1)."""
    keep(kept, page("a", is_whole=True), task=7)
    clock.days = 1
    assert kept.recent("http://a.test/", 86400).task == 7
    assert kept.recent("http://a.test/", 86399) is None
    assert kept.recent("http://b.test/", 86400) is None


def test_what_was_only_a_part_of_an_answer_is_not_given_out(kept):
    keep(kept, page("a", is_whole=False))
    assert kept.recent("http://a.test/", 86400) is None


def test_each_page_is_kept_for_its_own_time(kept, clock):
    keep(kept, page("a", days=1))
    keep(kept, page("b", days=5))
    clock.days = 2
    keep(kept, page("c"))
    assert names(kept) == ["c", "b"]


KEPT = st.lists(
    st.tuples(
        st.integers(0, 5), st.integers(1, 40), st.integers(0, 2), st.integers(0, 2)
    ),
    max_size=12,
)


@pytest.mark.slow
@fuzzed(40)
@given(KEPT, st.integers(1, 100), st.integers(1, 4), st.sampled_from(SQL_STORES))
@example([(0, 1, 0, 0), (0, 2, 0, 2)], 1, 1, "sqlite")  # too large, and days later
def test_all_keep_the_same_and_never_more_than_there_is_room_for(
    read, most, days, database
):
    clock = DayClock()
    with tempfile.TemporaryDirectory() as folder:
        store = open_sql(database, folder, clock)
        memory = MemoryKeptPages(clock)
        for name, size, group, later in read:
            clock.days += later
            for kept in (memory, store.kept_pages):
                keep(kept, page(f"p{name}", size, group, days), PageRoom(days, most))
            assert list(memory.pages(3)) == list(store.kept_pages.pages(3))
            assert (
                sum(len(each.packed) for each in memory.pages(3)) <= most + most // 20
            )
        store.close()
