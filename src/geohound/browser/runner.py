"""Which pages are run in the browser, and what becomes of a crawl whose browser does not start."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from geohound.contracts import Fetcher
from geohound.model.crawl.browsed import BrowsedPage, EventRow

from .chromium import BrowserError
from .pool import BrowserPool
from .state_archive import StateArchive

log = logging.getLogger(__name__)

MODES = ("never", "auto", "always")
MAX_FAILURES = 3


class PageRunner:
    """The browser with the rule by which pages are run in it: `auto` where reading is not enough, or `always`."""

    def __init__(
        self,
        mode: str,
        pool: BrowserPool,
        words: Sequence[str] = (),
        archive: StateArchive | None = None,
    ) -> None:
        """`words` are asked of search forms; `archive` keeps new states."""
        self._mode = mode
        self._pool = pool
        self._words = words
        self._archive = archive
        self._failures = 0

    def wants(self, *, is_unsure: bool) -> bool:
        """Is a page to be run? `is_unsure`: reading it did not find everything."""
        return is_unsure or self._mode == "always"

    async def run(
        self, url: str, fetcher: Fetcher, reported: Sequence[EventRow] = ()
    ) -> BrowsedPage:
        """Run one page; after a browser could not be started a few times it is not tried again."""
        if self._failures >= MAX_FAILURES:
            return BrowsedPage(url, trouble="the browser does not start")
        try:
            seen = await self._pool.run(url, fetcher, self._words, reported)
        except BrowserError as error:
            self._failures += 1
            log.warning("%s: %s was read without being run.", error, url)
            return BrowsedPage(url, trouble=str(error))
        self._failures = 0
        if self._archive is not None:
            await asyncio.to_thread(self._keep, self._archive, seen)
        return seen

    def _keep(self, archive: StateArchive, seen: BrowsedPage) -> None:
        try:
            archive.keep(seen)
        except OSError as error:  # a full disk costs the states, not the crawl
            log.warning("States of %s were not kept: %s.", seen.page, error.strerror)

    async def close(self) -> None:
        await self._pool.close()
