"""Crawl tasks: what was asked, how far it is, what the order has learned."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import orjson

from geohound.contracts import Clock
from geohound.model.task import Claim, TaskId, TaskState

from . import claims
from .database import Database
from .visits import VisitRecord, iterate_visits


@dataclass(frozen=True, slots=True)
class Task:
    id: int
    created_at: datetime
    settings: Mapping[str, Any]
    seeds: tuple[str, ...]
    state: TaskState
    order_state: bytes
    counters: Mapping[str, Any]
    finished_at: datetime | None


_SELECT = """
SELECT id, created_at, settings, seeds, state, order_state, counters, finished_at
FROM task JOIN progress ON progress.task = task.id"""


class Tasks:
    """All tasks of a store."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def create_task(self, settings: Mapping[str, Any], seeds: Sequence[str]) -> Task:
        with self._database.write() as connection:
            row = connection.execute(
                "INSERT INTO task (created_at, settings, seeds, state) VALUES (?, ?, ?, ?) RETURNING id",
                (self._now(), orjson.dumps(dict(settings)), orjson.dumps(list(seeds)), TaskState.RUNNING),
            ).fetchone()
            connection.execute("INSERT INTO progress (task) VALUES (?)", row)
            connection.execute("INSERT INTO claim (task) VALUES (?)", row)
        task = self.get_task(row[0])
        if task is None:
            raise LookupError(f"task {row[0]} vanished while it was made")
        return task

    def get_task(self, task_id: int) -> Task | None:
        return self._one(f"{_SELECT} WHERE id = ?", task_id)

    def latest_unfinished(self) -> Task | None:
        return self._one(f"{_SELECT} WHERE state <> ? ORDER BY id DESC LIMIT 1", TaskState.DONE)

    def list_tasks(self) -> list[Task]:
        """All tasks, the latest first."""
        return [_task(row) for row in self._database.read().execute(f"{_SELECT} ORDER BY id DESC")]

    def claim(self, task: TaskId, holder: str, ttl_s: float) -> Claim | None:
        """The right to run a task, for this long unless it is renewed; None where another has it."""
        with self._database.write() as connection:
            return claims.take(connection, task, holder, self._now(), ttl_s)

    def save_progress(self, task_id: int, order_state: bytes, counters: Mapping[str, Any]) -> None:
        with self._database.write() as connection:
            connection.execute(
                "UPDATE progress SET order_state = ?, counters = ? WHERE task = ?",
                (order_state, orjson.dumps(dict(counters)), task_id),
            )

    def finish(self, task_id: int, state: TaskState = TaskState.DONE) -> None:
        """End a task, or note that it was stopped (it can go on) or runs again."""
        finished_at = None if state is TaskState.RUNNING else self._now()
        with self._database.write() as connection:
            connection.execute("UPDATE task SET state = ?, finished_at = ? WHERE id = ?", (state, finished_at, task_id))

    def visits(self, task_id: int) -> Iterator[VisitRecord]:
        """What became of each URL of a task, in order of admission."""
        return iterate_visits(self._database.read(), task_id)

    def drops(self, task_id: int) -> dict[str, int]:
        """How many URLs were refused or dropped, by reason."""
        rows = self._database.read().execute("SELECT reason, count FROM drops WHERE task = ?", (task_id,))
        return dict(rows.fetchall())

    def _one(self, sql: str, value: object) -> Task | None:
        row = self._database.read().execute(sql, (value,)).fetchone()
        return _task(row) if row else None

    def _now(self) -> float:
        return self._clock.now().timestamp()


def _task(row: sqlite3.Row | tuple[Any, ...]) -> Task:
    id_, created_at, settings, seeds, state, order_state, counters, finished_at = row
    return Task(
        id=id_,
        created_at=datetime.fromtimestamp(created_at, UTC),
        settings=orjson.loads(settings),
        seeds=tuple(orjson.loads(seeds)),
        state=TaskState(state),
        order_state=order_state,
        counters=orjson.loads(counters),
        finished_at=None if finished_at is None else datetime.fromtimestamp(finished_at, UTC),
    )
