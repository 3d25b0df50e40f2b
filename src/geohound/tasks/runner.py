"""Runs tasks: claims one, builds it, runs it with a heartbeat, and releases it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from datetime import datetime
from typing import NamedTuple, Protocol

from geohound.contracts import Clock, FencedError, StoreError, TaskStore
from geohound.model.crawl.event import Event, Numbered, Progressed, StateChanged, Warned
from geohound.model.crawl.task import (
    UNDER_WAY,
    Checkpoint,
    Claim,
    Ending,
    Task,
    TaskId,
    TaskKind,
    TaskState,
    Wanted,
)

from .claiming import TTL_S, claim_task, is_claimable
from .event_feed import EventFeed, Listener

log = logging.getLogger(__name__)

BEAT_S = 1.0
SAVE_EVERY_S = 5.0
LOOK_EVERY_S = 0.5  # how often we look for queued tasks


QUICK_S = 120.0  # a task whose process dies sooner may be the reason for it
MAX_QUICK_CRASHES = 5  # in a row
MAX_CRASHES = 20  # in a row, however long the runs were
FIRST_PAUSE_S = 5.0  # before the third try; twice as long before each further one
LONGEST_PAUSE_S = 300.0
_PAGE = 1000


def is_whole(task: Task) -> bool:
    """Is it neither a part of another task nor divided into parts?"""
    return task.shard is None and not task.shards


class Work(Protocol):
    """A task that has been built."""

    async def run(self) -> Ending:
        """Work until nothing is left, the budget is spent, or `stop` is called."""

    def stop(self) -> None:
        """Finish what is in flight and end."""

    def checkpoint(self) -> Checkpoint:
        """What the next run must know."""

    def progress(self) -> Progressed: ...


Build = Callable[[Task, Claim, EventFeed], AbstractAsyncContextManager[Work]]


class TaskRunner:
    """Runs the tasks of one store in this process."""

    def __init__(
        self,
        tasks: TaskStore,
        build: Build,
        clock: Clock,
        listener: Listener | None = None,
        *,
        suspects: bool = True,
    ) -> None:
        """With `suspects`, a task whose process died several times is retried with care, as it may be the reason."""
        self._suspects = suspects
        self._tasks = tasks
        self._build = build
        self._clock = clock
        self._listener = listener
        self._woken = asyncio.Event()
        self._running: dict[TaskId, asyncio.Task[None]] = {}  # what is served
        self._leaving: set[TaskId] = set()  # of these, what was asked to end
        # when a crashed task may be retried, and whether it is a suspect
        self._retries: dict[TaskId, tuple[float, bool]] = {}
        self._suspect_until = 0.0  # no other suspect is retried before

    async def run(self, task: TaskId) -> Ending:
        """Run one task from where it was left to the end of its budget; StoreError where another runs it.

        A paused task has no runner: this one continues it when it is resumed, unless another runner was faster.
        """
        claim: Claim | None = claim_task(self._tasks, task)
        self._tasks.want(task, Wanted.RUN)
        ending = Ending.PAUSED
        while claim is not None:
            ending = await self._run(claim, TaskState.STOPPED)
            claim = await self._when_wanted(task)
        return ending

    async def serve(
        self,
        at_once: int | Callable[[int], int] = 5,
        which: Callable[[Task], bool] = is_whole,
    ) -> None:
        """Run queued tasks, and tasks whose process has died, until cancelled; `which` selects them.

        Tasks that are under way then are queued again, so that whoever serves next goes on with them. How many run at
        once may change: `at_once` may be a function of how many do; beyond it the last ones are queued again.
        """
        try:
            while True:
                self._forget_ended()
                running = len(self._running)
                limit = at_once(running) if callable(at_once) else at_once
                staying = [each for each in self._running if each not in self._leaving]
                for task in staying[limit:]:
                    self.let_go(task)
                self._begin(limit - running, which)
                await self._clock.sleep(LOOK_EVERY_S)
        finally:
            for task in self._running:
                self.let_go(task)
            await asyncio.gather(*self._running.values(), return_exceptions=True)
            self._forget_ended()

    def let_go(self, task: TaskId) -> None:
        """Queue a task again that is served here, for whoever takes it up first."""
        if task in self._running and task not in self._leaving:
            # Once: a second time would cut short what it does in order to end well.
            self._leaving.add(task)
            self._running[task].cancel()

    def _forget_ended(self) -> None:
        self._running = {
            task: run for task, run in self._running.items() if not run.done()
        }
        self._leaving &= self._running.keys()

    def _begin(self, most: int, which: Callable[[Task], bool]) -> None:
        """Start queued tasks, the oldest first."""
        started = 0
        for task in reversed(self._tasks.list(UNDER_WAY) if most > 0 else ()):
            is_ours = task.id not in self._running and which(task)
            claim = self._take(task) if is_ours else None
            if claim is not None:
                self._running[task.id] = asyncio.create_task(self._serve_one(claim))
                started += 1
            if started >= most:
                break

    async def _when_wanted(self, task: TaskId) -> Claim | None:
        """Claim a task that was resumed while it was stopping, or once it is; None if it ends, or another runs it."""
        found = self._tasks.get(task)
        is_paused = found is not None and found.state is TaskState.PAUSED
        if is_paused and self._listener is not None:
            self._listener(StateChanged(TaskState.PAUSED, Ending.PAUSED))
        while found is not None and found.state is TaskState.PAUSED:
            await self._pause(LOOK_EVERY_S)
            found = self._tasks.get(task)
        return self._take(found) if found is not None else None

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._woken.wait(), seconds)
        self._woken.clear()

    def look_now(self) -> None:
        """The desired state was just changed: read it now, without waiting for the next heartbeat."""
        self._woken.set()

    def _take(self, task: Task) -> Claim | None:
        if not is_claimable(task, self._clock.now()):
            return None
        has_crashed = task.state is TaskState.RUNNING and self._suspects
        if has_crashed and not self._may_retry(task.id):
            return None
        with suppress(StoreError):  # another was faster
            return claim_task(self._tasks, task.id)
        return None

    def _may_retry(self, task: TaskId) -> bool:
        """May a task whose process has died be retried now? Suspects are retried one at a time, to find the guilty one."""
        now = self._clock.monotonic()
        if task not in self._retries:
            crashes = count_crashes(all_events(self._tasks, task))
            if crashes.are_too_many:
                self._give_up(task, crashes)
                return False
            self._retries[task] = now + crashes.pause_s, crashes.quick > 1
        due, is_suspect = self._retries[task]
        if now < due or (is_suspect and now < self._suspect_until):
            return False
        del self._retries[task]
        if is_suspect:
            self._suspect_until = now + QUICK_S
        return True

    def _give_up(self, task: TaskId, crashes: Crashes) -> None:
        message = (
            f"The process that runs this task died {crashes.all} times in a row; it is not tried again by itself. "
            f"The log of geohound serve may say why. To try again: geohound tasks resume {task}"
        )
        log.warning("Task %d has failed: %s", task, message)
        with suppress(StoreError):  # another was faster
            claim = claim_task(self._tasks, task)
            self._tasks.emit(claim, [Warned(message)])
            self._tasks.release(claim, TaskState.STOPPED, Ending.FAILED)

    async def _serve_one(self, claim: Claim) -> None:
        """Run one task; if it fails, the others go on, and its events say why."""
        try:
            await self._run(claim, TaskState.QUEUED)
        except Exception as error:
            log.warning("Task %d has failed: %s", claim.task, error)

    async def _run(self, claim: Claim, left: TaskState) -> Ending:
        """One run; `left` is the state of a task whose run was cancelled."""
        feed = EventFeed(self._listener)
        state, ending = TaskState.STOPPED, Ending.FAILED
        try:
            task = self._tasks.get(claim.task)
            if task is None:
                raise StoreError(f"There is no task {claim.task} in this catalogue.")
            asked = asyncio.Event()
            async with self._build(task, claim, feed) as work:
                ending = await self._work(claim, work, feed, asked)
            state = _outcome(ending, was_asked=asked.is_set())
        except asyncio.CancelledError:
            state, ending = left, Ending.STOPPED
            raise
        except FencedError:
            raise
        except Exception as error:
            feed.keep(Warned(str(error)))
            raise
        finally:
            # the store fails, or another process has the task by now
            with suppress(StoreError):
                self._tasks.emit(claim, feed.take())
                state = self._tasks.release(claim, state, ending)
        return Ending.PAUSED if state is TaskState.PAUSED else ending

    async def _work(
        self, claim: Claim, work: Work, feed: EventFeed, asked: asyncio.Event
    ) -> Ending:
        """Work and beat together; a heartbeat that fails ends the work. `asked` is set once somebody asks it to end."""
        working = asyncio.create_task(work.run())
        beating = asyncio.create_task(self._beat(claim, work, feed, asked))
        try:
            await asyncio.wait({working, beating}, return_when=asyncio.FIRST_COMPLETED)
            if beating.done():
                beating.result()
            return await working
        finally:
            for each in (working, beating):
                each.cancel()
            await asyncio.gather(working, beating, return_exceptions=True)
            feed.keep(work.progress())
            with suppress(StoreError):  # such an error is why the run ends
                self._tasks.save(claim, work.checkpoint())

    async def _beat(
        self, claim: Claim, work: Work, feed: EventFeed, asked: asyncio.Event
    ) -> None:
        """The heartbeat: renew the claim, obey the desired state, save counters, store events."""
        saved_at = -SAVE_EVERY_S  # the first numbers come with the first beat
        while True:
            await self._pause(BEAT_S)
            now = self._clock.monotonic()
            feed.note(work.progress(), now)
            if (
                await asyncio.to_thread(self._pass_on, claim, feed.take())
                is not Wanted.RUN
            ):
                asked.set()
                work.stop()
            if now - saved_at >= SAVE_EVERY_S:
                saved_at = now
                await asyncio.to_thread(self._tasks.save, claim, work.checkpoint())

    def _pass_on(self, claim: Claim, events: Sequence[Event]) -> Wanted:
        if events:
            self._tasks.emit(claim, events)
        return self._tasks.renew(claim, TTL_S)


def _outcome(ending: Ending, *, was_asked: bool) -> TaskState:
    """The state after a run: who has asked it to end may want it paused, or resumed it while it was stopping."""
    if ending is Ending.FINISHED:
        return TaskState.DONE
    is_obeyed = was_asked and ending is Ending.STOPPED
    return TaskState.QUEUED if is_obeyed else TaskState.STOPPED


class Crashes(NamedTuple):
    """Runs in a row that ended because their process died."""

    all: int = 0
    quick: int = 0

    def plus(self, seconds: float) -> Crashes:
        return Crashes(self.all + 1, self.quick + 1 if seconds < QUICK_S else 0)

    @property
    def are_too_many(self) -> bool:
        return self.quick >= MAX_QUICK_CRASHES or self.all >= MAX_CRASHES

    @property
    def pause_s(self) -> float:
        """The pause before a retry; none after the first death, as most are caused by a person or a power cut."""
        return (
            min(FIRST_PAUSE_S * 2.0 ** (self.quick - 2), LONGEST_PAUSE_S)
            if self.quick > 1
            else 0.0
        )


def count_crashes(events: Iterable[Numbered]) -> Crashes:
    """Of a task that nobody runs, though its last event of state says that it runs; oldest event first."""
    crashes, began, last = Crashes(), None, None
    for _, at, event in events:
        if isinstance(event, StateChanged):
            if event.state is not TaskState.RUNNING:
                crashes, began = Crashes(), None
            else:
                crashes = _counted(crashes, began, last)
                began = at
        last = at
    return _counted(crashes, began, last)


def _counted(
    crashes: Crashes, began: datetime | None, last: datetime | None
) -> Crashes:
    """The counts with one more run, which began then and was last heard of at `last`."""
    return crashes.plus((last - began).total_seconds()) if began and last else crashes


def all_events(tasks: TaskStore, task: TaskId) -> Iterable[Numbered]:
    after = 0
    while page := tasks.events(task, after, _PAGE).events:
        yield from page
        after = page[-1].n


def builder_of(crawl: Build, monitor: Build) -> Build:
    """Chooses the builder of a task: one for crawls, hunts and harvests, one for monitors."""

    def build(
        task: Task, claim: Claim, feed: EventFeed
    ) -> AbstractAsyncContextManager[Work]:
        chosen = monitor if task.spec.kind is TaskKind.MONITOR else crawl
        return chosen(task, claim, feed)

    return build
