"""Few pages at once in one browser, which is started when it is first needed and replaced when it dies or grows old."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from geohound.contracts import Fetcher
from geohound.model.crawl.browsed import BrowsedPage, EventRow

from .budget import PageBudget
from .chromium import BrowserError, Chromium, can_sandbox, check
from .traffic import Traffic
from .visit import PageVisit

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext

log = logging.getLogger(__name__)

MAX_AGE = 100  # pages; then a fresh process takes over
CLOSE_S = 5.0

RunPage = Callable[[PageVisit], Awaitable[str]]


class BrowserPool:
    """Runs pages; belongs to the event loop in which it is used, and is closed there."""

    def __init__(self, path: str, pages: int, budget: PageBudget) -> None:
        self._path = check(path)
        if not can_sandbox():
            log.warning(
                "Pages are run without Chromium's sandbox, which it refuses to root; another user is safer."
            )
        self._budget = budget
        self._slots = asyncio.Semaphore(max(1, pages))
        self._starting = asyncio.Lock()
        self._chromium: Chromium | None = None
        self._open = 0

    async def run(
        self,
        url: str,
        fetcher: Fetcher,
        words: Sequence[str] = (),
        reported: Sequence[EventRow] = (),
    ) -> BrowsedPage:
        """Load the page through the fetcher, do to it what visitors do, and report what it asked for.

        Of its events only the reported ones are triggered, if there are some.

        BrowserError where no browser can be started; whatever a page does wrong stands in `BrowsedPage.trouble`.
        """

        async def visit(page: PageVisit) -> str:
            return await page.run(url, words, reported)

        async with self._slots:
            seen = await self._run_once(url, fetcher, visit)
            if seen is None:  # another page took the browser with it
                seen = await self._run_once(url, fetcher, visit)
            return seen or BrowsedPage(url, trouble="the browser broke down")

    async def close(self) -> None:
        chromium, self._chromium = self._chromium, None
        if chromium is not None:
            await chromium.end()

    async def _run_once(
        self, url: str, fetcher: Fetcher, run: RunPage
    ) -> BrowsedPage | None:
        """None if the browser died under it."""
        chromium = await self._ready()
        self._open += 1
        try:
            return await self._visit(chromium, url, fetcher, run)
        finally:
            self._open -= 1

    async def _visit(
        self, chromium: Chromium, url: str, fetcher: Fetcher, run: RunPage
    ) -> BrowsedPage | None:
        from playwright.async_api import Error  # noqa: PLC0415 - an extra

        traffic = Traffic(url, fetcher, self._budget)
        try:
            context = await asyncio.wait_for(chromium.context(), CLOSE_S * 4)
        except (Error, TimeoutError):
            await self._replace(chromium)
            return None
        visit = PageVisit(context, chromium.name, traffic, self._budget)
        try:
            trouble = await run(visit)
        except Error as error:
            trouble = f"the browser could not go on: {str(error).splitlines()[0][:100]}"
        finally:
            await asyncio.shield(self._leave(chromium, traffic, visit, context))
        if trouble and (not chromium.is_alive or not traffic.loads):
            await self._replace(chromium)
            return None
        if traffic.is_flood:
            chromium.pages = MAX_AGE  # it is still busy with what the page left behind
        return visit.seen(url, trouble)

    async def _leave(
        self,
        chromium: Chromium,
        traffic: Traffic,
        visit: PageVisit,
        context: BrowserContext,
    ) -> None:
        """Close the page with all that is its own; a browser that cannot even do that is replaced."""
        await traffic.stop()
        with suppress(Exception):
            await asyncio.wait_for(context.close(), CLOSE_S)
            return
        await visit.crash()
        with suppress(Exception):
            await asyncio.wait_for(context.close(), CLOSE_S)
            return
        log.info("the browser did not let go of a page and is replaced")
        await self._replace(chromium)

    async def _ready(self) -> Chromium:
        async with self._starting:
            known = self._chromium
            if (
                known is not None
                and known.is_alive
                and (known.pages < MAX_AGE or self._open)
            ):
                return known
            if known is not None:
                await known.end()
            self._chromium = fresh = Chromium(self._path, self._budget.memory_bytes)
            try:
                await fresh.start()
            except BrowserError:
                self._chromium = None
                raise
            return fresh

    async def _replace(self, dead: Chromium) -> None:
        async with self._starting:
            if self._chromium is dead:
                self._chromium = None
        await dead.end()
