"""Whatever happens to a frontier, however often it is started anew: nothing is lost, nothing comes twice."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from frontiers import open_with_delay
from fuzzing import fuzzed
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from geohound.frontier import FrontierLimits
from geohound.frontier.limits import REACH
from geohound.model.crawl.frontier import Settled
from geohound.model.crawl.task import TaskSpec
from geohound.model.failure import FailureReason
from geohound.model.visit import Candidate, Lane, Purpose, Settlement
from geohound.stores.sqlite import open_store

DELAY_S = 2.0
URLS = st.builds("http://{}.org/{}".format, st.sampled_from("abc"), st.integers(0, 30))
PURPOSES = st.sampled_from([Purpose.PAGE, Purpose.PROBE])
SCORES = st.floats(0, 3, width=16)
CANDIDATES = st.builds(
    Candidate, URLS, score=SCORES, purpose=PURPOSES, depth=st.integers(0, 3)
)


class Clock:
    passed_s = 0.0

    def now(self):
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.passed_s)

    def monotonic(self):
        return self.passed_s


class FrontierLaws(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = tempfile.TemporaryDirectory()
        self.clock = Clock()
        self.store = open_store(Path(self.folder.name, "c.db"), self.clock)
        self.task = self.store.tasks.create(TaskSpec()).id
        self.admitted = {}
        self.settled = set()
        self.attempts = {}
        self.leased = {}
        self.last_asked = {}
        self.frontier = open_with_delay(
            self.store, self.task, self.bounds, host_delay_s=DELAY_S
        )

    bounds = FrontierLimits(max_attempts=3, max_depth=2)

    def run(self, ask):
        async def at_once():
            result = ask()
            await self.frontier.flush()
            return result

        return self.loop.run_until_complete(at_once())

    @rule(candidates=st.lists(CANDIDATES, max_size=12))
    def admit(self, candidates):
        count = 0
        for candidate in candidates:
            url, deepest = candidate.url, 2 if candidate.is_page else 2 + REACH
            if candidate.depth > deepest:
                continue
            if url in self.admitted:
                is_taken = url in self.settled or url in self.leased
                if (
                    not candidate.is_page
                    or is_taken
                    or candidate.depth >= self.admitted[url].depth
                ):
                    continue
                # found nearer: it waits anew, and where it waited is passed over
                self.attempts.pop(url, None)
            count += 1
            self.admitted[url] = candidate
        assert self.run(partial(self.frontier.admit, candidates)).count == count

    @rule(limit=st.integers(0, 4), lane=st.sampled_from(Lane))
    def lease(self, limit, lane):
        got = self.run(partial(self.frontier.lease, limit, lane))
        assert len(got) <= limit
        for candidate in got:
            host = candidate.url.split("/")[2]
            others = {url.split("/")[2] for url in self.leased}
            self.leased[candidate.url] = candidate
            assert replace(candidate, attempts=0) == self.admitted[candidate.url]
            assert candidate.attempts == self.attempts.get(candidate.url, 0)
            assert candidate.purpose.lane is lane
            assert candidate.url not in self.settled
            assert host not in others, "one lease per host"
            assert (
                self.clock.passed_s >= self.last_asked.get(host, -DELAY_S) + DELAY_S
            ), "hosts rest"

    @precondition(lambda self: self.leased)
    @rule(data=st.data(), settlement=st.sampled_from(Settlement))
    def settle(self, data, settlement):
        url = data.draw(st.sampled_from(sorted(self.leased)))
        reason = None if settlement is Settlement.DONE else FailureReason.RESET
        self.run(
            partial(
                self.frontier.settle, self.leased.pop(url), Settled(settlement, reason)
            )
        )
        self.last_asked[url.split("/")[2]] = self.clock.passed_s
        if settlement is Settlement.POSTPONED:
            return
        self.attempts[url] = self.attempts.get(url, 0) + 1
        if settlement is not Settlement.RETRY or self.attempts[url] == 3:
            self.settled.add(url)

    @rule(seconds=st.sampled_from([0.5, 2.0, 5.0]))
    def pass_time(self, seconds):
        self.clock.passed_s += seconds

    @rule()
    def start_anew(self):
        self.store.close()
        self.store = open_store(Path(self.folder.name, "c.db"), self.clock)
        self.frontier = open_with_delay(
            self.store, self.task, self.bounds, host_delay_s=DELAY_S
        )
        self.leased.clear()
        self.last_asked.clear()

    @invariant()
    def nothing_is_lost(self):
        waiting = len(self.admitted) - len(self.settled) - len(self.leased)
        assert self.frontier.stats().queued == waiting, (
            "each URL once, however often it was queued"
        )
        if self.frontier.due_in() is None:
            assert waiting == 0
            assert not self.leased

    def teardown(self):
        """All that is left can be had, each once."""
        expected = set(self.admitted) - self.settled - set(self.leased)
        for url in sorted(self.leased):
            self.run(
                partial(
                    self.frontier.settle, self.leased[url], Settled(Settlement.DONE)
                )
            )
        left, last_s = set(), self.clock.passed_s + 1_000.0
        while (due := self.frontier.due_in()) is not None:
            self.clock.passed_s += due
            assert self.clock.passed_s < last_s, "something waits for ever"
            for lane in Lane:
                for candidate in self.run(partial(self.frontier.lease, 5, lane)):
                    assert candidate.url not in left
                    left.add(candidate.url)
                    self.run(
                        partial(
                            self.frontier.settle, candidate, Settled(Settlement.DONE)
                        )
                    )
        assert left == expected
        self.loop.run_until_complete(self.frontier.flush())
        self.store.close()
        self.loop.close()
        self.folder.cleanup()


FrontierLaws.TestCase.settings = fuzzed(15, stateful_step_count=25)
TestFrontierLaws = pytest.mark.slow(FrontierLaws.TestCase)
