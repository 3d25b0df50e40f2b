"""Open the frontier of a task that a store keeps."""

from __future__ import annotations

from typing import Protocol

from geohound.contracts import Clock, FrontierLog, Order, StoreError, TaskStore
from geohound.model.crawl.task import Claim
from geohound.politeness import HostTurns

from .frontier import Frontier
from .holding import HoldingFrontier
from .limits import FrontierLimits
from .shard_frontier import ShardFrontier


class FrontierStore(Protocol):
    """What a frontier needs of a store."""

    @property
    def clock(self) -> Clock: ...
    @property
    def log(self) -> FrontierLog: ...
    @property
    def tasks(self) -> TaskStore: ...


def open_frontier(
    store: FrontierStore,
    task_id: int,
    bounds: FrontierLimits,
    hosts: HostTurns,
    order: Order | None = None,
    claim: Claim | None = None,
) -> Frontier:
    """The frontier of a task as it was left, under this claim or a new one."""
    claim = claim or store.tasks.claim(task_id, "frontier", 0.0)
    task = store.tasks.get(task_id)
    if task is None or claim is None:
        raise StoreError(f"There is no task {task_id} in this catalogue.")
    parts = store.log, claim, store.clock, bounds, hosts, order
    if task.shard is not None:
        return ShardFrontier(*parts, shard=task.shard)
    return HoldingFrontier(*parts) if bounds.holds_links else Frontier(*parts)
