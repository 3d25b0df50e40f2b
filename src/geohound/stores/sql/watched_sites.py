"""Sites with a watcher, kept in the file between crawls."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from geohound.model.crawl.watched import WatchedSite

from .database import Connection, Database
from .group_commit import LINGER_S, GroupCommit, awaited
from .services.codec import clean

_KEEP = """
INSERT INTO watched_site (origin, task, holder, read_to, asked_at, whole_at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (origin) DO UPDATE SET task = excluded.task, holder = excluded.holder, read_to = excluded.read_to,
  asked_at = excluded.asked_at, whole_at = excluded.whole_at"""
_KEEP_PAGE = (
    "INSERT INTO watched_page (origin, key) VALUES (?, ?) ON CONFLICT DO NOTHING"
)
_OWE = (
    "INSERT INTO owed_page (origin, key, url) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
)
_SITE = "SELECT origin, task, holder, read_to, asked_at, whole_at FROM watched_site WHERE origin = ?"


class SqlWatchedSites:
    """What crawls of this file know of sites with a watcher."""

    def __init__(self, database: Database, commits: GroupCommit) -> None:
        self._database = database
        self._commits = commits

    def origins(self) -> list[str]:
        return [
            row[0]
            for row in self._database.read().execute("SELECT origin FROM watched_site")
        ]

    def site(self, origin: str) -> WatchedSite | None:
        row = self._database.read().execute(_SITE, (clean(origin),)).fetchone()
        if row is None:
            return None
        _, task, holder, read_to, asked_at, whole_at = row
        read = None if read_to is None else _time(read_to)
        return WatchedSite(origin, task, holder, read, _time(asked_at), _time(whole_at))

    def keep(self, site: WatchedSite) -> asyncio.Future[None]:
        read_to = site.read_to.timestamp() if site.read_to else None
        times = read_to, site.asked_at.timestamp(), site.whole_at.timestamp()

        def write(connection: Connection) -> None:
            connection.execute(
                _KEEP, (clean(site.origin), site.task, clean(site.holder), *times)
            )

        return awaited(self._commits.submit(write))

    def pages(self, origin: str) -> Iterator[int]:
        rows = self._database.read().execute(
            "SELECT key FROM watched_page WHERE origin = ?", (clean(origin),)
        )
        return (row[0] for row in rows)

    def keep_page(self, origin: str, key: int) -> asyncio.Future[None]:
        def write(connection: Connection) -> None:
            connection.execute(_KEEP_PAGE, (clean(origin), key))
            connection.execute(
                "DELETE FROM owed_page WHERE origin = ? AND key = ?",
                (clean(origin), key),
            )

        return awaited(self._commits.submit(write, linger_s=LINGER_S))

    def owe(self, origin: str, pages: Mapping[int, str]) -> asyncio.Future[None]:
        rows = [(clean(origin), key, clean(url)) for key, url in pages.items()]

        def write(connection: Connection) -> None:
            connection.executemany(
                "DELETE FROM watched_page WHERE origin = ? AND key = ?",
                [row[:2] for row in rows],
            )
            connection.executemany(_OWE, rows)

        return awaited(self._commits.submit(write))

    def owed(self, origin: str) -> list[str]:
        query = "SELECT url FROM owed_page WHERE origin = ? ORDER BY key"
        return [
            row[0] for row in self._database.read().execute(query, (clean(origin),))
        ]


def _time(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)
