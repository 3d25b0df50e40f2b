"""Hosts that share an address share its patience; the names of operators' routes do not."""

from __future__ import annotations

import asyncio
import socket
import time
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from polite import behaving, policy

from geohound.model.visit import Failure, FailureReason, Response
from geohound.net import addresses as module
from geohound.net.addresses import Addresses
from geohound.net.fetcher import CurlFetcher
from geohound.net.guard import Guard
from geohound.net.routes import Route

RULES = policy(host_delay_s=1, slow_host_factor=5)
NOW = datetime(2026, 5, 1, tzinfo=UTC)


def answer(status=200, elapsed_s=0.0):
    return Response("u", "u", status, {}, b"", NOW, elapsed_s)


def test_an_address_is_asked_every_quarter_of_a_hosts_pause(clock):
    addresses = Addresses(clock, RULES)
    assert addresses.claim("1.1.1.1")
    assert not addresses.claim("1.1.1.1")
    assert addresses.claim("2.2.2.2")
    clock.seconds += 0.25
    assert addresses.claim("1.1.1.1")


def test_processes_that_share_the_work_share_what_an_address_may_bear(clock):
    addresses = Addresses(clock, RULES, processes=2)
    assert addresses.claim("1.1.1.1")
    clock.seconds += 0.25
    assert not addresses.claim("1.1.1.1")
    clock.seconds += 0.25
    assert addresses.claim("1.1.1.1")
    clock.seconds += 9
    assert not addresses.claim("1.1.1.1")  # two are under way, and so may two be in the other process


def test_no_more_than_so_many_at_once_however_long_it_takes(clock):
    addresses = Addresses(clock, replace(RULES, requests_per_address=2))
    for _ in range(2):
        clock.seconds += 9
        assert addresses.claim("1.1.1.1")
    clock.seconds += 9
    assert not addresses.claim("1.1.1.1")
    addresses.release("1.1.1.1", answer())
    assert addresses.claim("1.1.1.1")


@pytest.mark.parametrize(
    ("visits", "gap_s"),
    [
        ([answer()], 0.25),
        ([answer(elapsed_s=2)], 2.5),
        ([answer(elapsed_s=100)], 7.5),
        ([answer(503)], 0.5),
        ([answer(429), answer(503)], 1.0),
        ([answer(503)] * 20, 30.0),
        ([answer(503)] * 20 + [answer()], 0.25),
        ([Failure("u", FailureReason.STALLED, "", NOW)], 0.5),
        ([Failure("u", FailureReason.DNS, "", NOW)], 0.25),
    ],
)
def test_the_pause_follows_the_time_of_answers_and_trouble(clock, visits, gap_s):
    addresses = Addresses(clock, RULES)
    for visit in visits:
        clock.seconds += 100
        assert addresses.claim("1.1.1.1")
        addresses.release("1.1.1.1", visit)
    clock.seconds += 100
    assert addresses.claim("1.1.1.1")
    assert addresses.wait_s("1.1.1.1") == gap_s


def test_who_waits_is_served_in_order_and_nobody_overtakes():
    class Ticking:
        def monotonic(self):
            return time.monotonic()

        async def sleep(self, seconds):
            await asyncio.sleep(seconds)

    async def run():
        addresses = Addresses(Ticking(), policy(host_delay_s=0.08, requests_per_address=1))
        assert addresses.claim("a")
        order, began = [], []

        async def visit(name):
            await addresses.turn("a")
            order.append(name)
            began.append(time.monotonic())
            await asyncio.sleep(0.001)
            addresses.release("a", answer())

        tasks = [asyncio.create_task(visit(n)) for n in range(5)]
        await asyncio.sleep(0.03)
        assert not addresses.claim("a")
        assert order == []  # one at a time, and the first is still there
        addresses.release("a", answer())
        tasks[2].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return order, [b - a for a, b in pairwise(began)]

    order, gaps = asyncio.run(run())
    assert order == [0, 1, 3, 4]
    assert min(gaps) >= 0.019


def test_memory_is_bounded_and_what_is_in_use_is_kept(clock, monkeypatch):
    monkeypatch.setattr(module, "_MAX_ADDRESSES", 100)
    monkeypatch.setattr(module, "_MAX_HOSTS", 100)
    addresses = Addresses(clock, replace(RULES, requests_per_address=1))
    assert addresses.claim("busy")
    for n in range(1000):
        assert addresses.claim(f"a{n}")
        addresses.release(f"a{n}", answer())
        addresses.remember(f"h{n}", f"a{n}")
    assert len(addresses._states) <= 101
    assert len(addresses._hosts) == 100
    clock.seconds += 100
    assert not addresses.claim("busy")


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans(), st.floats(0, 2)), max_size=60))
def test_two_requests_to_one_address_never_begin_closer_than_the_pause(steps):
    class Stepping:
        now = 0.0

        def monotonic(self):
            return self.now

    clock = Stepping()
    addresses = Addresses(clock, policy(host_delay_s=1, requests_per_address=3))
    last, open_claims = {}, []
    for address, lets_go, passes_s in steps:
        clock.now += passes_s
        if addresses.claim(address):
            assert clock.now - last.get(address, -9) >= 0.25
            last[address] = clock.now
            open_claims.append(address)
            assert open_claims.count(address) <= 3
        if lets_go and open_claims:
            addresses.release(open_claims.pop(), answer())


def ask_many(web, hosts, manners):
    """When requests to several hosts begin, all of which are found at one address."""
    began = []

    async def run():
        async def note(reader, writer):
            began.append(time.monotonic())
            writer.write(web.http(b"x"))
            await writer.drain()

        async with web.serving({"/": note}) as server:
            fetcher = CurlFetcher(manners(server.port), Guard.opening(["127.0.0.0/8"]))
            visits = await asyncio.gather(*(fetcher.fetch(f"http://{h}:{server.port}/") for h in hosts))
            metrics = fetcher.metrics
            await fetcher.close()
            return visits, metrics

    visits, metrics = asyncio.run(run())
    gaps = [b - a for a, b in pairwise(sorted(began))]
    return visits, gaps, metrics


NAMES = ["127.0.0.1", "localhost"]


def test_two_names_of_one_address_take_turns(web):
    def manners(_port):
        return behaving(obey_robots=False, politeness=policy(host_delay_s=6))

    visits, gaps, metrics = ask_many(web, NAMES, manners)
    assert [v.status for v in visits] == [200, 200]
    assert [v.address for v in visits] == ["127.0.0.1"] * 2
    assert gaps[0] >= 1.4  # a quarter of the pause, but for the moment between the claim and the arrival
    assert metrics.waits == 1
    assert 0 < metrics.waited_s <= 2
    assert metrics.requests == 2  # the attempt for which it was too soon never left this machine


def test_routed_names_are_exempt(web):
    def manners(port):
        routes = (Route("*.test", "127.0.0.1", port),)
        return behaving(obey_robots=False, routes=routes, politeness=policy(host_delay_s=20))

    hosts = [f"h{n}.test" for n in range(8)]
    visits, gaps, metrics = ask_many(web, hosts, manners)
    assert [v.status for v in visits] == [200] * 8
    assert max(gaps) < 1
    assert metrics.waits == 0


def test_an_address_that_is_due_too_late_is_not_waited_for(web):
    def manners(_port):
        return behaving(obey_robots=False, politeness=policy(host_delay_s=400), patience_s=5)

    visits, _, metrics = ask_many(web, NAMES, manners)
    (late,) = [v for v in visits if isinstance(v, Failure)]
    assert late.reason is FailureReason.RATE_LIMITED
    assert 90 < late.retry_after_s <= 100
    assert metrics.requests == 1


def test_a_cancelled_request_gives_its_turn_back():
    async def run():
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
            fetcher = CurlFetcher(behaving(obey_robots=False), Guard.opening(["127.0.0.0/8"]))
            task = asyncio.create_task(fetcher.fetch(url))
            await asyncio.sleep(0.1)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            left = [state.in_flight for state in fetcher._addresses._states.values()]
            await fetcher.close()
            return left, fetcher.metrics.in_flight

    assert asyncio.run(run()) == ([0], 0)
