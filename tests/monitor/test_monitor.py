"""The loop of the monitor, with a catalogue in memory and hosts that answer at once."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

from geohound import plugins
from geohound.model.catalogue import Observation
from geohound.model.crawl.task import Ending, TaskSpec
from geohound.model.health import Check
from geohound.model.service import Service, Sighting
from geohound.model.visit import Response, Via
from geohound.monitor.monitor import Monitor
from geohound.monitor.parts import MonitorParts, MonitorPlan
from geohound.monitor.schedule import Revisiting, RevisitPolicy
from geohound.stores.memory.catalogue import MemoryCatalogue
from geohound.stores.memory.check_queue import MemoryCheckQueue
from geohound.stores.memory.tasks import MemoryTasks
from geohound.urls.address_book import AddressBook

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
WMS = (
    b'<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms">'
    b"<Service><Title>A</Title></Service></WMS_Capabilities>"
)


class RunningClock:
    """A second later whenever it is read."""

    passed_s = 0.0

    def now(self):
        self.passed_s += 1.0
        return NOON + timedelta(seconds=self.passed_s)

    def monotonic(self):
        return self.passed_s

    async def sleep(self, seconds):
        self.passed_s += seconds
        await asyncio.sleep(0)


class WmsFetcher:
    def __init__(self, clock):
        self.clock = clock
        self.asked = 0

    async def fetch(self, url, **_):
        self.asked += 1
        assert self.asked < 5000, "it asks for ever"
        kind = {"content-type": "text/xml"}
        return Response(url, url, 200, kind, WMS, self.clock.now())

    async def close(self): ...


class NoHistory:
    async def thin(self, before): ...


async def nothing():
    """Nobody is told, and no log kept."""


def rig(plan, services):
    clock = RunningClock()
    catalogue, tasks = MemoryCatalogue(), MemoryTasks(clock)
    claim = tasks.claim(tasks.create(TaskSpec()).id, "me", 60.0)
    events, kinds, fetcher = [], plugins.discover("kinds"), WmsFetcher(clock)
    met = [
        Observation(
            service,
            Sighting(service.id, service.endpoint, "", Via.SEED, "", NOON),
            Check(service.id, NOON, True),
        )
        for service in services
    ]
    asyncio.run(catalogue.record(met))
    parts = MonitorParts(
        claim, MemoryCheckQueue(catalogue, tasks), catalogue, fetcher, kinds,
        lambda _: (), clock, events.append, NoHistory(), AddressBook({}), None, nothing, nothing,
    )  # fmt: skip
    return Monitor(plan, parts), events


def test_once_leaves_what_becomes_due_meanwhile_to_other_runs():
    """In a large catalogue something becomes due all the time: it would never end."""
    services = [Service("wms", f"http://h{n % 300}.test/{n}", title="A") for n in range(500)]  # fmt: skip
    always = Revisiting(RevisitPolicy.UNIFORM, period_s=0.5)
    monitor, events = rig(MonitorPlan(always, once=True), services)
    assert asyncio.run(monitor.run(NOON)) is Ending.FINISHED
    assert sorted(event.id for event in events) == sorted(e.id for e in services)
