"""Events of tasks for those who follow them: one reader a task asks the store, however many follow."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter, deque
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Collection,
    Sequence,
)
from contextlib import aclosing, asynccontextmanager, suppress
from functools import partial

from geohound.contracts import StoreError
from geohound.model.crawl.event import EventPage, Numbered
from geohound.model.crawl.task import TaskId, TaskState
from geohound.tasks.control import NoSuchTaskError, TaskControl, state_of

log = logging.getLogger(__name__)

POLL_S = 0.5
HINTED_POLL_S = 2.0  # where hints say that something was written
HEARTBEAT_S = 15.0
MAX_FOLLOWERS = 200
MOST_OF_VISITOR = 20  # so that one cannot take all places
PAGE = 500  # events that are read at once
MAX_RECENT = 200  # events of a task that are kept here for its followers; who is further behind asks the store
# after which nobody is expected to take up a task whose process was killed
KILLED_S = 90.0
_ENDED = (TaskState.DONE, TaskState.STOPPED)


class TooManyFollowersError(Exception):
    """No more can follow for now."""


class TaskEvents:
    """Hands out the events of tasks as they come; all methods are for the event loop of the portal."""

    def __init__(self, control: TaskControl) -> None:
        self._control = control
        self._readers: dict[TaskId, _Reader] = {}
        self._followers: Counter[str] = Counter()  # by visitor
        self._loop: asyncio.AbstractEventLoop | None = None
        self.is_closing: Callable[[], bool] = lambda: False
        self.is_hinted: Callable[[], bool] = lambda: False  # will `heard` be called?

    def heard(self, topics: Collection[str]) -> None:
        """Something was written about these; for any thread."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the portal has ended
                self._loop.call_soon_threadsafe(self._ask, topics)

    def _ask(self, topics: Collection[str]) -> None:
        for task, reader in self._readers.items():
            if f"task {task}" in topics or "*" in topics:
                reader.hinted.set()

    async def wait(
        self, task: TaskId, after: int, wait_s: float, visitor: str = ""
    ) -> EventPage:
        """Events with greater numbers, at once where there are some, otherwise when there are or time is up."""
        page = await asyncio.to_thread(self._control.events, task, after, PAGE)
        if (
            page.events
            or wait_s <= 0
            or await asyncio.to_thread(has_ended, self._control, task)
        ):
            return page
        with self.place(visitor), suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                await self._something(task, after)
        return await asyncio.to_thread(self._control.events, task, after, PAGE)

    async def _something(self, task: TaskId, after: int) -> None:
        """Wait until there are events, or none will come."""
        async with aclosing(self.follow(task, after)) as batches:
            async for events in batches:
                if events:
                    return

    def place(self, visitor: str = "") -> _Place:
        """Room for one who follows, kept until it is left; TooManyFollowersError where there is none."""
        if (
            self._followers.total() >= MAX_FOLLOWERS
            or self._followers[visitor] >= MOST_OF_VISITOR
        ):
            raise TooManyFollowersError
        self._followers[visitor] += 1
        return _Place(partial(self._leave, visitor))

    def _leave(self, visitor: str) -> None:
        self._followers[visitor] -= 1
        if not self._followers[visitor]:
            del self._followers[visitor]

    async def follow(
        self, task: TaskId, after: int
    ) -> AsyncGenerator[Sequence[Numbered], None]:
        """Events as they come, until the task has ended and all were given; an empty batch says that nothing comes."""
        async with self._reading(task, after) as reader:
            while True:
                changed, is_over = reader.changed, reader.is_over or self.is_closing()
                events = await reader.after(after)
                if events:
                    after = events[-1].n
                    yield events
                elif is_over:
                    return
                else:
                    try:
                        await asyncio.wait_for(changed.wait(), HEARTBEAT_S)
                    except TimeoutError:
                        yield ()

    @asynccontextmanager
    async def _reading(self, task: TaskId, after: int) -> AsyncIterator[_Reader]:
        """The reader of this task, which lives as long as somebody follows it and the task has not ended."""
        self._loop = asyncio.get_running_loop()
        reader = self._readers.get(task)
        if reader is None or reader.is_over:
            reader = self._readers[task] = _Reader(
                self._control, task, after, self.is_closing, self.is_hinted
            )
            reader.start()
        reader.followers += 1
        try:
            yield reader
        finally:
            reader.followers -= 1
            if not reader.followers:
                reader.stop()
                if self._readers.get(task) is reader:
                    del self._readers[task]


class _Place:
    """Given back once, however often it is left."""

    def __init__(self, leave: Callable[[], None]) -> None:
        self._leave: Callable[[], None] | None = leave

    def leave(self) -> None:
        if self._leave is not None:
            self._leave()
            self._leave = None

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        self.leave()


class _Reader:
    """Asks the store for new events of one task, at a hint and now and then, and wakes those who wait for them."""

    def __init__(
        self,
        control: TaskControl,
        task: TaskId,
        after: int,
        is_closing: Callable[[], bool],
        is_hinted: Callable[[], bool],
    ) -> None:
        self._control = control
        self._task = task
        self._is_closing = is_closing
        self._is_hinted = is_hinted
        self.hinted = asyncio.Event()  # that there may be events
        self._recent: deque[Numbered] = deque(maxlen=MAX_RECENT)
        self._last = after
        self._killed_at: float | None = None
        self._reading: asyncio.Task[None] | None = None
        # set when something has changed; another stands here then
        self.changed = asyncio.Event()
        self.followers = 0
        self.is_over = False

    def start(self) -> None:
        self._reading = asyncio.create_task(self._read())

    def stop(self) -> None:
        if self._reading is not None:
            self._reading.cancel()

    async def after(self, number: int) -> Sequence[Numbered]:
        """The next events after this number that are there now."""
        kept_after = self._recent[0].n - 1 if self._recent else self._last
        if number >= kept_after:
            return [event for event in self._recent if event.n > number]
        page = await asyncio.to_thread(self._control.events, self._task, number, PAGE)
        return page.events

    async def _read(self) -> None:
        try:
            while not self.is_over and not self._is_closing():
                ended = await asyncio.to_thread(self._look)
                page = await asyncio.to_thread(
                    self._control.events, self._task, self._last, PAGE
                )
                if page.events:
                    self._recent.extend(page.events)
                    self._last = page.events[-1].n
                    self._wake()
                self.is_over = ended and not page.events
                if not page.events and not self.is_over:
                    await self._pause()
        except StoreError as error:
            log.warning("The events of task %d cannot be read: %s", self._task, error)
        finally:
            self.is_over = True
            self._wake()

    async def _pause(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(HINTED_POLL_S if self._is_hinted() else POLL_S):
                await self.hinted.wait()
        self.hinted.clear()

    def _wake(self) -> None:
        changed, self.changed = self.changed, asyncio.Event()
        changed.set()

    def _look(self) -> bool:
        """Has the task ended? Asked before its events are read, so that none can come between."""
        try:
            task = self._control.find(self._task)
        except NoSuchTaskError:
            return True
        if task.state is TaskState.RUNNING and state_of(task) is not TaskState.RUNNING:
            self._killed_at = self._killed_at or time.monotonic()
            return time.monotonic() - self._killed_at > KILLED_S
        self._killed_at = None
        return task.state in _ENDED


def has_ended(control: TaskControl, task: TaskId) -> bool:
    """Will nothing more happen unless somebody wants it? One whose process was killed may be taken up by another."""
    return control.find(task).state in _ENDED
