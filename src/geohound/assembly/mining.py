"""What a page and all that belongs to it hold, from the network or from disk."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

from geohound.mining import application, charset, saved
from geohound.model.contracts import Fetcher
from geohound.model.visit import Response
from geohound.settings import Settings

Mined = application.Mined


async def mine_page(url: str, rules: str, way: Fetcher, settings: Settings) -> Mined:
    """What a page and the files that belong to it hold; why not, where the page itself cannot be had."""
    why: list[str] = []

    async def fetch(address: str) -> application.Fetched | None:
        limit = settings.max_page_bytes if address == url else max(settings.max_page_bytes, saved.MAX_BYTES)
        visit = await way.fetch(address, max_bytes=limit)
        if not isinstance(visit, Response) or visit.status >= 400:
            said = f"HTTP {visit.status}" if isinstance(visit, Response) else f"{visit.reason} {visit.detail}".strip()
            why.append(said)
            return None
        kind = visit.content_type
        return application.Fetched(visit.final_url, charset.decode(visit.body, kind, limit), kind)

    found = await application.mine(url, fetch, rules)
    return replace(found, trouble=f"{found.trouble}: {why[0]}") if found.trouble and why else found


async def mine_file(path: Path, rules: str, stood_at: str = "") -> Mined:
    """What a saved page and the files beside it hold; the network is not asked, sources are told as files."""
    address = stood_at or saved.address_of(path)
    read: dict[str, Path] = {}
    found = await application.mine(address, saved.fetch_from(path, address, read), rules)
    told = tuple(replace(e, source=str(read[e.source])) if e.source in read else e for e in found.endpoints)
    return replace(found, page=str(path), endpoints=told)


def can_browse() -> bool:
    """Is the part there that runs pages in a real browser?"""
    return importlib.util.find_spec("geohound.browser") is not None
