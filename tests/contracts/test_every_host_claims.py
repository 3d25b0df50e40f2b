"""What every store of host claims must do, whatever database is behind it."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta

import pytest
from fuzzing import fuzzed
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from sql_stores import STORES, open_database

from geohound.stores.memory.host_claims import MemoryHostClaims
from geohound.stores.sql.host_claims import SqlHostClaims

TTL_S = 60.0
HOSTS, HOLDERS = ("a.test", "b.test", "c.test"), ("one", "two", "three")


class StillClock:
    passed_s = 0.0

    def now(self):
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.passed_s)


def open_claims(name, folder, clock, stack):
    """As a process has them: each its own connection."""
    if name == "memory":
        return MemoryHostClaims(clock)
    database = open_database(name, folder, durable=False)
    stack.callback(database.close)
    return SqlHostClaims(database, clock)


@pytest.fixture
def clock():
    return StillClock()


@pytest.fixture(params=STORES)
def claims(request, tmp_path, clock):
    with ExitStack() as stack:
        yield open_claims(request.param, tmp_path, clock, stack)


def test_a_host_has_one_holder_at_a_time(claims):
    both = dict.fromkeys(["a.test", "b.test"], 0.0)
    assert claims.claim({"a.test": 0.0}, "one", TTL_S).granted == {"a.test": 0.0}
    second = claims.claim(both, "two", TTL_S)
    assert second.granted == {"b.test": 0.0}
    assert second.refused == {"a.test": "one"}


def test_a_holder_learns_who_is_waiting_and_can_let_go(claims, clock):
    claims.claim({"a.test": 0.0, "b.test": 0.0}, "one", TTL_S)
    assert not claims.wanted("one")
    claims.claim({"a.test": 0.0}, "two", TTL_S)
    assert claims.wanted("one") == ["a.test"]
    claims.claim({"a.test": 0.0, "b.test": 0.0}, "one", TTL_S)
    assert claims.wanted("one") == ["a.test"], "also when it is renewed"
    claims.release({"a.test": 3.0}, "one")
    clock.passed_s += 1
    assert claims.claim({"a.test": 0.0}, "two", TTL_S).granted == {
        "a.test": pytest.approx(2.0)
    }
    assert not claims.wanted("two"), "whoever waited has it now"


def test_the_hosts_of_a_holder_that_was_killed_come_free_when_its_claim_runs_out(
    claims, clock
):
    claims.claim({"a.test": 0.0}, "killed", TTL_S)
    clock.passed_s += TTL_S - 1
    assert claims.claim({"a.test": 0.0}, "two", TTL_S).refused == {"a.test": "killed"}
    clock.passed_s += 1
    assert claims.claim({"a.test": 0.0}, "two", TTL_S).granted == {"a.test": 0.0}


def test_the_processes_that_ask_an_address_are_known_until_they_ask_it_no_more(
    claims, clock
):
    first, other = "10.0.0.1", "10.0.0.10"
    asked = claims.share_addresses([first, other, "::1"], "one/7", TTL_S)
    assert asked == {each: ["one/7"] for each in (first, other, "::1")}
    asked = claims.share_addresses([first], "two/7", TTL_S)
    assert {each: sorted(those) for each, those in asked.items()} == {
        first: ["one/7", "two/7"]
    }
    clock.passed_s += TTL_S / 2
    asked = claims.share_addresses([first, other], "one/7", TTL_S)
    assert (sorted(asked[first]), asked[other]) == (["one/7", "two/7"], ["one/7"])
    clock.passed_s += TTL_S / 2
    assert claims.share_addresses([first], "one/7", TTL_S) == {first: ["one/7"]}
    assert not claims.wanted("one/7")


def test_a_claim_that_is_renewed_goes_on(claims, clock):
    for _ in range(5):
        assert claims.claim({"a.test": 0.0}, "one", TTL_S).granted
        clock.passed_s += TTL_S - 1
    assert claims.claim({"a.test": 0.0}, "two", TTL_S).refused


def test_a_holder_whose_claim_was_taken_over_can_neither_renew_nor_release_it(
    claims, clock
):
    claims.claim({"a.test": 0.0}, "late", TTL_S)
    clock.passed_s += TTL_S
    claims.claim({"a.test": 0.0}, "two", TTL_S)
    assert claims.claim({"a.test": 0.0}, "late", TTL_S).refused == {"a.test": "two"}
    claims.release({"a.test": 500.0}, "late")
    assert claims.claim({"a.test": 0.0}, "three", TTL_S).refused == {"a.test": "two"}
    claims.release({"a.test": 0.0}, "two")
    assert claims.claim({"a.test": 0.0}, "three", TTL_S).granted == {"a.test": 0.0}


def test_a_pause_that_a_holder_noted_outlives_it(claims, clock):
    claims.claim({"a.test": 0.0}, "killed", TTL_S)
    claims.claim({"a.test": 600.0}, "killed", TTL_S)  # it was asked to stay away
    clock.passed_s += 100
    assert claims.claim({"a.test": 0.0}, "two", TTL_S).granted == {
        "a.test": pytest.approx(500.0)
    }


def test_a_shorter_pause_does_not_end_a_longer_one(claims):
    claims.claim({"a.test": 600.0}, "one", TTL_S)
    claims.release({"a.test": 1.0}, "one")
    assert claims.claim({"a.test": 0.0}, "two", TTL_S).granted == {
        "a.test": pytest.approx(600.0)
    }


def test_a_clock_that_was_wrong_does_not_keep_a_host_for_ever(tmp_path, clock):
    with ExitStack() as stack:
        claims = open_claims("sqlite", tmp_path, clock, stack)
        clock.passed_s = 10 * 365 * 86_400.0
        claims.claim({"a.test": 9.0}, "one", TTL_S)
        clock.passed_s = 0.0
        assert claims.claim({"a.test": 0.0}, "two", TTL_S).granted == {"a.test": 0.0}


def test_hosts_that_nobody_needs_are_forgotten(tmp_path, clock):
    with ExitStack() as stack:
        claims = open_claims("sqlite", tmp_path, clock, stack)
        claims.claim({f"h{n}.test": 0.0 for n in range(100)}, "one", TTL_S)
        claims.release({f"h{n}.test": 5.0 for n in range(50)}, "one")
        clock.passed_s = 3600.0
        claims.claim({"a.test": 0.0}, "one", TTL_S)
        rows = claims._database.read().execute("SELECT host FROM host_claim").fetchall()
        assert rows == [("a.test",)]


class Processes(RuleBasedStateMachine):
    """Three processes that claim, let go, die and come back, and what each of them believes."""

    @initialize(name=st.sampled_from(STORES))
    def begin(self, name):
        self.clock = StillClock()
        self.stack = ExitStack()
        folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        first = open_claims(name, folder, self.clock, self.stack)
        others = (
            first
            if name == "memory"
            else open_claims(name, folder, self.clock, self.stack)
            for _ in HOLDERS[1:]
        )
        self.claims = dict(zip(HOLDERS, (first, *others), strict=True))
        # until when each host is theirs
        self.believed = {holder: {} for holder in HOLDERS}
        self.due = dict.fromkeys(HOSTS, 0.0)
        self.latest = {}  # who was the last to be granted each host

    @rule(
        holder=st.sampled_from(HOLDERS),
        hosts=st.sets(st.sampled_from(HOSTS), min_size=1),
        pause_s=st.floats(0, 100),
    )
    def claim(self, holder, hosts, pause_s):
        now = self.clock.passed_s
        result = self.claims[holder].claim(dict.fromkeys(hosts, pause_s), holder, TTL_S)
        assert set(result.granted) | set(result.refused) == hosts
        for host, left_s in result.granted.items():
            self.due[host] = max(self.due[host], now + pause_s)
            assert left_s == pytest.approx(max(0.0, self.due[host] - now), abs=1e-3)
            self.believed[holder][host] = now + TTL_S
            self.latest[host] = holder
        for host, other in result.refused.items():
            assert self.believed[other][host] > now
            assert host in self.claims[other].wanted(other)
            self.believed[holder].pop(host, None)

    @rule(
        holder=st.sampled_from(HOLDERS),
        hosts=st.sets(st.sampled_from(HOSTS), min_size=1),
        pause_s=st.floats(0, 100),
    )
    def release(self, holder, hosts, pause_s):
        """Also hosts that it never had, or no longer has: those are not touched."""
        now = self.clock.passed_s
        self.claims[holder].release(dict.fromkeys(hosts, pause_s), holder)
        for host in hosts:
            self.believed[holder].pop(host, None)
            if self.latest.get(host) == holder:
                self.due[host] = max(self.due[host], now + pause_s)
                del self.latest[host]

    @rule(seconds=st.floats(0.1, 2 * TTL_S))
    def pass_time(self, seconds):
        self.clock.passed_s += seconds

    @invariant()
    def nobody_shares_a_host(self):
        if not hasattr(self, "clock"):
            return
        for host in HOSTS:
            holders = [
                h
                for h in HOLDERS
                if self.believed[h].get(host, -1.0) > self.clock.passed_s
            ]
            assert len(holders) <= 1

    def teardown(self):
        if hasattr(self, "stack"):
            self.stack.close()


TestProcesses = Processes.TestCase
TestProcesses.settings = fuzzed(40, stateful_step_count=25)
