"""Pages of results of search providers, each with its date."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping

import orjson

from geohound.contracts import Clock
from geohound.model.crawl.task import TaskId
from geohound.model.crawl.web_search import (
    KEPT_PAGES_H,
    CachedSearch,
    KeptSearch,
    SearchPage,
    WebResult,
)

from .database import Connection, Database
from .group_commit import GroupCommit, awaited
from .services.codec import clean

_KEEP = """
INSERT INTO search_page (source, query, page, at, body, task) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (source, query, page) DO UPDATE SET at = excluded.at, body = excluded.body, task = excluded.task"""
# A page that was asked for, and whose answer did not come yet, has no body.
_BEGUN = b""
_WITHDRAW = (
    "DELETE FROM search_page WHERE source = ? AND query = ? AND page = ? AND body = ?"
)
_HAS_BEGUN = "SELECT 1 FROM search_page WHERE source = ? AND query = ? AND page = ? AND task = ? AND body = ?"
_FORGET = "DELETE FROM search_page WHERE at < ?"
_FIND = "SELECT at, body FROM search_page WHERE source = ? AND query = ? AND page = ?"

_LIST = "SELECT source, query, page, body, task FROM search_page WHERE at >= ? ORDER BY source, query, page"

_COUNT = "SELECT source, count(*) FROM search_page WHERE task = ? GROUP BY source"


class SqlSearchCache:
    """What hunts of this file were answered."""

    def __init__(self, database: Database, commits: GroupCommit, clock: Clock) -> None:
        self._database = database
        self._commits = commits
        self._clock = clock

    def begin(
        self, source: str, query: str, number: int, task: TaskId
    ) -> asyncio.Future[None]:
        return self._write(source, query, number, _BEGUN, task)

    def withdraw(self, source: str, query: str, number: int) -> asyncio.Future[None]:
        row = (clean(source), clean(query), number, _BEGUN)

        def write(connection: Connection) -> None:
            connection.execute(_WITHDRAW, row)

        return awaited(self._commits.submit(write))

    def has_begun(self, source: str, query: str, number: int, task: TaskId) -> bool:
        row = (clean(source), clean(query), number, task, _BEGUN)
        return self._database.read().execute(_HAS_BEGUN, row).fetchone() is not None

    def keep(
        self, source: str, query: str, number: int, page: SearchPage, task: TaskId = 0
    ) -> asyncio.Future[None]:
        return self._write(source, query, number, _encode(page), task)

    def _write(
        self, source: str, query: str, number: int, body: bytes, task: TaskId
    ) -> asyncio.Future[None]:
        now = self._clock.now().timestamp()
        row = (clean(source), clean(query), number, now, body, task)

        def write(connection: Connection) -> None:
            connection.execute(_FORGET, (now - KEPT_PAGES_H * 3600,))
            connection.execute(_KEEP, row)

        return awaited(self._commits.submit(write))

    def cached(self, source: str, query: str, number: int) -> CachedSearch | None:
        found = (
            self._database.read()
            .execute(_FIND, (clean(source), clean(query), number))
            .fetchone()
        )
        if found is None or found[1] == _BEGUN:
            return None
        at, body = found
        return CachedSearch(_decode(body), max(0.0, self._clock.now().timestamp() - at))

    def asked_by(self, task: TaskId) -> Mapping[str, int]:
        return dict(self._database.read().execute(_COUNT, (task,)).fetchall())

    def kept(
        self, max_age_s: float, task: TaskId | None = None
    ) -> Iterator[KeptSearch]:
        oldest = self._clock.now().timestamp() - max_age_s
        for source, query, number, body, asker in self._database.read().execute(
            _LIST, (oldest,)
        ):
            if task is not None and asker != task:
                continue
            yield KeptSearch(source, query, number, _decode(body))


def _encode(page: SearchPage) -> bytes:
    rows = [[clean(text) for text in result] for result in page.results]
    return orjson.dumps(
        {"results": rows, "estimate": page.estimate, "has_more": page.has_more}
    )


def _decode(body: bytes) -> SearchPage:
    if body == _BEGUN:
        return SearchPage()
    said = orjson.loads(body)
    found = tuple(WebResult(*row) for row in said["results"])
    return SearchPage(found, said["estimate"], said["has_more"])
