"""The frontier in SQLite: order, politeness, bounds, retries, restarts."""

from __future__ import annotations

import asyncio

import pytest
from frontiers import open_with_delay

from geohound.contracts import FencedError, StoreError
from geohound.frontier import FrontierLimits
from geohound.model.crawl.frontier import Settled
from geohound.model.crawl.task import TaskSpec
from geohound.model.failure import FailureReason
from geohound.model.visit import Candidate, Lane, Link, Page, Purpose, Settlement, Via
from geohound.orders.polarhub import PolarHub
from geohound.settings import Settings
from geohound.tasks.spec import bounds_of

SWIFT = FrontierLimits(max_attempts=3)
DONE = Settlement.DONE


def pages(*urls, **fields):
    return [Candidate(url, Via.LINK, **fields) for url in urls]


async def admit(frontier, found):
    """How many came in; they are on disk."""
    admitted = frontier.admit(found)
    await frontier.flush()
    return admitted.count


async def settle(frontier, candidate, settlement, reason=None, **fields):
    """Until it is on disk."""
    frontier.settle(candidate, Settled(settlement, reason, **fields))
    await frontier.flush()


async def drain(frontier, lane=Lane.PAGES):
    """Visit all there is, one at a time, and tell the order."""
    visited = []
    while leased := frontier.lease(1, lane):
        visited.append(leased[0].url)
        await settle(frontier, leased[0], DONE)
    return visited


@pytest.fixture
def task(store):
    return store.tasks.create(TaskSpec()).id


def test_a_host_whose_pages_are_all_to_be_tried_again_is_named(store, task):
    """The crawl waits for it, and nothing else of it is queued."""

    async def story():
        frontier = open_with_delay(store, task, SWIFT)
        await admit(frontier, pages("http://busy.org/1", "http://late.org/1"))
        for wait_s in (60, 90):
            (leased,) = frontier.lease(1, Lane.PAGES)
            await settle(
                frontier,
                leased,
                Settlement.POSTPONED,
                FailureReason.RATE_LIMITED,
                retry_in_s=wait_s,
            )
        return frontier.awaited(9), frontier.awaited(1)

    assert asyncio.run(story()) == (["busy.org", "late.org"], ["busy.org"])


def test_the_best_score_comes_first_and_equals_come_first_in_first_out(store, task):
    async def story():
        frontier = open_with_delay(store, task, SWIFT)
        scores = [1.0, 3.0, -2.0, 3.0, 0.0, 1.0, -0.5]
        await admit(
            frontier,
            [Candidate(f"http://a.org/{i}", score=s) for i, s in enumerate(scores)],
        )
        return await drain(frontier)

    assert [url[-1] for url in asyncio.run(story())] == [
        "1",
        "3",
        "0",
        "5",
        "4",
        "6",
        "2",
    ]


def test_the_best_of_all_due_hosts_comes_first(store, task):
    async def story():
        frontier = open_with_delay(store, task, SWIFT)
        await admit(
            frontier,
            [
                Candidate(f"http://{h}.org/", score=s)
                for h, s in [("a", 1), ("b", 5), ("c", 3)]
            ],
        )
        return [c.url for c in frontier.lease(2, Lane.PAGES)]

    assert asyncio.run(story()) == ["http://b.org/", "http://c.org/"]


def test_a_better_url_that_comes_later_overtakes(store, task):
    async def story():
        frontier = open_with_delay(store, task, SWIFT)
        await admit(frontier, pages("http://a.org/1", score=1.0))
        await admit(frontier, pages("http://a.org/2", score=2.0))
        return await drain(frontier)

    assert asyncio.run(story()) == ["http://a.org/2", "http://a.org/1"]


def test_a_score_that_is_no_number_does_no_harm(store, task):
    async def story():
        frontier = open_with_delay(store, task, SWIFT)
        scores = [float("nan"), float("inf"), float("-inf"), 1e300, -1e300]
        await admit(
            frontier,
            [Candidate(f"http://a.org/{i}", score=s) for i, s in enumerate(scores)],
        )
        return await drain(frontier)

    visited = [url[-1] for url in asyncio.run(story())]
    assert sorted(visited[:2]) == ["1", "3"]
    assert visited[2] == "0"
    assert visited[3:] == ["4"], "minus infinity is never"


def test_a_host_has_one_lease_over_both_lanes_and_rests_between_two(store, task, clock):
    async def story():
        frontier = open_with_delay(
            store, task, FrontierLimits(max_attempts=3), host_delay_s=2.0
        )
        await admit(frontier, pages("http://a.org/1", "http://a.org/2"))
        await admit(frontier, pages("http://a.org/wms", purpose=Purpose.PROBE))
        first = frontier.lease(5, Lane.PAGES)
        assert len(first) == 1
        assert frontier.lease(5, Lane.PROBES) == []
        await settle(frontier, first[0], DONE)
        assert frontier.lease(5, Lane.PROBES) == []
        assert frontier.due_in() == pytest.approx(2.0)
        clock.passed_s += 2.0
        assert frontier.due_in() == 0
        assert len(frontier.lease(5, Lane.PROBES)) == 1
        assert frontier.lease(5, Lane.PAGES) == []

    asyncio.run(story())


def test_a_postponed_host_is_left_alone_and_others_are_not(store, task, clock):
    async def story():
        frontier = open_with_delay(store, task, SWIFT)
        await admit(frontier, pages("http://a.org/", "http://b.org/"))
        frontier.pause("a.org", 60)
        assert [c.url for c in frontier.lease(5, Lane.PAGES)] == ["http://b.org/"]
        clock.passed_s += 59
        assert frontier.lease(5, Lane.PAGES) == []
        clock.passed_s += 1
        assert [c.url for c in frontier.lease(5, Lane.PAGES)] == ["http://a.org/"]

    asyncio.run(story())


def test_settling_may_make_the_host_wait_longer_than_its_delay(store, task, clock):
    async def story():
        frontier = open_with_delay(
            store, task, FrontierLimits(max_attempts=3), host_delay_s=1.0
        )
        await admit(frontier, pages("http://a.org/1", "http://a.org/2"))
        (first,) = frontier.lease(1, Lane.PAGES)
        frontier._hosts.pauses["a.org"] = 30
        await settle(frontier, first, DONE)
        assert frontier.due_in() == pytest.approx(30)

    asyncio.run(story())


def test_a_retry_comes_back_when_it_is_due_and_is_dropped_after_three_attempts(
    store, task, clock
):
    async def story():
        frontier = open_with_delay(store, task, SWIFT)
        await admit(frontier, pages("http://a.org/"))
        for attempt in range(3):
            (leased,) = frontier.lease(1, Lane.PAGES)
            await settle(
                frontier,
                leased,
                Settlement.RETRY,
                FailureReason.UNAVAILABLE,
                retry_in_s=10,
            )
            assert frontier.lease(1, Lane.PAGES) == [], attempt
            clock.passed_s += 10
        assert frontier.due_in() is None
        assert frontier.stats().drops == {FailureReason.UNAVAILABLE: 1}
        (visit,) = store.log.visits(task)
        assert (visit.settlement, visit.reason, visit.attempts) == (
            Settlement.DROPPED, FailureReason.UNAVAILABLE, 3
        )  # fmt: skip

    asyncio.run(story())


def test_attempts_are_counted_across_restarts(store, reopen, task):
    async def attempt(frontier):
        (leased,) = frontier.lease(1, Lane.PAGES)
        await settle(frontier, leased, Settlement.RETRY, FailureReason.RESET)

    async def story():
        frontier = open_with_delay(store, task, SWIFT)
        await admit(frontier, pages("http://a.org/"))
        await attempt(frontier)
        again = open_with_delay(reopen(), task, SWIFT)
        await attempt(again)
        await attempt(again)
        assert again.lease(1, Lane.PAGES) == []

    asyncio.run(story())


def test_what_is_too_deep_or_no_web_address_is_refused_and_counted(store, task):
    async def story():
        frontier = open_with_delay(
            store, task, FrontierLimits(max_attempts=3, max_depth=2)
        )
        bad = ["ftp://a.org/", "", "http://a.org/" + "x" * 5000, "http://a.org/\ud800"]
        count = await admit(
            frontier, [*pages("http://a.org/deep", depth=3), *pages(*bad)]
        )
        assert count == 0
        assert frontier.stats().drops == {
            FailureReason.TOO_DEEP: 1,
            FailureReason.BAD_URL: 4,
        }
        assert await admit(frontier, pages("http://a.org/deep", depth=2)) == 1

    asyncio.run(story())


def test_what_the_caller_leaves_out_is_counted_with_what_the_frontier_refuses(
    store, task
):
    async def story():
        frontier = open_with_delay(
            store, task, FrontierLimits(max_attempts=3, max_depth=2), host_delay_s=1.0
        )
        found = [
            *pages("http://a.org/", "http://a.org/"),
            *pages("http://a.org/deep", depth=3),
        ]
        admitted = frontier.admit(found, refused={FailureReason.OUT_OF_SCOPE: 4})
        assert admitted.count == 1
        assert admitted.refused == {
            FailureReason.TOO_DEEP: 1,
            FailureReason.OUT_OF_SCOPE: 4,
        }
        before = frontier.stats()
        frontier.admit((), refused={FailureReason.OUT_OF_SCOPE: 2})
        assert before.drops == admitted.refused, "a copy"
        assert frontier.stats().drops == {
            FailureReason.TOO_DEEP: 1,
            FailureReason.OUT_OF_SCOPE: 6,
        }
        await frontier.flush()

    asyncio.run(story())


def test_whoever_flushes_waits_for_what_was_before_and_not_for_what_others_go_on_to_write(
    store, task
):
    async def story():
        frontier = open_with_delay(store, task, SWIFT)
        is_over = False

        async def write_on():
            number = 0
            while not is_over:
                number += 1
                frontier.admit(pages(f"http://a.org/{number}"))
                await asyncio.sleep(0)

        writing = asyncio.create_task(write_on())
        for _ in range(5):
            frontier.admit(pages("http://b.org/"))
            await asyncio.wait_for(frontier.flush(), 10)
        is_over = True
        await writing
        await frontier.flush()
        assert frontier.lease(9, Lane.PAGES)

    asyncio.run(story())


def test_the_page_budget_counts_visits_not_admissions_and_lets_candidates_be_tested(
    store, task
):
    async def story():
        frontier = open_with_delay(
            store, task, FrontierLimits(max_attempts=3, max_pages=2)
        )
        await admit(
            frontier, [Candidate(f"http://a.org/{i}", score=i) for i in range(5)]
        )
        await admit(frontier, pages("http://a.org/wms", purpose=Purpose.PROBE))
        assert await drain(frontier) == ["http://a.org/4", "http://a.org/3"]
        assert await admit(frontier, pages("http://a.org/late")) == 0
        assert frontier.stats().drops == {FailureReason.PAGE_BUDGET: 1}
        assert await drain(frontier, Lane.PROBES) == ["http://a.org/wms"]
        assert frontier.due_in() is None
        assert frontier.stats().queued == 3

    asyncio.run(story())


def test_more_pages_may_be_visited_when_a_task_goes_on_with_a_larger_budget(
    store, reopen, task
):
    async def story():
        frontier = open_with_delay(
            store, task, FrontierLimits(max_attempts=3, max_pages=1)
        )
        await admit(
            frontier, pages("http://a.org/1", "http://a.org/2", "http://a.org/3")
        )
        assert len(await drain(frontier)) == 1
        again = open_with_delay(
            reopen(), task, FrontierLimits(max_attempts=3, max_pages=2)
        )
        assert len(await drain(again)) == 1

    asyncio.run(story())


def test_a_page_that_robots_forbid_spends_no_budget(store, reopen, task):
    async def story():
        bounds = FrontierLimits(max_attempts=3, max_pages=1, max_pages_per_host=1)
        frontier = open_with_delay(store, task, bounds)
        await admit(frontier, pages("http://a.org/1", "http://a.org/2"))
        (leased,) = frontier.lease(1, Lane.PAGES)
        await settle(frontier, leased, Settlement.DROPPED, FailureReason.ROBOTS)
        again = open_with_delay(reopen(), task, bounds)
        assert await drain(again) == ["http://a.org/2"]

    asyncio.run(story())


def test_a_host_whose_budget_is_spent_gives_up_its_queue(store, task):
    async def story():
        frontier = open_with_delay(
            store, task, FrontierLimits(max_attempts=3, max_pages_per_host=2)
        )
        await admit(
            frontier, pages(*(f"http://a.org/{c}" for c in "abcde"), "http://b.org/")
        )
        assert len(await drain(frontier)) == 3
        assert await admit(frontier, pages("http://a.org/late")) == 0
        assert frontier.stats().drops == {FailureReason.HOST_BUDGET: 4}
        dropped = [
            v for v in store.log.visits(task) if v.settlement is Settlement.DROPPED
        ]
        assert [v.was_asked for v in dropped] == [False] * 4, (
            "three given up and one refused"
        )
        assert frontier.due_in() is None

    asyncio.run(story())


def test_what_a_page_within_the_depth_names_is_tested_though_other_pages_are_too_deep(
    store, task
):
    async def story():
        frontier = open_with_delay(
            store, task, FrontierLimits(max_attempts=3, max_depth=2)
        )
        script = Candidate("http://a.org/app.js", Via.SCRIPT, depth=3)
        service = Candidate(
            "http://b.org/wms?service=WMS", Via.SCRIPT, depth=4, purpose=Purpose.PROBE
        )
        endless = Candidate(
            "http://c.org/wms?service=WMS", Via.SERVICE, depth=6, purpose=Purpose.PROBE
        )
        page = Candidate("http://a.org/deep.html", Via.LINK, depth=3)
        admitted = await admit(frontier, [script, service, endless, page])
        return (
            admitted,
            dict(frontier.stats().drops),
            {c.url for c in frontier.lease(9, Lane.PROBES)},
        )

    assert asyncio.run(story()) == (
        2,
        {FailureReason.TOO_DEEP: 2},
        {"http://b.org/wms?service=WMS"},
    )


def test_names_without_end_under_one_domain_spend_its_budget(store, reopen, task):
    bounds = FrontierLimits(max_attempts=3, max_hosts_per_domain=3)

    async def story(store):
        frontier = open_with_delay(store, task, bounds)
        spam = [f"http://x{i}.spam.org/" for i in range(5)]
        admitted = await admit(
            frontier, pages(*spam, "http://x1.spam.org/more", "http://b.org/")
        )
        dropped = dict(frontier.stats().drops)
        seed = await admit(frontier, [Candidate("http://www.spam.org/", Via.SEED)])
        await frontier.flush()
        return admitted, dropped, seed

    assert asyncio.run(story(store)) == (5, {FailureReason.DOMAIN_BUDGET: 2}, 1)

    async def later(store):
        return await admit(
            open_with_delay(store, task, bounds),
            pages("http://x9.spam.org/", "http://c.org/"),
        )

    assert asyncio.run(later(reopen())) == 1


def test_names_that_are_not_there_do_not_spend_the_budget_of_their_domain(store, task):
    async def story():
        frontier = open_with_delay(
            store, task, FrontierLimits(max_attempts=3, max_hosts_per_domain=2)
        )
        await admit(frontier, pages("http://junk1.a.org/", "http://junk2.a.org/"))
        refused = await admit(frontier, pages("http://maps.a.org/"))
        for leased in frontier.lease(2, Lane.PAGES):
            await settle(frontier, leased, Settlement.DROPPED, FailureReason.DNS)
        return refused, await admit(frontier, pages("http://maps.a.org/"))

    assert asyncio.run(story()) == (0, 1)


def test_strangers_cannot_close_a_domain_to_its_own_pages(store, task):
    async def story():
        frontier = open_with_delay(
            store, task, FrontierLimits(max_attempts=3, max_hosts_per_domain=2)
        )
        junk = [f"http://junk{i}.a.org/" for i in range(3)]
        by_strangers = await admit(frontier, pages(*junk, found_on="http://b.org/"))
        hosts = [f"http://own{i}.a.org/" for i in range(3)]
        return by_strangers, await admit(
            frontier, pages(*hosts, found_on="http://www.a.org/")
        )

    assert asyncio.run(story()) == (2, 2)


def test_what_waits_and_is_found_nearer_is_read_once_from_the_nearer_place(
    store, reopen, task
):
    async def before(store):
        frontier = open_with_delay(store, task, SWIFT)
        await admit(
            frontier, pages("http://a.org/far", found_on="http://a.org/3", depth=4)
        )
        assert frontier.knows("http://a.org/far", 4)
        assert not frontier.knows("http://a.org/far", 2)
        again = await admit(
            frontier, pages("http://a.org/far", found_on="http://a.org/1", depth=2)
        )
        farther = await admit(frontier, pages("http://a.org/far", depth=3))
        await frontier.flush()
        return again, farther

    async def after(store):
        frontier = open_with_delay(store, task, SWIFT)
        leased = frontier.lease(9, Lane.PAGES)
        assert frontier.knows("http://a.org/far", 1), (
            "what is being read is not queued anew"
        )
        for candidate in leased:
            await settle(frontier, candidate, DONE)
        rest = frontier.lease(9, Lane.PAGES)
        await frontier.flush()
        return [(c.found_on, c.depth) for c in leased], rest, frontier.stats().queued

    assert asyncio.run(before(store)) == (1, 0)
    assert asyncio.run(after(reopen())) == ([("http://a.org/1", 2)], [], 0)
    assert asyncio.run(after(reopen())) == ([], [], 0), "nor after another restart"


def test_what_is_tried_again_can_still_be_found_nearer(store, task):
    async def story():
        frontier = open_with_delay(store, task, SWIFT)
        await admit(frontier, pages("http://a.org/x", depth=5))
        (leased,) = frontier.lease(1, Lane.PAGES)
        await settle(frontier, leased, Settlement.RETRY, FailureReason.RESET)
        await admit(frontier, pages("http://a.org/x", depth=2))
        return [c.depth for c in frontier.lease(9, Lane.PAGES)]

    assert asyncio.run(story()) == [2]


def test_the_queue_of_a_host_is_bounded(store, task):
    async def story():
        frontier = open_with_delay(
            store, task, FrontierLimits(max_attempts=3, max_queue_per_host=10)
        )
        assert (
            await admit(frontier, pages(*(f"http://a.org/{i}" for i in range(25))))
            == 10
        )
        assert frontier.stats().drops == {FailureReason.HOST_BUDGET: 15}

    asyncio.run(story())


def test_a_calendar_spends_its_pattern_budget_and_other_pages_do_not(
    store, reopen, task
):
    bounds = FrontierLimits(
        max_attempts=3, max_pages_per_pattern=3, max_probes_per_pattern=5
    )

    async def story():
        frontier = open_with_delay(store, task, bounds)
        days = [
            f"http://a.org/calendar/2026-01-{day:02}?view=day&id={day}"
            for day in range(1, 20)
        ]
        assert await admit(frontier, pages(*days)) == 3
        assert (
            await admit(
                frontier,
                pages("http://a.org/about", "http://a.org/calendar/2026-01-01"),
            )
            == 2
        )
        maps = [f"http://a.org/cgi-bin/mapserv?map={i}.map" for i in range(10)]
        assert await admit(frontier, pages(*maps, purpose=Purpose.PROBE)) == 5
        assert frontier.stats().drops == {FailureReason.PATTERN_BUDGET: 21}
        again = open_with_delay(reopen(), task, bounds)
        assert (
            await admit(again, pages("http://a.org/calendar/2027-01-01?id=1&view=day"))
            == 0
        )
        assert again.stats().drops == {FailureReason.PATTERN_BUDGET: 22}

    asyncio.run(story())


def test_a_refused_url_may_come_in_when_it_is_proposed_with_less_depth(store, task):
    async def story():
        frontier = open_with_delay(
            store, task, FrontierLimits(max_attempts=3, max_depth=1), host_delay_s=1.0
        )
        assert await admit(frontier, pages("http://a.org/", depth=2)) == 0
        assert await admit(frontier, pages("http://a.org/", depth=1)) == 1

    asyncio.run(story())


def test_every_visit_is_recorded_with_where_it_came_from_and_what_it_brought(
    store, task, clock
):
    async def story():
        frontier = open_with_delay(store, task, SWIFT)
        found_on, clue = "http://a.org/map", "L.tileLayer"
        candidate = Candidate(
            "http://a.org/wms?x=1", Via.SCRIPT, found_on, clue, 2.5, 3, Purpose.PROBE
        )
        await admit(frontier, [candidate])
        assert frontier.lease(1, Lane.PROBES) == [candidate]
        await settle(frontier, candidate, DONE, services=1, status=200)

    asyncio.run(story())
    (visit,) = store.tasks.visits(task)
    assert (visit.url, visit.parent, visit.via) == (
        "http://a.org/wms?x=1",
        "http://a.org/map",
        Via.SCRIPT,
    )
    assert (visit.depth, visit.score, visit.purpose, visit.clue) == (
        3,
        2.5,
        Purpose.PROBE,
        "L.tileLayer",
    )
    assert (visit.settlement, visit.status, visit.services, visit.at) == (
        DONE,
        200,
        1,
        clock.now(),
    )


def test_visits_are_read_beyond_one_page_and_only_of_their_task(store, task):
    async def story():
        other = store.tasks.create(TaskSpec()).id
        for number in (task, other):
            frontier = open_with_delay(store, number, SWIFT)
            await admit(frontier, pages(*(f"http://h{i}.org/" for i in range(1500))))
            leased = frontier.lease(2000, Lane.PAGES)
            for candidate in leased:
                frontier.settle(candidate, Settled(DONE))
            await frontier.flush()

    asyncio.run(story())
    assert len({v.url for v in store.tasks.visits(task)}) == 1500


def test_the_target_of_a_redirect_is_not_visited_again(store, task):
    async def story():
        frontier = open_with_delay(store, task, SWIFT)
        assert frontier.remember(
            Candidate("http://a.org/new", Via.REDIRECT, "http://a.org/old")
        )
        assert await admit(frontier, pages("http://a.org/new")) == 0
        assert not frontier.remember(Candidate("http://a.org/new", Via.REDIRECT))
        assert frontier.knows("http://a.org/new")

    asyncio.run(story())


def test_what_is_leased_and_not_settled_is_pending_after_a_restart(store, reopen, task):
    async def story():
        frontier = open_with_delay(store, task, SWIFT)
        await admit(frontier, pages("http://a.org/", "http://b.org/", "http://c.org/"))
        a, b = frontier.lease(2, Lane.PAGES)
        await settle(frontier, a, DONE)
        again = open_with_delay(reopen(), task, SWIFT)
        assert sorted(await drain(again)) == sorted([b.url, "http://c.org/"])

    asyncio.run(story())


def test_the_counted_drops_outlive_a_restart(store, reopen, task):
    async def story():
        frontier = open_with_delay(
            store, task, FrontierLimits(max_attempts=3, max_depth=0), host_delay_s=1.0
        )
        await admit(
            frontier, [*pages("http://a.org/deep", depth=1), *pages("http://a.org/")]
        )
        assert open_with_delay(reopen(), task, SWIFT).stats().drops == {
            FailureReason.TOO_DEEP: 1
        }

    asyncio.run(story())
    assert store.tasks.drops(task) == {"too deep": 1}


def test_an_admission_whose_caller_is_cancelled_is_neither_lost_nor_stuck(store, task):
    async def story():
        frontier = open_with_delay(store, task, SWIFT)
        admission = asyncio.ensure_future(admit(frontier, pages("http://a.org/")))
        await asyncio.sleep(0)
        admission.cancel()
        await frontier.flush()
        await asyncio.sleep(0)
        assert await drain(frontier) == ["http://a.org/"]

    asyncio.run(story())


def test_whoever_lost_his_claim_to_another_process_is_told_so_and_writes_nothing(
    store, reopen, task
):
    async def story():
        frontier = open_with_delay(store, task, SWIFT)
        other = open_with_delay(reopen(), task, SWIFT)
        with pytest.raises(FencedError, match="another process"):
            await admit(frontier, pages("http://a.org/"))
        with pytest.raises(FencedError, match="another process"):
            await admit(frontier, pages("http://c.org/"))
        await admit(other, pages("http://b.org/"))
        return [found.url for found in store.log.replay(task)]

    assert asyncio.run(story()) == ["http://b.org/"]


def test_two_frontiers_under_one_claim_do_not_write_over_each_other(store, task):
    async def story():
        claim = store.tasks.claim(task, "twice", 60)
        frontier, other = (
            open_with_delay(store, task, SWIFT, claim=claim) for _ in range(2)
        )
        await admit(frontier, pages("http://a.org/"))
        with pytest.raises(StoreError, match="Another process"):
            await admit(other, pages("http://b.org/"))
        with pytest.raises(StoreError, match="Another process"):
            await admit(other, pages("http://c.org/"))

    asyncio.run(story())


def test_only_a_lease_can_be_settled_and_only_once(store, task):
    async def story():
        frontier = open_with_delay(store, task, SWIFT)
        await admit(frontier, pages("http://a.org/"))
        (leased,) = frontier.lease(1, Lane.PAGES)
        await settle(frontier, leased, DONE)
        with pytest.raises(ValueError, match="not leased"):
            await settle(frontier, leased, DONE)

    asyncio.run(story())


def test_a_frontier_needs_a_task(store):
    with pytest.raises(StoreError, match="no task 77"):
        open_with_delay(store, 77, SWIFT)


def test_pages_at_one_distance_have_a_budget_that_seeds_do_not_spend(store, task):
    async def story():
        frontier = open_with_delay(
            store, task, FrontierLimits(max_attempts=3, max_pages_per_depth=2)
        )
        await admit(frontier, [Candidate(f"http://s{i}.org/") for i in range(4)])
        await admit(frontier, pages(*(f"http://a.org/{i}" for i in range(4)), depth=1))
        await admit(frontier, pages("http://a.org/deep", depth=2))
        await frontier.flush()
        frontier = open_with_delay(
            store, task, FrontierLimits(max_attempts=3, max_pages_per_depth=2)
        )
        await admit(frontier, pages("http://a.org/later", depth=1))
        return await drain(frontier), frontier.stats().drops

    visited, drops = asyncio.run(story())
    assert sorted(visited) == sorted([*(f"http://s{i}.org/" for i in range(4)), "http://a.org/0", "http://a.org/1",
                                      "http://a.org/deep"])  # fmt: skip
    assert drops == {FailureReason.DEPTH_BUDGET: 3}


def test_what_is_raised_overtakes_and_is_visited_once(store, task):
    async def story():
        frontier = open_with_delay(store, task, SWIFT)
        await admit(
            frontier,
            [
                Candidate(f"http://a.org/{i}", score=s)
                for i, s in enumerate([3.0, 2.0, 1.0])
            ],
        )
        frontier.rescore([("http://a.org/2", 9.0)])
        frontier.rescore([("http://a.org/unknown", 99.0)])
        return await drain(frontier)

    assert [url[-1] for url in asyncio.run(story())] == ["2", "0", "1"]


def test_the_queue_counts_urls_each_once_however_often_they_were_queued(
    store, reopen, task
):
    async def story():
        frontier = open_with_delay(
            store, task, FrontierLimits(max_attempts=3, max_pages_per_host=2)
        )
        await admit(
            frontier, [Candidate(f"http://a.org/{i}", depth=4) for i in range(6)]
        )
        frontier.rescore(
            [("http://a.org/1", 5.0), ("http://a.org/1", 6.0), ("http://a.org/2", 4.0)]
        )
        await admit(frontier, pages("http://a.org/3", depth=2))
        assert frontier.stats().queued == 6
        (leased,) = frontier.lease(1, Lane.PAGES)
        assert frontier.stats().queued == 5
        await settle(
            frontier, leased, Settlement.RETRY, FailureReason.RESET, retry_in_s=60
        )
        assert frontier.stats().queued == 6
        again = open_with_delay(
            reopen(), task, FrontierLimits(max_attempts=3, max_pages_per_host=2)
        )
        assert again.stats().queued == 6
        assert len(await drain(again)) == 2
        assert again.stats().queued == 0
        assert again.stats().drops == {FailureReason.HOST_BUDGET: 4}
        given_up = [v.url for v in store.log.visits(task) if not v.was_asked]
        assert len(given_up) == len(set(given_up)) == 4

    asyncio.run(story())


def test_what_is_raised_before_it_is_on_disk_waits_for_that(store, task):
    async def story():
        frontier = open_with_delay(store, task, SWIFT)
        frontier.admit([Candidate("http://a.org/1"), Candidate("http://a.org/2")])
        frontier.rescore([("http://a.org/2", 9.0)])
        early = frontier.lease(5, Lane.PAGES)
        await frontier.flush()
        return early, await drain(frontier)

    assert asyncio.run(story()) == ([], ["http://a.org/1", "http://a.org/2"])


def test_a_segment_is_taken_only_when_the_one_before_is_exhausted(store, task):
    """Segments of PolarHub, each on a host of its own: the second waits though its host is due, also over a restart."""

    def seeds(order):
        return [
            Candidate(f"http://{name}.org/", score=order.seed("", at))
            for name, at in (("a", 0), ("b", 10))
        ]

    async def story():
        order = PolarHub()
        frontier = open_with_delay(store, task, SWIFT, order)
        await admit(frontier, seeds(order))
        [first] = frontier.lease(5, Lane.PAGES)
        below = order.score(Link("http://a.org/x"), Page(first.url, score=first.score))
        await admit(frontier, pages("http://a.org/x", score=below, depth=1))
        await settle(frontier, first, DONE)
        await frontier.flush()
        frontier = open_with_delay(store, task, SWIFT, PolarHub())
        [second] = frontier.lease(5, Lane.PAGES)
        none_yet = frontier.lease(5, Lane.PAGES)
        await settle(frontier, second, DONE)
        [third] = frontier.lease(5, Lane.PAGES)
        return [first.url, second.url, third.url], none_yet

    assert asyncio.run(story()) == (
        ["http://a.org/", "http://a.org/x", "http://b.org/"],
        [],
    )


def test_the_next_segment_waits_for_retries_and_for_hosts_that_want_to_be_left_alone(
    store, task, clock
):
    """Li, Wang & Bhatia 2016, 4.2: no new seeds "until all possible URLs linked by seeds inserted earlier" are visited.

    The first segment has a page to be tried again in 600 s, the second one a host that rests for 1300 s.
    """

    async def story():
        order = PolarHub()
        frontier = open_with_delay(store, task, SWIFT, order)
        segments = ("a", 0), ("b", 10), ("c", 20)
        await admit(
            frontier,
            [
                Candidate(f"http://{name}.org/", score=order.seed("", at))
                for name, at in segments
            ],
        )
        [failing] = frontier.lease(5, Lane.PAGES)
        await settle(
            frontier, failing, Settlement.RETRY, FailureReason.RESET, retry_in_s=600
        )
        frontier.pause("b.org", 1300)
        leased = []
        for _ in range(3):
            due = frontier.lease(5, Lane.PAGES)
            leased.append([found.url for found in due])
            for found in due:
                await settle(frontier, found, DONE)
            assert (frontier.due_in() or 1) > 0, (
                "nothing is due: nobody asks again and again"
            )
            await clock.sleep(601)
        return [*leased, await drain(frontier)]

    assert asyncio.run(story()) == [
        [],
        ["http://a.org/"],
        [],
        ["http://b.org/", "http://c.org/"],
    ]


def test_a_segment_is_not_over_before_its_tests_and_what_is_being_written(store, task):
    """A page names a service and a page; it is settled before either is on disk."""

    async def story():
        order = PolarHub()
        frontier = open_with_delay(store, task, SWIFT, order)
        seeds = [
            Candidate(f"http://{name}.org/", score=order.seed("", at))
            for name, at in (("a", 0), ("b", 10))
        ]
        await admit(frontier, seeds)
        [first] = frontier.lease(5, Lane.PAGES)
        below = order.score(Link("http://a.org/x"), Page(first.url, score=first.score))
        frontier.admit(pages("http://x.org/", score=below, depth=1))
        frontier.admit(
            pages("http://y.org/wms", score=below, depth=1, purpose=Purpose.PROBE)
        )
        frontier.settle(first, Settled(DONE))
        too_early = frontier.lease(5, Lane.PAGES)
        await frontier.flush()
        pages_of_it, [test] = await drain(frontier), frontier.lease(5, Lane.PROBES)
        held = frontier.lease(5, Lane.PAGES)
        await settle(frontier, test, DONE)
        return too_early, pages_of_it, held, await drain(frontier)

    assert asyncio.run(story()) == ([], ["http://x.org/"], [], ["http://b.org/"])


def test_what_a_budget_gives_up_no_longer_holds_up_the_next_segment(store, task):
    async def story():
        order = PolarHub()
        frontier = open_with_delay(
            store, task, FrontierLimits(max_attempts=3, max_pages_per_host=1), order
        )
        scores = order.seed("", 0), order.seed("", 10)
        await admit(
            frontier,
            [Candidate(f"http://a.org/{n}", score=scores[0]) for n in range(3)],
        )
        await admit(frontier, [Candidate("http://b.org/", score=scores[1])])
        return await drain(frontier)

    assert asyncio.run(story()) == ["http://a.org/0", "http://b.org/"]


def test_all_services_that_a_list_names_on_one_server_are_tested(store, task):
    """Sidsten 2012, section 4.1.1: a list page gave 1351 links; here 1,300 maps of one MapServer."""

    async def story():
        frontier = open_with_delay(store, task, bounds_of(Settings()))
        address = "http://maps.org/cgi-bin/mapserv?map=/maps/{}.map&service=WMS&request=GetCapabilities"
        listed = [address.format(name) for name in range(1300)]
        return frontier.admit(
            pages(*listed, purpose=Purpose.PROBE, found_on="http://list.org/")
        )

    admitted = asyncio.run(story())
    assert (admitted.count, dict(admitted.refused)) == (1300, {})
