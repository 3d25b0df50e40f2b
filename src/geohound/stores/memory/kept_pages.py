"""Copies of pages that were read, kept in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import timedelta

from geohound.contracts import Clock
from geohound.model.crawl.kept_page import KeptPage, PageRoom

from .completed import done


class MemoryKeptPages:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._kept: dict[str, KeptPage] = {}  # the latest last

    def keep(self, task: int, page: KeptPage, room: PageRoom) -> asyncio.Future[None]:
        if len(page.packed) > room.bytes:
            return done()
        now = self._clock.now()
        self._kept.pop(page.url, None)
        self._kept[page.url] = page._replace(task=task, at=now)
        self._kept = {
            url: each
            for url, each in self._kept.items()
            if each.at + timedelta(days=each.days) >= now
        }
        if sum(len(each.packed) for each in self._kept.values()) > room.full:
            self._trim(room.bytes)
        return done()

    def _trim(self, most: int) -> None:
        fitting, total = set(), 0
        for each in self._sorted():
            total += len(each.packed)
            if total <= most:
                fitting.add(each.url)
        self._kept = {url: each for url, each in self._kept.items() if url in fitting}

    def pages(self, groups: int) -> Iterator[KeptPage]:
        return (each for each in self._sorted() if each.group < groups)

    def recent(self, url: str, max_age_s: float) -> KeptPage | None:
        found = self._kept.get(url)
        if found is None or not found.is_whole:
            return None
        return (
            found
            if found.at >= self._clock.now() - timedelta(seconds=max_age_s)
            else None
        )

    def _sorted(self) -> list[KeptPage]:
        latest_first = reversed(list(self._kept.values()))
        return sorted(latest_first, key=lambda each: (each.group, -each.at.timestamp()))
