"""Active hosts: where pages are what is spent, the best hosts are waited for."""

from __future__ import annotations

import asyncio

import pytest
from frontiers import open_with_delay

from geohound.frontier import FrontierLimits
from geohound.frontier.active_hosts import SPARE, _Ranking
from geohound.frontier.host_queue import HostQueue
from geohound.frontier.thrift import ActiveLimit, Thrift
from geohound.model.crawl.frontier import HostRole, Settled
from geohound.model.crawl.task import TaskSpec
from geohound.model.visit import Candidate, Lane, Purpose, Settlement, Via
from geohound.settings import Settings, SettingsError
from geohound.tasks.spec import thrift_of, thrift_share

DONE = Settled(Settlement.DONE)
TWO = FrontierLimits(max_attempts=3, thrift=Thrift(active_hosts=2))


@pytest.fixture
def task(store):
    return store.tasks.create(TaskSpec()).id


def page(host, path, score):
    return Candidate(f"http://{host}.org/{path}", Via.LINK, score=score)


def service(host, path):
    return Candidate(
        f"http://{host}.org/{path}", Via.LINK, score=1000.0, purpose=Purpose.PROBE
    )


async def admit(frontier, *found):
    frontier.admit(found)
    await frontier.flush()


async def visit(frontier, clock, count):
    """So many pages, one after the other; time passes where none may be asked for."""
    visited = []
    while len(visited) < count:
        leased = frontier.lease(1, Lane.PAGES)
        if not leased:
            due = frontier.due_in()
            assert due is not None, f"nothing is left after {visited}"
            clock.passed_s += max(due, 0.01)
            continue
        frontier.settle(leased[0], DONE)
        await frontier.flush()
        visited.append(leased[0].url)
    return visited


def hosts_of(visited):
    return [url.split("/")[2][0] for url in visited]


def test_rich_hosts_are_waited_for_while_poor_ones_are_due(store, task, clock):
    async def story():
        frontier = open_with_delay(store, task, TWO, host_delay_s=1.0)
        await admit(
            frontier,
            *(
                page(host, n, score)
                for host, score in zip("abcd", (4, 3, 2, 1), strict=True)
                for n in range(3)
            ),
        )
        return await visit(frontier, clock, 12), clock.passed_s

    visited, passed_s = asyncio.run(story())
    assert sorted(hosts_of(visited)[:6]) == list("aaabbb")
    assert sorted(hosts_of(visited)[6:]) == list("cccddd")
    assert passed_s >= 4.0  # two pages of each of two hosts are waited for, twice


def test_without_thrift_every_host_that_is_due_is_asked(store, task, clock):
    async def story():
        frontier = open_with_delay(store, task, FrontierLimits(), host_delay_s=1.0)
        await admit(
            frontier,
            *(
                page(host, n, score)
                for host, score in zip("abcd", (4, 3, 2, 1), strict=True)
                for n in range(3)
            ),
        )
        return await visit(frontier, clock, 4)

    assert hosts_of(asyncio.run(story())) == list("abcd")


def test_a_host_that_becomes_better_takes_the_place_of_a_poor_one_after_its_tenure(
    store, task, clock
):
    async def story():
        frontier = open_with_delay(store, task, TWO, host_delay_s=1.0)
        await admit(frontier, *(page(host, n, 1) for host in "ab" for n in range(9)))
        first = await visit(frontier, clock, 2)
        await admit(frontier, *(page("c", n, 5) for n in range(4)))
        return first, await visit(frontier, clock, 10)

    first, then = asyncio.run(story())
    assert sorted(hosts_of(first)) == ["a", "b"]
    assert hosts_of(then).index("c") <= 4  # each of the two stays for three pages
    assert hosts_of(then).count("c") == 4


def test_a_share_of_the_places_looks_at_hosts_that_were_never_asked_however_rich_the_others_are(
    store, task, clock
):
    async def story():
        ten = FrontierLimits(max_attempts=3, thrift=Thrift(active_hosts=10))
        frontier = open_with_delay(store, task, ten, host_delay_s=1.0)
        await admit(
            frontier, *(page(f"rich{n}", m, 9) for n in range(10) for m in range(30))
        )
        await visit(frontier, clock, 30)
        await admit(
            frontier, *(page(f"new{n}", m, 1) for n in range(40) for m in range(9))
        )
        return await visit(frontier, clock, 60)

    visited = asyncio.run(story())
    new = [url.split("/")[2] for url in visited if "new" in url]
    assert 10 <= len(new) <= 30, "three places of ten"
    assert len(set(new)) == len(new), "one page shows whether a host is worth more"


def test_a_single_place_is_given_in_turns_to_the_best_host_and_to_new_ones(
    store, task, clock
):
    async def story():
        full = FrontierLimits(max_attempts=3, thrift=Thrift(share=1.0))
        frontier = open_with_delay(store, task, full, host_delay_s=1.0)
        await admit(frontier, *(page("rich", m, 9) for m in range(40)))
        await admit(
            frontier, *(page(f"new{n}", m, 1) for n in range(20) for m in range(9))
        )
        return await visit(frontier, clock, 20)

    visited = asyncio.run(story())
    new = [url.split("/")[2] for url in visited if "new" in url]
    assert 4 <= len(new) <= 6, "three pages in ten"
    assert len(set(new)) == len(new), "one page shows whether a host is worth more"


def test_services_are_tested_wherever_they_are(store, task):
    async def story():
        frontier = open_with_delay(store, task, TWO, host_delay_s=1.0)
        await admit(
            frontier,
            page("a", 1, 9),
            page("b", 1, 8),
            page("c", 1, 7),
            service("c", "wms"),
            service("d", "ows"),
        )
        return [each.url for each in frontier.lease(9, Lane.PROBES)]

    assert asyncio.run(story()) == ["http://c.org/wms", "http://d.org/ows"]


def test_a_host_that_rests_for_long_gives_its_place_away_and_comes_back(
    store, task, clock
):
    async def story():
        frontier = open_with_delay(
            store, task, FrontierLimits(thrift=Thrift(active_hosts=1)), host_delay_s=1.0
        )
        await admit(
            frontier,
            *(page("a", n, 9) for n in range(2)),
            *(page("b", n, 1) for n in range(2)),
        )
        frontier.pause("a.org", 60.0)
        first = await visit(frontier, clock, 2)
        at = clock.passed_s
        return first, at, await visit(frontier, clock, 2)

    first, at, then = asyncio.run(story())
    assert hosts_of(first) == ["b", "b"]
    assert at < 60.0
    assert hosts_of(then) == ["a", "a"]


def test_a_host_whose_answer_takes_long_gives_its_place_away_and_comes_back(
    store, task, clock
):
    async def story():
        one = FrontierLimits(thrift=Thrift(active_hosts=1))
        frontier = open_with_delay(store, task, one, host_delay_s=1.0)
        await admit(frontier, *(page("a", n, 9) for n in range(3)))
        await admit(frontier, *(page("b", n, 1) for n in range(30)))
        (slow,) = frontier.lease(1, Lane.PAGES)
        clock.passed_s += 5.0
        meanwhile = frontier.lease(9, Lane.PAGES)
        clock.passed_s += 6.0
        others = await visit(frontier, clock, 2)
        frontier.settle(slow, DONE)
        await frontier.flush()
        return slow.url, meanwhile, others, await visit(frontier, clock, 5)

    slow, meanwhile, others, then = asyncio.run(story())
    assert slow.startswith("http://a.org")
    assert meanwhile == [], "its place is its own for a while"
    assert hosts_of(others) == ["b", "b"]
    assert hosts_of(then).count("a") == 2


def test_it_never_stalls_while_anything_is_left(store, task, clock):
    async def story():
        frontier = open_with_delay(store, task, TWO, host_delay_s=0.1)
        await admit(
            frontier,
            *(page(host, n, ord(host) % 5) for host in "abcdefgh" for n in range(4)),
        )
        visited = await visit(frontier, clock, 32)
        return visited, frontier.due_in(), frontier.stats()

    visited, due, stats = asyncio.run(story())
    assert len(set(visited)) == 32
    assert due is None
    assert (stats.active_hosts, stats.inactive_hosts) == (0, 0)


def test_stats_count_the_hosts_that_are_asked_and_those_left_for_later(store, task):
    async def story():
        frontier = open_with_delay(store, task, TWO, host_delay_s=1.0)
        await admit(frontier, *(page(host, 1, 1) for host in "abcde"))
        return frontier.stats()

    stats = asyncio.run(story())
    assert (stats.active_hosts, stats.inactive_hosts) == (2, 3)


class Still:
    at = 0.0

    def monotonic(self):
        return self.at


@pytest.mark.parametrize(
    ("thrift", "hosts", "limit"),
    [
        (Thrift(active_hosts=7), 1000, 7),
        (Thrift(share=1.0), 1000, 1),  # the best one alone
        (Thrift(share=0.5), 1000, 32),  # the geometric mean of 1,000 and 1, rounded up
        (Thrift(max_pages=500), 254, 73),  # hosts run dry: a third less a seventh
        (Thrift(max_pages=500), 12, 4),  # in a small crawl too
        (Thrift(max_pages=500), 3, 1),
        (Thrift(max_pages=100, usual_page_s=0.0), 200, 1),  # without a pause
        (
            Thrift(max_pages=6000, max_time_s=100, usual_page_s=1.5),
            254,
            90,
        ),  # 60 pages a second, 1.5 s each
    ],
)
def test_the_number_of_active_hosts_follows_from_what_is_spent(thrift, hosts, limit):
    assert ActiveLimit(thrift, Still()).limit(hosts, 0) == limit


def test_with_both_budgets_the_time_that_a_page_takes_is_measured():
    """20 hosts, active for 30 s, read 30 pages: 20 s a page. 90 pages are left for 60 s: 1.5 a second, so 30 hosts."""
    clock = Still()
    counted = ActiveLimit(Thrift(max_pages=120, max_time_s=90, usual_page_s=1.5), clock)
    counted.limit(254, 20)
    for _ in range(30):
        counted.page_read()
    clock.at = 30.0
    assert counted.limit(254, 20) == 30


def test_auto_takes_up_the_time_that_it_has_saved_and_asks_every_host_when_it_has_none_left():
    """30 hosts would read 100 pages of 1.5 s each in 5.8 s, as some run dry, so there are 17.5 s."""
    clock = Still()
    counted = ActiveLimit(Thrift(max_pages=100, usual_page_s=1.5), clock)
    assert counted.limit(30, 0) == 9
    clock.at = 5.0
    assert counted.limit(30, 0) == 12
    clock.at = 17.5
    assert counted.limit(30, 0) == 30


def test_pages_are_the_currency_only_where_the_user_bounds_them():
    usual, bounded = Settings(), Settings(max_pages=500)
    as_usual = Settings(max_pages=usual.page_limit)
    assert ActiveLimit(thrift_of(as_usual, ranks_hosts=True), Still()).is_needed
    assert not ActiveLimit(thrift_of(usual, ranks_hosts=True), Still()).is_needed
    assert ActiveLimit(thrift_of(bounded, ranks_hosts=True), Still()).is_needed
    assert (
        thrift_of(bounded, ranks_hosts=False) is None
    )  # published orders run as published
    assert ActiveLimit(
        thrift_of(Settings(thrift="1"), ranks_hosts=False), Still()
    ).is_needed
    assert not ActiveLimit(
        thrift_of(Settings(max_pages=500, thrift="0"), ranks_hosts=True), Still()
    ).is_needed
    assert thrift_of(Settings(active_hosts=5), ranks_hosts=False).active_hosts == 5


@pytest.mark.parametrize("text", ["2", "-0.1", "much", "nan"])
def test_thrift_that_is_no_share_is_refused_with_a_sentence(text):
    with pytest.raises(SettingsError, match="from 0 to 1, or auto"):
        thrift_share(text)


def test_each_visit_says_whether_its_host_was_among_the_best_or_explored(
    store, task, clock
):
    """Ten places, three in ten of them for hosts of which nothing was read: the three next best of twelve."""

    async def story():
        ten = FrontierLimits(max_attempts=3, thrift=Thrift(active_hosts=10))
        frontier = open_with_delay(store, task, ten, host_delay_s=1.0)
        await admit(
            frontier,
            *(
                page(host, n, 20 - i)
                for i, host in enumerate("abcdefghijkl")
                for n in range(2)
            ),
        )
        await visit(frontier, clock, 10)
        return frontier.stats()

    stats = asyncio.run(story())
    roles = [visited.host_role for visited in store.log.visits(task)]
    assert roles.count(HostRole.EXPLORED) == 3
    assert roles.count(HostRole.BEST) == 7
    assert stats.explored_hosts <= 3


def test_where_every_host_is_asked_none_has_a_role(store, task, clock):
    async def story():
        frontier = open_with_delay(
            store, task, FrontierLimits(max_attempts=3), host_delay_s=1.0
        )
        await admit(frontier, page("a", 1, 1), page("b", 1, 1))
        await visit(frontier, clock, 2)

    asyncio.run(story())
    assert {visited.host_role for visited in store.log.visits(task)} == {HostRole.ANY}


def test_tests_of_services_neither_use_up_the_stay_of_a_host_nor_count_as_pages(
    store, task, clock
):
    """Three pages are a stay: six tests later, a host that is beaten still has all of it."""

    async def story():
        one = FrontierLimits(max_attempts=3, thrift=Thrift(active_hosts=1))
        frontier = open_with_delay(store, task, one, host_delay_s=1.0)
        await admit(
            frontier,
            *(page("a", n, 1) for n in range(9)),
            *(service("a", f"wms{n}") for n in range(6)),
        )
        for _ in range(6):
            clock.passed_s += 1.5
            (tested,) = frontier.lease(1, Lane.PROBES)
            frontier.settle(tested, DONE)
        await frontier.flush()
        await admit(frontier, *(page("b", n, 5) for n in range(2)))
        return await visit(frontier, clock, 4)

    assert hosts_of(asyncio.run(story())) == ["a", "a", "a", "b"]


def test_a_resumed_crawl_with_both_budgets_asks_as_many_hosts_as_the_pages_that_are_left_need(
    store, task, clock
):
    """80 of 100 pages were read: 20 pages of 1.5 s in 2 s need 15 hosts; for 100 pages it would be 75."""

    async def story():
        await admit(
            open_with_delay(store, task, FrontierLimits(), host_delay_s=0.0),
            *(page("a", n, 1) for n in range(80)),
        )
        await visit(
            open_with_delay(store, task, FrontierLimits(), host_delay_s=0.0), clock, 80
        )
        both = FrontierLimits(
            thrift=Thrift(max_pages=100, max_time_s=2.0, usual_page_s=1.5)
        )
        frontier = open_with_delay(store, task, both, host_delay_s=1.0)
        await admit(frontier, *(page(f"h{n}", 1, 1) for n in range(90)))
        return frontier.stats()

    assert asyncio.run(story()).active_hosts == 15


def test_the_hosts_that_are_waited_for_have_names_the_soonest_first(store, task, clock):
    async def story():
        frontier = open_with_delay(store, task, TWO, host_delay_s=1.0)
        await admit(
            frontier,
            *(
                page(host, n, score)
                for host, score in (("a", 3), ("b", 2), ("c", 1))
                for n in "12"
            ),
        )
        none = frontier.awaited(9)
        for _ in range(2):
            await visit(frontier, clock, 1)
            clock.passed_s += 0.25
        return none, frontier.awaited(9), frontier.awaited(1)

    assert asyncio.run(story()) == ([], ["a.org", "b.org"], ["a.org"])


def test_places_given_away_leave_nothing_behind_however_often(store, task, clock):
    """Each page lifts another host above the one that has just been asked."""

    async def story():
        frontier = open_with_delay(store, task, TWO, host_delay_s=0.0)
        await admit(
            frontier, *(page(f"h{n}", m, 1) for n in range(5) for m in range(400))
        )
        for turn in range(300):
            await admit(frontier, page(f"h{turn % 5}", f"new{turn}", 2 + turn))
            await visit(frontier, clock, 1)
        active = frontier._schedule._active
        return [len(each._heap) for each in (active._promising, active._untried)]

    assert max(asyncio.run(story())) <= 2 * 5 + SPARE + 1


def test_a_host_that_rests_while_the_ranking_is_made_anew_can_be_offered_again() -> (
    None
):
    """One that kept its name there without an entry would wait for a place that nobody gives it."""
    worth: dict[int, float | None] = {0: 1.0, 1: 2.0}
    hosts = {index: HostQueue(f"{index}.test", index) for index in worth}
    inactive = dict(hosts)
    ranking = _Ranking(lambda host: worth[host.index], inactive)
    ranking.put(hosts[1])
    worth[1] = None
    for _ in range(2 * len(hosts) + SPARE):
        ranking.put(hosts[0])
    assert list(inactive) == [0]
    assert ranking.best() is hosts[0]
