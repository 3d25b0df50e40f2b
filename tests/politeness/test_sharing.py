"""Processes that share a catalogue share its hosts; here they are played, round by round."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from polite import policy

from geohound.contracts import StoreError
from geohound.politeness import Politeness, SharedHosts, TaskPoliteness, VisitFacts
from geohound.politeness import cross_process as module
from geohound.stores.memory.host_claims import MemoryHostClaims

POLICY = policy(host_delay_s=1, max_retry_after_s=600)
ROUND_S = 0.1


class Process:
    """A process with its own politeness and one task."""

    def __init__(self, clock, claims, name, gone=()):
        self.politeness = Politeness(clock)
        self.shared = SharedHosts(
            claims, self.politeness, clock, name, lambda holder: holder in gone
        )
        self.task = TaskPoliteness(self.politeness, POLICY, clock, self.shared)

    def ask(self, host="a.test", seen=VisitFacts()):  # noqa: B008 - a tuple
        """One request, if it is our turn."""
        if self.task.take(host) > 0:
            return False
        assert self.task.turns().take_over(host) is not None
        self.task.record(host, seen)
        return True


@pytest.fixture
def claims(clock):
    return MemoryHostClaims(clock)


def test_a_host_is_asked_once_it_is_claimed(clock, claims):
    one = Process(clock, claims, "one")
    assert 0 < one.task.take("a.test") <= 0.1
    one.shared.tick()
    assert one.task.take("a.test") == 0


def test_a_host_that_another_process_has_is_waited_for_without_hurry(clock, claims):
    one, two = Process(clock, claims, "one"), Process(clock, claims, "two")
    for process in (one, two):
        process.task.take("a.test")
        process.shared.tick()
    assert one.task.take("a.test") == 0
    assert two.task.take("a.test") >= 0.5
    assert (one.task.elsewhere, two.task.elsewhere) == (0, 1)


def test_two_processes_share_a_host_fairly_and_keep_to_one_rate(clock, claims):
    processes = [Process(clock, claims, "one"), Process(clock, claims, "two")]
    asked, due = [], [0.0, 0.0]
    for _ in range(int(60 / ROUND_S)):
        clock.seconds += ROUND_S
        for number, process in enumerate(processes):
            process.shared.tick()
            if clock.seconds >= due[number]:
                wait_s = process.task.take("a.test")
                if wait_s == 0:
                    assert process.task.turns().take_over("a.test") is not None
                    process.task.record("a.test", VisitFacts())
                    asked.append((number, clock.seconds))
                due[number] = clock.seconds + wait_s
    times = [at for _, at in asked]
    assert min(later - earlier for earlier, later in pairwise(times)) >= 1
    shares = [sum(who == number for who, _ in asked) for number in (0, 1)]
    assert min(shares) >= 15
    assert len(asked) >= 40, "of sixty that the pause would allow"


def test_whoever_takes_over_a_host_keeps_to_the_pause_that_was_left(clock, claims):
    one, two = Process(clock, claims, "one"), Process(clock, claims, "two")
    one.task.take("a.test")
    one.shared.tick()
    assert one.ask(seen=VisitFacts(is_overloaded=True, retry_after_s=300))
    one.shared.start()
    one.shared.close()
    two.task.take("a.test")
    two.shared.tick()
    assert two.task.take("a.test") == pytest.approx(300)


def test_the_hosts_of_a_process_that_is_gone_are_taken_after_the_usual_pause(
    clock, claims
):
    one = Process(clock, claims, "killed")
    one.task.take("a.test")
    one.shared.tick()
    two = Process(clock, claims, "two", gone={"killed"})
    for _ in range(2):
        two.task.take("a.test")
        two.shared.tick()
    assert two.task.take("a.test") == pytest.approx(1)


def test_a_long_pause_is_known_to_others_though_its_process_was_killed(clock, claims):
    one = Process(clock, claims, "killed")
    one.task.take("a.test")
    one.shared.tick()
    assert one.ask(seen=VisitFacts(is_overloaded=True, retry_after_s=300))
    one.shared.tick()
    two = Process(clock, claims, "two", gone={"killed"})
    for _ in range(2):
        two.task.take("a.test")
        two.shared.tick()
    assert two.task.take("a.test") == pytest.approx(300)


def test_the_hosts_of_a_process_that_cannot_be_looked_for_come_free_when_its_claim_runs_out(
    clock, claims
):
    one, two = Process(clock, claims, "far away"), Process(clock, claims, "two")
    one.task.take("a.test")
    one.shared.tick()
    clock.seconds += module.TTL_S - module.MARGIN_S
    assert one.task.take("a.test") > 0, "it asks no more before others may"
    clock.seconds += module.MARGIN_S
    two.task.take("a.test")
    two.shared.tick()
    assert two.task.take("a.test") == 0


def test_a_host_stays_ours_while_it_is_asked_however_long_that_takes(clock, claims):
    one, two = Process(clock, claims, "one"), Process(clock, claims, "two")
    one.task.take("a.test")
    one.shared.tick()
    assert one.task.take("a.test") == 0
    for _ in range(200):
        clock.seconds += 1
        two.task.take("a.test")
        one.shared.tick()
        two.shared.tick()
    assert two.task.take("a.test") > 0
    turns = one.task.turns()
    assert turns.take_over("a.test") is not None
    turns.done("a.test", VisitFacts())
    waits = []
    for _ in range(4):
        clock.seconds += 1
        waits.append(two.task.take("a.test"))
        one.shared.tick()
        two.shared.tick()
    assert 0 in waits


def test_a_host_that_nobody_asks_for_any_longer_is_not_claimed(clock, claims):
    one, two = Process(clock, claims, "one"), Process(clock, claims, "two")
    for process in (one, two):
        process.task.take("a.test")
        process.shared.tick()
    clock.seconds += module.FORGET_S
    two.shared.tick()
    assert two.task.elsewhere == 0


@pytest.mark.slow
def test_the_thread_claims_by_itself_and_outlives_a_store_in_trouble(clock):
    class Troubled(MemoryHostClaims):
        failures = 2

        def claim(self, *args):
            if self.failures:
                self.failures -= 1
                raise StoreError("the disk is full")
            return super().claim(*args)

    claims = Troubled(clock)
    one = Process(clock, claims, "one")
    one.shared.start()
    try:
        for _ in range(1000):
            if one.task.take("a.test") == 0:
                break
            clock.seconds += 0.01
            time.sleep(0.01)
        else:
            pytest.fail("never claimed")
    finally:
        one.shared.close()
    assert claims.claim({"a.test": 0.0}, "two", 60.0).granted


@pytest.mark.slow
def test_processes_with_hosts_at_one_address_ask_it_no_faster_than_one_of_them_would(
    clock, claims
):
    names = {
        "one": [f"a{n}.test" for n in range(30)],
        "two": [f"b{n}.test" for n in range(30)],
    }
    processes = {name: Process(clock, claims, name) for name in names}
    usual_s = POLICY.host_delay_s * POLICY.address_share

    def ask_for(seconds):
        """So long, as fast as they may; how many requests came to the address."""
        asked, until = 0, clock.seconds + seconds
        while clock.seconds < until:
            clock.seconds += usual_s / 4
            for name, process in processes.items():
                process.shared.tick()
                asked += any(ask_at_address(process, host) for host in names[name])
        return asked

    ask_for(3.0)
    before = ask_for(20.0)
    ask_for(2 * module.AGREE_S)
    agreed = ask_for(20.0)
    alone = 20.0 / usual_s
    assert before > 1.3 * alone
    assert 0.7 * alone <= agreed <= 1.05 * alone


def test_a_process_that_was_killed_takes_no_share_of_the_addresses_it_asked(
    clock, claims
):
    """Who resumes its task asks as fast as it did, and not half as fast for two minutes."""
    asked_in(3.0, Process(clock, claims, "killed"), clock)
    resumed = Process(clock, claims, "resumed", gone=("killed",))
    asked_in(module.AGREE_S + 3.0, resumed, clock)
    alone = 20.0 / (POLICY.host_delay_s * POLICY.address_share)
    assert asked_in(20.0, resumed, clock) > 0.9 * alone


def asked_in(seconds, process, clock):
    """How many requests a process makes to one address, as fast as it may."""
    asked, until = 0, clock.seconds + seconds
    while clock.seconds < until:
        clock.seconds += POLICY.host_delay_s * POLICY.address_share / 4
        process.shared.tick()
        asked += any(ask_at_address(process, f"a{n}.test") for n in range(30))
    return asked


def ask_at_address(process, host):
    if process.task.take(host) > 0:
        return False
    is_due = process.politeness.claim(host, "10.0.0.1", POLICY)
    if is_due:
        assert process.task.turns().take_over(host) is not None
        process.task.record(host, VisitFacts())
    else:
        process.task.leave(host)
    return is_due
