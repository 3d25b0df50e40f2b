"""Services that a page names outside its scripts: in links, in words, in forms, in pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape

from geohound import jsflow, urls
from geohound.jsflow import Endpoint
from geohound.model.visit import Link, LinkPlace, Page
from geohound.urls.address_book import AddressBook

_CONFIDENCE = 0.6  # below all that a map of the page was seen to use
_ASKS = re.compile(r"[?&](?:service|request|map)=|capabilit|/cgi", re.IGNORECASE)
_HOW = {
    LinkPlace.ANCHOR: "link", LinkPlace.AREA: "link", LinkPlace.META: "link", LinkPlace.FRAME: "frame",
    LinkPlace.EMBED: "picture", LinkPlace.TEXT: "text", LinkPlace.CODE: "text", LinkPlace.FORM: "form",
}  # fmt: skip


def endpoints(
    page: Page, source: str, known: Iterable[Endpoint], book: AddressBook
) -> list[Endpoint]:
    """What links, words, forms and pictures name and nobody reported yet, if the address says itself what it is."""
    reported = {(_same(e.endpoint), kind) for e in known for kind in (e.kind, None)}
    found: dict[tuple[str, str | None], Endpoint] = {}
    for link in page.links:
        how = _HOW.get(link.place)
        place = (
            jsflow.read_address(
                urls.canonical(link.url, page.url) or "", page.url, book
            )
            if how
            else None
        )
        if (
            not isinstance(place, jsflow.Address)
            or not place.is_sure
            or place.is_template
        ):
            continue
        if how == "link" and not _is_of_service(link, place.url, book):
            continue
        key = (_same(place.endpoint), place.kind)
        if how and key not in reported and key not in found:
            said = " ".join(link.text.split())[:80]
            found[key] = Endpoint(
                place.url,
                place.endpoint,
                place.kind,
                how,
                page.url,
                _line(source, link.url),
                said,
                _CONFIDENCE,
            )
    return list(found.values())


def _is_of_service(link: Link, address: str, book: AddressBook) -> bool:
    """Links lead people to pages about services, too: the address must ask for something, or be a server's."""
    if _ASKS.search(address) or book.is_of_server(address):
        return True
    return link.text.strip().partition("?")[0] == link.url.partition("?")[0]


def frames(page: Page, book: AddressBook) -> Iterator[str]:
    """The pages that this one shows in frames."""
    seen = set()
    for link in page.links:
        address = (
            urls.canonical(link.url, page.url)
            if link.place is LinkPlace.FRAME
            else None
        )
        if address and address not in seen and not book.looks_like_service(address):
            seen.add(address)
            yield address


def _line(source: str, address: str) -> int:
    at = max(source.find(address), source.find(escape(address, quote=False)))
    return source.count("\n", 0, at) + 1 if at >= 0 else 0


def _same(endpoint: str) -> str:
    base, mark, query = endpoint.partition("?")
    return f"{base.rstrip('/')}{mark}{query}".partition("://")[2]
