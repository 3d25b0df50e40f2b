"""A task is claimed, built, worked at and released, and whoever wants something of it is heard."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest

from geohound.contracts import FencedError, StoreError
from geohound.model.crawl.event import (
    Event,
    Progressed,
    ServiceFound,
    StateChanged,
    VisitEnded,
    Waiting,
    Warned,
)
from geohound.model.crawl.task import (
    Checkpoint,
    Claim,
    Ending,
    Task,
    TaskSpec,
    TaskState,
    Wanted,
)
from geohound.net.clock import SystemClock
from geohound.stores.memory.tasks import MemoryTasks
from geohound.tasks import runner as running
from geohound.tasks.claiming import this_process
from geohound.tasks.event_feed import MAX_VISITS, EventFeed
from geohound.tasks.runner import TaskRunner

VISIT = VisitEnded("http://a.test/", "page", 200, "", 0, 0.1)
SERVICE = ServiceFound("0f", "http://a.test/wms", "wms", "Roads", 1, 1, 0.5)


def progressed(waiting: str = "", pages: int = 0) -> Progressed:
    return Progressed(
        pages, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, waiting
    )


class Work:
    """Waits until it is stopped, or ends at once."""

    def __init__(self, feed: EventFeed, ending: Ending | None) -> None:
        self.feed = feed
        self.ending = ending
        self.stopped = asyncio.Event()
        self.was_cancelled = False

    async def run(self) -> Ending:
        self.feed.add(SERVICE)
        if self.ending is not None:
            return self.ending
        try:
            await self.stopped.wait()
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise
        return Ending.STOPPED

    def stop(self) -> None:
        self.stopped.set()

    def checkpoint(self) -> Checkpoint:
        return Checkpoint({"pages": 3}, b"learned")

    def progress(self) -> Progressed:
        return progressed()


class Rig:
    """A store, a runner, and what it built."""

    def __init__(self, ending: Ending | None = None) -> None:
        self.tasks = MemoryTasks(SystemClock())
        self.ending = ending
        self.built: list[Work] = []
        self.heard: list[Event] = []
        self.trouble: Exception | None = None
        self.end_s = 0.0  # how long a task takes to end well
        self.ended_well: list[int] = []
        self.runner = TaskRunner(
            self.tasks, self.build, SystemClock(), self.heard.append
        )

    @asynccontextmanager
    async def build(
        self, task: Task, claim: Claim, feed: EventFeed
    ) -> AsyncIterator[Work]:
        if self.trouble is not None:
            raise self.trouble
        assert task.claim == claim
        self.built.append(Work(feed, self.ending))
        try:
            yield self.built[-1]
        finally:
            await asyncio.sleep(self.end_s)
            self.ended_well.append(task.id)

    def queued(self) -> int:
        return self.tasks.create(TaskSpec()).id

    def task(self, number: int = 1) -> Task:
        found = self.tasks.get(number)
        assert found is not None
        return found

    def states(self) -> list[str]:
        events = [numbered.event for numbered in self.tasks.events(1).events]
        return [str(event.state) for event in events if isinstance(event, StateChanged)]


@pytest.fixture(autouse=True)
def swift(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "BEAT_S", 0.02)
    monkeypatch.setattr(running, "LOOK_EVERY_S", 0.01)


async def until(met: Callable[[], Any]) -> None:
    async with asyncio.timeout(5):
        while not met():
            await asyncio.sleep(0.005)


def test_a_task_is_run_to_its_end_and_let_go() -> None:
    rig = Rig(Ending.FINISHED)
    number = rig.queued()
    assert asyncio.run(rig.runner.run(number)) is Ending.FINISHED
    done = rig.task()
    assert (done.state, done.ending, done.claim) == (
        TaskState.DONE,
        Ending.FINISHED,
        None,
    )
    assert rig.tasks.checkpoint(number) == Checkpoint({"pages": 3}, b"learned")
    assert rig.states() == ["queued", "running", "done"]
    assert SERVICE in rig.heard
    assert SERVICE in [numbered.event for numbered in rig.tasks.events(number).events]


def test_a_running_task_is_stopped_when_that_is_wanted() -> None:
    async def story() -> None:
        rig = Rig()
        under_way = asyncio.create_task(rig.runner.run(rig.queued()))
        await until(lambda: rig.built)
        rig.tasks.want(1, Wanted.STOP)
        async with asyncio.timeout(5):
            assert await under_way is Ending.STOPPED
        assert (rig.task().state, rig.task().ending) == (
            TaskState.STOPPED,
            Ending.STOPPED,
        )
        rig.ending = Ending.FINISHED
        assert await rig.runner.run(1) is Ending.FINISHED, (
            "it goes on when it is run again"
        )

    asyncio.run(story())


def test_a_paused_task_is_nobodys_and_goes_on_when_that_is_wanted() -> None:
    async def story() -> None:
        rig = Rig()
        under_way = asyncio.create_task(rig.runner.run(rig.queued()))
        await until(lambda: rig.built)
        rig.tasks.want(1, Wanted.PAUSE)
        await until(lambda: rig.task().state is TaskState.PAUSED)
        assert (rig.task().ending, rig.task().claim) == (Ending.PAUSED, None)
        assert StateChanged(TaskState.PAUSED, Ending.PAUSED) in rig.heard
        rig.ending = Ending.FINISHED
        rig.tasks.want(1, Wanted.RUN)
        async with asyncio.timeout(5):
            assert await under_way is Ending.FINISHED
        assert rig.states() == [
            "queued",
            "running",
            "paused",
            "queued",
            "running",
            "done",
        ]

    asyncio.run(story())


@pytest.mark.parametrize("wanted", [Wanted.STOP, Wanted.PAUSE])
@pytest.mark.parametrize("is_served", [True, False])
def test_a_task_that_is_resumed_while_it_is_stopping_runs_on(
    wanted: Wanted, *, is_served: bool
) -> None:
    async def story() -> None:
        rig = Rig()
        rig.end_s = 0.1
        run = rig.runner.serve() if is_served else rig.runner.run(1)
        rig.queued()
        under_way = asyncio.create_task(run)
        await until(lambda: rig.built)
        rig.tasks.want(1, wanted)
        await until(rig.built[0].stopped.is_set)
        rig.ending = Ending.FINISHED
        now = rig.tasks.want(1, Wanted.RUN)
        assert now is not None
        assert now.state is TaskState.RUNNING, "it is still stopping"
        await until(lambda: rig.task().state is TaskState.DONE)
        under_way.cancel()
        await asyncio.gather(under_way, return_exceptions=True)
        assert rig.states() == ["queued", "running", "queued", "running", "done"]

    asyncio.run(story())


def test_a_task_that_is_stopping_when_serving_ends_is_stopped() -> None:
    """Queued, and wanted stopped, it would wait for good."""
    rig = Rig()
    rig.end_s = 0.1

    async def story() -> None:
        rig.queued()
        await until(lambda: rig.built)
        rig.tasks.want(1, Wanted.STOP)

    served(rig, story)
    assert (rig.task().state, rig.task().ending) == (TaskState.STOPPED, Ending.STOPPED)


def test_whoever_paused_it_need_not_go_on_with_it() -> None:
    async def story(then: Callable[[MemoryTasks], Any]) -> None:
        rig = Rig()
        under_way = asyncio.create_task(rig.runner.run(rig.queued()))
        await until(lambda: rig.built)
        rig.tasks.want(1, Wanted.PAUSE)
        await until(lambda: rig.task().state is TaskState.PAUSED)
        then(rig.tasks)
        async with asyncio.timeout(5):
            assert await under_way is Ending.PAUSED
        assert len(rig.built) == 1

    asyncio.run(story(lambda tasks: tasks.want(1, Wanted.STOP)))
    asyncio.run(story(lambda tasks: tasks.claim(1, "another", 30.0)))
    asyncio.run(story(lambda tasks: tasks.delete(1)))


def test_who_has_lost_the_claim_stops_working_and_writes_nothing() -> None:
    async def story() -> None:
        rig = Rig()
        under_way = asyncio.create_task(rig.runner.run(rig.queued()))
        await until(lambda: rig.built)
        held = rig.task().claim
        assert held is not None
        rig.tasks.expire(held)
        other = rig.tasks.claim(1, "another", 30.0)
        with pytest.raises(FencedError):
            await under_way
        assert rig.built[0].was_cancelled
        assert (rig.task().claim, rig.task().state) == (other, TaskState.RUNNING)
        assert rig.tasks.checkpoint(1) == Checkpoint()

    asyncio.run(story())


def test_a_task_that_cannot_be_built_is_let_go_and_says_why() -> None:
    rig = Rig()
    rig.trouble = StoreError("no such order")
    with pytest.raises(StoreError, match="no such order"):
        asyncio.run(rig.runner.run(rig.queued()))
    assert (rig.task().state, rig.task().ending, rig.task().claim) == (
        TaskState.STOPPED,
        Ending.FAILED,
        None,
    )
    assert Warned("no such order") in [
        numbered.event for numbered in rig.tasks.events(1).events
    ]


def test_what_another_process_runs_is_not_run_here() -> None:
    rig = Rig()
    rig.tasks.claim(rig.queued(), "another", 30.0)
    with pytest.raises(StoreError, match="running already"):
        asyncio.run(rig.runner.run(1))


def served(
    rig: Rig,
    story: Callable[[], Coroutine[Any, Any, None]],
    at_once: Callable[[int], int] = lambda _: 5,
) -> None:
    async def whole() -> None:
        serving = asyncio.create_task(rig.runner.serve(at_once))
        try:
            await story()
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)

    asyncio.run(whole())


def test_whatever_is_queued_is_served_and_nothing_else() -> None:
    rig = Rig(Ending.FINISHED)

    async def story() -> None:
        paused = rig.queued()
        rig.tasks.want(paused, Wanted.PAUSE)
        stopped = rig.tasks.create(TaskSpec(), TaskState.STOPPED).id
        queued = rig.queued()
        await until(lambda: rig.task(queued).state is TaskState.DONE)
        assert [rig.task(number).state for number in (paused, stopped)] == [
            TaskState.PAUSED,
            TaskState.STOPPED,
        ]
        rig.tasks.want(paused, Wanted.RUN)
        await until(lambda: rig.task(paused).state is TaskState.DONE)

    served(rig, story)


def test_what_a_dead_process_left_is_taken_up_and_what_a_living_one_runs_is_not() -> (
    None
):
    rig = Rig(Ending.FINISHED)
    here = this_process()

    async def story() -> None:
        left, held = (
            rig.tasks.create(TaskSpec(), TaskState.STOPPED).id for _ in range(2)
        )
        rig.tasks.claim(held, "on another machine", 30.0)
        rig.tasks.claim(left, str(here._replace(started="1")), 30.0)
        await until(lambda: rig.task(left).state is TaskState.DONE)
        assert rig.task(held).state is TaskState.RUNNING

    served(rig, story)


def test_what_is_under_way_when_serving_ends_is_queued_for_the_next_time() -> None:
    rig = Rig()

    async def story() -> None:
        rig.queued()
        await until(lambda: rig.built)

    served(rig, story)
    assert (rig.task().state, rig.task().claim) == (TaskState.QUEUED, None)
    assert rig.tasks.checkpoint(1) == Checkpoint({"pages": 3}, b"learned")


def test_tasks_beyond_the_limit_are_queued_again_and_may_take_their_time_to_end() -> (
    None
):
    """Ten looks come while they end: none of them cuts that short, or ends a further task."""
    rig = Rig()
    rig.end_s = 0.1
    limit = 3

    async def story() -> None:
        nonlocal limit
        numbers = [rig.queued() for _ in range(3)]
        await until(lambda: len(rig.built) == 3)
        limit = 2
        await until(lambda: rig.task(numbers[2]).state is TaskState.QUEUED)
        assert rig.ended_well == [numbers[2]]
        states = [rig.task(number).state for number in numbers[:2]]
        assert states == [TaskState.RUNNING] * 2

    served(rig, story, lambda _: limit)
    assert sorted(rig.ended_well) == [1, 2, 3]


def test_a_task_that_is_let_go_is_queued_and_the_others_go_on() -> None:
    rig = Rig()
    rig.end_s = 0.05
    limit = 3

    async def story() -> None:
        nonlocal limit
        first, *others = [rig.queued() for _ in range(3)]
        await until(lambda: len(rig.built) == 3)
        limit = 2
        rig.runner.let_go(first)
        rig.runner.let_go(first)
        rig.runner.let_go(77)
        await until(lambda: rig.task(first).state is TaskState.QUEUED)
        await asyncio.sleep(0.05)
        assert rig.task(first).state is TaskState.QUEUED
        assert [rig.task(n).state for n in others] == [TaskState.RUNNING] * 2
        limit = 3
        await until(lambda: rig.task(first).state is TaskState.RUNNING)

    served(rig, story, lambda _: limit)


def test_one_task_that_fails_does_not_end_the_serving_of_others() -> None:
    rig = Rig(Ending.FINISHED)
    rig.trouble = ValueError("a bug")

    async def story() -> None:
        first = rig.queued()
        await until(lambda: rig.task(first).ending is Ending.FAILED)
        rig.trouble = None
        second = rig.queued()
        await until(lambda: rig.task(second).state is TaskState.DONE)

    served(rig, story)


def test_events_are_thinned_before_they_are_stored_and_the_listener_hears_of_all() -> (
    None
):
    heard: list[Event] = []
    feed = EventFeed(heard.append)
    for _ in range(MAX_VISITS + 3):
        feed.add(VISIT)
    feed.add(SERVICE)
    assert feed.take() == [VISIT] * MAX_VISITS + [SERVICE]
    assert len(heard) == MAX_VISITS + 4
    for second in range(5):
        feed.note(progressed("hosts", second), float(second))
    kept = feed.take()
    assert [event.pages for event in kept if isinstance(event, Progressed)] == [0, 2, 4]
    assert [event for event in kept if isinstance(event, Waiting)] == [Waiting("hosts")]
    feed.add(VISIT)
    assert feed.take() == [VISIT], "each heartbeat has its own visits"
