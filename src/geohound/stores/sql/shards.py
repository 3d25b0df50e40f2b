"""Shards of tasks and what they send each other."""

from __future__ import annotations

from collections.abc import Sequence

from geohound.model.crawl.event import StateChanged
from geohound.model.crawl.shard import Parcel, Shard, ShardNumbers
from geohound.model.crawl.task import Claim, TaskId, TaskState

from . import claims
from .database import Connection, Database, marks
from .parcels import unpack
from .tasks import append_events

_OF = "SELECT task FROM shard WHERE parent = ? ORDER BY number"
_COPY = "INSERT INTO task (created_at, spec, state) SELECT created_at, spec, ? FROM task WHERE id = ? RETURNING id"
_STATUS = """
INSERT INTO cluster_status ("only", body) VALUES (1, ?) ON CONFLICT ("only") DO UPDATE SET body = excluded.body"""
_GRANT = """
UPDATE shard SET granted = granted + ?, is_idle = (is_idle AND ? = 0) WHERE task = ? RETURNING granted"""
_NUMBERS = """
SELECT (SELECT count(*) FROM shard WHERE parent = :task),
  (SELECT count(*) FROM shard WHERE parent = :task AND is_idle),
  (SELECT count(*) FROM shard WHERE parent = :task AND is_idle AND has_more),
  (SELECT count(*) FROM parcel WHERE parent = :task),
  CAST((SELECT coalesce(sum(granted), 0) FROM shard WHERE parent = :task) AS BIGINT)"""


class SqlShards:
    """The divided tasks of one catalogue."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def divide(self, claim: Claim, count: int) -> Sequence[TaskId]:
        with self._database.write() as connection:
            self._database.lock(connection, claims.lock_name(claim.task))
            claims.check(connection, claim)
            known = [task for (task,) in connection.execute(_OF, (claim.task,))]
            return known or [
                _make(connection, claim.task, number, count) for number in range(count)
            ]

    def shards(self, task: TaskId) -> Sequence[TaskId]:
        return [shard for (shard,) in self._database.read().execute(_OF, (task,))]

    def receive(self, shard: Shard, limit: int) -> Sequence[Parcel]:
        sql = "SELECT num, body FROM parcel WHERE parent = ? AND number = ? ORDER BY num LIMIT ?"
        rows = self._database.read().execute(sql, (shard.parent, shard.number, limit))
        return [Parcel(num, unpack(body)) for num, body in rows]

    def acknowledge(self, claim: Claim, parcels: Sequence[int]) -> None:
        with self._database.write() as connection:
            self._database.lock(connection, claims.lock_name(claim.task))
            claims.check(connection, claim)
            unread = f"DELETE FROM parcel WHERE num IN ({marks(parcels)})"  # noqa: S608 - marks
            connection.execute(unread, parcels)

    def note_idle(
        self, claim: Claim, *, is_idle: bool, has_more: bool, used: int
    ) -> None:
        with self._database.write() as connection:
            self._database.lock(connection, claims.lock_name(claim.task))
            claims.check(connection, claim)
            sql = "UPDATE shard SET is_idle = ?, has_more = ? WHERE task = ?"
            connection.execute(sql, (is_idle, has_more, claim.task))
            if is_idle:
                sql = "UPDATE shard SET granted = ? WHERE task = ? AND granted > ?"
                connection.execute(sql, (used, claim.task, used))

    def grant(self, claim: Claim, most: int, some: int) -> int:
        with self._database.write() as connection:
            parent = connection.execute(
                "SELECT parent FROM shard WHERE task = ?", (claim.task,)
            ).fetchone()[0]
            self._database.lock(connection, f"budget {parent}")
            claims.check(connection, claim)
            total = connection.execute(_NUMBERS, {"task": parent}).fetchone()[4]
            more = max(0, min(some, most - total))
            return int(
                connection.execute(_GRANT, (more, more, claim.task)).fetchone()[0]
            )

    def write_status(self, body: bytes) -> None:
        """How the cluster that works for this catalogue stands."""
        with self._database.write() as connection:
            connection.execute(_STATUS, (body,))

    def status(self) -> bytes:
        """Empty where no cluster ever worked for it."""
        row = (
            self._database.read().execute("SELECT body FROM cluster_status").fetchone()
        )
        return bytes(row[0]) if row else b""

    def numbers(self, task: TaskId) -> ShardNumbers:
        return ShardNumbers(
            *self._database.read().execute(_NUMBERS, {"task": task}).fetchone()
        )


def _make(connection: Connection, parent: TaskId, number: int, count: int) -> TaskId:
    task: TaskId = connection.execute(_COPY, (TaskState.QUEUED, parent)).fetchone()[0]
    connection.execute("INSERT INTO progress (task) VALUES (?)", (task,))
    connection.execute("INSERT INTO claim (task) VALUES (?)", (task,))
    sql = "INSERT INTO shard (task, parent, number, count) VALUES (?, ?, ?, ?)"
    connection.execute(sql, (task, parent, number, count))
    append_events(connection, task, 0.0, [StateChanged(TaskState.QUEUED)])
    return task
