"""Sites with a watcher, kept in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping

from geohound.model.crawl.watched import WatchedSite

from .completed import done


class MemoryWatchedSites:
    def __init__(self) -> None:
        self._sites: dict[str, WatchedSite] = {}
        self._pages: dict[str, set[int]] = {}
        self._owed: dict[str, dict[int, str]] = {}

    def origins(self) -> list[str]:
        return list(self._sites)

    def site(self, origin: str) -> WatchedSite | None:
        return self._sites.get(origin)

    def keep(self, site: WatchedSite) -> asyncio.Future[None]:
        self._sites[site.origin] = site
        return done()

    def pages(self, origin: str) -> Iterator[int]:
        return iter(sorted(self._pages.get(origin, ())))

    def keep_page(self, origin: str, key: int) -> asyncio.Future[None]:
        self._pages.setdefault(origin, set()).add(key)
        self._owed.get(origin, {}).pop(key, None)
        return done()

    def owe(self, origin: str, pages: Mapping[int, str]) -> asyncio.Future[None]:
        self._pages.get(origin, set()).difference_update(pages)
        self._owed[origin] = {**pages, **self._owed.get(origin, {})}
        return done()

    def owed(self, origin: str) -> list[str]:
        return [url for _, url in sorted(self._owed.get(origin, {}).items())]
