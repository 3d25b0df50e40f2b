"""The live queue of Li, Yang & Yang 2010, section 4.2: UP decides the section, WP the place, while crawling."""

from __future__ import annotations

import asyncio

import pytest
from frontiers import open_with_delay

from geohound.frontier import FrontierLimits
from geohound.frontier.live_ranks import MAX_LOOKED_AT
from geohound.model.crawl.frontier import Settled
from geohound.model.crawl.task import TaskSpec
from geohound.model.visit import Candidate, Lane, Outcome, Purpose, Settlement, Via
from geohound.orders.atf import Atf

DONE = Settled(Settlement.DONE)


@pytest.fixture
def task(store):
    return store.tasks.create(TaskSpec()).id


def confirmed(order, path, count=60):
    for n in range(count):
        order.learn(
            Outcome(
                Candidate(f"http://s{n}.org/{path}", purpose=Purpose.PROBE), services=1
            )
        )


async def visit(frontier, order, count=1000, lane=Lane.PAGES):
    visited = []
    while len(visited) < count and (leased := frontier.lease(1, lane)):
        visited.append(leased[0].url)
        frontier.settle(leased[0], DONE)
        await frontier.flush()
    return visited


def waiting(order, url, **more):
    return Candidate(
        url, Via.LINK, score=float(-(4 * order.url_priority(url) + 3)), **more
    )


def test_a_waiting_url_that_the_list_promotes_is_read_next(store, task):
    """63 URLs with unknown terms wait in section 2, /zorkmap as the 31st; after 60 services at /zorkmap the list has
    one term, whose third is the first: section 0. As under FIFO it would come 31st."""

    async def story():
        order = Atf()
        frontier = open_with_delay(store, task, FrontierLimits(), order)
        urls = [
            f"http://a.org/p{n}" if n != 30 else "http://a.org/zorkmap"
            for n in range(63)
        ]
        frontier.admit([waiting(order, url) for url in urls])
        await frontier.flush()
        first = await visit(frontier, order, 5)
        confirmed(order, "zorkmap")
        return first, await visit(frontier, order)

    first, rest = asyncio.run(story())
    assert first == [f"http://a.org/p{n}" for n in range(5)]
    assert rest[0] == "http://a.org/zorkmap"
    assert rest[1:] == [f"http://a.org/p{n}" for n in range(5, 63) if n != 30], (
        "each once, first come first"
    )


def test_what_is_being_written_when_its_term_rises_is_promoted_too(store, task):
    async def story():
        order = Atf()
        frontier = open_with_delay(store, task, FrontierLimits(), order)
        frontier.admit(
            [waiting(order, f"http://a.org/{name}") for name in ("x", "y", "zorkmap")]
        )
        confirmed(order, "zorkmap")
        assert frontier.lease(1, Lane.PAGES) == []
        await frontier.flush()
        return await visit(frontier, order)

    assert asyncio.run(story()) == [
        "http://a.org/zorkmap",
        "http://a.org/x",
        "http://a.org/y",
    ]


def test_a_term_that_many_waiting_urls_share_is_looked_up_in_parts_and_none_is_left_behind(
    store, task
):
    async def story():
        order = Atf()
        frontier = open_with_delay(store, task, FrontierLimits(), order)
        many = MAX_LOOKED_AT + 100
        dull = [waiting(order, f"http://a.org/p{n}") for n in range(3)]
        frontier.admit(
            dull + [waiting(order, f"http://a.org/zorkmap/{n}") for n in range(many)]
        )
        await frontier.flush()
        confirmed(order, "zorkmap")
        return await visit(frontier, order, many), await visit(frontier, order)

    promoted, rest = asyncio.run(story())
    assert all("zorkmap" in url for url in promoted)
    assert rest == [f"http://a.org/p{n}" for n in range(3)]


def test_tests_that_the_order_decides_on_rise_too(store, task):
    async def story():
        order = Atf()
        frontier = open_with_delay(store, task, FrontierLimits(), order)
        frontier.admit(
            waiting(
                order,
                f"http://a.org/{name}?SERVICE=WMS&REQUEST=GetCapabilities",
                purpose=Purpose.PROBE,
            )
            for name in ("x", "y", "zorkmap")
        )
        await frontier.flush()
        confirmed(order, "zorkmap")
        return await visit(frontier, order, lane=Lane.PROBES)

    assert "zorkmap" in asyncio.run(story())[0]


def test_a_frontier_that_is_opened_again_ranks_by_the_list_of_its_task(reopen, task):
    order = Atf()

    async def begin():
        frontier = open_with_delay(reopen(), task, FrontierLimits(), order)
        frontier.admit(
            [waiting(order, f"http://a.org/{name}") for name in ("x", "y", "zorkmap")]
        )
        await frontier.flush()

    async def go_on(again):
        return await visit(
            open_with_delay(reopen(), task, FrontierLimits(), again), again
        )

    asyncio.run(begin())
    confirmed(order, "zorkmap")
    again = Atf()
    again.restore(order.state())
    assert asyncio.run(go_on(again))[0] == "http://a.org/zorkmap"
