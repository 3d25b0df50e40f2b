"""Every request of a running page: noted, and answered by the fetcher of the house, by us, or not at all.

The browser has no network. What the fetcher refuses, be it for the address, for robots.txt or for the pace, the page
does not get; nothing is sent that changes anything: only GET ever leaves.
"""

from __future__ import annotations

import asyncio
import re
import time
from typing import TYPE_CHECKING, Any

from geohound import urls
from geohound.contracts import Fetcher
from geohound.model.crawl.browsed import PageRequest
from geohound.model.failure import FailureReason
from geohound.model.visit import Failure, Visit

from .budget import PageBudget
from .stubs import Stub, moved, stub_for

if TYPE_CHECKING:
    from playwright.async_api import Request, Route

MAX_NOTED = 2_000
MAX_BODY_CHARS = 4_000
MAX_LOADS = 4  # of the page itself: it may send the browser on, but not for ever
# so many times its requests a page may ask for, before it is taken for a flood
FLOOD = 20
MAX_PAGES = 200
MAX_AT_ONCE = 6
MAX_FILE_BYTES = 10_000_000
_TEXT = re.compile(r"javascript|ecmascript|json|xml|text/plain|yaml", re.IGNORECASE)


class Traffic:
    """The requests of one page with its frames."""

    def __init__(self, page_url: str, fetcher: Fetcher, budget: PageBudget) -> None:
        self._fetcher = fetcher
        self._budget = budget
        self._known: dict[str, Visit] = {}
        self._under_way: dict[str, asyncio.Future[Visit | None]] = {}
        self._hands = asyncio.Semaphore(MAX_AT_ONCE)
        self._is_over = False
        self._noted: dict[tuple[str, str, str], PageRequest] = {}
        self._handled = 0
        self._bytes = 0
        self.loads = 0
        self._busy = 0
        self._last_at = time.monotonic()
        self.page_url = page_url
        self.event = "load"
        self.is_settled = False  # from then on the page stays where it is
        self.requests = 0
        self.files: dict[str, None] = {}
        self.pages: dict[str, None] = {}
        # why the page itself could not be had
        self.refused: FailureReason | None = None
        self.flooded = asyncio.Event()

    @property
    def asked(self) -> tuple[PageRequest, ...]:
        return tuple(self._noted.values())

    @property
    def count(self) -> int:
        """Requests so far, whoever answered them."""
        return self._handled

    @property
    def is_flood(self) -> bool:
        """Did the page ask for far more than it may have?"""
        return self._handled > 2 * self._budget.requests

    async def settle(
        self, quiet_s: float, most_s: float, loading: asyncio.Future[Any] | None = None
    ) -> None:
        """Wait until the page has asked for nothing for a while, or until it is loaded."""
        end = time.monotonic() + most_s
        while (now := time.monotonic()) < end:
            if (loading is not None and loading.done()) or (
                not self._busy and now - self._last_at >= quiet_s
            ):
                return
            await asyncio.sleep(0.03)

    def touch(self) -> None:
        """Something was done to the page: it gets time to ask."""
        self._last_at = time.monotonic()

    async def handle(self, route: Route, request: Request) -> None:
        """Answer one request; Playwright calls this for each."""
        self._handled += 1
        if self._handled > self._budget.requests * FLOOD:
            self.flooded.set()
            await _drop(route)
            return
        self._busy += 1
        self._last_at = time.monotonic()
        try:
            await self._answer(route, request)
        finally:
            self._busy -= 1
            self._last_at = time.monotonic()

    async def _answer(self, route: Route, request: Request) -> None:
        url = request.url.partition("#")[0]
        what = request.resource_type
        method = request.method
        if not url.startswith(("http://", "https://")) or len(url) > 8_000:
            await _drop(route)
            return
        self._note(url, what, method, request)
        if request.is_navigation_request():
            if not self._may_load(request, url, method):
                await _drop(route)
                return
        elif (stub := stub_for(url, what, method)) is not None:
            await _fulfil(route, request, 200, stub)
            return
        if method != "GET":
            await _drop(route)
            return
        await self._pass_on(route, request, url)

    def _note(self, url: str, what: str, method: str, request: Request) -> None:
        body = (
            (request.post_data_buffer or b"")[:MAX_BODY_CHARS].decode(
                "utf-8", "replace"
            )
            if method != "GET"
            else ""
        )
        key = (urls.endpoint(url), method, body[:200])
        if len(self._noted) < MAX_NOTED and key not in self._noted:
            self._noted[key] = PageRequest(url, method, body, what, self.event)

    def _may_load(self, request: Request, url: str, method: str) -> bool:
        """Frames may load; the page itself may move a few times while it is loaded, popups never."""
        if method != "GET":
            return False
        if _is_inner(request):
            return True
        if self.is_settled or self.loads >= MAX_LOADS:
            if len(self.pages) < MAX_PAGES:
                self.pages.setdefault(url)
            return False
        self.loads += 1
        self.page_url = url
        return True

    async def _pass_on(self, route: Route, request: Request, url: str) -> None:
        visit = await self._fetch(url)
        if visit is None or isinstance(visit, Failure):
            if request.is_navigation_request() and url == self.page_url:
                self.refused = visit.reason if visit else FailureReason.PAGE_BUDGET
            await _drop(route, denied=visit is None or not visit.reason.means.is_asked)
            return
        if request.is_navigation_request() and visit.chain and visit.final_url != url:
            self._known[visit.final_url] = visit
            await _fulfil(route, request, 200, moved(visit.final_url))
            return
        kind = visit.content_type or "text/plain"
        if _TEXT.search(kind) and visit.status < 400:
            self.files.setdefault(url)
        await _fulfil(route, request, visit.status, Stub(kind, visit.body))

    async def text_of(self, url: str) -> str:
        """A page that nobody runs: its text, if it can be had."""
        visit = await self._fetch(url)
        return (
            ""
            if visit is None or isinstance(visit, Failure)
            else visit.body.decode("utf-8", "replace")
        )

    async def _fetch(self, url: str) -> Visit | None:
        """What the fetcher brings, once; None where the page has spent what it may."""
        known = self._known.get(url)
        if known is not None:
            return known
        if url not in self._under_way:
            if self.requests >= self._budget.requests or self._is_over:
                return None
            self.requests += 1
            self._under_way[url] = asyncio.ensure_future(self._bring(url))
        under_way = self._under_way[url]
        await asyncio.wait((under_way,))
        return None if under_way.cancelled() else under_way.result()

    async def _bring(self, url: str) -> Visit | None:
        async with self._hands:
            room = min(self._budget.bytes - self._bytes, MAX_FILE_BYTES)
            if room <= 0:
                return None
            visit = await self._fetcher.fetch(url, max_bytes=room, follows=_anywhere)
        if not isinstance(visit, Failure):
            self._bytes += len(visit.body)
        self._known[url] = visit
        return visit

    async def stop(self) -> None:
        """The page is closed: what is still under way for it is given up."""
        self._is_over = True
        under_way = list(self._under_way.values())
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)


def _anywhere(_here: str, _there: str) -> bool:
    """A page that is run needs its files, whoever has them."""
    return True


def _is_inner(request: Request) -> bool:
    """Does the request load a frame inside the page?"""
    from playwright.async_api import Error  # noqa: PLC0415 - an extra

    try:
        return request.frame.parent_frame is not None
    except Error:  # a window that is only being opened
        return False


async def _drop(route: Route, *, denied: bool = False) -> None:
    from playwright.async_api import Error  # noqa: PLC0415

    try:
        await route.abort(
            "accessdenied"
            if denied and not route.request.is_navigation_request()
            else "aborted"
        )
    except Error:  # the page is gone
        return


async def _fulfil(route: Route, request: Request, status: int, stub: Stub) -> None:
    """No header of the server reaches the page but the type: no cookies, no rules about who may read it."""
    from playwright.async_api import Error  # noqa: PLC0415

    asking = request.headers.get("origin", "*")
    headers = {
        "content-type": stub.content_type,
        "access-control-allow-origin": asking if asking != "null" else "*",
        "access-control-allow-credentials": "true",
        "cross-origin-resource-policy": "cross-origin",
        "timing-allow-origin": "*",
    }
    try:
        await route.fulfill(status=max(200, status), headers=headers, body=stub.body)
    except Error:
        return
