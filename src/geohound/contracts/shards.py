"""What a store must offer to divide a task over several processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from geohound.model.work.shard import Parcel, Shard, ShardNumbers
    from geohound.model.work.task import Claim, TaskId


class ShardStore(Protocol):
    """The shards of tasks, the links that they send each other, and how they share a budget of pages.

    Links are sent with the batch of the log that settles their page (`FrontierBatch.sent`), so that both are kept or
    neither. A claim that is stale raises FencedError; nothing changes.
    """

    def divide(self, claim: Claim, count: int) -> Sequence[TaskId]:
        """The shards of a task, each a task with the same specification; made once, whatever `count` says later."""

    def shards(self, task: TaskId) -> Sequence[TaskId]:
        """Those of a task, by number; none where it was never divided."""

    def receive(self, shard: Shard, limit: int) -> Sequence[Parcel]:
        """What others have sent to a shard and it has not acknowledged, oldest first."""

    def acknowledge(self, claim: Claim, parcels: Sequence[int]) -> None:
        """What they held is in the log of this shard."""

    def note_idle(
        self, claim: Claim, *, is_idle: bool, has_more: bool, used: int
    ) -> None:
        """This shard waits for links, or, where it has more, for pages; pages that it did not use go back."""

    def grant(self, claim: Claim, most: int, some: int) -> int:
        """How many pages this shard may visit in all: some more, as far as all stay within `most`."""

    def write_status(self, body: bytes) -> None:
        """How the cluster that works for this catalogue stands, as its supervisor wrote it."""

    def status(self) -> bytes:
        """What was written last; empty where no cluster ever worked for it."""

    def numbers(self, task: TaskId) -> ShardNumbers:
        """In one look. A task is over where all are idle, no parcel is under way, and nobody is short of pages left."""
