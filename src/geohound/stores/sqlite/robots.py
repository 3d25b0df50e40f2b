"""The robots.txt of each origin, so that nobody is asked for it again because a crawl was stopped."""

from __future__ import annotations

from collections.abc import Sequence

from geohound.contracts import Clock
from geohound.model.job import CachedRobots

from .database import Database


class SqliteRobotsCache:
    """What crawls of this file have read."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def cached(self, origins: Sequence[str]) -> list[CachedRobots]:
        """Those of these origins, as far as they were ever read."""
        marks = ", ".join("?" * len(origins))
        query = f"SELECT origin, at, body FROM robots WHERE origin IN ({marks})"  # noqa: S608 - question marks alone
        now = self._clock.now().timestamp()
        rows = self._database.read().execute(query, origins)
        return [CachedRobots(origin, body, max(0.0, now - read_at)) for origin, read_at, body in rows]
