"""Whose turn it is at hosts and addresses, told by a clock that stands still."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from polite import policy

from geohound.politeness import Politeness, VisitFacts
from geohound.politeness import hosts as module

POLICY = policy(
    host_delay_s=1,
    slow_host_factor=5,
    max_crawl_delay_s=300,
    max_retry_after_s=86_400.0,
)
WELL = VisitFacts()
BUSY = VisitFacts(is_overloaded=True)


def ask(politeness, host="a", seen=WELL, who="one", under=POLICY, address=""):
    """One request from beginning to end; how long it is until the next."""
    assert politeness.take(host, who, under) == 0
    if address:
        assert politeness.claim(host, address, under)
    return politeness.record(host, seen, under)


def test_a_host_is_due_after_its_pause(clock):
    """LI-10: "more effective politeness policies" of Li, Yang & Yang 2010, section 7."""
    politeness = Politeness(clock)
    assert politeness.due_in("a", POLICY) == 0
    assert ask(politeness, seen=VisitFacts(elapsed_s=1)) == 5
    assert (politeness.due_in("a", POLICY), politeness.due_in("b", POLICY)) == (5, 0)
    clock.seconds += 4
    assert politeness.take("a", "one", POLICY) == 1
    clock.seconds += 1
    assert politeness.take("a", "one", POLICY) == 0


def test_nobody_else_has_a_host_while_it_is_asked(clock):
    politeness = Politeness(clock)
    assert politeness.take("a", "one", POLICY) == 0
    assert politeness.holder("a") == "one"
    clock.seconds += 1000
    assert politeness.take("a", "two", POLICY) > 0
    assert politeness.take("b", "two", POLICY) == 0


def test_two_who_want_one_host_take_turns_and_together_keep_to_its_pause(clock):
    politeness = Politeness(clock)
    come_at, asked = {"one": clock.seconds, "two": clock.seconds}, []
    while len(asked) < 8:
        who = min(come_at, key=come_at.get)
        clock.seconds = max(clock.seconds, come_at[who])
        wait_s = politeness.take("a", who, POLICY)
        if wait_s == 0:
            asked.append((who, clock.seconds))
            wait_s = politeness.record("a", WELL, POLICY)
        come_at[who] = clock.seconds + wait_s
    assert [who for who, _ in asked] == ["one", "two"] * 4
    times = [at for _, at in asked]
    assert min(later - earlier for earlier, later in pairwise(times)) >= 1
    assert times[-1] - times[0] <= 8


def test_who_does_not_come_again_loses_its_place(clock):
    politeness = Politeness(clock)
    ask(politeness)
    assert politeness.take("a", "gone", POLICY) == 1
    clock.seconds += 1
    assert politeness.take("a", "one", POLICY) > 0  # it is the other's turn
    clock.seconds += 1.1
    assert politeness.take("a", "one", POLICY) == 0


def test_a_turn_that_was_not_used_costs_no_pause(clock):
    politeness = Politeness(clock)
    assert politeness.take("a", "one", POLICY) == 0
    politeness.leave("a", "two")
    assert politeness.holder("a") == "one"
    politeness.leave("a", "one")
    assert politeness.take("a", "two", POLICY) == 0


def test_trouble_in_a_row_doubles_the_pause_and_an_answer_ends_it(clock):
    politeness = Politeness(clock)
    pauses = []
    for seen in (BUSY, BUSY, BUSY, WELL, BUSY):
        pauses.append(ask(politeness, seen=seen))
        clock.seconds += pauses[-1]
    assert pauses == [60, 120, 240, 1, 60]


def test_a_crawl_delay_that_is_learned_late_counts_from_the_end_of_the_last_request(
    clock,
):
    politeness = Politeness(clock)
    ask(politeness)
    clock.seconds += 2
    assert politeness.take("a", "one", POLICY, crawl_delay_s=10) == 8
    assert politeness.take("a", "one", POLICY, crawl_delay_s=9999) == 298


def test_the_gentler_of_two_policies_holds_for_who_has_it(clock):
    politeness = Politeness(clock)
    gentle = replace(POLICY, host_delay_s=5)
    ask(politeness)
    clock.seconds += 1
    assert politeness.take("a", "two", gentle) == 4
    politeness.leave("a", "two")
    assert politeness.take("a", "one", POLICY) == 0


def test_a_pause_that_others_left_is_kept(clock):
    politeness = Politeness(clock)
    politeness.postpone("a", 90)
    politeness.postpone("a", 30)
    assert politeness.take("a", "one", POLICY) == 90


def test_an_address_is_asked_every_quarter_of_a_hosts_pause(clock):
    politeness = Politeness(clock)
    ask(politeness, "a", address="1.1.1.1")
    assert politeness.take("b", "one", POLICY) == 0
    assert not politeness.claim("b", "1.1.1.1", POLICY)
    assert politeness.address_wait_s("1.1.1.1", POLICY) == 0.25
    assert politeness.take("c", "one", POLICY) == 0
    assert politeness.claim("c", "2.2.2.2", POLICY)
    clock.seconds += 0.25
    assert politeness.claim("b", "1.1.1.1", POLICY)


def test_hosts_of_one_address_are_asked_to_come_one_after_the_other(clock):
    politeness = Politeness(clock)
    for n in range(4):
        ask(politeness, f"h{n}", address="1.1.1.1")
        clock.seconds += 10
    assert [politeness.take(f"h{n}", "one", POLICY) for n in range(4)] == [
        0,
        0.25,
        0.5,
        0.75,
    ]


def test_no_more_than_so_many_ask_an_address_however_long_it_takes(clock):
    politeness, narrow = Politeness(clock), replace(POLICY, requests_per_address=2)
    for host in "ab":
        clock.seconds += 9
        assert politeness.take(host, "one", narrow) == 0
        assert politeness.claim(host, "1.1.1.1", narrow)
    clock.seconds += 9
    assert politeness.take("c", "one", narrow) == 0
    assert not politeness.claim("c", "1.1.1.1", narrow)
    politeness.record("a", WELL, narrow)
    assert politeness.claim("c", "1.1.1.1", narrow)


@pytest.mark.parametrize(
    ("visits", "pause_s"),
    [
        ([WELL], 0.25),
        ([VisitFacts(elapsed_s=2)], 2.5),
        ([VisitFacts(elapsed_s=100)], 7.5),
        ([BUSY], 0.5),
        ([BUSY] * 2, 1.0),
        ([BUSY] * 20, 30.0),
        ([BUSY] * 20 + [WELL], 0.25),
    ],
)
def test_the_pause_of_an_address_follows_the_time_of_answers_and_trouble(
    clock, visits, pause_s
):
    politeness = Politeness(clock)
    for n, seen in enumerate([*visits, WELL]):
        clock.seconds += 100
        assert politeness.take(f"h{n}", "one", POLICY) == 0
        assert politeness.claim(f"h{n}", "1.1.1.1", POLICY)
        if n < len(visits):
            politeness.record(f"h{n}", seen, POLICY)
    assert politeness.take("late", "one", POLICY) == 0
    assert not politeness.claim("late", "1.1.1.1", POLICY)
    assert politeness.address_wait_s("1.1.1.1", POLICY) == pause_s


def test_only_hosts_and_addresses_in_need_of_it_are_remembered(clock, monkeypatch):
    monkeypatch.setattr(module, "_MAX_HOSTS", 100)
    monkeypatch.setattr(module, "_MAX_ADDRESSES", 100)
    politeness = Politeness(clock)
    ask(politeness, "busy", VisitFacts(is_overloaded=True, retry_after_s=80_000))
    assert politeness.take("held", "one", POLICY) == 0
    assert politeness.claim("held", "9.9.9.9", POLICY)
    for n in range(1000):
        ask(politeness, f"h{n}", address=f"1.1.1.{n}")
        clock.seconds += 0.1
    assert politeness.due_in("busy", POLICY) > 70_000
    assert politeness.holder("held") == "one"
    assert politeness._addresses["9.9.9.9"].in_flight == 1
    assert len(politeness._hosts) <= 101
    assert len(politeness._addresses) <= 101


_STEPS = st.lists(
    st.tuples(
        st.sampled_from("abc"), st.sampled_from("xyz"), st.booleans(), st.floats(0, 2)
    ),
    max_size=80,
)


@given(_STEPS)
def test_whoever_asks_no_host_is_asked_twice_at_once_or_sooner_than_its_pause(steps):
    class Stepping:
        now = 0.0

        def monotonic(self):
            return self.now

    clock = Stepping()
    politeness = Politeness(clock)
    address_of = {"a": "1.1.1.1", "b": "1.1.1.1", "c": "2.2.2.2"}
    ended, begun, under_way = {}, {}, set()
    for host, who, ends, passes_s in steps:
        clock.now += passes_s
        if ends and under_way:
            over = under_way.pop()
            politeness.record(over, WELL, POLICY)
            ended[over] = clock.now
        if politeness.take(host, who, POLICY) == 0:
            assert host not in under_way
            assert clock.now - ended.get(host, -math.inf) >= 1 - 1e-9
            address = address_of[host]
            if not politeness.claim(host, address, POLICY):
                politeness.leave(host, who)
                continue
            assert clock.now - begun.get(address, -math.inf) >= 0.25 - 1e-9
            begun[address] = clock.now
            under_way.add(host)


@pytest.mark.parametrize("elapsed_s", [0.0, 0.2, 3.0])
def test_a_host_alone_at_its_address_is_never_held_back_by_the_limit_of_the_address(
    clock, elapsed_s
):
    """However slow its answers: the address is free whenever the host is."""
    politeness = Politeness(clock)
    seen = VisitFacts(elapsed_s=elapsed_s)
    for _ in range(50):
        assert politeness.take("a", "one", POLICY) == 0
        assert politeness.claim("a", "192.0.2.1", POLICY)
        clock.seconds += elapsed_s
        clock.seconds += politeness.record("a", seen, POLICY)
