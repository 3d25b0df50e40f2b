"""A divided task run in one process: by a supervisor that divides, and a runner that takes the shards."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

from geohound import app
from geohound.model.crawl.task import TaskFilter, TaskState, Wanted
from geohound.tasks.divided_work import is_divided, is_run_whole


async def story(settings, spec, takeovers=(), counter="visits"):
    """The task when it has ended, and how long it took; shards change hands each time the counter has come so far."""
    task = app.new_task(settings, spec, is_queued=True)
    began = time.monotonic()
    with (
        app.divided_runner(settings) as whole,
        app.task_runner(settings, indexes=False) as (parts, tasks),
    ):
        serving = [
            asyncio.create_task(whole.serve(10, is_divided)),
            asyncio.create_task(parts.serve(10, is_run_whole)),
        ]
        while (found := tasks.get(task)) is not None and found.state not in (
            TaskState.DONE,
            TaskState.STOPPED,
        ):
            assert time.monotonic() - began < 60, found.counters
            if takeovers and found.counters.get(counter, 0) >= takeovers[0]:
                takeovers = takeovers[1:]
                take_over(tasks)
            await asyncio.sleep(0.1)
        for each in serving:
            each.cancel()
            with suppress(asyncio.CancelledError):
                await each
    return found, time.monotonic() - began


def take_over(tasks) -> None:
    """As a supervisor does with the shards of a worker that is gone."""
    for shard in tasks.list(TaskFilter(parts=True)):
        if shard.claim is not None:
            tasks.expire(shard.claim)
            tasks.want(shard.id, Wanted.RUN)
