"""A supervisor that comes after another one: what workers of before let lapse is queued, and nobody is suspected."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from geohound.cluster.takeover import free_lapsed, holders_of_shards
from geohound.model.crawl.task import TaskSpec, TaskState
from geohound.stores.memory.tasks import MemoryTasks


class Clock:
    def __init__(self) -> None:
        self.at = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()


class Store:
    def __init__(self) -> None:
        self.clock = Clock()
        self.tasks = MemoryTasks(self.clock)


def test_shards_that_ended_with_the_head_are_queued_again_once_their_claims_have_run_out() -> (
    None
):
    store = Store()
    tasks = store.tasks
    lost, ours, suspect = (tasks.create(TaskSpec()).id for _ in range(3))
    tasks.claim(lost, "worker of before", 30.0)
    before = holders_of_shards(store)
    tasks.claim(ours, "our worker", 30.0)
    claim = tasks.claim(suspect, "worker that died of it", 30.0)
    tasks.expire(claim)
    assert before == {"worker of before"}
    assert free_lapsed(store, before) == 0  # it may be alive
    store.clock.at += timedelta(seconds=31)
    assert free_lapsed(store, before) == 1
    states = {task.id: task.state for task in tasks.list()}
    assert states[lost] is TaskState.QUEUED
    assert states[suspect] is TaskState.RUNNING  # whoever takes it counts the crash
