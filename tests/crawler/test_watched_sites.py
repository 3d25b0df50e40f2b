"""What a crawl makes of the reports of watchers: which pages wait, are read, or need not be."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from geohound.crawler.watched_sites import MAX_CONFIRMS, MAX_STRANGERS, WatchedSites
from geohound.model.crawl.browsed import EventRow
from geohound.model.crawl.watched import (
    AskWatchers,
    FlagReset,
    WatchedPage,
    WatcherPolicy,
    WatcherReport,
)
from geohound.model.failure import FailureReason
from geohound.model.visit import Candidate, Purpose, Via
from geohound.stores.memory.watched_sites import MemoryWatchedSites

NOON = datetime(2026, 7, 15, 12, tzinfo=UTC)
ROW = EventRow(("onclick",), ("div#next",), "text.innerHTML", "Updateinfo()")
SEED = Candidate("http://a.test/")
POLICY = WatcherPolicy(AskWatchers.AUTO, full_after_s=86_400.0)
SHARING = WatcherPolicy(AskWatchers.ALWAYS, leaves_taken=True, full_after_s=86_400.0)


class DayClock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.hours = 0.0

    def now(self) -> datetime:
        return NOON + timedelta(hours=self.hours)

    def monotonic(self) -> float:
        return self.hours * 3600


def report(
    *names: str,
    holder: str = "",
    since: datetime | None = None,
    written: datetime = NOON,
) -> WatcherReport:
    pages = tuple(
        WatchedPage(f"http://a.test/{name}", 0.5, (ROW,) if "dyn" in name else ())
        for name in names
    )
    return WatcherReport(
        "http://a.test/", bool(holder), holder, written, since, pages, True
    )


def page(name: str, via: Via = Via.LINK) -> Candidate:
    return Candidate(f"http://a.test/{name}", via)


def query(candidate: Candidate) -> dict[str, str]:
    return {
        name: values[-1]
        for name, values in parse_qs(urlsplit(candidate.url).query).items()
    }


@pytest.fixture
def loop():
    """The stores of memory answer with futures."""
    with asyncio.Runner() as runner:

        def run(story):
            async def wrapped():
                return story()

            return runner.run(wrapped())

        yield run


def asked(sites: WatchedSites, candidate: Candidate = SEED) -> Candidate:
    request = sites.ask_first(candidate)
    assert request is not None
    assert request.purpose is Purpose.WATCHER
    return request


def test_pages_wait_until_the_report_of_their_site_was_read(loop) -> None:
    def story() -> None:
        sites = WatchedSites(POLICY, MemoryWatchedSites(), DayClock(), 1)
        request = asked(sites)
        assert urlsplit(request.url).path == "/.well-known/geohound-watcher.json"
        assert sites.ask_first(SEED) is None  # once
        assert isinstance(sites.objection(page("b.html")), float)
        news = sites.take(request, report("b.html", "dyn.html"))
        assert [each.url for each in news.candidates if each.is_page] == [
            "http://a.test/b.html",
            "http://a.test/dyn.html",
        ]
        assert sites.objection(page("b.html")) is None
        assert sites.events("http://a.test/dyn.html") == (ROW,)

    loop(story)


def test_of_many_seeds_only_the_first_sites_are_asked(loop) -> None:
    """A list of a thousand sites would wait for a thousand answers before its first page."""

    def story():
        sites = WatchedSites(POLICY, MemoryWatchedSites(), DayClock(), 1)
        seeds = [
            Candidate(f"http://h{number}.test/") for number in range(MAX_STRANGERS + 5)
        ]
        asked = [seed for seed in seeds if sites.ask_first(seed) is not None]
        assert asked == seeds[:MAX_STRANGERS]
        assert sites.objection(seeds[-1]) is None

    loop(story)


def test_sites_that_are_nobodys_seed_are_not_asked_unless_always(loop) -> None:
    def story() -> None:
        store = MemoryWatchedSites()
        assert (
            WatchedSites(POLICY, store, DayClock(), 1).ask_first(page("x.html")) is None
        )
        assert (
            WatchedSites(SHARING, store, DayClock(), 1).ask_first(page("x.html"))
            is not None
        )
        assert (
            WatchedSites(WatcherPolicy(), store, DayClock(), 1).ask_first(SEED) is None
        )

    loop(story)


def test_what_was_read_goes_back_to_the_watcher_by_name_and_version(loop) -> None:
    def story() -> None:
        sites = WatchedSites(POLICY, MemoryWatchedSites(), DayClock(), 1)
        request = asked(sites)
        confirm = next(
            c for c in sites.take(request, report("b.html")).candidates if not c.is_page
        )
        assert query(confirm)["crawler"] == query(request)["crawler"]
        assert query(confirm)["read"] == "2026-07-15T12:00:00.000Z"
        assert query(request)["reset"] == "event"

    loop(story)


def test_a_crawler_that_shares_waits_for_the_watcher_to_say_who_has_the_site(
    loop,
) -> None:
    """WBC-4, Alqaraleh et al. 2015, section 2.1: the flag solves the overlapping problem without communication."""

    def story() -> None:
        sites = WatchedSites(SHARING, MemoryWatchedSites(), DayClock(), 1)
        request = asked(sites)
        news = sites.take(request, report("b.html"))
        assert news.pause_s > 0
        (confirm,) = news.candidates
        assert isinstance(sites.objection(page("b.html")), float)
        won = sites.take(confirm, report(holder=query(request)["crawler"]))
        assert [each.url for each in won.candidates] == ["http://a.test/b.html"]
        assert sites.objection(page("b.html")) is None

    loop(story)


def test_a_site_that_another_crawler_has_is_left_to_it(loop) -> None:
    def story() -> None:
        sites = WatchedSites(SHARING, MemoryWatchedSites(), DayClock(), 1)
        (confirm,) = sites.take(asked(sites), report("b.html")).candidates
        assert sites.take(confirm, report("b.html", holder="another")).candidates == ()
        assert sites.objection(page("b.html")) is FailureReason.TAKEN
        assert (
            sites.objection(
                Candidate(
                    "http://a.test/wms?request=GetCapabilities", purpose=Purpose.PROBE
                )
            )
            is None
        )

    loop(story)


def test_a_watcher_that_never_sets_its_flag_holds_nobody_up_for_long(loop) -> None:
    def story() -> None:
        sites = WatchedSites(SHARING, MemoryWatchedSites(), DayClock(), 1)
        (confirm,) = sites.take(asked(sites), report("b.html")).candidates
        waits = [
            sites.take(confirm, report("b.html")).again_in_s
            for _ in range(MAX_CONFIRMS)
        ]
        assert waits == [3.0, 6.0, 9.0, None]
        assert sites.objection(page("b.html")) is None

    loop(story)


def test_no_report_leaves_the_site_as_any_other(loop) -> None:
    def story() -> None:
        sites = WatchedSites(SHARING, MemoryWatchedSites(), DayClock(), 1)
        sites.failed(asked(sites))
        assert sites.objection(page("b.html")) is None

    loop(story)


def crawled(store: MemoryWatchedSites, clock: DayClock, task: int = 1) -> None:
    """A first crawl of pages a and b; the report had them, and page c was read without being in it."""
    sites = WatchedSites(POLICY, store, clock, task)
    sites.take(asked(sites), report("a.html", "b.html", written=clock.now()))
    for name in ("a.html", "b.html", "c.html"):
        sites.note_read(page(name))


@pytest.mark.parametrize(
    ("since_hours", "later_hours", "expected"),
    [
        (
            0.0,
            1.0,
            FailureReason.UNCHANGED,
        ),  # everything that changed since our visit is in the report
        (0.5, 1.0, None),  # another crawler has taken changes that we have not seen
        (None, 1.0, None),  # it does not say
        (0.0, 25.0, None),  # it is time for a whole crawl
    ],
)
def test_a_page_that_was_read_is_read_again_only_if_it_may_have_changed(
    since_hours: float | None, later_hours: float, expected: FailureReason | None, loop
) -> None:
    def story() -> None:
        store, clock = MemoryWatchedSites(), DayClock()
        crawled(store, clock)
        clock.hours = later_hours
        since = None if since_hours is None else NOON + timedelta(hours=since_hours)
        sites = WatchedSites(POLICY, store, clock, 2)
        sites.take(asked(sites), report("b.html", since=since, written=clock.now()))
        assert sites.objection(page("a.html")) is expected
        assert sites.objection(page("b.html")) is None
        assert sites.objection(page("c.html")) is None  # no watcher ever listed it
        assert (
            sites.objection(page("a.html?id=7")) is None
        )  # what a query brings, no watcher of files can know

    loop(story)


def test_a_changed_page_that_a_crawl_did_not_come_to_is_read_by_the_next_one(
    loop,
) -> None:
    def story() -> None:
        store, clock = MemoryWatchedSites(), DayClock()
        crawled(store, clock)
        clock.hours = 1
        second = WatchedSites(POLICY, store, clock, 2)
        second.take(asked(second), report("b.html", since=NOON, written=clock.now()))
        clock.hours = 2
        third = WatchedSites(POLICY, store, clock, 3)
        news = third.take(
            asked(third), report(since=NOON + timedelta(hours=1), written=clock.now())
        )
        assert [each.url for each in news.candidates if each.is_page] == [
            "http://a.test/b.html"
        ]
        assert third.objection(page("a.html")) is FailureReason.UNCHANGED
        assert third.objection(page("b.html")) is None

    loop(story)


def test_a_resumed_crawl_asks_by_the_same_name(loop) -> None:
    def story() -> None:
        store, clock = MemoryWatchedSites(), DayClock()
        first = WatchedSites(SHARING, store, clock, 1)
        request = asked(first)
        name = query(request)["crawler"]
        first.take(
            first.take(request, report("b.html")).candidates[0], report(holder=name)
        )
        resumed = WatchedSites(SHARING, store, clock, 1)
        assert query(asked(resumed, page("d.html")))["crawler"] == name
        other = WatchedSites(SHARING, store, clock, 2)
        assert query(asked(other, page("d.html")))["crawler"] != name

    loop(story)


def test_a_site_that_a_killed_run_has_taken_is_ours_whatever_name_it_gave(
    loop,
) -> None:
    """It was killed before an answer came: its request is still queued, and nothing else tells its name."""

    def story() -> None:
        store, clock = MemoryWatchedSites(), DayClock()
        left = asked(WatchedSites(SHARING, store, clock, 1))
        resumed = WatchedSites(SHARING, store, clock, 1)
        asked(resumed)
        (confirm,) = resumed.take(left, report("b.html")).candidates
        resumed.take(confirm, report(holder=query(left)["crawler"]))
        assert resumed.objection(page("b.html")) is None

    loop(story)


def test_where_the_reset_goes_by_time_a_site_rests_for_its_period(loop) -> None:
    """WBC-14, section 2.1.2: all processed web sites are visited once in a pre-defined period of time."""

    def story() -> None:
        store, clock = MemoryWatchedSites(), DayClock()
        crawled(store, clock)
        by_time = WatcherPolicy(
            AskWatchers.AUTO, reset=FlagReset.TIME, period_s=7200, full_after_s=1e9
        )
        clock.hours = 1.9
        resting = WatchedSites(by_time, store, clock, 2)
        assert resting.ask_first(SEED) is None
        assert resting.objection(SEED) is FailureReason.UNCHANGED
        clock.hours = 2.1
        request = asked(WatchedSites(by_time, store, clock, 3))
        assert (query(request)["reset"], query(request)["period"]) == ("time", "7200")

    loop(story)
