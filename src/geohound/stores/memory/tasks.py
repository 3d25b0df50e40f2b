"""Tasks in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from geohound.contracts import Clock, FencedError
from geohound.model.crawl.event import Event, EventPage, Numbered, StateChanged
from geohound.model.crawl.shard import Shard
from geohound.model.crawl.task import (
    ALL_TASKS,
    Checkpoint,
    Claim,
    Ending,
    Task,
    TaskFilter,
    TaskId,
    TaskSpec,
    TaskState,
    Wanted,
    state_left,
    state_wanted,
    with_page_limit,
)


class MemoryTasks:
    """All tasks of one process; not for several threads."""

    def __init__(self, clock: Clock, max_events: int = 10_000) -> None:
        self._clock = clock
        self._max_events = max_events
        self._tasks: dict[TaskId, Task] = {}
        self._epochs: dict[TaskId, int] = {}
        self._checkpoints: dict[TaskId, Checkpoint] = {}
        self._events: dict[TaskId, list[Numbered]] = {}
        self._last = 0

    def create(self, spec: TaskSpec, state: TaskState = TaskState.QUEUED) -> Task:
        self._last += 1
        now = self._clock.now()
        task = Task(
            self._last, spec, state, Wanted.RUN, None, now, None, None, None, {}
        )
        self._tasks[task.id] = task
        if state is TaskState.QUEUED:
            self._append(task.id, [StateChanged(state)])
        return task

    def make_part(self, shard: Shard) -> TaskId:
        """A shard of a task, with its specification."""
        whole = self._tasks[shard.parent]
        part = self.create(self._tasks[shard.parent].spec)
        self._tasks[part.id] = replace(part, shard=shard, created_at=whole.created_at)
        return part.id

    def parts_of(self, task: TaskId) -> Sequence[TaskId]:
        """The shards of a task, by number."""
        found = [
            part
            for part in self._tasks.values()
            if part.shard is not None and part.shard.parent == task
        ]
        return [part.id for part in found]  # made in the order of their numbers

    def get(self, task: TaskId) -> Task | None:
        found = self._tasks.get(task)
        return found and replace(found, shards=len(self.parts_of(task)))

    def list(self, which: TaskFilter = ALL_TASKS) -> Sequence[Task]:
        latest_first = reversed(self._tasks.values())
        return [
            replace(task, shards=len(self.parts_of(task.id)))
            for task in latest_first
            if (not which.states or task.state in which.states)
            and (
                which.parent is not None
                or which.parts in (None, task.shard is not None)
            )
            and which.parent in (None, task.shard and task.shard.parent)
        ]

    def want(self, task: TaskId, wanted: Wanted) -> Task | None:
        found = self._tasks.get(task)
        if found is None:
            return None
        state = (
            found.state
            if found.is_held(self._clock.now())
            else state_wanted(found.state, wanted)
        )
        self._tasks[task] = replace(found, wanted=wanted, state=state)
        if state is not found.state:
            self._append(task, [StateChanged(state)])
        return self._tasks[task]

    def limit_pages(self, task: TaskId, max_pages: int) -> None:
        for each in (task, *self.parts_of(task)):
            if each in self._tasks:
                found = self._tasks[each]
                spec = with_page_limit(found.spec, max_pages)
                self._tasks[each] = replace(found, spec=spec)

    def claim(self, task: TaskId, holder: str, ttl_s: float) -> Claim | None:
        found = self._tasks.get(task)
        now = self._clock.now()
        if found is None or found.is_held(now):
            return None
        epoch = self._epochs[task] = self._epochs.get(task, 0) + 1
        claim = Claim(task, holder, epoch)
        self._tasks[task] = replace(
            found,
            state=TaskState.RUNNING,
            ending=None,
            finished_at=None if found.claim else found.finished_at,
            claim=claim,
            expires_at=now + timedelta(seconds=ttl_s),
        )
        self._append(task, [StateChanged(TaskState.RUNNING)])
        return claim

    def expire(self, claim: Claim) -> None:
        found = self._tasks.get(claim.task)
        if found is not None and found.claim == claim:
            self._tasks[claim.task] = replace(found, expires_at=self._clock.now())

    def renew(self, claim: Claim, ttl_s: float) -> Wanted:
        found = self._held(claim)
        self._tasks[claim.task] = replace(
            found, expires_at=self._clock.now() + timedelta(seconds=ttl_s)
        )
        return found.wanted

    def save(self, claim: Claim, checkpoint: Checkpoint) -> None:
        found = self._held(claim)
        self._tasks[claim.task] = replace(found, counters=checkpoint.counters)
        self._checkpoints[claim.task] = checkpoint

    def checkpoint(self, task: TaskId) -> Checkpoint:
        return self._checkpoints.get(task, Checkpoint())

    def release(self, claim: Claim, state: TaskState, ending: Ending) -> TaskState:
        found = self._held(claim)
        state, ending = state_left(state, ending, found.wanted)
        self._tasks[claim.task] = replace(
            found,
            state=state,
            ending=ending,
            finished_at=self._clock.now(),
            claim=None,
            expires_at=None,
        )
        self._append(claim.task, [StateChanged(state, ending)])
        return state

    def delete(self, task: TaskId) -> bool:
        with_parts = [*self.parts_of(task), task]
        now = self._clock.now()
        if any(
            each in self._tasks and self._tasks[each].is_held(now)
            for each in with_parts
        ):
            return False
        for kept in (self._tasks, self._epochs, self._checkpoints, self._events):
            for each in with_parts:
                kept.pop(each, None)
        return True

    def emit(self, claim: Claim, events: Sequence[Event]) -> None:
        self._held(claim)
        self._append(claim.task, events)

    def events(self, task: TaskId, after: int = 0, limit: int = 1000) -> EventPage:
        kept = self._events.get(task, [])
        first = kept[0].n if kept else 0
        return EventPage(
            first, tuple(event for event in kept if event.n > after)[:limit]
        )

    def events_of(
        self, after: Mapping[TaskId, int], limit: int = 1000
    ) -> Mapping[TaskId, Sequence[Numbered]]:
        found: dict[TaskId, Sequence[Numbered]] = {}
        for task in sorted(after):
            page = self.events(task, after[task], limit).events
            limit -= len(page)
            if page:
                found[task] = page
        return found

    def _held(self, claim: Claim) -> Task:
        found = self._tasks.get(claim.task)
        if found is None or found.claim != claim:
            raise FencedError(f"Task {claim.task} is run by another process by now.")
        return found

    def _append(self, task: TaskId, events: Sequence[Event]) -> None:
        kept = self._events.setdefault(task, [])
        last = kept[-1].n if kept else 0
        kept += [
            Numbered(last + number, self._clock.now(), event)
            for number, event in enumerate(events, 1)
        ]
        del kept[: -self._max_events]
