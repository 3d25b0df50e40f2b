"""Frontiers for tests that make no requests."""

from __future__ import annotations

from polite import EachLease

from geohound.contracts import Order
from geohound.frontier import Frontier, FrontierLimits
from geohound.frontier.recovery import open_frontier
from geohound.model.crawl.task import Claim
from geohound.stores.sqlite import Store


def open_with_delay(
    store: Store,
    task: int,
    bounds: FrontierLimits,
    order: Order | None = None,
    claim: Claim | None = None,
    host_delay_s: float = 0.0,
) -> Frontier:
    """As it was left; hosts rest for so long after each lease."""
    return open_frontier(
        store, task, bounds, EachLease(store.clock, host_delay_s), order, claim
    )
