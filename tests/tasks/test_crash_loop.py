"""A task that brings down its process is tried again later, and not for ever."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

from geohound.model.crawl.event import Numbered, StateChanged, Warned
from geohound.model.crawl.task import Ending, Task, TaskSpec, TaskState, Wanted
from geohound.net.clock import SystemClock
from geohound.stores.memory.tasks import MemoryTasks
from geohound.tasks.claiming import this_process
from geohound.tasks.runner import Crashes, TaskRunner, count_crashes

START = datetime(2026, 1, 1, tzinfo=UTC)
GONE = str(this_process()._replace(started="1"))


def runs(*lengths_s: float, ended_after: int | None = None) -> list[Numbered]:
    """The events of runs of these lengths that ended with their process; one of them was ended in good order."""
    events, at = [], START
    for number, length_s in enumerate(lengths_s):
        events.append((at, StateChanged(TaskState.RUNNING)))
        events.append((at + timedelta(seconds=length_s), Warned("a sign of life")))
        at += timedelta(seconds=length_s + 1)
        if number == ended_after:
            events.append((at, StateChanged(TaskState.STOPPED, Ending.STOPPED)))
    return [Numbered(n, at, event) for n, (at, event) in enumerate(events, 1)]


def test_crashes_in_a_row_are_counted_and_a_run_that_was_ended_forgives_those_before() -> (
    None
):
    assert count_crashes([]) == Crashes(0, 0)
    assert count_crashes(runs(5, 5, 5)) == Crashes(3, 3)
    assert count_crashes(runs(5, 5, 5, ended_after=1)) == Crashes(1, 1)


def test_a_long_run_is_no_reason_for_suspicion() -> None:
    assert count_crashes(runs(5, 5, 500)) == Crashes(3, 0)
    assert not count_crashes(runs(*[500] * 19)).are_too_many
    assert count_crashes(runs(*[500] * 20)).are_too_many


def test_each_try_waits_twice_as_long_and_the_fifth_crash_is_the_last() -> None:
    pauses = [count_crashes(runs(*[5] * n)).pause_s for n in range(1, 5)]
    assert pauses == [0.0, 5.0, 10.0, 20.0]
    assert not count_crashes(runs(*[5] * 4)).are_too_many
    assert count_crashes(runs(*[5] * 5)).are_too_many


def crashed(tasks: MemoryTasks, times: int) -> int:
    """A task that was claimed so often by processes that are gone."""
    task = tasks.create(TaskSpec(), TaskState.STOPPED).id
    tasks.want(task, Wanted.RUN)
    for _ in range(times):
        claim = tasks.claim(task, GONE, 30.0)
        assert claim is not None
        tasks.expire(claim)
    return task


@asynccontextmanager
async def never(*_: object) -> AsyncIterator[None]:
    raise AssertionError("it must not be built")
    yield


def serve(tasks: MemoryTasks, is_met, *, suspects: bool = True) -> None:
    async def story() -> None:
        runner = TaskRunner(tasks, never, SystemClock(), suspects=suspects)
        serving = asyncio.create_task(runner.serve())
        async with asyncio.timeout(20):
            while not is_met():
                await asyncio.sleep(0.01)
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)

    asyncio.run(story())


def _task(tasks: MemoryTasks, number: int) -> Task:
    found = tasks.get(number)
    assert found is not None
    return found


def test_a_task_that_killed_five_processes_fails_with_a_reason() -> None:
    tasks = MemoryTasks(SystemClock())
    task = crashed(tasks, 5)
    serve(tasks, lambda: _task(tasks, task).ending is Ending.FAILED)
    assert _task(tasks, task).state is TaskState.STOPPED
    said = [
        numbered.event
        for numbered in tasks.events(task).events
        if isinstance(numbered.event, Warned)
    ]
    assert [event.message.partition(";")[0] for event in said] == [
        "The process that runs this task died 5 times in a row"
    ]


def test_a_task_that_reads_nothing_itself_is_never_given_up() -> None:
    """A divided task dies with the head of its cluster, however often that is."""
    tasks = MemoryTasks(SystemClock())
    task = crashed(tasks, 30)
    is_tried = lambda: any(  # noqa: E731
        "must not be built" in str(numbered.event)
        for numbered in tasks.events(task).events
    )
    serve(tasks, is_tried, suspects=False)
    assert is_tried()


def test_whoever_resumes_it_by_hand_gets_a_fresh_start() -> None:
    tasks = MemoryTasks(SystemClock())
    task = crashed(tasks, 5)
    serve(tasks, lambda: _task(tasks, task).ending is Ending.FAILED)
    tasks.want(task, Wanted.RUN)
    serve(
        tasks,
        lambda: any(
            "must not be built" in str(n.event) for n in tasks.events(task).events
        ),
    )
