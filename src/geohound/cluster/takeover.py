"""What a supervisor writes: claims of the dead are ended, and how the cluster stands is kept for people."""

from __future__ import annotations

import json
from typing import Any, Protocol

from geohound.contracts import Clock, ShardStore, TaskStore
from geohound.model.crawl.task import UNDER_WAY, Task, TaskFilter, TaskState, Wanted
from geohound.tasks.divided_work import is_run_whole


class SupervisorStore(Protocol):
    """What a supervisor needs of a store."""

    @property
    def tasks(self) -> TaskStore: ...
    @property
    def shards(self) -> ShardStore: ...
    @property
    def clock(self) -> Clock: ...


_RUNNING = TaskFilter(frozenset({TaskState.RUNNING}), parts=None)


def free_claims(store: SupervisorStore, holder: str, *, requeue: bool) -> int:
    """End the claims of a process that is gone or cut off; how many.

    Where its whole node is gone, no task of it is suspected of having killed it.
    """
    held = [
        task
        for task in store.tasks.list(_RUNNING)
        if task.claim and task.claim.holder == holder
    ]
    for task in held:
        if task.claim is not None:
            store.tasks.expire(task.claim)
            if requeue and task.wanted is Wanted.RUN:
                store.tasks.want(task.id, Wanted.RUN)
    return len(held)


def holders_of_shards(store: SupervisorStore) -> frozenset[str]:
    """Who held tasks when a supervisor came: workers of one that is gone, which end with it."""
    found = store.tasks.list(_RUNNING)
    return frozenset(task.claim.holder for task in found if task.claim is not None)


def free_lapsed(store: SupervisorStore, holders: frozenset[str]) -> int:
    """Queue what these held and let lapse; how many. It did not kill them: their node, or the head, was gone."""
    now = store.clock.now()
    lapsed = [
        task
        for task in store.tasks.list(_RUNNING)
        if task.claim and task.claim.holder in holders and not task.is_held(now)
    ]
    for task in lapsed:
        if task.wanted is Wanted.RUN:
            store.tasks.want(task.id, Wanted.RUN)
    return len(lapsed)


def run_by_workers(store: SupervisorStore) -> list[Task]:
    """The tasks and parts of tasks that the workers have to run."""
    return [task for task in store.tasks.list(UNDER_WAY) if is_run_whole(task)]


def write_status(store: SupervisorStore, status: dict[str, Any]) -> None:
    store.shards.write_status(json.dumps(status).encode())
