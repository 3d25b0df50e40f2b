"""Copies of pages that were read, kept in the file."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from geohound.contracts import Clock
from geohound.model.crawl.kept_page import KeptPage, PageRoom

from .database import Connection, Database, marks
from .group_commit import GroupCommit, SharedWrite
from .services.codec import clean

_KEEP = """
INSERT INTO kept_page (url, task, at, keyword_group, content_type, size, packed, until, is_whole)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_FORGET = "DELETE FROM kept_page WHERE url IN"
_AT_ONCE = 256
_EXPIRE = "DELETE FROM kept_page WHERE until < ? RETURNING size"
# Pages of the best group are kept longest; within a group, the latest.
_TRIM = """
DELETE FROM kept_page WHERE rowid IN (
  SELECT rowid FROM (
    SELECT rowid, sum(size) OVER (ORDER BY keyword_group, at DESC, rowid DESC) AS total FROM kept_page
  ) AS ranked WHERE total > ?
)"""
_COLUMNS = "SELECT url, keyword_group, content_type, packed, until, is_whole, task, at FROM kept_page"
_LIST = (
    f"{_COLUMNS} WHERE keyword_group < ? ORDER BY keyword_group, at DESC, rowid DESC"
)
_EXPIRE_EVERY_S = 600.0
_Row = tuple[str, int, float, int, str, int, bytes, float, bool]
_RECENT = f"{_COLUMNS} WHERE url = ? AND is_whole AND at >= ?"


class SqlKeptPages:
    """What crawls of this file have kept."""

    def __init__(self, database: Database, commits: GroupCommit, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._kept = SharedWrite(commits, self._write)
        # bytes; what other processes keep meanwhile counts when it is tidied again
        self._total: int | None = None
        self._expired_at = 0.0

    def keep(self, task: int, page: KeptPage, room: PageRoom) -> asyncio.Future[None]:
        now = self._clock.now().timestamp()
        size, until = len(page.packed), now + page.days * 86400
        names = clean(page.url), task, now, page.group, clean(page.content_type)
        row = (*names, size, page.packed, until, page.is_whole)
        return self._kept.add([(row, room)] if size <= room.bytes else [])

    def _write(
        self, connection: Connection, kept: Sequence[tuple[_Row, PageRoom]]
    ) -> None:
        if not kept:
            return
        self._database.lock(connection, "kept pages")
        room = kept[-1][1]
        total = self._total if self._total is not None else _size(connection)
        rows = list({row[0]: row for row, _ in kept}.values())
        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            known = [url for url, *_ in some]
            before = connection.execute(
                f"{_FORGET} ({marks(known)}) RETURNING size", known
            )
            total += sum(row[5] for row in some) - sum(
                size for (size,) in before.fetchall()
            )
            connection.executemany(_KEEP, some)
        now = self._clock.now().timestamp()
        if now - self._expired_at >= _EXPIRE_EVERY_S:
            self._expired_at = now
            total -= sum(
                size for (size,) in connection.execute(_EXPIRE, (now,)).fetchall()
            )
        if total > room.full:
            connection.execute(_TRIM, (room.bytes,))
            total = _size(connection)
        self._total = total

    def pages(self, groups: int) -> Iterator[KeptPage]:
        return map(_page, self._database.stream(_LIST, (groups,)))

    def recent(self, url: str, max_age_s: float) -> KeptPage | None:
        oldest = self._clock.now().timestamp() - max_age_s
        row = self._database.read().execute(_RECENT, (clean(url), oldest)).fetchone()
        return _page(row) if row is not None else None


def _size(connection: Connection) -> int:
    return int(
        connection.execute("SELECT coalesce(sum(size), 0) FROM kept_page").fetchone()[0]
    )


def _page(row: tuple[Any, ...]) -> KeptPage:
    url, group, content_type, packed, until, is_whole, task, at = row
    days = (until - at) / 86400
    return KeptPage(
        url,
        group,
        content_type,
        packed,
        days,
        bool(is_whole),
        task,
        datetime.fromtimestamp(at, UTC),
    )
