"""Pages run in a real browser where the settings say so, for a person who asks about one page and for a crawl."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import UTC, datetime

from geohound.browsing import BrowserError, BrowserPool, Budget, check
from geohound.contracts import Fetcher
from geohound.document import Document
from geohound.mining import application, charset, observed
from geohound.model.browsed import Seen
from geohound.model.visit import Failure, FailureReason, Link, Page, Response, Visit
from geohound.onward import FetcherBefore, Onward
from geohound.settings import Settings, SettingsError

log = logging.getLogger(__name__)

MODES = ("never", "auto", "always")
MAX_KEPT_BYTES = 60_000_000
MAX_FAILURES = 3


class Once(FetcherBefore):
    """A fetcher that asks for each address of one page once, be it for reading or for running the page."""

    def __init__(self, inner: Fetcher) -> None:
        super().__init__(inner)
        self.visits: dict[str, Visit] = {}
        self._room = MAX_KEPT_BYTES

    async def ask(self, url: str, onward: Onward) -> Visit:
        had = self.visits.get(url)
        if had is None:
            had = await onward()
            self.keep(url, had)
        return had

    def keep(self, url: str, visit: Visit) -> None:
        size = len(visit.body) if isinstance(visit, Response) else 0
        if size <= self._room:
            self._room -= size
            self.visits[url] = visit
            if isinstance(visit, Response):
                self.visits.setdefault(visit.final_url, visit)

    def texts(self, urls: tuple[str, ...], without: frozenset[str]) -> Mapping[str, str]:
        """The files that were had under these addresses, but for those that were there before."""
        had = ((url, self.visits.get(url)) for url in urls if url not in without)
        return {u: charset.decode(v.body, v.content_type, 5_000_000) for u, v in had if isinstance(v, Response)}


class Files(FetcherBefore):
    """A fetcher over files that were saved: what is not among them is not there."""

    def __init__(self, get: application.Fetch) -> None:
        super().__init__()
        self._get = get

    async def ask(self, url: str, onward: Onward) -> Visit:  # noqa: ARG002 - nothing is behind it
        found = await self._get(url)
        now = datetime.now(UTC)
        if found is None:
            return Failure(url, FailureReason.HTTP_ERROR, "no such file", now)
        kind = {"content-type": f"{found.content_type or _guess(found.text)}; charset=utf-8"}
        return Response(url, url, 200, kind, found.text.encode("utf-8", "replace"), now)


def _guess(text: str) -> str:
    match text.lstrip("\ufeff \t\r\n")[:1]:
        case "{" | "[":
            return "application/json"
        case "<":
            return "text/xml"
    return "text/plain"


class Browsing:
    """The browser with the rule by which pages are run in it."""

    def __init__(self, settings: Settings, processes: int = 1) -> None:
        self.mode = settings.browser
        self._words = settings.query_forms
        budget = Budget(
            time_s=settings.browser_time_s,
            requests=settings.browser_requests,
            bytes=settings.browser_bytes,
            memory_bytes=settings.browser_memory_bytes,
            events=settings.browser_events,
        )
        self._pool = BrowserPool(settings.browser_path, max(1, settings.browser_pages // processes), budget)
        self._failures = 0

    async def run(self, url: str, fetcher: Fetcher) -> Seen:
        """Run one page; after a browser could not be started a few times it is not tried again."""
        if self._failures >= MAX_FAILURES:
            return Seen(url, trouble="the browser does not start")
        try:
            seen = await self._pool.run(url, fetcher, self._words)
        except BrowserError as error:
            self._failures += 1
            log.warning("%s: %s was read without being run.", error, url)
            return Seen(url, trouble=str(error))
        self._failures = 0
        return seen

    async def look(self, document: Document, page: Page, fetcher: Fetcher) -> list[Link]:
        """What running a page of a crawl adds to what reading it told; nothing where that need not be."""
        if not document.is_html or page.nofollow or (self.mode == "auto" and not page.unsure):
            return []
        once = Once(fetcher)
        once.keep(document.response.url, document.response)
        before = frozenset(once.visits)
        seen = await self.run(document.url, once)
        return observed.links(seen, once.texts(seen.files, before))

    async def close(self) -> None:
        await self._pool.close()


def find_browser(path: str = "") -> tuple[str, str]:
    """Where the browser is, or what to do to have one."""
    try:
        return check(path), ""
    except BrowserError as error:
        return "", str(error)


def browsing(settings: Settings, processes: int = 1) -> Browsing | None:
    """The browser, where the settings want one; SettingsError says what is missing."""
    if settings.browser not in MODES:
        raise SettingsError(f"The setting browser must be never, auto or always, not {settings.browser!r}.")
    if settings.browser == "never":
        return None
    _, missing = find_browser(settings.browser_path)
    if missing:
        raise SettingsError(missing)
    return Browsing(settings, processes)
