"""Data files that crawls met, each by its address."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from typing import Any

from geohound.model.crawl.data_file import (
    ALL_FILES,
    DataFile,
    Evidence,
    FileCounts,
    FileFilter,
    FileHead,
    NumberedFile,
)
from geohound.model.crawl.task import TaskId

from .database import ALL_ROWS, Connection, Database, marks
from .group_commit import LINGER_S, GroupCommit, awaited
from .services.codec import clean

_INSERT = """
INSERT INTO data_file
  (url, format, evidence, found_on, found_at, task, title, size, modified, status, asked_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"""
_ANSWERED = """
UPDATE data_file SET format = ?, evidence = ?, size = ?, modified = ?, status = ?, asked_at = ? WHERE url = ?"""
_AT_ONCE = 500  # addresses in one statement
_COLUMNS = "num, url, format, evidence, found_on, found_at, task, title, size, modified, status, asked_at"


class SqlDataFiles:
    def __init__(self, database: Database, commits: GroupCommit) -> None:
        self._database = database
        self._commits = commits

    def record(self, found: Sequence[DataFile]) -> asyncio.Future[None]:
        def write(connection: Connection) -> None:
            connection.executemany(_INSERT, [_row(each) for each in found])

        return awaited(self._commits.submit(write, linger_s=LINGER_S))

    def answered(
        self, url: str, head: FileHead, status: int, at: datetime
    ) -> asyncio.Future[None]:
        def write(connection: Connection) -> None:
            if head.format:
                answer = (
                    head.format,
                    head.evidence,
                    head.size,
                    _seconds(head.modified),
                    status,
                    at.timestamp(),
                )
                connection.execute(_ANSWERED, (*answer, clean(url)))
            else:
                connection.execute("DELETE FROM data_file WHERE url = ?", (clean(url),))

        return awaited(self._commits.submit(write, linger_s=LINGER_S))

    def files(self, which: FileFilter = ALL_FILES) -> Sequence[NumberedFile]:
        condition, values = _condition(which)
        sql = f"SELECT {_COLUMNS} FROM data_file WHERE num > ? AND {condition} ORDER BY num LIMIT ?"  # noqa: S608 - marks
        limit = ALL_ROWS if which.limit is None else which.limit
        return [
            _file(row)
            for row in self._database.read().execute(sql, (which.after, *values, limit))
        ]

    def count(self, which: FileFilter = ALL_FILES) -> FileCounts:
        condition, values = _condition(which)
        sql = f"SELECT format, count(*) AS n FROM data_file WHERE {condition} GROUP BY 1 ORDER BY n DESC, 1"  # noqa: S608
        formats: dict[str, int] = dict(
            self._database.read().execute(sql, values).fetchall()
        )
        return FileCounts(sum(formats.values()), formats)

    def found_by(self, task: TaskId) -> int:
        sql = "SELECT count(*) FROM data_file WHERE task = ?"
        return int(self._database.read().execute(sql, (task,)).fetchone()[0])

    def asked(self, task: TaskId) -> Sequence[str]:
        sql = "SELECT url FROM data_file WHERE task = ? AND asked_at IS NOT NULL"
        return [url for (url,) in self._database.read().execute(sql, (task,))]

    def asked_since(self, urls: Collection[str], since: datetime) -> AbstractSet[str]:
        kept = {clean(url): url for url in urls}
        found: set[str] = set()
        names = list(kept)
        for start in range(0, len(names), _AT_ONCE):
            some = names[start : start + _AT_ONCE]
            sql = f"SELECT url FROM data_file WHERE asked_at >= ? AND url IN ({marks(some)})"  # noqa: S608 - marks
            rows = self._database.read().execute(sql, (since.timestamp(), *some))
            found.update(kept[url] for (url,) in rows)
        return found


def _condition(which: FileFilter) -> tuple[str, list[str]]:
    parts = ["1 = 1"]
    values: list[str] = []
    if which.formats:
        parts.append(f"format IN ({marks(which.formats)})")
        values += which.formats
    for word in which.words:
        parts.append("instr(lower(url || ' ' || title || ' ' || found_on), ?) > 0")
        values.append(clean(word).lower())
    return " AND ".join(parts), values


def _row(found: DataFile) -> tuple[object, ...]:
    return (
        clean(found.url), found.format, found.evidence, clean(found.found_on), found.found_at.timestamp(), found.task,
        clean(found.title), found.size, _seconds(found.modified), found.status, _seconds(found.asked_at),
    )  # fmt: skip


def _file(row: tuple[Any, ...]) -> NumberedFile:
    (
        number,
        url,
        name,
        evidence,
        found_on,
        found_at,
        task,
        title,
        size,
        modified,
        status,
        asked_at,
    ) = row
    found = DataFile(
        url, name, found_on, datetime.fromtimestamp(found_at, UTC), task, title, Evidence(evidence), size,
        _time(modified), status, _time(asked_at),
    )  # fmt: skip
    return NumberedFile(number, found)


def _seconds(at: datetime | None) -> float | None:
    return at.timestamp() if at else None


def _time(seconds: float | None) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if seconds is not None else None
