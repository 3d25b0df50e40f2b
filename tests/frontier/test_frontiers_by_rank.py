"""Host queues are frontiers with a rank: better ones are visited sooner, and more often while they last."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from frontiers import open_with_delay

from geohound.frontier import FrontierLimits
from geohound.model.crawl.frontier import Settled
from geohound.model.crawl.task import TaskSpec
from geohound.model.visit import Candidate, Lane, Settlement, Via

DONE = Settled(Settlement.DONE)
# back-links of the pages of each host
RANKS = {"rich": 30.0, "fair": 20.0, "poor": 10.0}


@pytest.fixture
def task(store):
    return store.tasks.create(TaskSpec()).id


def test_the_urls_of_the_best_frontiers_are_visited_sooner_and_more_often(
    store, task, clock
) -> None:
    """WBC-8, Alqaraleh, Ramadan & Salamah 2015, section 2.2 (5): with a group of main frontiers, each has a rank that
    depends on its URLs; those of the most important ones are visited faster and more frequently.

    One visit a second by one worker, and two seconds of rest for each host: the two best hosts take all its time."""

    async def story() -> list[str]:
        frontier = open_with_delay(
            store, task, FrontierLimits(max_attempts=3), host_delay_s=2.0
        )
        found = [
            Candidate(f"http://{host}.org/{n}", Via.LINK, score=rank)
            for n in range(10)
            for host, rank in reversed(RANKS.items())
        ]
        frontier.admit(found)
        await frontier.flush()
        visited: list[str] = []
        while len(visited) < 30:
            for leased in frontier.lease(1, Lane.PAGES):
                frontier.settle(leased, DONE)
                await frontier.flush()
                visited.append(leased.url.split("/")[2].partition(".")[0])
            clock.passed_s += 1.0
        return visited

    visited = asyncio.run(story())
    assert visited[:2] == ["rich", "fair"]
    early = Counter(visited[:15])
    assert early["rich"] >= early["fair"] > early["poor"]
    assert early["rich"] >= 7
    assert Counter(visited) == {"rich": 10, "fair": 10, "poor": 10}
