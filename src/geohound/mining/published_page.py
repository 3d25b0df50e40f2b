"""A page as the focused deep web crawler of Hou, Chen & Wu (2016) reads it (LC-14, figure 6 of the paper).

Where the judgements hold, the scripts of the page yield candidates by rule 1 or 2, and its links are not followed.
Otherwise the page is surface web: its links count, and its scripts do not. Scripts of other sites are not read: another
process keeps the pace there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from geohound import urls
from geohound.document import Document
from geohound.jsflow import Endpoint
from geohound.model.visit import Link, LinkPlace, Page, Response
from geohound.urls.address_book import AddressBook

from . import application, charset, html, is_page, mine
from .application import Fetched
from .map_page import Explorer
from .robots_tag import robots_tag

Fetch = Callable[[str], Awaitable[Response | None]]
MAX_SCRIPT_CHARS = 16_000_000


class PublishedExplorer:
    """Explores documents by the published rules alone."""

    def __init__(self, book: AddressBook) -> None:
        self._book = book

    def forget(self) -> None:
        """Nothing is remembered."""

    async def explore(
        self, document: Document, fetch: Fetch, is_known: html.IsKnown | None = None
    ) -> Page:
        """The candidates of a page that is judged to use a WMS; of other documents, the links.

        A judged page does not report its links, so `is_known` must not hear of them.
        """
        if not is_page(document):
            return mine(document, self._book, is_known)
        source = charset.decode(document.body, document.response.content_type.lower())
        tag = robots_tag(document.response.headers)
        page = html.read(source, document.url, self._book, tag, with_scripts=False)
        surface = replace(page, script_files=())
        if page.nofollow:
            return surface
        site = urls.site(document.url)
        found = await application.by_published_rules(
            Fetched(document.url, source, "text/html"), _texts(fetch, site)
        )
        if found is None:
            return surface
        return replace(surface, links=tuple(map(self._candidate, found.endpoints)))

    def _candidate(self, found: Endpoint) -> Link:
        """The request by which the paper validates a candidate, whatever its address looks like."""
        question = self._book.capabilities("wms", found.endpoint)
        return Link(
            question,
            context=f"{found.how} ({found.source}:{found.line})",
            place=LinkPlace.SCRIPT,
        )


def _texts(fetch: Fetch, site: str) -> application.Fetch:
    async def get(url: str) -> Fetched | None:
        answer = await fetch(url) if urls.site(url) == site else None
        if answer is None or answer.status >= 400:
            return None
        kind = answer.content_type
        return Fetched(
            answer.final_url, charset.decode(answer.body, kind, MAX_SCRIPT_CHARS), kind
        )

    return get


EXPLORERS: dict[str, type[Explorer | PublishedExplorer]] = {
    "static": Explorer,
    "hou2016": PublishedExplorer,
}
