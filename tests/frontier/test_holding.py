"""A frontier that holds links back until they are released, with nothing lost."""

from __future__ import annotations

import asyncio

import pytest
from frontiers import open_with_delay

from geohound.frontier import FrontierLimits
from geohound.model.crawl.frontier import Settled
from geohound.model.crawl.task import TaskSpec
from geohound.model.visit import Candidate, Lane, Purpose, Settlement, Via

BOUNDS = FrontierLimits(holds_links=True)
SEED = Candidate("http://a.org/", Via.SEARCH)
LINK = Candidate("http://b.org/page", Via.LINK, SEED.url, depth=1)
SCRIPT = Candidate("http://c.org/viewer.js", Via.SCRIPT, SEED.url, depth=1)
TEST = Candidate(
    "http://d.org/wms?service=WMS", Via.LINK, SEED.url, depth=1, purpose=Purpose.PROBE
)


@pytest.fixture
def task(store):
    return store.tasks.create(TaskSpec()).id


def leased(frontier, lane=Lane.PAGES):
    return {candidate.url for candidate in frontier.lease(9, lane)}


async def opened(store, task):
    frontier = open_with_delay(store, task, BOUNDS)
    frontier.admit([SEED, LINK, SCRIPT, TEST])
    await frontier.flush()
    return frontier


def test_seeds_their_files_and_tests_come_first_and_links_when_they_are_released(
    store, task
):
    async def story():
        frontier = await opened(store, task)
        assert leased(frontier) == {SEED.url, SCRIPT.url}
        assert leased(frontier, Lane.PROBES) == {TEST.url}
        for candidate in (SEED, SCRIPT, TEST):
            frontier.settle(candidate, Settled(Settlement.DONE))
        assert frontier.due_in() is None
        assert frontier.stats().queued == 1
        frontier.release()
        assert leased(frontier) == {LINK.url}
        await frontier.flush()

    asyncio.run(story())


def test_seeds_that_come_later_are_not_held_back(store, task):
    async def story():
        frontier = await opened(store, task)
        leased(frontier)
        later = Candidate("http://e.org/", Via.SEARCH)
        frontier.admit([later, Candidate("http://f.org/", Via.LINK, depth=2)])
        await frontier.flush()
        assert leased(frontier) == {later.url}

    asyncio.run(story())


def test_after_a_kill_the_seeds_are_leased_and_the_links_still_wait(reopen):
    async def story():
        store = reopen()
        task = store.tasks.create(TaskSpec()).id
        await opened(store, task)
        again = open_with_delay(reopen(), task, BOUNDS)
        assert leased(again) == {SEED.url, SCRIPT.url}
        again.release()
        assert leased(again) == {LINK.url}
        await again.flush()

    asyncio.run(story())
