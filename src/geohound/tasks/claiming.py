"""A task for oneself: claimed, or a sentence about who has it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from geohound.contracts import StoreError, TaskStore
from geohound.model.task import Claim, TaskId

from .holder import is_gone, read_holder, this_process

TTL_S = 30.0  # after a holder was last heard of, where nobody can look for its process
BEAT_S = 1.0


def claim_task(tasks: TaskStore, task: TaskId, now: Callable[[], datetime]) -> Claim:
    """The right to run a task; StoreError says who has it. One whose process is gone need not be waited for."""
    found = tasks.get(task)
    if found is not None and found.is_held(now()) and found.claim is not None and is_gone(found.claim.holder):
        tasks.expire(found.claim)
    claim = tasks.claim(task, str(this_process()), TTL_S)
    if claim is not None:
        return claim
    found = tasks.get(task)
    if found is None:
        raise StoreError(f"There is no task {task} in this catalogue.")
    holder = read_holder(found.claim.holder) if found.claim else None
    elsewhere = f" on {holder.host}" if holder and holder.host != this_process().host else ""
    who = f"Another process ({holder.pid}{elsewhere})" if holder else "Another process"
    raise StoreError(f"Task {task} is running already. {who} crawls it: let it end, or stop it first.")
