"""Stages: what waits for what where an order goes level by level."""

from __future__ import annotations

import asyncio

import pytest
from frontiers import open_with_delay

from geohound.frontier import FrontierLimits
from geohound.model.crawl.frontier import Settled
from geohound.model.crawl.order_options import GroupRules
from geohound.model.crawl.task import TaskSpec
from geohound.model.failure import FailureReason
from geohound.model.visit import (
    Candidate,
    Lane,
    Link,
    Outcome,
    Page,
    Purpose,
    Settlement,
    Via,
)
from geohound.orders.oss import OssGroups

BOUNDS = FrontierLimits(max_attempts=3)
TWO_GROUPS = GroupRules(least_seeds=1, most_groups=2, least_depth=1)
DONE = Settled(Settlement.DONE)


@pytest.fixture
def task(store):
    return store.tasks.create(TaskSpec()).id


async def admit(frontier, *found):
    frontier.admit(found)
    await frontier.flush()


def two_groups():
    """The order, and a seed of either group."""
    order = OssGroups(TWO_GROUPS)
    seeds = [
        Candidate(f"http://{name}.org/", score=order.seed("", at))
        for at, name in enumerate("ab")
    ]
    return order, seeds


def below(order, page, url):
    """A page linked from this one."""
    score = order.score(Link(url), Page(page.url, score=page.score, depth=page.depth))
    return Candidate(url, Via.LINK, page.url, score=score, depth=page.depth + 1)


def named(order, page, url):
    """What looks like a service, linked from this page."""
    found = below(order, page, url)
    return Candidate(
        url, Via.LINK, page.url, "", found.score, found.depth, Purpose.PROBE
    )


def test_groups_do_not_wait_for_each_others_levels(store, task):
    """Sidsten 2012, section 3.1.5: groups are crawls of their own. The second seed takes long; the first goes on."""

    async def story():
        order, seeds = two_groups()
        frontier = open_with_delay(store, task, BOUNDS, order)
        await admit(frontier, *seeds)
        first, slow = frontier.lease(5, Lane.PAGES)
        await admit(frontier, below(order, first, "http://c.org/"))
        frontier.settle(first, DONE)
        [level_1] = frontier.lease(5, Lane.PAGES)
        order.learn(Outcome(level_1, ogc_links=1))
        await admit(frontier, below(order, level_1, "http://d.org/"))
        frontier.settle(level_1, DONE)
        [level_2] = frontier.lease(5, Lane.PAGES)
        return [first.url, slow.url, level_1.url, level_2.url]

    assert asyncio.run(story()) == [
        "http://a.org/",
        "http://b.org/",
        "http://c.org/",
        "http://d.org/",
    ]


def test_a_level_waits_for_the_tests_of_the_one_before_also_when_they_are_tried_again(
    store, task, clock
):
    async def story():
        order, [seed, _] = two_groups()
        frontier = open_with_delay(store, task, BOUNDS, order)
        await admit(frontier, seed)
        [seed] = frontier.lease(5, Lane.PAGES)
        test = named(order, seed, "http://gis.org/wms")
        await admit(frontier, test, below(order, seed, "http://c.org/"))
        frontier.settle(seed, DONE)
        none_yet = frontier.lease(5, Lane.PAGES)
        [test] = frontier.lease(5, Lane.PROBES)
        frontier.settle(
            test, Settled(Settlement.RETRY, FailureReason.UNAVAILABLE, retry_in_s=30)
        )
        still_none = frontier.lease(5, Lane.PAGES)
        await clock.sleep(31)
        [test] = frontier.lease(5, Lane.PROBES)
        frontier.settle(test, DONE)
        return (
            none_yet,
            still_none,
            [page.url for page in frontier.lease(5, Lane.PAGES)],
        )

    assert asyncio.run(story()) == ([], [], ["http://c.org/"])


def test_what_is_held_back_counts_in_the_queue_of_its_host(store, task):
    async def story():
        order, [seed, _] = two_groups()
        frontier = open_with_delay(
            store, task, FrontierLimits(max_queue_per_host=2), order
        )
        await admit(frontier, seed)
        [seed] = frontier.lease(5, Lane.PAGES)
        found = [below(order, seed, f"http://c.org/{n}") for n in range(5)]
        return frontier.admit(found).count

    assert asyncio.run(story()) == 2


def test_what_is_held_back_waits_also_after_a_restart(store, reopen, task):
    async def story():
        order, [seed, _] = two_groups()
        frontier = open_with_delay(store, task, BOUNDS, order)
        await admit(frontier, seed)
        [seed] = frontier.lease(5, Lane.PAGES)
        test = named(order, seed, "http://gis.org/wms")
        await admit(frontier, below(order, seed, "http://c.org/"), test)
        frontier.settle(seed, DONE)
        await frontier.flush()
        frontier = open_with_delay(reopen(), task, BOUNDS, order)
        none_yet = frontier.lease(5, Lane.PAGES)
        [test] = frontier.lease(5, Lane.PROBES)
        frontier.settle(test, DONE)
        return none_yet, [page.url for page in frontier.lease(5, Lane.PAGES)]

    assert asyncio.run(story()) == ([], ["http://c.org/"])
