"""What arrives together is written together, and whoever waits is told of his own service."""

import asyncio
import threading
from datetime import UTC, datetime

import pytest

from geohound.contracts import StoreError
from geohound.model.catalogue import Observation
from geohound.model.health import Check, State, assess
from geohound.model.service import Layer, Service, Sighting
from geohound.model.visit import Via
from geohound.net.clock import SystemClock
from geohound.stores.sqlite import open_store
from geohound.stores.sqlite.intake import Intake

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def met(number: int) -> Observation:
    service = Service(
        kind="wms", endpoint=f"http://h{number}.test/wms", version="1.3.0", title=f"Rivers {number}",
        fingerprint=str(number), layers=(Layer(f"r{number}", "Rivers"),),
    )  # fmt: skip
    sighting = Sighting(service.id, service.endpoint, "", Via.LINK, "", NOON)
    return Observation(service, sighting, Check(service.id, NOON, True))


def test_what_was_awaited_is_on_disk_with_its_health(tmp_path):
    store = open_store(tmp_path / "a.db", SystemClock())

    async def story():
        return await asyncio.gather(*(store.catalogue.record([met(n % 30)]) for n in range(60)))

    told = asyncio.run(story())
    assert [recorded.is_new for (recorded,) in told] == [True] * 30 + [False] * 30
    again = open_store(tmp_path / "a.db", SystemClock())  # another connection sees only what is committed
    assert again.catalogue.count() == (30, 30)
    assert all(assess(again.catalogue.checks(met(n).service.id)).state is State.ALIVE for n in range(30))
    assert len(again.catalogue.checks(met(0).service.id)) == 2
    again.close()
    store.close()


def test_those_who_come_during_a_commit_share_the_next_one():
    batches: list[list[int]] = []
    begun, go_on = threading.Event(), threading.Event()

    def write(items):
        batches.append(list(items))
        begun.set()
        go_on.wait(10)
        return [True] * len(items)

    async def story():
        intake = Intake(write)
        first = asyncio.ensure_future(intake.keep(0))
        await asyncio.to_thread(begun.wait, 10)
        others = [asyncio.ensure_future(intake.keep(n)) for n in range(1, 20)]
        await asyncio.sleep(0)  # they are in line
        go_on.set()
        await asyncio.gather(first, *others)
        intake.close()

    asyncio.run(story())
    assert batches == [[0], list(range(1, 20))]


def test_one_that_cannot_be_written_takes_no_other_with_it():
    def write(items):
        if 3 in items:
            raise ValueError("three")
        return [True] * len(items)

    async def story():
        intake = Intake(write)
        told = await asyncio.gather(*(intake.keep(n) for n in range(6)), return_exceptions=True)
        intake.close()
        return told

    told = asyncio.run(story())
    assert [n for n, answer in enumerate(told) if isinstance(answer, ValueError)] == [3]
    assert [answer for n, answer in enumerate(told) if n != 3] == [True] * 5


def test_a_full_disk_is_told_to_everyone_who_waits():
    def write(_items):
        raise StoreError("The disk is full.")

    async def story():
        intake = Intake(write)
        told = await asyncio.gather(*(intake.keep(n) for n in range(4)), return_exceptions=True)
        intake.close()
        return told

    assert [type(answer) for answer in asyncio.run(story())] == [StoreError] * 4


def test_what_a_stopped_worker_brought_is_written_all_the_same(tmp_path):
    store = open_store(tmp_path / "a.db", SystemClock())

    async def story():
        work = asyncio.ensure_future(store.catalogue.record([met(1)]))
        await asyncio.sleep(0)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(story())
    store.close()
    again = open_store(tmp_path / "a.db", SystemClock())
    assert again.catalogue.count() == (1, 1)
    again.close()
