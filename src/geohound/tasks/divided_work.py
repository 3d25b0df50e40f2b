"""A task that is divided: it makes its shards, adds up their numbers, and ends when they have ended."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields
from typing import Any

from geohound.contracts import Clock, ShardStore, TaskStore
from geohound.model.crawl.event import (
    CheckEnded,
    Progressed,
    ServiceFound,
    VisitEnded,
    Warned,
)
from geohound.model.crawl.task import (
    Checkpoint,
    Claim,
    Ending,
    Task,
    TaskFilter,
    TaskId,
    TaskKind,
    TaskState,
    Wanted,
)

from .event_feed import EventFeed
from .recounting import Records, recount

LOOK_S = 1.0
MOST_EVENTS = 5000  # of shards, passed on at a time
STOP_S = 60.0  # for shards to end when they are asked to
# Others run whole, on one of the machines.
DIVIDED = (TaskKind.CRAWL, TaskKind.HARVEST, TaskKind.MONITOR)
_ADDED = (
    "pages", "visits", "requests", "bytes", "services", "layers", "known", "tested", "hosts", "records", "data_files",
    "skipped", "pages_known", "queue", "in_flight", "fetchers", "testers", "active_hosts", "inactive_hosts",
)  # fmt: skip
_CHECKS = ("due", "checked", "ok", "failed", "changed", "candidates", "found")
_COUNTED = ("drops", "kinds", "via", "tests", "proofs")
_PASSED_ON = (ServiceFound, VisitEnded, CheckEnded, Warned)
# Of the endings of shards the gravest is that of the task.
_GRAVEST = (
    Ending.FAILED,
    Ending.NETWORK_LOST,
    Ending.PAGE_BUDGET,
    Ending.TIME,
    Ending.SOURCE_FAILED,
    Ending.UNREACHED,
)


def is_divided(task: Task) -> bool:
    """Is this a task for the supervisor of a cluster, which divides it?"""
    return task.shard is None and task.spec.kind in DIVIDED


def is_run_whole(task: Task) -> bool:
    """Is this a task, or a part of one, that one process runs?"""
    return not is_divided(task)


@dataclass(frozen=True, slots=True)
class DividedParts:
    """What a divided task needs."""

    tasks: TaskStore
    shards: ShardStore
    records: Records
    clock: Clock
    count: int  # into how many shards a new task is divided


@dataclass(frozen=True, slots=True)
class DividedBuilder:
    """Builds tasks that others work for."""

    parts: DividedParts

    @asynccontextmanager
    async def build(
        self, task: Task, claim: Claim, feed: EventFeed
    ) -> AsyncIterator[DividedWork]:
        shards = await asyncio.to_thread(
            self.parts.shards.divide, claim, self.parts.count
        )
        yield DividedWork(self.parts, task, shards, feed)


class DividedWork:
    """The whole of a task whose shards others run."""

    def __init__(
        self, parts: DividedParts, task: Task, shards: Sequence[TaskId], feed: EventFeed
    ) -> None:
        self._parts = parts
        self._task = task
        self._shards = shards
        self._feed = feed
        self._before = dict(task.counters)
        self._seen = dict.fromkeys(shards, 0)  # events that were passed on
        self._now: list[Task] = []
        self._began = parts.clock.monotonic()
        self._counted: dict[str, Any] | None = None
        self._is_stopped = False
        self._ending: Ending | None = None
        self._is_monitor = task.spec.kind is TaskKind.MONITOR

    async def run(self) -> Ending:
        tasks = self._parts.tasks
        self._now = await asyncio.to_thread(self._look)
        for shard in self._now:
            if shard.state is not TaskState.DONE:
                await asyncio.to_thread(tasks.want, shard.id, Wanted.RUN)
        while not self._is_stopped and not self._is_time_over():
            self._now = await asyncio.to_thread(self._look)
            if all(
                shard.state in (TaskState.DONE, TaskState.STOPPED)
                for shard in self._now
            ):
                break
            await self._parts.clock.sleep(LOOK_S)
        ending = await self._end()
        if not self._is_monitor:
            self._counted = await asyncio.to_thread(
                recount, self._parts.records, self._task.id, self._sums()
            )
        self._ending = ending
        return ending

    async def _end(self) -> Ending:
        """Ask the shards to end where they are still at work; the gravest of their endings."""
        if self._is_stopped or self._is_time_over():
            found = self._parts.tasks.get(self._task.id)
            wanted = (
                Wanted.PAUSE
                if found is not None and found.wanted is Wanted.PAUSE
                else Wanted.STOP
            )
            for shard in self._shards:
                await asyncio.to_thread(self._parts.tasks.want, shard, wanted)
            await self._until_let_go()
            return Ending.STOPPED if self._is_stopped else Ending.TIME
        endings = {shard.ending for shard in self._now}
        return next((grave for grave in _GRAVEST if grave in endings), Ending.FINISHED)

    async def _until_let_go(self) -> None:
        give_up_at = self._parts.clock.monotonic() + STOP_S
        while self._parts.clock.monotonic() < give_up_at:
            self._now = await asyncio.to_thread(self._look)
            now = self._parts.clock.now()
            if not any(shard.is_held(now) for shard in self._now):
                return
            await self._parts.clock.sleep(LOOK_S / 4)

    def _is_time_over(self) -> bool:
        most = self._task.spec.budget.max_time_s or 0.0
        return 0 < most <= self._parts.clock.monotonic() - self._began

    def _look(self) -> list[Task]:
        """The shards as they are, and what has happened to them passed on."""
        tasks = self._parts.tasks
        found = tasks.list(TaskFilter(parent=self._task.id))
        for shard, events in tasks.events_of(self._seen, MOST_EVENTS).items():
            self._seen[shard] = events[-1].n
            for numbered in events:
                if isinstance(numbered.event, _PASSED_ON):
                    self._feed.add(numbered.event)
        return sorted(found, key=lambda shard: shard.id)

    def _sums(self) -> dict[str, Any]:
        sums: dict[str, Any] = {
            name: sum(shard.counters.get(name, 0) for shard in self._now)
            for name in (*_ADDED, *(_CHECKS if self._is_monitor else ()))
        }
        for name in _COUNTED:
            total: Counter[str] = Counter()
            for shard in self._now:
                total.update(_plain_counts(shard.counters.get(name)))
            sums[name] = dict(total.most_common())
        return sums

    def summary(self) -> dict[str, Any]:
        """The numbers of all shards together."""
        run_s = self._parts.clock.monotonic() - self._began
        elapsed_s = self._before.get("elapsed_s", 0.0) + run_s
        numbers = self._counted or self._sums()
        first = next((shard.counters for shard in self._now if shard.counters), {})
        per_s = round(numbers["pages"] / elapsed_s, 2) if elapsed_s > 0 else 0.0
        return {**first, **numbers} | {
            "task": self._task.id,
            "shards": len(self._shards),
            "elapsed_s": round(elapsed_s, 2),
            "pages_per_s": per_s,
            "run": {
                "elapsed_s": round(run_s, 2),
                "pages_per_s": per_s,
                "pages": numbers["pages"],
            },
            "finished": self._ending is Ending.FINISHED,
            "ended": str(self._ending or ""),
            "unreached": [
                each
                for shard in self._now
                for each in shard.counters.get("unreached", ())
            ],
            "unread": [
                each for shard in self._now for each in shard.counters.get("unread", ())
            ],
        }

    def stop(self) -> None:
        self._is_stopped = True

    def checkpoint(self) -> Checkpoint:
        return Checkpoint(self.summary())

    def progress(self) -> Progressed:
        now = self.summary()
        known = {field.name for field in fields(Progressed)}
        said = {name: value for name, value in now.items() if name in known}
        zero = {"cpu_s": time.process_time(), "memory_mb": 0.0, "waiting": ""}
        if self._is_monitor:
            looks, left = now["checked"], max(0, now["due"] - now["checked"])
            said |= {"visits": looks, "services": looks, "queue": left}
        return Progressed(
            **{
                **zero,
                **said,
                "run_s": now["run"]["elapsed_s"],
                "run_pages_per_s": now["pages_per_s"],
            }
        )


def _plain_counts(counts: Any) -> Mapping[str, int]:
    return (
        {name: n for name, n in counts.items() if isinstance(n, int)}
        if isinstance(counts, Mapping)
        else {}
    )
