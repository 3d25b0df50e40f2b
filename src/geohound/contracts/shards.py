"""What a store must offer to divide a task over several processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from geohound.model.crawl.shard import Parcel, Shard, ShardNumbers
    from geohound.model.crawl.task import Claim, TaskId


class ShardStore(Protocol):
    """The shards of tasks, the links that they send each other, and how they share a budget of pages.

    Links are sent with the batch of the log that settles their page (`FrontierBatch.sent`), so that both are kept or
    neither. A claim that is stale raises FencedError; nothing changes.
    """

    def divide(self, claim: Claim, count: int) -> Sequence[TaskId]:
        """Create the shards of a task, each a task with its specification; later calls return those, whatever `count`."""

    def shards(self, task: TaskId) -> Sequence[TaskId]:
        """The shards of a task, by number; empty if it was never divided."""

    def receive(self, shard: Shard, limit: int) -> Sequence[Parcel]:
        """What others have sent to a shard and it has not acknowledged, oldest first."""

    def acknowledge(self, claim: Claim, parcels: Sequence[int]) -> None:
        """The links of these parcels are in the log of this shard: the parcels can go."""

    def note_idle(
        self, claim: Claim, *, is_idle: bool, has_more: bool, used: int
    ) -> None:
        """Note that this shard waits for links, or for more pages of the budget; pages it did not use are returned."""

    def grant(self, claim: Claim, most: int, some: int) -> int:
        """Raise the number of pages that this shard may visit, as long as all shards together stay within `most`."""

    def write_status(self, body: bytes) -> None:
        """Store the state of the cluster that works for this catalogue, as its supervisor sees it."""

    def status(self) -> bytes:
        """The state that was stored last; empty if no cluster ever worked for this catalogue."""

    def numbers(self, task: TaskId) -> ShardNumbers:
        """All numbers, read together. A task is over if all shards are idle, no parcel is on its way, none lacks pages."""
