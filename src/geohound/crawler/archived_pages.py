"""Pages of an archive, read as live ones are: those that are services, and the services that others name."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from geohound import probe
from geohound.contracts import Kind
from geohound.document import Document
from geohound.model.crawl.harvest import MAX_LISTED, HarvestPage, Listed
from geohound.model.visit import Page, Response
from geohound.urls.address_book import AddressBook

Mine = Callable[[Document], Awaitable[Page]]  # reads a document without a request


async def mine_archived(
    found: HarvestPage, mine: Mine, kinds: Mapping[str, Kind], book: AddressBook
) -> HarvestPage:
    """The page of a harvest with what its archived pages name, and without these pages."""
    listed = dict.fromkeys(found.listed)
    for response in found.documents:
        listed.update(dict.fromkeys(await _named(response, mine, kinds, book)))
        await asyncio.sleep(0)  # whoever guards this process sees that it goes on
        if len(listed) >= MAX_LISTED:
            break
    return replace(found, listed=tuple(listed), documents=())


async def _named(
    response: Response, mine: Mine, kinds: Mapping[str, Kind], book: AddressBook
) -> list[Listed]:
    document = Document(response)
    verdict = probe.recognise(document, kinds)
    if verdict.services:
        return [Listed(response.url, verdict.services[0].title[:200])]
    named = [Listed(url) for url in verdict.refusal.lists] if verdict.refusal else []
    page = await mine(document)
    links = [link for link in page.links if book.looks_like_service(link.url)]
    return named + [Listed(link.url, (link.text or page.title)[:200]) for link in links]
