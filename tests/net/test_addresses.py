"""Hosts that share an address share its patience; the names of operators' routes do not."""

from __future__ import annotations

import asyncio
import socket
import time
from itertools import pairwise

import pytest
from polite import behaving, bounded, policy

from geohound.model.failure import FailureReason
from geohound.model.visit import Failure
from geohound.net.address_guard import Guard
from geohound.net.clock import SystemClock
from geohound.net.connect_to import Route
from geohound.net.fetcher import CurlFetcher
from geohound.politeness import Politeness, TaskPoliteness


def ask_many(web, hosts, behaviour):
    """When requests to several hosts begin, all of which are found at one address."""
    began = []

    async def run():
        async def note(reader, writer):
            began.append(time.monotonic())
            writer.write(web.http(b"x"))
            await writer.drain()

        async with web.serving({"/": note}) as server:
            fetcher = CurlFetcher(
                behaviour(server.port), Guard.opening(["127.0.0.0/8"]), bounded()
            )
            visits = await asyncio.gather(
                *(fetcher.fetch(f"http://{h}:{server.port}/") for h in hosts)
            )
            metrics = fetcher.metrics
            await fetcher.close()
            return visits, metrics

    visits, metrics = asyncio.run(run())
    gaps = [b - a for a, b in pairwise(sorted(began))]
    return visits, gaps, metrics


NAMES = ["127.0.0.1", "localhost"]


@pytest.mark.slow
def test_two_names_of_one_address_take_turns(web):
    def behaviour(_port):
        return behaving(obey_robots=False, politeness=policy(host_delay_s=6))

    visits, gaps, metrics = ask_many(web, NAMES, behaviour)
    assert [v.status for v in visits] == [200, 200]
    assert [v.address for v in visits] == ["127.0.0.1"] * 2
    assert (
        gaps[0] >= 1.4
    )  # a quarter of the pause, but for the moment between the claim and the arrival
    assert metrics.waits == 1
    assert 0 < metrics.waited_s <= 2
    assert (
        metrics.requests == 2
    )  # the attempt for which it was too soon never left this machine


def test_routed_names_are_exempt(web):
    def behaviour(port):
        routes = (Route("*.test", "127.0.0.1", port),)
        return behaving(
            obey_robots=False, routes=routes, politeness=policy(host_delay_s=20)
        )

    hosts = [f"h{n}.test" for n in range(8)]
    visits, gaps, metrics = ask_many(web, hosts, behaviour)
    assert [v.status for v in visits] == [200] * 8
    assert max(gaps) < 1
    assert metrics.waits == 0


def test_an_address_that_is_due_too_late_is_not_waited_for(web):
    def behaviour(_port):
        return behaving(
            obey_robots=False, politeness=policy(host_delay_s=400), patience_s=5
        )

    visits, _, metrics = ask_many(web, NAMES, behaviour)
    (late,) = [v for v in visits if isinstance(v, Failure)]
    assert late.reason is FailureReason.RATE_LIMITED
    assert 90 < late.retry_after_s <= 100
    assert metrics.requests == 1


def test_a_cancelled_request_gives_its_turn_back():
    async def run():
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
            clock, ours = SystemClock(), behaving(obey_robots=False)
            politeness = Politeness(clock)
            turns = TaskPoliteness(politeness, ours.politeness, clock).turns()
            fetcher = CurlFetcher(
                ours, Guard.opening(["127.0.0.0/8"]), bounded(), turns=turns
            )
            task = asyncio.create_task(fetcher.fetch(url))
            await asyncio.sleep(0.1)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            left = [address.in_flight for address in politeness._addresses.values()]
            await fetcher.close()
            return left, fetcher.metrics.in_flight

    assert asyncio.run(run()) == ([0], 0)
