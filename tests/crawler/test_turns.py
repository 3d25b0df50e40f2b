"""Processes that read pages wait for their turn at hosts in the one that crawls."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from polite import policy

from geohound.crawler.workers.pool import WorkerPool
from geohound.model.crawl.job import Job
from geohound.net.clock import SystemClock
from geohound.politeness import Politeness, TaskPoliteness, VisitFacts

COMMAND = [sys.executable, str(Path(__file__).with_name("fragile_reader.py"))]
POLICY = policy(host_delay_s=0.3)


class Watched(Politeness):
    """Notes when requests begin and end."""

    def __init__(self) -> None:
        super().__init__(SystemClock())
        self.began: list[float] = []
        self.ended: list[float] = []

    def take(self, *args, **kwargs) -> float:
        wait_s = super().take(*args, **kwargs)
        if wait_s == 0:
            self.began.append(time.monotonic())
        return wait_s

    def record(self, host: str, seen: VisitFacts, policy) -> float:
        self.ended.append(time.monotonic())
        return super().record(host, seen, policy)


def with_pools(story: Callable[..., Awaitable[object]], pools: int = 1) -> Watched:
    """A crawl for each pool, all of them in one process."""
    politeness = Watched()
    tasks = [TaskPoliteness(politeness, POLICY, SystemClock()) for _ in range(pools)]

    async def run() -> None:
        async with AsyncExitStack() as stack:
            made = [WorkerPool(COMMAND, b"x", 2, task.turns) for task in tasks]
            for pool in made:
                stack.push_async_callback(pool.close)
            await asyncio.wait_for(
                story(politeness, *(tasks[:1] if pools == 1 else ()), *made), 30
            )

    asyncio.run(run())
    return politeness


def ask(pool: WorkerPool, page: str, host: str) -> Awaitable[object]:
    return pool.examine(Job(f"http://{page}/turn/{host}"))


@pytest.mark.slow
def test_two_crawls_with_two_processes_each_keep_to_one_rate_at_a_host() -> None:
    async def story(politeness: Watched, one: WorkerPool, two: WorkerPool) -> None:
        pages = [f"s{n}.test" for n in range(3)]
        reports = await asyncio.gather(
            *(ask(pool, page, "tiles.test") for pool in (one, two) for page in pages)
        )
        assert {report.elapsed_s for report in reports} == {0.0}

    politeness = with_pools(story, pools=2)
    assert len(politeness.began) == 6
    pauses = [
        began - ended
        for ended, began in zip(politeness.ended, politeness.began[1:], strict=False)
    ]
    assert min(pauses) >= 0.3


def test_the_turn_that_was_taken_for_a_job_goes_along_with_it() -> None:
    async def story(
        politeness: Watched, task: TaskPoliteness, pool: WorkerPool
    ) -> None:
        assert task.take("a.test") == 0
        await asyncio.wait_for(ask(pool, "a.test", "a.test"), 5)
        assert politeness.holder("a.test") is None
        assert 0 < task.leave("a.test") <= 0.3

    assert len(with_pools(story).began) == 1


def test_a_turn_that_a_job_did_not_need_comes_back_at_once() -> None:
    async def story(
        politeness: Watched, task: TaskPoliteness, pool: WorkerPool
    ) -> None:
        assert task.take("a.test") == 0
        await pool.examine(Job("http://a.test/"))
        assert politeness.take("a.test", "another", POLICY) == 0

    assert not with_pools(story).ended


def test_a_host_whose_process_was_killed_is_left_alone_for_the_usual_pause_and_then_free() -> (
    None
):
    async def story(
        politeness: Watched, task: TaskPoliteness, pool: WorkerPool
    ) -> None:
        under_way = asyncio.create_task(ask(pool, "a.test", "tiles.test-60"))
        while politeness.holder("tiles.test-60") is None:
            await asyncio.sleep(0.01)
        under_way.cancel()
        (pid,) = pool.pids
        os.kill(pid, signal.SIGKILL)
        while politeness.holder("tiles.test-60") is not None:
            await asyncio.sleep(0.01)
        assert 0 < politeness.due_in("tiles.test-60", POLICY) <= 0.3

    with_pools(story)


@pytest.mark.slow
def test_a_job_that_is_given_up_leaves_the_line() -> None:
    async def story(
        politeness: Watched, task: TaskPoliteness, pool: WorkerPool
    ) -> None:
        assert politeness.take("tiles.test", "another", POLICY) == 0
        waiting = asyncio.create_task(ask(pool, "a.test", "tiles.test"))
        await asyncio.sleep(1.0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await pool.examine(Job("http://a.test/"))  # the process has heard of it
        await asyncio.sleep(0.1)
        politeness.leave("tiles.test", "another")
        assert politeness.take("tiles.test", "a third", POLICY) == 0

    with_pools(story)
