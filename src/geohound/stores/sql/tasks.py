"""Tasks: what was asked, what is wanted, who runs them, how far they are, what happened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from typing import Any

import msgspec
import orjson

from geohound.contracts import Clock
from geohound.model.crawl.event import EVENTS, Event, EventPage, Numbered, StateChanged
from geohound.model.crawl.frontier import EndedVisit, VisitRecord
from geohound.model.crawl.shard import Shard
from geohound.model.crawl.task import (
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
    state_left,
    state_wanted,
    with_page_limit,
)

from . import claims, frontier_log
from .database import Connection, Database, marks
from .frontier_log import TASK_BITS, iterate_visits
from .services.codec import clean

MAX_EVENTS = 10_000  # of one task

_DECODERS: dict[str, msgspec.json.Decoder[Any]] = {
    name: msgspec.json.Decoder(kind) for name, kind in EVENTS.items()
}

_SELECT = """
SELECT id, created_at, spec, state, ending, finished_at, wanted, holder, epoch, expires_at, counters,
  (SELECT count(*) FROM shard AS part WHERE part.parent = task.id), parent, number, count
FROM task JOIN claim ON claim.task = task.id JOIN progress ON progress.task = task.id
  LEFT JOIN shard ON shard.task = task.id"""
_SHARDS = {False: " AND parent IS NULL", True: " AND parent IS NOT NULL", None: ""}


class SqlTasks:
    """All tasks of a catalogue file."""

    def __init__(
        self, database: Database, clock: Clock, max_events: int = MAX_EVENTS
    ) -> None:
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
            if state is TaskState.QUEUED:
                self._append(connection, task, [StateChanged(state)])
            return _task(_row(connection, task))

    def get(self, task: TaskId) -> Task | None:
        row = (
            self._database.read().execute(f"{_SELECT} WHERE id = ?", (task,)).fetchone()
        )
        return _task(row) if row else None

    def list(self, which: TaskFilter = ALL_TASKS) -> list[Task]:
        states = sorted(which.states or TaskState)
        values: list[object] = [*states]
        where = f"state IN ({marks(states)})"
        if which.parent is None:
            where += _SHARDS[which.parts]
        else:
            where += " AND parent = ?"
            values.append(which.parent)
        rows = self._database.read().execute(
            f"{_SELECT} WHERE {where} ORDER BY id DESC", values
        )
        return [_task(row) for row in rows]

    def want(self, task: TaskId, wanted: Wanted) -> Task | None:
        with self._writing(task) as connection:
            row = _row(connection, task)
            if row is None:
                return None
            found = _task(row)
            connection.execute(
                "UPDATE claim SET wanted = ? WHERE task = ?", (wanted, task)
            )
            if not found.is_held(self._clock.now()):
                self._change(
                    connection, task, found.state, state_wanted(found.state, wanted)
                )
            return _task(_row(connection, task))

    def limit_pages(self, task: TaskId, max_pages: int) -> None:
        with self._writing(task) as connection:
            row = _row(connection, task)
            if row is not None:
                spec = with_page_limit(_task(row).spec, max_pages)
                connection.execute(
                    "UPDATE task SET spec = ? WHERE id = ? OR id IN (SELECT task FROM shard WHERE parent = ?)",
                    (msgspec.json.encode(spec), task, task),
                )

    def claim(self, task: TaskId, holder: str, ttl_s: float) -> Claim | None:
        with self._writing(task) as connection:
            claim = claims.take(connection, task, holder, self._now(), ttl_s)
            if claim is not None:
                connection.execute(
                    "UPDATE task SET state = ?, ending = '' WHERE id = ?",
                    (TaskState.RUNNING, task),
                )
                self._append(connection, task, [StateChanged(TaskState.RUNNING)])
            return claim

    def expire(self, claim: Claim) -> None:
        with self._writing(claim.task) as connection:
            connection.execute(
                "UPDATE claim SET expires_at = 0 WHERE task = ? AND holder = ? AND epoch = ?",
                (claim.task, claim.holder, claim.epoch),
            )

    def renew(self, claim: Claim, ttl_s: float) -> Wanted:
        """Written once in half of the time that it holds: a heartbeat need not cost a flush to disk each."""
        wanted, left_s = claims.look(self._database.read(), claim, self._now())
        if left_s < ttl_s / 2:
            with self._writing(claim.task) as connection:
                claims.check(connection, claim)
                connection.execute(
                    "UPDATE claim SET expires_at = ? WHERE task = ?",
                    (self._now() + ttl_s, claim.task),
                )
        return wanted

    def save(self, claim: Claim, checkpoint: Checkpoint) -> None:
        with self._writing(claim.task) as connection:
            claims.check(connection, claim)
            connection.execute(
                "UPDATE progress SET order_state = ?, counters = ? WHERE task = ?",
                (
                    checkpoint.order_state,
                    orjson.dumps(dict(checkpoint.counters)),
                    claim.task,
                ),
            )

    def checkpoint(self, task: TaskId) -> Checkpoint:
        row = self._database.read().execute(
            "SELECT counters, order_state FROM progress WHERE task = ?", (task,)
        )
        counters, order_state = row.fetchone() or (b"{}", b"")
        return Checkpoint(orjson.loads(counters), order_state)

    def release(self, claim: Claim, state: TaskState, ending: Ending) -> TaskState:
        with self._writing(claim.task) as connection:
            claims.check(connection, claim)
            (wanted,) = connection.execute(
                "SELECT wanted FROM claim WHERE task = ?", (claim.task,)
            ).fetchone()
            state, ending = state_left(state, ending, Wanted(wanted))
            connection.execute(
                "UPDATE claim SET holder = '', expires_at = 0 WHERE task = ?",
                (claim.task,),
            )
            connection.execute(
                "UPDATE task SET state = ?, ending = ?, finished_at = ? WHERE id = ?",
                (state, ending, self._now(), claim.task),
            )
            self._append(connection, claim.task, [StateChanged(state, ending)])
        return state

    def delete(self, task: TaskId) -> bool:
        with self._writing(task) as connection:
            shards = [
                shard
                for (shard,) in connection.execute(
                    "SELECT task FROM shard WHERE parent = ?", (task,)
                )
            ]
            rows = [_row(connection, each) for each in (task, *shards)]
            if any(
                row is not None and _task(row).is_held(self._clock.now())
                for row in rows
            ):
                return False
            connection.execute("DELETE FROM parcel WHERE parent = ?", (task,))
            for each in (*shards, task):
                _delete(connection, each)
        return True

    def emit(self, claim: Claim, events: Sequence[Event]) -> None:
        with self._writing(claim.task) as connection:
            claims.check(connection, claim)
            self._append(connection, claim.task, events)

    def events(self, task: TaskId, after: int = 0, limit: int = 1000) -> EventPage:
        with self._database.snapshot() as connection:
            return _read_events(connection, task, after, limit)

    def events_of(
        self, after: Mapping[TaskId, int], limit: int = 1000
    ) -> Mapping[TaskId, Sequence[Numbered]]:
        if not after:
            return {}
        newer = " OR ".join(["(task = ? AND n > ?)"] * len(after))
        sql = f"SELECT task, n, at, type, body FROM event WHERE {newer} ORDER BY task, n LIMIT ?"  # noqa: S608 - marks
        values = [*chain.from_iterable(sorted(after.items())), limit]
        found: dict[TaskId, list[Numbered]] = {}
        for task, *event in self._database.read().execute(sql, values):
            found.setdefault(task, []).append(_numbered(*event))
        return found

    def visits(self, task: TaskId) -> Iterator[VisitRecord]:
        """What became of each URL of a task, in order of admission."""
        connection = self._database.read()
        for each in _parts(connection, task):
            yield from iterate_visits(connection, each)

    def ended_visits(self, task: TaskId) -> Iterator[EndedVisit]:
        """The same for reports, which need little of each."""
        connection = self._database.read()
        for each in _parts(connection, task):
            yield from frontier_log.ended_visits(connection, each)

    def drops(self, task: TaskId) -> dict[str, int]:
        """How many URLs were refused or dropped, by reason."""
        rows = self._database.read().execute(
            "SELECT reason, count FROM drops WHERE task = ?", (task,)
        )
        return dict(rows.fetchall())

    @contextmanager
    def _writing(self, task: TaskId) -> Iterator[Connection]:
        """A transaction in which nobody else changes this task."""
        with self._database.write() as connection:
            self._database.lock(connection, claims.lock_name(task))
            yield connection

    def _change(
        self, connection: Connection, task: TaskId, before: TaskState, after: TaskState
    ) -> None:
        if before is not after:
            connection.execute("UPDATE task SET state = ? WHERE id = ?", (after, task))
            self._append(connection, task, [StateChanged(after)])

    def _append(
        self, connection: Connection, task: TaskId, new: Sequence[Event]
    ) -> None:
        append_events(connection, task, self._now(), new, self._max_events)
        self._database.hint(connection, f"task {task}")

    def _now(self) -> float:
        return self._clock.now().timestamp()


def _delete(connection: Connection, task: TaskId) -> None:
    first, end = task << TASK_BITS, (task + 1) << TASK_BITS
    for table, column in (("url", "id"), ("source", "id"), ("mark", "url")):
        of_task = f"DELETE FROM {table} WHERE {column} >= ? AND {column} < ?"  # noqa: S608
        connection.execute(of_task, (first, end))
    for table in (
        "drops",
        "pause",
        "memo",
        "met",
        "event",
        "progress",
        "claim",
        "shard",
    ):
        connection.execute(f"DELETE FROM {table} WHERE task = ?", (task,))  # noqa: S608
    connection.execute("DELETE FROM task WHERE id = ?", (task,))


def _row(connection: Connection, task: TaskId) -> Any:
    return connection.execute(f"{_SELECT} WHERE id = ?", (task,)).fetchone()


def _task(row: tuple[Any, ...]) -> Task:
    (
        id_,
        created_at,
        spec,
        state,
        ending,
        finished_at,
        wanted,
        holder,
        epoch,
        expires_at,
        counters,
        shards,
        *shard,
    ) = row
    return Task(
        id=id_,
        spec=msgspec.json.decode(spec, type=TaskSpec),
        state=TaskState(state),
        wanted=Wanted(wanted),
        ending=Ending(ending) if ending else None,
        created_at=datetime.fromtimestamp(created_at, UTC),
        finished_at=None
        if finished_at is None
        else datetime.fromtimestamp(finished_at, UTC),
        claim=Claim(id_, holder, epoch) if holder else None,
        expires_at=datetime.fromtimestamp(expires_at, UTC) if holder else None,
        counters=orjson.loads(counters),
        shard=Shard(*shard) if shard[0] else None,
        shards=shards,
    )


def append_events(
    connection: Connection,
    task: TaskId,
    at: float,
    events: Sequence[Event],
    most: int = MAX_EVENTS,
) -> None:
    """Add events to those of a task; only the latest `most` are kept."""
    (last,) = connection.execute(
        "SELECT coalesce(max(n), 0) FROM event WHERE task = ?", (task,)
    ).fetchone()
    rows = [
        (task, last + number, at, event.type, _dump(event))
        for number, event in enumerate(events, 1)
    ]
    connection.executemany(
        "INSERT INTO event (task, n, at, type, body) VALUES (?, ?, ?, ?, ?)", rows
    )
    connection.execute(
        "DELETE FROM event WHERE task = ? AND n <= ?", (task, last + len(rows) - most)
    )


def _read_events(
    connection: Connection, task: TaskId, after: int, limit: int
) -> EventPage:
    (first,) = connection.execute(
        "SELECT coalesce(min(n), 0) FROM event WHERE task = ?", (task,)
    ).fetchone()
    rows = connection.execute(
        "SELECT n, at, type, body FROM event WHERE task = ? AND n > ? ORDER BY n LIMIT ?",
        (task, after, limit),
    )
    return EventPage(first, tuple(_numbered(*row) for row in rows))


def _numbered(n: int, at: float, kind: str, body: bytes) -> Numbered:
    return Numbered(n, datetime.fromtimestamp(at, UTC), _DECODERS[kind].decode(body))


def _dump(event: Event) -> bytes:
    try:
        return msgspec.json.encode(event)
    except UnicodeEncodeError:  # a lone surrogate from a hostile document
        values = {name: getattr(event, name) for name in event.__slots__}
        texts: dict[str, Any] = {
            name: clean(value)
            for name, value in values.items()
            if isinstance(value, str)
        }
        return msgspec.json.encode(replace(event, **texts))


def _parts(connection: Connection, task: TaskId) -> Sequence[TaskId]:
    """The task and its shards."""
    shards = connection.execute(
        "SELECT task FROM shard WHERE parent = ? ORDER BY number", (task,)
    ).fetchall()
    return (task, *(shard for (shard,) in shards))
