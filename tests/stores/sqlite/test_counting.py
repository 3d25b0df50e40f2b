"""Counts for reports: tables 7 and 8 of Hou, Chen & Wu 2016, total and available services and services by class."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest
from frontiers import open_with_delay

from geohound.frontier import FrontierLimits
from geohound.model.catalogue import CandidateCounts, Observation
from geohound.model.crawl.frontier import Settled
from geohound.model.crawl.task import CrawlGoal, TaskSpec
from geohound.model.failure import FailureReason
from geohound.model.service import Service, Sighting
from geohound.model.visit import Candidate, Lane, Purpose, Settlement, Via
from geohound.net.clock import SystemClock
from geohound.reports import CATALOGUE_REPORTS, CatalogueFacts
from geohound.stores.sqlite import Store, open_store

ALIVE = Settled(Settlement.DONE, services=1, status=200)
NONE = Settled(Settlement.DONE, services=0, status=200)
GONE = Settled(Settlement.DROPPED, FailureReason.DNS)


@pytest.fixture
def store(tmp_path: Path):
    opened = open_store(tmp_path / "c.db", SystemClock())
    yield opened
    opened.close()


def crawl(store: Store, outcomes: dict[str, Settled]) -> None:
    """A task that tested these candidates, and read a page."""
    task = store.tasks.create(TaskSpec(CrawlGoal(("http://p.test/",)))).id

    async def run() -> None:
        frontier = open_with_delay(store, task, FrontierLimits(max_attempts=1))
        found = [Candidate(url, Via.LINK, purpose=Purpose.PROBE) for url in outcomes]
        frontier.admit([Candidate("http://p.test/"), *found])
        await frontier.flush()
        waiting = set(outcomes)
        while waiting:
            for candidate in [
                *frontier.lease(9, Lane.PROBES),
                *frontier.lease(9, Lane.PAGES),
            ]:
                waiting.discard(candidate.url)
                frontier.settle(candidate, outcomes.get(candidate.url, NONE))
            await asyncio.sleep(0)
        await frontier.flush()

    asyncio.run(run())


def test_tested_candidates_are_counted_with_what_became_of_them_and_pages_are_not(
    store: Store,
) -> None:
    crawl(
        store,
        {
            "http://a.test/wms": ALIVE,
            "http://a.test/ows": NONE,
            "http://b.test/wms": GONE,
        },
    )
    counts = store.catalogue.count_candidates()
    assert counts == CandidateCounts(
        3, 1, {"answered, no service": 1, FailureReason.DNS: 1}, 2, 1
    )


def test_the_report_says_how_many_there_are_and_how_many_of_them_are_available(
    store: Store,
) -> None:
    """Hou, Chen & Wu 2016, table 7: total number and number of available ones, 20,478 and 17,874 there; here 3 and 1."""
    tested = {
        "http://a.test/wms": ALIVE,
        "http://a.test/ows": NONE,
        "http://b.test/wms": GONE,
    }
    crawl(store, tested)
    table = CATALOGUE_REPORTS["candidates"].table(CatalogueFacts(store.catalogue))
    assert table.rows == [
        ("total", 3),
        ("available", 1),
        ("hosts", 2),
        ("hosts with an available service", 1),
        ("dead: answered, no service", 1),
        (f"dead: {FailureReason.DNS}", 1),
    ]


def test_a_candidate_of_two_tasks_is_one_and_its_last_test_counts(store: Store) -> None:
    crawl(store, {"http://a.test/wms": GONE})
    crawl(store, {"http://a.test/wms": ALIVE})
    assert store.catalogue.count_candidates() == CandidateCounts(1, 1, {}, 1, 1)


def test_classes_are_counted_by_topic_and_class(store: Store) -> None:
    """LC-10: services by class, as table 8 has them."""

    def met(url: str, *topics: tuple[str, str]) -> Observation:
        service = Service("wms", url, title=url)
        return Observation(
            service,
            Sighting(service.id, url, "", Via.SEED, "", datetime.now(UTC)),
            topics=topics,
        )

    store.catalogue.record_now([
        met("http://a.test/wms", ("land_cover", "water"), ("sea", "water")), met("http://b.test/wms", ("sea", "water")),
    ])  # fmt: skip
    assert store.catalogue.count_classes() == {
        ("land_cover", "water"): 1,
        ("sea", "water"): 2,
    }
