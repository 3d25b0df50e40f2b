"""A crawl that is killed at any moment loses nothing that was acknowledged and does nothing settled again."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from frontiers import open_with_delay

from geohound.frontier import FrontierLimits
from geohound.model.crawl.task import TaskSpec
from geohound.model.visit import Lane
from geohound.net.clock import SystemClock
from geohound.stores.sqlite import open_store

CRAWL = """
import asyncio, os, random, sys, time
from datetime import UTC, datetime
from geohound.model.catalogue import Observation
from geohound.model.crawl.frontier import Settled
from geohound.model.service import Layer, Service, Sighting
from geohound.model.visit import Candidate, Lane, Settlement, Via
from geohound.frontier import FrontierLimits
from frontiers import open_with_delay
from geohound.stores.sqlite import open_store

class Clock:
    def now(self): return datetime.now(UTC)
    def monotonic(self): return time.monotonic()

path, task, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)
store = open_store(path, Clock())
frontier = open_with_delay(store, task, FrontierLimits())

def tell(word, url):
    os.write(1, f"{word} {url}\\n".encode())

async def work(number):
    while True:
        for candidate in frontier.lease(1, Lane.PAGES):
            tell("leased", candidate.url)
            if rng.random() < 0.2:
                service = Service("wms", candidate.url, title="t", layers=(Layer(candidate.url),))
                at = Clock().now()
                sighting = Sighting(service.id, candidate.url, "", Via.LINK, "", at)
                store.catalogue.record_now([Observation(service, sighting)])
                tell("catalogued", candidate.url)
            frontier.settle(candidate, Settled(Settlement.DONE))
            await frontier.flush()
            tell("settled", candidate.url)
        urls = [f"http://h{rng.randrange(40)}.org/{rng.random()}" for _ in range(rng.randrange(1, 30))]
        frontier.admit([Candidate(url, Via.LINK, score=rng.random()) for url in urls])
        await frontier.flush()
        for url in urls:
            tell("admitted", url)

async def main():
    await asyncio.gather(*(work(n) for n in range(8)))

tell("ready", "-")
asyncio.run(main())
"""


def crawl_and_kill(path, task, seed, lines_read):
    """What the crawl had acknowledged when it was killed; not after a time, for a busy machine may do nothing in it."""
    command = [sys.executable, "-c", CRAWL, str(path), str(task), str(seed)]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1] / "shared")}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=env) as process:
        head = b"".join(process.stdout.readline() for _ in range(lines_read))
        process.send_signal(signal.SIGKILL)
        lines = (head + process.stdout.read()).decode().splitlines()
    said = {"admitted": [], "settled": [], "leased": [], "catalogued": [], "ready": []}
    for line in lines:
        word, _, url = line.partition(" ")
        if word in said and url:
            said[word].append(url)
    assert said["ready"] == ["-"], "the crawl did not start"
    return said


@pytest.mark.slow
def test_a_crawl_killed_at_random_moments_goes_on_where_it_was(tmp_path):
    clock = SystemClock()
    path, rng = tmp_path / "c.db", random.Random(7)
    store = open_store(path, clock)
    task = store.tasks.create(TaskSpec()).id
    store.close()
    admitted, settled, catalogued = set(), set(), set()
    for round_ in range(8):
        said = crawl_and_kill(path, task, round_, rng.randrange(2, 800))
        assert not settled & set(said["leased"]), "visited twice"
        assert len(said["leased"]) == len(set(said["leased"]))
        admitted |= set(said["admitted"])
        settled |= set(said["settled"])
        catalogued |= set(said["catalogued"])
    assert len(admitted) > 1000
    assert len(settled) > 50
    assert catalogued
    store = open_store(path, clock)
    left, known, found = asyncio.run(_what_is_left(store, task, admitted, catalogued))
    assert known == admitted
    assert admitted - settled <= left | {v.url for v in store.tasks.visits(task)}
    assert not left & settled
    assert found == catalogued
    assert store.database.read().execute("PRAGMA integrity_check").fetchone() == ("ok",)
    store.close()


async def _what_is_left(store, task, admitted, catalogued):
    frontier = open_with_delay(store, task, FrontierLimits())
    known = {url for url in admitted if frontier.knows(url)}
    left = set()
    while leased := frontier.lease(1000, Lane.PAGES):
        for candidate in leased:
            assert candidate.url not in left
            left.add(candidate.url)
            frontier._schedule.release(
                frontier._leases.pop(candidate.url).host, 0, is_page=True
            )
    await frontier.flush()
    found = {url for url in catalogued if store.catalogue.at(url)}
    return left, known, found
