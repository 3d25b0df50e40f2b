"""The robots.txt of each origin, so that nobody is asked for it again because a crawl was stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from geohound.contracts import Clock
from geohound.model.crawl.job import CachedRobots

from .database import Connection, Database, marks
from .group_commit import LINGER_S, GroupCommit, awaited
from .services.codec import clean

_KEEP = """
INSERT INTO robots (origin, at, body) VALUES (?, ?, ?)
ON CONFLICT (origin) DO UPDATE SET at = excluded.at, body = excluded.body"""


class SqlRobotsCache:
    """What crawls of this file have read."""

    def __init__(self, database: Database, commits: GroupCommit, clock: Clock) -> None:
        self._database = database
        self._commits = commits
        self._clock = clock

    def keep(self, read: Sequence[CachedRobots]) -> asyncio.Future[None]:
        now = self._clock.now().timestamp()

        def write(connection: Connection) -> None:
            connection.executemany(
                _KEEP,
                sorted(
                    (clean(each.origin), now - each.age_s, each.body) for each in read
                ),
            )

        return awaited(self._commits.submit(write, linger_s=LINGER_S))

    def cached(self, origins: Sequence[str]) -> list[CachedRobots]:
        query = (
            f"SELECT origin, at, body FROM robots WHERE origin IN ({marks(origins)})"  # noqa: S608 - question marks alone
        )
        now = self._clock.now().timestamp()
        rows = self._database.read().execute(query, origins)
        return [
            CachedRobots(origin, body, max(0.0, now - read_at))
            for origin, read_at, body in rows
        ]
