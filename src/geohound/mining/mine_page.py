"""What a page and all that belongs to it hold, from the network or from disk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from geohound.contracts import Fetcher
from geohound.model.visit import Response
from geohound.urls.address_book import AddressBook

from . import application, charset, saved_page
from .application import Mined
from .browser_run import RunsPages, add_run
from .fetchers import PageCache, SavedFiles


async def mine_page(
    url: str,
    rules: str,
    fetcher: Fetcher,
    book: AddressBook,
    max_bytes: int,
    browser: RunsPages | None = None,
) -> Mined:
    """What a page and the files that belong to it hold; why not, where the page itself cannot be had."""
    why: list[str] = []
    asked = 0
    cache = PageCache(fetcher)

    async def fetch(address: str) -> application.Fetched | None:
        limit = max_bytes if address == url else max(max_bytes, saved_page.MAX_BYTES)
        nonlocal asked
        visit = await cache.fetch(address, max_bytes=limit)
        asked += bool(visit.address)
        if not isinstance(visit, Response) or visit.status >= 400:
            reason = (
                f"HTTP {visit.status}"
                if isinstance(visit, Response)
                else f"{visit.reason} {visit.detail}"
            )
            why.append(reason.strip())
            return None
        kind = visit.content_type
        return application.Fetched(
            visit.final_url, charset.decode(visit.body, kind, limit), kind
        )

    found = await application.mine(url, fetch, book, rules)
    if found.trouble:
        trouble = ": ".join((found.trouble, *why[:1]))
        return replace(found, trouble=trouble, requests=asked)
    return await add_run(found, cache, book, browser)


async def mine_file(
    path: Path,
    rules: str,
    book: AddressBook,
    base: str = "",
    browser: RunsPages | None = None,
) -> Mined:
    """What a saved page and the files beside it hold; the network is not asked, sources are named as files.

    `base` is the address that the page was saved from, where it is known.
    """
    address = base or saved_page.address_of(path)
    read: dict[str, Path] = {}
    fetch = saved_page.fetch_from(path, address, read)
    found = await mine_files(address, fetch, rules, book, browser)
    endpoints = tuple(
        replace(e, source=str(read[e.source])) if e.source in read else e
        for e in found.endpoints
    )
    return replace(found, page=str(path), endpoints=endpoints)


async def mine_files(
    address: str,
    fetch: application.Fetch,
    rules: str,
    book: AddressBook,
    browser: RunsPages | None = None,
) -> Mined:
    """What the page at this address holds, if this is all there is of it and its files."""
    read: set[str] = set()

    async def noted(url: str) -> application.Fetched | None:
        read.add(url)
        return await fetch(url)

    found = await application.mine(address, noted, book, rules)
    if found.trouble:
        return found
    return await add_run(
        found, PageCache(SavedFiles(fetch)), book, browser, frozenset(read)
    )
