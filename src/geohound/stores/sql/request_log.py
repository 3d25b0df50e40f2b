"""Every request that was made, as the owner of a host may ask for it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

from geohound.model.crawl.frontier import RequestCounts
from geohound.model.crawl.task import TaskId
from geohound.model.failure import FailureReason
from geohound.model.visit import MAX_URL_CHARS, RequestRecord

from .database import ALL_ROWS, Connection, Database
from .group_commit import GroupCommit, SharedWrite
from .services.codec import clean

_INSERT = """
INSERT INTO request (task, host, at, url, status, reason, bytes, elapsed_s, address)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_SELECT = """
SELECT at, host, url, status, reason, bytes, elapsed_s, address FROM request WHERE host = ? ORDER BY at DESC LIMIT ?"""


class SqlRequestLog:
    def __init__(self, database: Database, commits: GroupCommit) -> None:
        self._database = database
        self._made = SharedWrite(commits, _insert)

    def record(
        self, task: TaskId, requests: Sequence[RequestRecord]
    ) -> asyncio.Future[None]:
        return self._made.add([(task, request) for request in requests])

    def to_host(self, host: str, limit: int = 0) -> Sequence[RequestRecord]:
        rows = self._database.read().execute(_SELECT, (host, limit or ALL_ROWS))
        return [
            RequestRecord(
                datetime.fromtimestamp(at, UTC), name, url, status, FailureReason(reason) if reason else None, size,
                elapsed_s, address,
            )
            for at, name, url, status, reason, size, elapsed_s, address in rows
        ]  # fmt: skip

    def hosts(self, task: TaskId) -> set[str]:
        sql = "SELECT DISTINCT host FROM request WHERE task = ? AND status > 0"
        return {host for (host,) in self._database.read().execute(sql, (task,))}

    def counts(self, task: TaskId) -> RequestCounts:
        sql = "SELECT count(*), CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM request WHERE task = ?"
        return RequestCounts(*self._database.read().execute(sql, (task,)).fetchone())


def _insert(
    connection: Connection, made: Sequence[tuple[TaskId, RequestRecord]]
) -> None:
    connection.executemany(_INSERT, [_row(*each) for each in made])


def _row(task: TaskId, request: RequestRecord) -> tuple[object, ...]:
    return (
        task, request.host, request.at.timestamp(), clean(request.url[:MAX_URL_CHARS]), request.status,
        request.reason or "", request.bytes, request.elapsed_s, request.address,
    )  # fmt: skip
