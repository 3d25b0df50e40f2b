"""What every store must do, whatever database is behind it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from frontiers import open_with_delay
from sql_stores import SQL_STORES, open_sql

from geohound.frontier import FrontierLimits
from geohound.model.bbox import BBox
from geohound.model.catalogue import Observation
from geohound.model.crawl.frontier import Settled
from geohound.model.crawl.task import TaskSpec
from geohound.model.failure import FailureReason
from geohound.model.health import Check, HealthState, assess
from geohound.model.search.query import Query
from geohound.model.service import Extent, Layer, Service, Sighting
from geohound.model.visit import Candidate, Lane, Purpose, Settlement, Via
from geohound.search.index import CatalogueIndex

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
SERVICE = Service(
    "wms", "http://maps.example.org/wms", "1.3.0", ("1.3.0",), "Soils of Fiji",
    layers=(Layer("soil", "Soil types", extent=Extent(BBox(176, -21, -178, -12))),), fingerprint="f",
)  # fmt: skip
SIGHTING = Sighting(
    SERVICE.id, SERVICE.endpoint, "http://page.example.org/", Via.LINK, "a link", NOON
)


class StillClock:
    passed_s = 0.0

    def now(self):
        return NOON

    def monotonic(self):
        return self.passed_s

    async def sleep(self, seconds):
        self.passed_s += seconds


@pytest.fixture
def clock():
    return StillClock()


@pytest.fixture(params=SQL_STORES)
def open_anew(request, tmp_path, clock):
    """A function that opens the same store, as often as it is called."""
    opened = []

    def open_it():
        opened.append(open_sql(request.param, tmp_path, clock))
        return opened[-1]

    yield open_it
    for store in opened:
        store.close()


@pytest.fixture
def store(open_anew):
    return open_anew()


@pytest.fixture
def frontier(store):
    return open_with_delay(
        store,
        store.tasks.create(TaskSpec()).id,
        FrontierLimits(max_attempts=3),
        host_delay_s=1.0,
    )


async def admit(frontier, found):
    """How many came in; they are on disk."""
    admitted = frontier.admit(found)
    await frontier.flush()
    return admitted.count


async def settle(frontier, candidate, settlement, reason=None, **fields):
    """Until it is on disk."""
    frontier.settle(candidate, Settled(settlement, reason, **fields))
    await frontier.flush()


def candidates(*urls, **fields):
    return [Candidate(url, **fields) for url in urls]


def test_the_frontier_admits_each_url_once(frontier):
    async def story():
        assert (
            await admit(
                frontier, candidates("http://a.org/", "http://b.org/", "http://a.org/")
            )
            == 2
        )
        assert await admit(frontier, candidates("http://a.org/")) == 0

    asyncio.run(story())


def test_the_frontier_leases_one_url_per_host_and_the_best_first(frontier):
    async def story():
        await admit(frontier, candidates("http://a.org/1", "http://b.org/1", score=1.0))
        await admit(frontier, candidates("http://a.org/2", score=2.0))
        leased = frontier.lease(10, Lane.PAGES)
        assert [c.url for c in leased] == ["http://a.org/2", "http://b.org/1"]
        assert frontier.lease(10, Lane.PAGES) == []

    asyncio.run(story())


def test_the_frontier_keeps_pages_and_probes_apart(frontier):
    async def story():
        await admit(
            frontier,
            candidates("http://a.org/")
            + candidates("http://b.org/wms", purpose=Purpose.PROBE),
        )
        assert [c.url for c in frontier.lease(9, Lane.PROBES)] == ["http://b.org/wms"]
        assert [c.url for c in frontier.lease(9, Lane.PAGES)] == ["http://a.org/"]

    asyncio.run(story())


def test_the_frontier_says_when_the_next_lease_is_due_and_when_nothing_is_left(
    frontier, clock
):
    async def story():
        assert frontier.due_in() is None
        await admit(frontier, candidates("http://a.org/1", "http://a.org/2"))
        for _ in range(2):
            assert frontier.due_in() == 0
            (leased,) = frontier.lease(1, Lane.PAGES)
            assert frontier.due_in() > 0
            await settle(frontier, leased, Settlement.DONE)
            clock.passed_s += 1.0
        assert frontier.due_in() is None

    asyncio.run(story())


def test_what_is_settled_never_comes_back_and_a_retry_does(frontier, clock):
    async def story():
        await admit(
            frontier, candidates("http://a.org/", "http://b.org/", "http://c.org/")
        )
        done, dropped, again = frontier.lease(3, Lane.PAGES)
        await settle(frontier, done, Settlement.DONE)
        await settle(frontier, dropped, Settlement.DROPPED, FailureReason.DNS)
        await settle(
            frontier, again, Settlement.RETRY, FailureReason.RESET, retry_in_s=50
        )
        clock.passed_s += 49
        assert frontier.lease(3, Lane.PAGES) == []
        clock.passed_s += 1
        assert frontier.lease(3, Lane.PAGES) == [replace(again, attempts=1)]

    asyncio.run(story())


def test_a_frontier_opened_anew_goes_on(open_anew):
    async def story():
        store = open_anew()
        task = store.tasks.create(TaskSpec()).id
        first = open_with_delay(store, task, FrontierLimits(max_attempts=3))
        await admit(
            first, candidates("http://a.org/", "http://b.org/", "http://c.org/")
        )
        settled, _ = first.lease(2, Lane.PAGES)
        await settle(first, settled, Settlement.DONE)
        again = open_with_delay(open_anew(), task, FrontierLimits(max_attempts=3))
        assert {c.url for c in again.lease(9, Lane.PAGES)} == {
            "http://b.org/",
            "http://c.org/",
        }
        assert await admit(again, candidates(settled.url)) == 0

    asyncio.run(story())


def test_the_catalogue_keeps_services_sightings_and_checks(open_anew):
    catalogue = open_anew().catalogue
    assert catalogue.record_now([Observation(SERVICE, SIGHTING)])[0].is_new
    assert not catalogue.record_now([Observation(SERVICE, SIGHTING)])[0].is_new
    catalogue.record_now([Check(SERVICE.id, NOON, True, elapsed_s=0.2)])
    again = open_anew().catalogue
    assert again.get(SERVICE.id) == SERVICE
    assert again.get("unknown") is None
    assert again.at("http://maps.example.org/wms?request=GetCapabilities") == [SERVICE]
    assert again.sightings(SERVICE.id) == [SIGHTING]
    assert assess(again.checks(SERVICE.id)).state is HealthState.ALIVE
    assert again.count() == (1, 1)


def test_the_catalogue_finds_by_words_by_box_and_by_both(store):
    store.catalogue.record_now([Observation(SERVICE, SIGHTING)])
    here, away = BBox(179, -18, -179, -17), BBox(0, 0, 1, 1)
    for query in (
        Query("soil"),
        Query(bbox=here),
        Query("fiji soil", bbox=here),
        Query(),
    ):
        results = CatalogueIndex(store.catalogue, store.segments).search(query)
        assert [hit.service.id for hit in results.hits] == [SERVICE.id], query
        assert results.total == 1
        assert results.facets["kind"] == {"wms": 1}
    for query in (
        Query("rivers"),
        Query(bbox=away),
        Query("soil", bbox=away),
        Query("soil", kinds=("wfs",)),
    ):
        assert (
            CatalogueIndex(store.catalogue, store.segments).search(query).total == 0
        ), query
