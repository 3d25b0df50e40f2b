"""Services out of what a running page asked for: the same addresses as in scripts, with the event as evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from geohound import jsflow, urls
from geohound.jsflow import AnalysisBudget, Endpoint, Script
from geohound.model.crawl.browsed import BrowsedPage, PageRequest
from geohound.model.visit import Link, LinkPlace
from geohound.urls.address_book import AddressBook

from . import html, service_names
from .application import Mined, merged

HOW = "browser"
# below a call that was read: where both know it, script and line say more
_CONFIDENCE = 0.94
_BUDGET = AnalysisBudget(steps=600_000)
_MAX_FILES = 60
_MAX_LINKS = 2_000
# A tile that was asked for by its numbers, where scripts have names.
_TILE = re.compile(r"/(\d{1,2})/(\d{1,8})/(\d{1,8})(?=(?:@\dx)?(?:\.\w{3,4})?(?:$|\?))")
_BODY_KIND = re.compile(r"\bservice\s*=\s*[\"']?(?:ogc:)?([\w-]{2,20})", re.IGNORECASE)
_SCRIPT = re.compile(r"<script\b.*?(?:</script\s*>|$)", re.IGNORECASE | re.DOTALL)


def endpoints(seen: BrowsedPage, book: AddressBook) -> list[Endpoint]:
    """The services that the page asked something of."""
    found: dict[tuple[str, str | None], Endpoint] = {}
    for asked in seen.asked:
        endpoint = _endpoint(asked, seen.page, book)
        if endpoint is not None:
            found.setdefault((_same(endpoint.endpoint), endpoint.kind), endpoint)
    return list(found.values())


def _endpoint(asked: PageRequest, page: str, book: AddressBook) -> Endpoint | None:
    named_in_body = _BODY_KIND.search(asked.body)
    hint = book.kind_of_service(named_in_body[1]) if named_in_body else None
    named = _TILE.sub("/{z}/{y}/{x}", asked.url)
    place = jsflow.read_address(named, page, book, hint)
    if not isinstance(place, jsflow.Address) or place.is_template:
        return None
    if not (place.is_sure or (hint and asked.method == "POST")):
        return None
    url = place.url if named != asked.url else asked.url
    call = f"{asked.event}: {asked.method} {asked.what}".strip()
    return Endpoint(
        url, place.endpoint, place.kind, HOW, page, 0, call[:160], _CONFIDENCE
    )


def _same(endpoint: str) -> str:
    base, mark, query = endpoint.partition("?")
    return f"{base.rstrip('/')}{mark}{query}".partition("://")[2]


def added(
    mined: Mined, seen: BrowsedPage, texts: Mapping[str, str], book: AddressBook
) -> Mined:
    """What reading found, with what running showed; `texts` are the files that only the running page asked for."""
    known = {
        (_same(e.endpoint), kind) for e in mined.endpoints for kind in (e.kind, None)
    }
    new = [
        e for e in _used(seen, texts, book) if (_same(e.endpoint), e.kind) not in known
    ]
    together = [*mined.endpoints, *new]
    together += _named_in_states(seen, together, book)
    return replace(
        mined,
        endpoints=merged(together),
        requests=mined.requests + seen.requests,
        browsed=seen.trouble or f"{seen.events} events, {len(seen.states)} states",
    )


def _used(
    seen: BrowsedPage, texts: Mapping[str, str], book: AddressBook
) -> tuple[Endpoint, ...]:
    """The services of requests, and of the files that were requested."""
    found = endpoints(seen, book)
    asked = {_same(e.endpoint) for e in found}
    scripts = [
        Script(url, text)
        for url, text in islice(texts.items(), _MAX_FILES)
        if _same_file(url) not in asked
    ]
    listed = (
        jsflow.analyse(seen.page, scripts, book, _BUDGET).endpoints if scripts else ()
    )
    return merged((*found, *listed))


def _named_in_states(
    seen: BrowsedPage, known: Iterable[Endpoint], book: AddressBook
) -> list[Endpoint]:
    """The services that new states name in links, words, forms and pictures."""
    found = list(known)
    before = len(found)
    for state in seen.states:
        text = _SCRIPT.sub("", state.html)
        page = html.read(text, seen.page, book)
        named = service_names.endpoints(page, text, found, book)
        found += [
            replace(e, how=HOW, line=0, call=f"{state.event}: {e.how}") for e in named
        ]
    return found[before:]


def _same_file(url: str) -> str:
    return _same(urls.endpoint(urls.canonical(url) or url))


def links(seen: BrowsedPage, texts: Mapping[str, str], book: AddressBook) -> list[Link]:
    """What a crawl can follow of a page that was run: services first, then where events and new states lead."""
    found = _used(seen, texts, book)
    kept = [
        Link(_proving(e, book), context=e.call, place=LinkPlace.BROWSER, line=e.line)
        for e in found
    ]
    kept += [Link(address, place=LinkPlace.BROWSER) for address in seen.pages]
    kept += _of_states(seen, book)
    return kept[:_MAX_LINKS]


def _proving(endpoint: Endpoint, book: AddressBook) -> str:
    """The address that a test should ask for: of an OGC service, its capabilities."""
    question = book.capabilities(endpoint.kind or "", endpoint.endpoint)
    return question or (
        endpoint.url if book.looks_like_service(endpoint.url) else endpoint.endpoint
    )


def _of_states(seen: BrowsedPage, book: AddressBook) -> Iterator[Link]:
    seen_urls: set[str] = set()
    for state in seen.states:
        page = html.read(_SCRIPT.sub("", state.html), seen.page, book)
        yield from _once(page.links, seen_urls, state.event)


def _once(links: Iterable[Link], seen_urls: set[str], event: str) -> Iterator[Link]:
    for link in links:
        if link.url not in seen_urls:
            seen_urls.add(link.url)
            yield link._replace(place=LinkPlace.BROWSER, context=link.context or event)
