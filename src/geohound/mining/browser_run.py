"""What running a page in a browser adds to reading it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from geohound.contracts import Fetcher
from geohound.document import Document
from geohound.model.crawl.browsed import BrowsedPage, EventRow
from geohound.model.visit import Link, Page
from geohound.urls.address_book import AddressBook

from . import browser_traffic
from .application import Mined
from .fetchers import PageCache


class RunsPages(Protocol):
    """A browser, and the rule by which pages are run in it."""

    def wants(self, *, is_unsure: bool) -> bool:
        """Is a page to be run? `is_unsure`: reading it did not find everything."""

    async def run(
        self, url: str, fetcher: Fetcher, reported: Sequence[EventRow] = ()
    ) -> BrowsedPage:
        """Run it; where its site's watcher reports events, only these are triggered."""


async def links_of_run(
    browser: RunsPages,
    book: AddressBook,
    document: Document,
    page: Page,
    fetcher: Fetcher,
    reported: Sequence[EventRow] = (),
) -> list[Link]:
    """The links that running a page of a crawl adds; none where it need not be run.

    A page whose watcher reports events is a dynamic one (WBC-7): it is run wherever a browser is allowed.
    """
    is_unsure = bool(page.unsure) or bool(reported)
    if not document.is_html or page.nofollow or not browser.wants(is_unsure=is_unsure):
        return []
    cache = PageCache(fetcher)
    cache.keep(document.response.url, document.response)
    before = frozenset(cache.visits)
    seen = await browser.run(document.url, cache, reported)
    return browser_traffic.links(seen, cache.texts(seen.files, before), book)


async def add_run(
    mined: Mined,
    cache: PageCache,
    book: AddressBook,
    browser: RunsPages | None,
    read: frozenset[str] = frozenset(),
) -> Mined:
    """What was mined, with what running the page shows if it is to be run; `read` were read before, past the cache."""
    if browser is None or not mined.is_page:
        return mined
    if not mined.unsure and not browser.wants(is_unsure=False):
        return mined
    before = frozenset(cache.visits) | read
    seen = await browser.run(mined.page, cache)
    return browser_traffic.added(mined, seen, cache.texts(seen.files, before), book)
