"""A task for oneself: claimed, or a sentence about who has it."""

from __future__ import annotations

from datetime import datetime

from geohound.contracts import StoreError, TaskStore
from geohound.model.work.task import Claim, Task, TaskId, TaskState, Wanted

from .holder import is_gone, read_holder, this_process

TTL_S = 30.0  # after a holder was last heard of, where nobody can look for its process


def claim_task(tasks: TaskStore, task: TaskId) -> Claim:
    """The right to run a task; StoreError says who has it. One whose process is gone need not be waited for."""
    found = tasks.get(task)
    if found is not None and found.claim is not None and is_gone(found.claim.holder):
        tasks.expire(found.claim)
    claim = tasks.claim(task, str(this_process()), TTL_S)
    if claim is not None:
        return claim
    found = tasks.get(task)
    if found is None:
        raise StoreError(f"There is no task {task} in this catalogue.")
    holder = read_holder(found.claim.holder) if found.claim else None
    elsewhere = (
        f" on {holder.host}" if holder and holder.host != this_process().host else ""
    )
    who = f"Another process ({holder.pid}{elsewhere})" if holder else "Another process"
    raise StoreError(
        f"Task {task} is running already. {who} crawls it: let it end, or stop it first."
    )


def is_claimable(task: Task, now: datetime) -> bool:
    """Should somebody run it? It was queued, or whoever ran it is gone."""
    if task.wanted is not Wanted.RUN or task.state not in (
        TaskState.QUEUED,
        TaskState.RUNNING,
    ):
        return False
    return not is_run(task, now)


def is_run(task: Task, now: datetime) -> bool:
    """Is there a process that runs it, as far as one can know here?"""
    return (
        task.is_held(now) and task.claim is not None and not is_gone(task.claim.holder)
    )
