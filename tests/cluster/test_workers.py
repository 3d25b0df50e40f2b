"""Workers that cannot work are given no shards, and say why; the others get theirs."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from postgres_server import free_port

from geohound.cluster.supervisor import ClusterSupervisor, _Hired
from geohound.cluster.worker import Pulse, Worker
from geohound.model.crawl.task import TaskSpec
from geohound.model.version import __version__
from geohound.net.clock import SystemClock
from geohound.settings import Settings
from geohound.stores.memory.tasks import MemoryTasks


async def first_trouble(worker: Worker) -> str:
    async with asyncio.timeout(60):
        while not (pulse := await worker.beat(3)).trouble:
            await asyncio.sleep(0.05)
    return pulse.trouble


def trouble_of(settings: Settings, version: str = __version__) -> str:
    async def story() -> str:
        worker = Worker(settings)
        assert await worker.start(version)
        try:
            return await first_trouble(worker)
        finally:
            await worker.close()

    return asyncio.run(story())


def test_a_worker_that_does_not_reach_the_catalogue_says_so() -> None:
    nowhere = f"postgresql://eve:secret@127.0.0.1:{free_port()}/none"
    said = trouble_of(Settings(catalogue=nowhere))
    assert "cannot be reached" in said
    assert "secret" not in said


def test_a_worker_of_another_version_serves_nothing_and_says_what_to_do() -> None:
    said = trouble_of(Settings(catalogue="/nonexistent/never.db"), "0.0.1")
    assert f"has Geohound {__version__}, and the head has 0.0.1" in said


def test_a_worker_goes_on_after_a_bug(monkeypatch, tmp_path) -> None:
    """One whose runner ended would stay idle, and nobody would notice."""
    from geohound.cluster import worker as workers
    from geohound.tasks.runner import TaskRunner

    served: list[int] = []

    async def serve(*_: Any) -> None:
        served.append(1)
        raise ValueError("a bug")

    monkeypatch.setattr(TaskRunner, "serve", serve)
    monkeypatch.setattr(workers, "RETRY_S", 0.01)

    async def story() -> None:
        worker = Worker(Settings(catalogue=str(tmp_path / "c.db")))
        await worker.start(__version__)
        assert "a bug" in await first_trouble(worker)
        async with asyncio.timeout(20):
            while len(served) < 3:
                await asyncio.sleep(0.01)
        await worker.close()

    asyncio.run(story())


class Watching(ClusterSupervisor):
    """One that looks at nothing by itself."""

    async def _divide(self) -> None:
        """Nothing."""

    async def _watch(self) -> None:
        """Nothing."""


def hired(pulse: Pulse, holder: str = "holder") -> _Hired:
    starting: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    if holder:
        starting.set_result(holder)
    return _Hired(None, "node", "10.0.0.1", starting, has_begun=True, pulse=pulse)


@pytest.mark.parametrize(
    ("pulse", "holder"),
    [(Pulse(0, 1.0, "no database"), "theirs"), (Pulse(0, 0, ""), "")],
)
def test_those_who_can_work_run_all_shards(pulse, holder) -> None:
    """Of a node whose workers fail, or have not started yet, no shard waits for ever."""
    tasks = MemoryTasks(SystemClock())
    shards = [tasks.create(TaskSpec()) for _ in range(16)]

    async def story() -> dict[str, int]:
        supervisor = Watching(Settings())
        supervisor._workers = {"a": hired(Pulse(4, 1.0, ""), "ours")} | {
            name: hired(pulse, holder and f"{holder} {name}") for name in "bcd"
        }
        return dict(supervisor._divide_shards(shards))

    shares = asyncio.run(story())
    assert sum(share for name, share in shares.items() if name == "a") == 16
