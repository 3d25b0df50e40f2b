"""What a page and all that belongs to it hold, from the network or from disk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from geohound.contracts import Fetcher
from geohound.mining import application, charset, observed, saved
from geohound.model.visit import Response
from geohound.settings import Settings

from .browser import Browsing, Files, Once

Mined = application.Mined


async def mine_page(url: str, rules: str, way: Fetcher, settings: Settings, browser: Browsing | None = None) -> Mined:
    """What a page and the files that belong to it hold; why not, where the page itself cannot be had."""
    why: list[str] = []
    once = Once(way)

    async def fetch(address: str) -> application.Fetched | None:
        limit = settings.max_page_bytes if address == url else max(settings.max_page_bytes, saved.MAX_BYTES)
        visit = await once.fetch(address, max_bytes=limit)
        if not isinstance(visit, Response) or visit.status >= 400:
            said = f"HTTP {visit.status}" if isinstance(visit, Response) else f"{visit.reason} {visit.detail}".strip()
            why.append(said)
            return None
        kind = visit.content_type
        return application.Fetched(visit.final_url, charset.decode(visit.body, kind, limit), kind)

    found = await application.mine(url, fetch, rules)
    if found.trouble:
        return replace(found, trouble=f"{found.trouble}: {why[0]}") if why else found
    return await _run(found, once, browser)


async def mine_file(path: Path, rules: str, stood_at: str = "", browser: Browsing | None = None) -> Mined:
    """What a saved page and the files beside it hold; the network is not asked, sources are told as files."""
    address = stood_at or saved.address_of(path)
    read: dict[str, Path] = {}
    fetch = saved.fetch_from(path, address, read)
    found = await mine_files(address, fetch, rules, browser)
    told = tuple(replace(e, source=str(read[e.source])) if e.source in read else e for e in found.endpoints)
    return replace(found, page=str(path), endpoints=told)


async def mine_files(address: str, fetch: application.Fetch, rules: str, browser: Browsing | None = None) -> Mined:
    """What the page at this address holds, if this is all there is of it and its files."""
    read: set[str] = set()

    async def noted(url: str) -> application.Fetched | None:
        read.add(url)
        return await fetch(url)

    found = await application.mine(address, noted, rules)
    return found if found.trouble else await _run(found, Once(Files(fetch)), browser, frozenset(read))


async def _run(found: Mined, once: Once, browser: Browsing | None, read: frozenset[str] = frozenset()) -> Mined:
    """The same with what running the page shows, if it is to be run."""
    if browser is None or not (found.unsure or (browser.mode == "always" and found.is_page)):
        return found
    before = frozenset(once.visits) | read
    seen = await browser.run(found.page, once)
    return observed.added(found, seen, once.texts(seen.files, before))
