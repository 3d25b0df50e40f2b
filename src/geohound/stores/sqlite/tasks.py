"""Tasks: what was asked, what is wanted, who runs them, how far they are, what happened."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec
import orjson

from geohound.contracts import Clock
from geohound.model.event import Event, EventPage, StateChanged
from geohound.model.frontier import VisitRecord
from geohound.model.task import (
    ALL_TASKS,
    Checkpoint,
    Claim,
    Ending,
    Task,
    TaskFilter,
    TaskId,
    TaskSpec,
    TaskState,
    Wanted,
    state_wanted,
)

from . import claims, events
from .database import Database
from .visits import TASK_BITS, iterate_visits

_SELECT = """
SELECT id, created_at, spec, state, ending, finished_at, wanted, holder, epoch, expires_at, counters
FROM task JOIN claim ON claim.task = task.id JOIN progress ON progress.task = task.id"""


class SqliteTasks:
    """All tasks of a catalogue file."""

    def __init__(self, database: Database, clock: Clock, max_events: int = events.MAX_EVENTS) -> None:
        self._database = database
        self._clock = clock
        self._max_events = max_events

    def create(self, spec: TaskSpec, state: TaskState = TaskState.QUEUED) -> Task:
        with self._database.write() as connection:
            (task,) = connection.execute(
                "INSERT INTO task (created_at, spec, state) VALUES (?, ?, ?) RETURNING id",
                (self._now(), msgspec.json.encode(spec), state),
            ).fetchone()
            connection.execute("INSERT INTO progress (task) VALUES (?)", (task,))
            connection.execute("INSERT INTO claim (task) VALUES (?)", (task,))
            self._append(connection, task, [StateChanged(state)])
            return _task(_row(connection, task))

    def get(self, task: TaskId) -> Task | None:
        row = self._database.read().execute(f"{_SELECT} WHERE id = ?", (task,)).fetchone()
        return _task(row) if row else None

    def list(self, which: TaskFilter = ALL_TASKS) -> list[Task]:
        rows = self._database.read().execute(f"{_SELECT} ORDER BY id DESC")
        return [task for task in map(_task, rows) if not which.states or task.state in which.states]

    def want(self, task: TaskId, wanted: Wanted) -> Task | None:
        with self._database.write() as connection:
            row = _row(connection, task)
            if row is None:
                return None
            found = _task(row)
            connection.execute("UPDATE claim SET wanted = ? WHERE task = ?", (wanted, task))
            if not found.is_held(self._clock.now()):
                self._change(connection, task, found.state, state_wanted(found.state, wanted))
            return _task(_row(connection, task))

    def claim(self, task: TaskId, holder: str, ttl_s: float) -> Claim | None:
        with self._database.write() as connection:
            claim = claims.take(connection, task, holder, self._now(), ttl_s)
            if claim is not None:
                connection.execute("UPDATE task SET state = ?, ending = '' WHERE id = ?", (TaskState.RUNNING, task))
                self._append(connection, task, [StateChanged(TaskState.RUNNING)])
            return claim

    def expire(self, claim: Claim) -> None:
        with self._database.write() as connection:
            connection.execute(
                "UPDATE claim SET expires_at = 0 WHERE task = ? AND holder = ? AND epoch = ?",
                (claim.task, claim.holder, claim.epoch),
            )

    def renew(self, claim: Claim, ttl_s: float) -> Wanted:
        """Written once in half of the time that it holds: a heartbeat need not cost a flush to disk each."""
        wanted, left_s = claims.look(self._database.read(), claim, self._now())
        if left_s < ttl_s / 2:
            with self._database.write() as connection:
                claims.check(connection, claim)
                connection.execute("UPDATE claim SET expires_at = ? WHERE task = ?", (self._now() + ttl_s, claim.task))
        return wanted

    def save(self, claim: Claim, checkpoint: Checkpoint) -> None:
        with self._database.write() as connection:
            claims.check(connection, claim)
            connection.execute(
                "UPDATE progress SET order_state = ?, counters = ? WHERE task = ?",
                (checkpoint.order_state, orjson.dumps(dict(checkpoint.counters)), claim.task),
            )

    def checkpoint(self, task: TaskId) -> Checkpoint:
        row = self._database.read().execute("SELECT counters, order_state FROM progress WHERE task = ?", (task,))
        counters, order_state = row.fetchone() or (b"{}", b"")
        return Checkpoint(orjson.loads(counters), order_state)

    def release(self, claim: Claim, state: TaskState, ending: Ending) -> None:
        with self._database.write() as connection:
            claims.check(connection, claim)
            connection.execute("UPDATE claim SET holder = '', expires_at = 0 WHERE task = ?", (claim.task,))
            connection.execute(
                "UPDATE task SET state = ?, ending = ?, finished_at = ? WHERE id = ?",
                (state, ending, self._now(), claim.task),
            )
            self._append(connection, claim.task, [StateChanged(state, ending)])

    def delete(self, task: TaskId) -> bool:
        first, end = task << TASK_BITS, (task + 1) << TASK_BITS
        with self._database.write() as connection:
            row = _row(connection, task)
            if row is not None and _task(row).is_held(self._clock.now()):
                return False
            for table, column in (("url", "id"), ("source", "id"), ("mark", "url")):
                connection.execute(f"DELETE FROM {table} WHERE {column} >= ? AND {column} < ?", (first, end))  # noqa: S608
            for table in ("drops", "pause", "memo", "met", "event", "progress", "claim"):
                connection.execute(f"DELETE FROM {table} WHERE task = ?", (task,))  # noqa: S608
            connection.execute("DELETE FROM task WHERE id = ?", (task,))
        return True

    def emit(self, claim: Claim, events: Sequence[Event]) -> None:
        with self._database.write() as connection:
            claims.check(connection, claim)
            self._append(connection, claim.task, events)

    def events(self, task: TaskId, after: int = 0, limit: int = 1000) -> EventPage:
        with self._database.snapshot() as connection:
            return events.read(connection, task, after, limit)

    def visits(self, task: TaskId) -> Iterator[VisitRecord]:
        """What became of each URL of a task, in order of admission."""
        return iterate_visits(self._database.read(), task)

    def drops(self, task: TaskId) -> dict[str, int]:
        """How many URLs were refused or dropped, by reason."""
        rows = self._database.read().execute("SELECT reason, count FROM drops WHERE task = ?", (task,))
        return dict(rows.fetchall())

    def _change(self, connection: sqlite3.Connection, task: TaskId, before: TaskState, after: TaskState) -> None:
        if before is not after:
            connection.execute("UPDATE task SET state = ? WHERE id = ?", (after, task))
            self._append(connection, task, [StateChanged(after)])

    def _append(self, connection: sqlite3.Connection, task: TaskId, new: Sequence[Event]) -> None:
        events.append(connection, task, self._now(), new, self._max_events)

    def _now(self) -> float:
        return self._clock.now().timestamp()


def _row(connection: sqlite3.Connection, task: TaskId) -> Any:
    return connection.execute(f"{_SELECT} WHERE id = ?", (task,)).fetchone()


def _task(row: tuple[Any, ...]) -> Task:
    id_, created_at, spec, state, ending, finished_at, wanted, holder, epoch, expires_at, counters = row
    return Task(
        id=id_,
        spec=msgspec.json.decode(spec, type=TaskSpec),
        state=TaskState(state),
        wanted=Wanted(wanted),
        ending=Ending(ending) if ending else None,
        created_at=datetime.fromtimestamp(created_at, UTC),
        finished_at=None if finished_at is None else datetime.fromtimestamp(finished_at, UTC),
        claim=Claim(id_, holder, epoch) if holder else None,
        expires_at=datetime.fromtimestamp(expires_at, UTC) if holder else None,
        counters=orjson.loads(counters),
    )
