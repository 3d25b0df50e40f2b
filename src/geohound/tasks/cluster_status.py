"""How a cluster stands, for people: nodes, divided tasks and their shards."""

from __future__ import annotations

from typing import Any

import orjson

from geohound.contracts import Clock, ShardStore, TaskStore
from geohound.model.crawl.task import UNDER_WAY, Task
from geohound.tasks.claiming import read_holder


def cluster_status(
    noted: bytes, shards: ShardStore, tasks: TaskStore, clock: Clock
) -> dict[str, Any]:
    """What the supervisor noted last, with its age (None if there never was one), and what the catalogue itself knows."""
    said: dict[str, Any] = (
        orjson.loads(noted) if noted else {"nodes": [], "at": None, "pid": None}
    )
    at = said["at"]
    age_s = None if at is None else max(0.0, clock.now().timestamp() - at)
    divided = [task for task in tasks.list(UNDER_WAY) if task.shards]
    return {
        "nodes": said["nodes"],
        "age_s": age_s if age_s is None else round(age_s, 1),
        "supervisor_pid": said["pid"],
        "head": said.get("head", ""),
        "tasks": [_task(each, shards, tasks) for each in divided],
    }


def _task(task: Task, shards: ShardStore, tasks: TaskStore) -> dict[str, Any]:
    numbers = shards.numbers(task.id)
    parts = [
        found
        for part in shards.shards(task.id)
        if (found := tasks.get(part)) is not None
    ]
    return {
        "task": task.id,
        "shards": numbers.shards,
        "running": sum(part.claim is not None for part in parts),
        "idle": numbers.idle,
        "parcels": numbers.parcels,
        "pages": sum(part.counters.get("pages", 0) for part in parts),
        "pages_per_s": task.counters.get("pages_per_s", 0.0),
        "queue": sum(part.counters.get("queue", 0) for part in parts),
        "parts": [
            {
                "number": part.shard.number if part.shard else 0,
                "state": str(part.state),
                "pages": part.counters.get("pages", 0),
                "queue": part.counters.get("queue", 0),
                "holder": _where(part),
            }
            for part in parts
        ],
    }


def _where(part: Task) -> str:
    holder = read_holder(part.claim.holder) if part.claim else None
    return f"process {holder.pid} on {holder.host}" if holder else ""
