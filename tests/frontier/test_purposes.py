"""What a URL is asked for: it decides the queue, and to harvest an address is another thing than to probe it."""

from __future__ import annotations

import asyncio
import gzip
import sqlite3
from dataclasses import replace
from pathlib import Path

from frontiers import open_with_delay

from geohound.frontier import FrontierLimits
from geohound.model.crawl.frontier import Settled
from geohound.model.crawl.task import TaskSpec
from geohound.model.failure import FailureReason
from geohound.model.visit import Candidate, Lane, Purpose, Settlement, Via
from geohound.stores.sqlite import open_store

SWIFT = FrontierLimits()
BEFORE = Path(__file__).parents[1] / "stores/captures/catalogue-v6.db.gz"
CSW = "http://a.org/csw"


def harvest(harvester: str) -> Candidate:
    return Candidate(
        CSW, Via.HARVEST, CSW, "listed by it", 1000.0, 2, Purpose.HARVEST, harvester
    )


def test_an_address_is_probed_once_and_harvested_once_by_each_harvester(store) -> None:
    offered = [
        Candidate(CSW, purpose=Purpose.PROBE),
        harvest("csw"),
        harvest("csw"),
        harvest("oai"),
    ]
    task = store.tasks.create(TaskSpec()).id

    async def story() -> list[Candidate]:
        frontier = open_with_delay(store, task, SWIFT)
        assert frontier.admit(offered).count == 3
        await frontier.flush()
        assert frontier.lease(9, Lane.PAGES) == []
        done = []
        while leased := frontier.lease(1, Lane.PROBES):
            done += leased
            frontier.settle(leased[0], Settled(Settlement.DONE))
        await frontier.flush()
        assert open_with_delay(store, task, SWIFT).admit(offered).count == 0, (
            "nor after a restart"
        )
        return done

    done = asyncio.run(story())
    assert set(done) == {offered[0], harvest("csw"), harvest("oai")}
    kept = [(visit.url, visit.purpose) for visit in store.log.visits(task)]
    assert kept == [
        (CSW, Purpose.PROBE),
        (CSW, Purpose.HARVEST),
        (CSW, Purpose.HARVEST),
    ]


def test_each_page_of_a_harvest_is_admitted_once_and_so_many_of_them_in_all(
    store,
) -> None:
    pages = [replace(harvest("csw"), cursor=b"%d" % number) for number in range(9)]
    task = store.tasks.create(TaskSpec()).id

    async def story() -> None:
        frontier = open_with_delay(
            store, task, FrontierLimits(max_harvest_pages=4, max_probes_per_pattern=2)
        )
        assert frontier.admit([*pages[:3], *pages[:3]]).count == 3
        await frontier.flush()
        again = open_with_delay(store, task, FrontierLimits(max_harvest_pages=4))
        assert again.admit(pages[:3]).count == 0, "nor after a restart"
        admitted = again.admit(pages[3:])
        assert (admitted.count, dict(admitted.refused)) == (
            1,
            {FailureReason.HARVEST_BUDGET: 5},
        )
        assert again.admit([replace(harvest("oai"), cursor=b"1")]).count == 1, (
            "of another harvester"
        )

    asyncio.run(story())


def test_a_harvest_of_a_catalogue_of_before_is_still_a_harvest(
    tmp_path: Path, clock
) -> None:
    path = tmp_path / "c.db"
    path.write_bytes(gzip.decompress(BEFORE.read_bytes()))
    with sqlite3.connect(path) as connection:
        rows = connection.execute(
            "SELECT url, id & 0xFFFFFFFF, id >> 32 FROM url WHERE url LIKE '%#%'"
        ).fetchall()
    connection.close()
    assert rows, "there was one to do"
    store = open_store(path, clock)
    for url, number, task in rows:
        endpoint, _, harvester = url.partition("#harvest=")
        [found] = store.log.load(task, [number])
        assert (found.url, found.purpose, found.harvester) == (
            endpoint,
            Purpose.HARVEST,
            harvester,
        )
        frontier = open_with_delay(store, task, SWIFT)
        again = Candidate(
            endpoint, Via.HARVEST, purpose=Purpose.HARVEST, harvester=harvester
        )
        assert asyncio.run(_admitted(frontier, again)) == 0
    store.close()


async def _admitted(frontier, candidate: Candidate) -> int:
    return frontier.admit([candidate]).count


def test_a_page_to_be_tried_again_is_no_test_to_wait_for(store, clock) -> None:
    page = Candidate("http://a.org/")
    probe = Candidate("http://b.org/wms", purpose=Purpose.PROBE)
    task = store.tasks.create(TaskSpec()).id

    async def story() -> None:
        frontier = open_with_delay(store, task, FrontierLimits(max_attempts=3))
        frontier.admit([page, probe])
        await frontier.flush()
        (leased,) = frontier.lease(1, Lane.PAGES)
        frontier.settle(leased, Settled(Settlement.RETRY, retry_in_s=300.0))
        assert frontier.due_in(Lane.PROBES) == 0.0
        (leased,) = frontier.lease(1, Lane.PROBES)
        frontier.settle(leased, Settled(Settlement.RETRY, retry_in_s=400.0))
        assert (frontier.due_in(Lane.PROBES), frontier.due_in()) == (400.0, 300.0)
        clock.passed_s += 400.0
        (leased,) = frontier.lease(1, Lane.PROBES)
        frontier.settle(leased, Settled(Settlement.DONE))
        assert frontier.due_in(Lane.PROBES) is None

    asyncio.run(story())
