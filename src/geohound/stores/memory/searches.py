"""Pages of results of search providers, in memory."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping

from geohound.contracts import Clock
from geohound.model.crawl.task import TaskId
from geohound.model.crawl.web_search import CachedSearch, KeptSearch, SearchPage

from .completed import done


class MemorySearchCache:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pages: dict[tuple[str, str, int], tuple[float, SearchPage | None]] = {}
        self._tasks: dict[tuple[str, str, int], TaskId] = {}

    def begin(
        self, source: str, query: str, number: int, task: TaskId
    ) -> asyncio.Future[None]:
        self._tasks[source, query, number] = task
        self._pages[source, query, number] = self._clock.now().timestamp(), None
        return done()

    def withdraw(self, source: str, query: str, number: int) -> asyncio.Future[None]:
        if self._pages.get((source, query, number), (0.0, SearchPage()))[1] is None:
            del self._pages[source, query, number], self._tasks[source, query, number]
        return done()

    def has_begun(self, source: str, query: str, number: int, task: TaskId) -> bool:
        key = (source, query, number)
        return self._tasks.get(key) == task and self._pages[key][1] is None

    def keep(
        self, source: str, query: str, number: int, page: SearchPage, task: TaskId = 0
    ) -> asyncio.Future[None]:
        self._tasks[source, query, number] = task
        self._pages[source, query, number] = self._clock.now().timestamp(), page
        return done()

    def cached(self, source: str, query: str, number: int) -> CachedSearch | None:
        found = self._pages.get((source, query, number))
        if found is None:
            return None
        at, page = found
        if page is None:
            return None
        return CachedSearch(page, max(0.0, self._clock.now().timestamp() - at))

    def asked_by(self, task: TaskId) -> Mapping[str, int]:
        return Counter(
            source for (source, _, _), asker in self._tasks.items() if asker == task
        )

    def kept(
        self, max_age_s: float, task: TaskId | None = None
    ) -> Iterator[KeptSearch]:
        oldest = self._clock.now().timestamp() - max_age_s
        for (source, query, number), (at, page) in sorted(
            self._pages.items(), key=lambda item: item[0]
        ):
            if at >= oldest and task in (None, self._tasks[source, query, number]):
                yield KeptSearch(source, query, number, page or SearchPage())
