"""Services that a page names outside its scripts: in links, in words, in forms, in pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape

from geohound import jsflow, urls
from geohound.jsflow import Endpoint
from geohound.model.visit import Link, Page, Place
from geohound.urls.clue import looks_like_service

_CONFIDENCE = 0.6  # below all that a map of the page was seen to use
_SERVER = re.compile(
    r"[?&](?:service|request|map)=|capabilit|/rest/services/|geoserver|mapserv|mapproxy|qgis|deegree|thredds|/cgi|/ows\b|"
    r"/collections/|wmsserver|wfsserver|/v1\.[01]/|geowebcache",
    re.IGNORECASE,
)
_HOW = {
    Place.ANCHOR: "link", Place.AREA: "link", Place.META: "link", Place.FRAME: "frame", Place.EMBED: "picture",
    Place.TEXT: "text", Place.CODE: "text", Place.FORM: "form",
}  # fmt: skip


def endpoints(page: Page, source: str, known: Iterable[Endpoint]) -> list[Endpoint]:
    """What links, words, forms and pictures name and nobody told yet, if the address says itself what it is."""
    told = {(_same(e.endpoint), kind) for e in known for kind in (e.kind, None)}
    found: dict[tuple[str, str | None], Endpoint] = {}
    for link in page.links:
        how = _HOW.get(link.place)
        place = jsflow.read_address(urls.canonical(link.url, page.url) or "", page.url) if how else None
        if not isinstance(place, jsflow.Address) or not place.is_sure or place.kind == "xyz":
            continue
        if how == "link" and not _is_of_service(link, place.url):
            continue
        key = (_same(place.endpoint), place.kind)
        if how and key not in told and key not in found:
            said = " ".join(link.text.split())[:80]
            found[key] = Endpoint(
                place.url, place.endpoint, place.kind, how, page.url, _line(source, link.url), said, _CONFIDENCE
            )
    return list(found.values())


def _is_of_service(link: Link, address: str) -> bool:
    """Links lead people to pages about services, too: the address must ask for something, or be a server's."""
    return bool(_SERVER.search(address)) or link.text.strip().partition("?")[0] == link.url.partition("?")[0]


def frames(page: Page) -> Iterator[str]:
    """The pages that this one shows in frames."""
    told = set()
    for link in page.links:
        address = urls.canonical(link.url, page.url) if link.place is Place.FRAME else None
        if address and address not in told and not looks_like_service(address):
            told.add(address)
            yield address


def _line(source: str, address: str) -> int:
    at = max(source.find(address), source.find(escape(address, quote=False)))
    return source.count("\n", 0, at) + 1 if at >= 0 else 0


def _same(endpoint: str) -> str:
    base, mark, query = endpoint.partition("?")
    return f"{base.rstrip('/')}{mark}{query}".partition("://")[2]
