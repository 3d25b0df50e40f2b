"""Shards of tasks and what they send each other, in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from geohound.contracts import FencedError
from geohound.model.crawl.shard import Parcel, Shard, ShardNumbers
from geohound.model.crawl.task import Claim, TaskId
from geohound.model.visit import Candidate

from .tasks import MemoryTasks


@dataclass(slots=True)
class _Share:
    """How one shard stands."""

    is_idle: bool = False
    has_more: bool = False
    granted: int = 0


class MemoryShards:
    """The divided tasks of one process; not for several threads."""

    def __init__(self, tasks: MemoryTasks) -> None:
        self._tasks = tasks
        self._shares: dict[TaskId, _Share] = {}
        self._parcels: dict[int, tuple[TaskId, int, tuple[Candidate, ...]]] = {}
        self._sent = 0
        self._status = b""

    def divide(self, claim: Claim, count: int) -> Sequence[TaskId]:
        self._check(claim)
        known = self._tasks.parts_of(claim.task)
        return known or [
            self._tasks.make_part(Shard(claim.task, number, count))
            for number in range(count)
        ]

    def shards(self, task: TaskId) -> Sequence[TaskId]:
        return self._tasks.parts_of(task)

    def send(
        self, claim: Claim, links: Mapping[tuple[TaskId, int], Sequence[Candidate]]
    ) -> None:
        """Part of what the log writes at once (`FrontierBatch.sent`)."""
        self._check(claim)
        for (parent, number), found in links.items():
            self._sent += 1
            self._parcels[self._sent] = parent, number, tuple(found)

    def receive(self, shard: Shard, limit: int) -> Sequence[Parcel]:
        found = [
            Parcel(sent, links)
            for sent, (parent, number, links) in self._parcels.items()
            if (parent, number) == (shard.parent, shard.number)
        ]
        return found[:limit]

    def acknowledge(self, claim: Claim, parcels: Sequence[int]) -> None:
        self._check(claim)
        for number in parcels:
            self._parcels.pop(number, None)

    def note_idle(
        self, claim: Claim, *, is_idle: bool, has_more: bool, used: int
    ) -> None:
        self._check(claim)
        share = self._share(claim.task)
        share.is_idle, share.has_more = is_idle, has_more
        if is_idle:
            share.granted = min(share.granted, used)

    def grant(self, claim: Claim, most: int, some: int) -> int:
        self._check(claim)
        task = self._tasks.get(claim.task)
        if task is None or task.shard is None:
            raise FencedError(f"Task {claim.task} is no shard.")
        total = self.numbers(task.shard.parent).granted
        more = max(0, min(some, most - total))
        share = self._share(claim.task)
        share.granted += more
        share.is_idle = share.is_idle and not more
        return share.granted

    def write_status(self, body: bytes) -> None:
        self._status = body

    def status(self) -> bytes:
        return self._status

    def numbers(self, task: TaskId) -> ShardNumbers:
        shares = [self._share(part) for part in self._tasks.parts_of(task)]
        sent = sum(parent == task for parent, _, _ in self._parcels.values())
        return ShardNumbers(
            len(shares),
            sum(share.is_idle for share in shares),
            sum(share.is_idle and share.has_more for share in shares),
            sent if shares else 0,
            sum(share.granted for share in shares),
        )

    def _share(self, task: TaskId) -> _Share:
        return self._shares.setdefault(task, _Share())

    def _check(self, claim: Claim) -> None:
        task = self._tasks.get(claim.task)
        if task is None or task.claim != claim:
            raise FencedError(f"Task {claim.task} is run by another process by now.")
