"""What every log of frontiers must do, whatever database is behind it, and what a kill may cost a frontier over it.

It is the URLDAO of PolarHub (Li, Wang & Bhatia 2016, section 4.1): each URL with its task, its parent and its outcome.
"""

from __future__ import annotations

import asyncio
import tempfile
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from fuzzing import fuzzed
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from polite import EachLease
from sql_stores import STORES, open_sql

from geohound.contracts import FencedError, StoreError
from geohound.frontier import Frontier, FrontierLimits
from geohound.model.crawl.frontier import (
    MAX_MEMOS,
    FrontierBatch,
    LoggedUrl,
    Memo,
    NewUrl,
    RequestCounts,
    Settled,
    UrlEnd,
    UrlState,
    VisitCounts,
)
from geohound.model.crawl.job import CachedRobots
from geohound.model.crawl.task import TaskSpec
from geohound.model.failure import FailureReason
from geohound.model.visit import (
    Candidate,
    Lane,
    Purpose,
    RequestRecord,
    Settlement,
    Via,
)
from geohound.stores.memory.frontier_log import MemoryFrontierLog
from geohound.stores.memory.request_log import MemoryRequestLog
from geohound.stores.memory.robots import MemoryRobotsCache
from geohound.stores.memory.tasks import MemoryTasks

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


class StillClock:
    passed_s = 0.0

    def now(self):
        return NOON + timedelta(seconds=self.passed_s)

    def monotonic(self):
        return self.passed_s

    async def sleep(self, seconds):
        self.passed_s += seconds


class MemoryStore:
    """Its dictionaries stand for the disk."""

    def __init__(self, clock):
        self.tasks = MemoryTasks(clock)
        self.log = MemoryFrontierLog(self.tasks)
        self.requests = MemoryRequestLog()
        self.robots = MemoryRobotsCache(clock)


class Disk:
    """Opens the same store as often as it is asked; what was opened before may still be at work."""

    def __init__(self, name, folder, clock):
        self._memory = MemoryStore(clock) if name == "memory" else None
        self._name, self._folder = name, folder
        self._clock = clock
        self._stack = ExitStack()

    def open(self):
        if self._memory is not None:
            return self._memory
        store = open_sql(self._name, self._folder, self._clock)
        self._stack.callback(store.close)
        return store

    def close(self):
        self._stack.close()


@pytest.fixture
def clock():
    return StillClock()


@pytest.fixture(params=STORES)
def disk(request, tmp_path, clock):
    disk = Disk(request.param, tmp_path, clock)
    yield disk
    disk.close()


@pytest.fixture
def store(disk):
    return disk.open()


@pytest.fixture
def claim(store):
    return claim_anew(store, store.tasks.create(TaskSpec()).id)


def claim_anew(store, task):
    return store.tasks.claim(task, "somebody", 0.0)  # it holds until another claims


FAR = Candidate(
    "http://a.org/2", Via.SCRIPT, "http://a.org/1", "a clue", 2.5, 3, Purpose.PROBE
)


def urls(*found, first=1, state=UrlState.PENDING, **fields):
    return [
        NewUrl(first + place, hash(c.url), place, state, c, **fields)
        for place, c in enumerate(found)
    ]


def write(store, claim, *batches):
    async def story():
        for batch in batches:
            await store.log.append(claim, batch)

    asyncio.run(story())


def end(number, state=UrlState.DONE, attempts=1, reason=None, **fields):
    known = {
        "status": 200,
        "services": 0,
        "address": "",
        "marks": None,
        "at": NOON.timestamp(),
    } | fields
    return UrlEnd(number, state, attempts, reason, **known)


def test_many_are_settled_at_once_and_the_last_word_on_each_counts(store, claim):
    other = claim_anew(store, store.tasks.create(TaskSpec()).id)
    pages = [Candidate(f"http://a.org/{n}") for n in range(60)]
    for each in (claim, other):
        write(store, each, FrontierBatch(urls(*pages)))
    again = end(7, UrlState.PENDING, reason=FailureReason.STALLED, status=0)
    gone = end(
        9, UrlState.IN_VAIN, 3, FailureReason.HTTP_ERROR, status=404, address="10.0.0.9"
    )
    settled = [end(n, services=n % 3) for n in range(1, 41) if n != 9]
    write(store, claim, FrontierBatch(ends=[again, gone, *settled]))
    visits = {visit.number: visit for visit in store.log.visits(claim.task)}
    assert sorted(visits) == list(range(1, 41))
    assert (visits[7].settlement, visits[7].reason, visits[7].services) == (
        Settlement.DONE,
        None,
        1,
    )
    assert (visits[9].reason, visits[9].status, visits[9].attempts) == (
        FailureReason.HTTP_ERROR,
        404,
        3,
    )
    assert visits[9].address == "10.0.0.9"
    assert list(store.log.visits(other.task)) == []


def test_what_was_appended_is_replayed_in_order_and_loaded_by_number(
    disk, store, claim
):
    near = Candidate("http://a.org/1", score=1.0)
    write(
        store,
        claim,
        FrontierBatch(urls(near)),
        FrontierBatch(urls(FAR, first=2), [end(1)]),
    )
    again = disk.open().log
    assert list(again.replay(claim.task)) == [
        LoggedUrl(1, hash(near.url), 0, UrlState.DONE, False, 1.0, near.url, 0),
        LoggedUrl(2, hash(FAR.url), 0, UrlState.PENDING, True, 2.5, FAR.url, 3),
    ]
    assert again.load(claim.task, [2, 1]) == [FAR, replace(near, attempts=1)]


def test_each_task_has_a_log_of_its_own(store, claim):
    other = claim_anew(store, store.tasks.create(TaskSpec()).id)
    write(
        store,
        claim,
        FrontierBatch(urls(Candidate("http://a.org/")), drops={FailureReason.MEDIA: 3}),
    )
    write(
        store,
        other,
        FrontierBatch(urls(Candidate("http://b.org/")), [end(1, marks=(7, 8))]),
    )
    assert [found.url for found in store.log.replay(claim.task)] == ["http://a.org/"]
    assert [found.url for found in store.log.load(other.task, [1])] == ["http://b.org/"]
    assert store.log.state(other.task).drops == {}
    assert (list(store.log.marks(claim.task)), list(store.log.marks(other.task))) == (
        [],
        [(7, 8)],
    )
    assert store.log.visits(claim.task) == []


def test_a_stale_holder_writes_nothing(store, claim):
    batch = FrontierBatch(
        urls(FAR),
        drops={FailureReason.MEDIA: 1},
        pauses={"a.org": NOON.timestamp() + 60},
    )
    newer = claim_anew(store, claim.task)
    for _ in range(2):
        with pytest.raises(FencedError):
            write(store, claim, batch)
    assert list(store.log.replay(claim.task)) == []
    state = store.log.state(claim.task)
    assert (state.drops, state.pauses) == ({}, {})
    write(store, newer, batch)
    assert len(list(store.log.replay(claim.task))) == 1


def test_a_batch_is_written_whole_or_not_at_all(store, claim):
    write(store, claim, FrontierBatch(urls(FAR)))
    with pytest.raises(StoreError, match="Another process"):
        write(
            store,
            claim,
            FrontierBatch(
                urls(Candidate("http://b.org/"), Candidate("http://c.org/"), first=0)
            ),
        )
    assert [found.url for found in store.log.replay(claim.task)] == [FAR.url]


def test_visits_are_what_does_not_wait_with_all_that_is_known_of_it(store, claim):
    dropped = Candidate("http://b.org/", Via.LINK, FAR.found_on)
    refused = Candidate("http://c.org/")
    write(
        store,
        claim,
        FrontierBatch(
            [
                *urls(FAR, Candidate("http://waits.org/"), dropped),
                *urls(
                    refused,
                    first=4,
                    state=UrlState.REFUSED,
                    reason=FailureReason.TOO_DEEP,
                    at=NOON.timestamp(),
                ),
            ],
            [
                end(1, attempts=2, status=201, services=3, address="192.0.2.1"),
                end(3, UrlState.IN_VAIN, reason=FailureReason.DNS, status=0),
            ],
        ),
    )
    first, second, third = store.log.visits(claim.task)
    assert (first.number, first.url, first.parent, first.via, first.clue) == (
        1, FAR.url, FAR.found_on, FAR.via, FAR.clue,
    )  # fmt: skip
    assert (first.settlement, first.was_asked, first.status, first.services) == (
        Settlement.DONE,
        True,
        201,
        3,
    )
    assert (first.address, second.address) == ("192.0.2.1", "")
    assert (first.attempts, first.at, first.purpose, first.depth, first.score) == (
        2,
        NOON,
        Purpose.PROBE,
        3,
        2.5,
    )
    assert (second.url, second.parent, second.reason) == (
        dropped.url,
        dropped.found_on,
        FailureReason.DNS,
    )
    assert (second.settlement, second.was_asked) == (Settlement.DROPPED, True)
    assert (third.reason, third.was_asked, third.attempts) == (
        FailureReason.TOO_DEEP,
        False,
        0,
    )
    assert [v.number for v in store.log.visits(claim.task, after=1, limit=1)] == [3]


def test_what_outlives_a_restart_beside_the_urls(disk, store, claim):
    until = NOON.timestamp() + 60
    first = FrontierBatch(
        urls(FAR, Candidate("http://b.org/")),
        [end(1)],
        {"a.org": until},
        {FailureReason.MEDIA: 3},
    )
    write(
        store,
        claim,
        first,
        FrontierBatch(
            ends=[end(2)], pauses={"b.org": until}, drops={FailureReason.MEDIA: 5}
        ),
    )
    state = disk.open().log.state(claim.task)
    assert state.drops == {FailureReason.MEDIA: 5}
    assert state.pauses == {"a.org": until, "b.org": until}
    assert state.last_visited == "http://b.org/"


def test_visits_are_counted_from_what_is_on_disk(store, claim):
    pages = [Candidate(f"http://a.org/{n}") for n in range(7)]
    harvest = Candidate("http://a.org/csw", purpose=Purpose.HARVEST, harvester="csw")
    probes = [Candidate("http://a.org/wms", purpose=Purpose.PROBE), harvest]
    ends = [
        end(1),
        end(2, attempts=3),
        end(3, UrlState.IN_VAIN, reason=FailureReason.HTTP_ERROR, status=404),
        end(4, status=301),
        end(5, UrlState.IN_VAIN, attempts=3, reason=FailureReason.RESET, status=0),
        end(6, UrlState.UNASKED, reason=FailureReason.TRAP, status=0),
        end(7, UrlState.UNASKED, reason=FailureReason.READ_LATELY, status=0),
        end(8, attempts=2),
        end(9),
    ]
    write(store, claim, FrontierBatch(urls(*pages, *probes), ends))
    assert store.log.counts(claim.task) == VisitCounts(
        pages=3, visits=1 + 3 + 1 + 1 + 3, tested=2
    )
    assert store.log.counts(claim.task + 1) == VisitCounts(0, 0, 0)


def test_what_is_to_be_harvested_comes_back_with_its_harvester_and_its_page(
    disk, store, claim
):
    harvest = Candidate(
        "http://a.org/csw",
        Via.HARVEST,
        purpose=Purpose.HARVEST,
        harvester="csw",
        cursor=b"\x00\xff51",
    )
    write(store, claim, FrontierBatch(urls(harvest, Candidate("http://a.org/"))))
    log = disk.open().log
    assert log.load(claim.task, [1, 2]) == [harvest, Candidate("http://a.org/")]
    assert [url.lane for url in log.replay(claim.task)] == [Lane.PROBES, Lane.PAGES]


def test_memos_are_kept_as_they_were_written_last_and_in_that_order(disk, store, claim):
    first = [Memo(0, -5, b"a"), Memo(1, -5, b"b"), Memo(0, 7, b"")]
    write(
        store,
        claim,
        FrontierBatch(memos=first),
        FrontierBatch(memos=[Memo(0, -5, b"later")]),
    )
    assert list(disk.open().log.memos(claim.task)) == [
        *first[1:],
        Memo(0, -5, b"later"),
    ]
    assert list(store.log.memos(claim.task + 1)) == []


@pytest.mark.slow
def test_of_very_many_memos_those_written_longest_ago_are_given_up(store, claim):
    first, second = (
        [Memo(0, key, b"x") for key in keys]
        for keys in (range(40_000), range(30_000, 70_000))
    )
    write(store, claim, FrontierBatch(memos=first), FrontierBatch(memos=second))
    kept = list(store.log.memos(claim.task))
    assert len(kept) == MAX_MEMOS
    assert kept[-40_000:] == second
    assert kept[0].key == 10_000


def test_links_are_what_was_found_on_pages_the_latest_first(store, claim):
    ways = (Via.SEED, Via.LINK, Via.HARVEST, Via.SCRIPT, Via.SERVICE, Via.TEXT)
    write(
        store,
        claim,
        FrontierBatch(urls(*(Candidate(f"http://a.org/{way}", way) for way in ways))),
    )
    assert list(store.log.links(claim.task, 9)) == [
        "http://a.org/text",
        "http://a.org/script",
        "http://a.org/link",
    ]
    assert list(store.log.links(claim.task, 1)) == ["http://a.org/text"]


def request(host, seconds, status=200, size=10):
    return RequestRecord(
        NOON + timedelta(seconds=seconds),
        host,
        f"http://{host}/",
        status,
        None,
        size,
        0.1,
        "::1",
    )


def test_requests_are_kept_for_the_owners_of_the_hosts(disk, store):
    async def story():
        # whether somebody awaits it or not
        store.requests.record(1, [request("a.org", 1), request("b.org", 2, 0)])
        await store.requests.record(2, [request("a.org", 3, size=7)])

    asyncio.run(story())
    again = disk.open().requests
    assert again.to_host("a.org") == [request("a.org", 3, size=7), request("a.org", 1)]
    assert again.to_host("a.org", limit=1) == [request("a.org", 3, size=7)]
    assert (again.hosts(1), again.hosts(2)) == ({"a.org"}, {"a.org"})
    assert (again.counts(1), again.counts(2)) == (
        RequestCounts(2, 20),
        RequestCounts(1, 7),
    )
    assert again.counts(3) == RequestCounts(0, 0)


def test_robots_are_kept_with_their_age(disk, store, clock):
    async def story():
        store.robots.keep(
            [
                CachedRobots("http://a.org", b"old"),
                CachedRobots("http://b.org", b"b", age_s=5.0),
            ]
        )
        await store.robots.keep([CachedRobots("http://a.org", b"new")])

    asyncio.run(story())
    clock.passed_s += 10
    found = disk.open().robots.cached(["http://a.org", "http://b.org", "http://c.org"])
    assert sorted(found) == [
        CachedRobots("http://a.org", b"new", 10.0),
        CachedRobots("http://b.org", b"b", 15.0),
    ]


class MortalLog:
    """A log whose process may be killed: what it is told afterwards reaches nobody."""

    def __init__(self, log):
        self._log = log
        self.is_dead = False

    def append(self, claim, batch):
        if self.is_dead:
            raise StoreError("killed")
        return self._log.append(claim, batch)

    def __getattr__(self, name):
        return getattr(self._log, name)


URLS = st.builds("http://{}.org/{}".format, st.sampled_from("abcd"), st.integers(0, 20))


class FrontierUnderKills(RuleBasedStateMachine):
    """Whatever is killed and taken over: each URL is admitted once and settled once, and nothing flushed is lost."""

    store_name = "memory"

    def __init__(self):
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        self.clock = StillClock()
        self.disk = Disk(self.store_name, self.folder.name, self.clock)
        self.steps = []  # what the frontier was told, in order: (url, state, attempts)
        self.acknowledged = 0  # of the steps
        self.leased = {}
        self.stale = None

    @initialize()
    def begin(self):
        self.task = self.disk.open().tasks.create(TaskSpec()).id
        self.open_frontier()

    def open_frontier(self):
        store = self.disk.open()
        claim = claim_anew(store, self.task)
        self.log = MortalLog(store.log)
        self.leased.clear()
        self.take_up_what_is_on_disk()
        self.frontier = Frontier(
            self.log,
            claim,
            self.clock,
            FrontierLimits(max_attempts=3),
            EachLease(self.clock, 0.0),
        )

    def take_up_what_is_on_disk(self):
        """It must be what was told up to some moment, and no earlier one than the last that was acknowledged."""
        found = list(self.log.replay(self.task))
        attempts = [
            queued.attempts
            for queued in self.log.load(self.task, [f.number for f in found])
        ]
        on_disk = [
            (f.url, f.state, tried) for f, tried in zip(found, attempts, strict=True)
        ]
        possible = [
            told
            for told in range(self.acknowledged, len(self.steps) + 1)
            if self.after(told) == on_disk
        ]
        assert possible, (on_disk, self.steps, self.acknowledged)
        del self.steps[possible[-1] :]
        self.acknowledged = len(self.steps)

    def after(self, told):
        """All URLs in the order in which they came in, each as it was told last."""
        latest = {
            url: (url, state, attempts) for url, state, attempts in self.steps[:told]
        }
        return list(latest.values())

    def run(self, story, *, flush):
        async def at_once():
            result = story()
            if flush:
                await self.frontier.flush()
            return result

        result = self.loop.run_until_complete(at_once())
        self.acknowledged = len(self.steps) if flush else self.acknowledged
        return result

    @rule(found=st.lists(URLS, max_size=8), flush=st.booleans())
    def admit(self, found, flush):
        known = {url for url, *_ in self.steps}
        new = [url for url in dict.fromkeys(found) if url not in known]
        self.steps += [(url, UrlState.PENDING, 0) for url in new]
        admitted = self.run(
            lambda: self.frontier.admit([Candidate(url) for url in found]), flush=flush
        )
        assert (admitted.count, admitted.refused) == (len(new), {})

    @rule(limit=st.integers(1, 4))
    def lease(self, limit):
        states = {url: state for url, state, _ in self.after(len(self.steps))}
        for candidate in self.frontier.lease(limit, Lane.PAGES):
            assert states[candidate.url] == UrlState.PENDING, "settled once"
            assert candidate.url not in self.leased
            self.leased[candidate.url] = candidate

    @precondition(lambda self: self.leased)
    @rule(data=st.data(), settlement=st.sampled_from(Settlement), flush=st.booleans())
    def settle(self, data, settlement, flush):
        url = data.draw(st.sampled_from(sorted(self.leased)))
        attempts = next(
            tried for known, _, tried in reversed(self.steps) if known == url
        )
        attempts += settlement is not Settlement.POSTPONED
        again = settlement is Settlement.POSTPONED or (
            settlement is Settlement.RETRY and attempts < 3
        )
        state = UrlState.DONE if settlement is Settlement.DONE else UrlState.IN_VAIN
        self.steps.append((url, UrlState.PENDING if again else state, attempts))
        reason = None if settlement is Settlement.DONE else FailureReason.RESET
        candidate = self.leased.pop(url)
        self.run(
            lambda: self.frontier.settle(candidate, Settled(settlement, reason)),
            flush=flush,
        )

    @rule()
    def let_something_be_written(self):
        self.loop.run_until_complete(asyncio.sleep(0.03))

    @rule()
    def kill(self):
        self.log.is_dead = True
        self.open_frontier()

    @rule()
    def take_over(self):
        """The old holder does not know yet."""
        self.stale = self.frontier
        self.open_frontier()

    @precondition(lambda self: self.stale is not None)
    @rule(found=URLS)
    def write_as_a_stale_holder(self, found):
        async def write():
            self.stale.admit([Candidate(found), Candidate("http://stale.org/")])
            await self.stale.flush()

        with pytest.raises(FencedError):
            self.loop.run_until_complete(write())
        assert not any(
            found.url == "http://stale.org/" for found in self.log.replay(self.task)
        )
        self.stale = None

    @invariant()
    def each_url_is_in_the_log_once(self):
        if hasattr(self, "log"):
            found = [logged.url for logged in self.log.replay(self.task)]
            assert len(found) == len(set(found))

    @invariant()
    def the_numbers_are_those_of_the_urls(self):
        if hasattr(self, "frontier"):
            waiting = sum(
                state == UrlState.PENDING for _, state, _ in self.after(len(self.steps))
            )
            stats = self.frontier.stats()
            assert (stats.queued, stats.leased) == (
                waiting - len(self.leased),
                len(self.leased),
            )

    def teardown(self):
        """All that waits can still be had, each once."""
        if hasattr(self, "frontier"):
            for candidate in self.leased.values():
                self.run(
                    lambda c=candidate: self.frontier.settle(
                        c, Settled(Settlement.DONE)
                    ),
                    flush=True,
                )
            self.run(lambda: None, flush=True)
            waiting = {
                url
                for url, state, _ in self.after(len(self.steps))
                if state == UrlState.PENDING
            }
            left = set()
            while leased := self.frontier.lease(10, Lane.PAGES):
                for candidate in leased:
                    assert candidate.url not in left
                    left.add(candidate.url)
                    self.run(
                        lambda c=candidate: self.frontier.settle(
                            c, Settled(Settlement.DONE)
                        ),
                        flush=False,
                    )
            assert left == waiting - set(self.leased)
        self.loop.close()
        self.disk.close()
        self.folder.cleanup()


class FrontierUnderKillsInSqlite(FrontierUnderKills):
    store_name = "sqlite"


class FrontierUnderKillsInPostgres(FrontierUnderKills):
    store_name = "postgres"


FrontierUnderKills.TestCase.settings = fuzzed(10, stateful_step_count=30)
FrontierUnderKillsInSqlite.TestCase.settings = fuzzed(10, stateful_step_count=30)
FrontierUnderKillsInPostgres.TestCase.settings = fuzzed(10, stateful_step_count=30)
TestFrontierUnderKills = FrontierUnderKills.TestCase
TestFrontierUnderKillsInSqlite = pytest.mark.slow(FrontierUnderKillsInSqlite.TestCase)
TestFrontierUnderKillsInPostgres = pytest.mark.slow(
    FrontierUnderKillsInPostgres.TestCase
)
