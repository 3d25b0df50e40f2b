"""The robots.txt of each origin, in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from geohound.contracts import Clock
from geohound.model.crawl.job import CachedRobots

from .completed import done


class MemoryRobotsCache:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._read: dict[str, tuple[float, bytes]] = {}

    def keep(self, read: Sequence[CachedRobots]) -> asyncio.Future[None]:
        now = self._clock.now().timestamp()
        self._read.update({each.origin: (now - each.age_s, each.body) for each in read})
        return done()

    def cached(self, origins: Sequence[str]) -> Sequence[CachedRobots]:
        now = self._clock.now().timestamp()
        found = [
            (origin, *self._read[origin]) for origin in origins if origin in self._read
        ]
        return [
            CachedRobots(origin, body, max(0.0, now - at)) for origin, at, body in found
        ]
