"""Open the frontier of a task that a store keeps."""

from __future__ import annotations

from geohound.contracts import Order
from geohound.stores.sqlite import Store, StoreError

from .bounds import Bounds
from .frontier import SqliteFrontier


def open_frontier(store: Store, task_id: int, bounds: Bounds, order: Order | None = None) -> SqliteFrontier:
    """The frontier of a task as it was left; what was leased and not settled is pending again.

    The order says what hosts are worth, and whether what is leased is still worth what it was.
    """
    task = store.tasks.get(task_id)
    if task is None:
        raise StoreError(f"There is no task {task_id} in {store.database.path}.")
    quiet_since = task.finished_at.timestamp() if task.finished_at else None
    return SqliteFrontier(store.database, store.clock, task_id, bounds, quiet_since, order)
