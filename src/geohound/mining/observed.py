"""Services out of what a running page asked for: the same addresses as in scripts, with the event as evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from geohound import jsflow, urls
from geohound.jsflow import Budget, Endpoint, Script
from geohound.model.browsed import Asked, Seen
from geohound.model.visit import Link, Place
from geohound.urls.clue import looks_like_service

from . import html
from .application import Mined, merged

HOW = "browser"
_CONFIDENCE = 0.94  # below a call that was read: where both know it, script and line tell more
_BUDGET = Budget(steps=600_000)
_MAX_FILES = 60
_MAX_LINKS = 2_000
_OWS = frozenset({"wms", "wfs", "wmts", "wcs", "csw", "wps", "sos"})
# A tile that was asked for by its numbers, where scripts have names.
_TILE = re.compile(r"/(\d{1,2})/(\d{1,8})/(\d{1,8})(?=(?:@\dx)?(?:\.\w{3,4})?(?:$|\?))")
_BODY_KIND = re.compile(r"\bservice\s*=\s*[\"']?(?:ogc:)?(wms|wmts|wfs|wcs|csw|wps|sos)\b", re.IGNORECASE)
_SCRIPT = re.compile(r"<script\b.*?(?:</script\s*>|$)", re.IGNORECASE | re.DOTALL)


def endpoints(seen: Seen) -> list[Endpoint]:
    """The services that the page asked something of."""
    found: dict[tuple[str, str | None], Endpoint] = {}
    for asked in seen.asked:
        endpoint = _endpoint(asked, seen.page)
        if endpoint is not None:
            found.setdefault((_same(endpoint.endpoint), endpoint.kind), endpoint)
    return list(found.values())


def _endpoint(asked: Asked, page: str) -> Endpoint | None:
    hint = _BODY_KIND.search(asked.body)
    named = _TILE.sub("/{z}/{y}/{x}", asked.url)
    place = jsflow.read_address(named, page, hint[1].lower() if hint else None)
    if not isinstance(place, jsflow.Address) or place.kind == "xyz":
        return None
    if not (place.is_sure or (hint and asked.method == "POST")):
        return None
    url = place.url if named != asked.url else asked.url
    call = f"{asked.event}: {asked.method} {asked.what}".strip()
    return Endpoint(url, place.endpoint, place.kind, HOW, page, 0, call[:160], _CONFIDENCE)


def _same(endpoint: str) -> str:
    base, mark, query = endpoint.partition("?")
    return f"{base.rstrip('/')}{mark}{query}".partition("://")[2]


def added(mined: Mined, seen: Seen, texts: Mapping[str, str]) -> Mined:
    """What reading found, with what running showed; `texts` are the files that only the running page asked for."""
    known = {(_same(e.endpoint), kind) for e in mined.endpoints for kind in (e.kind, None)}
    found = endpoints(seen)
    asked = {_same(e.endpoint) for e in found}
    scripts = [Script(url, text) for url, text in islice(texts.items(), _MAX_FILES) if _same_file(url) not in asked]
    listed = jsflow.analyse(seen.page, scripts, _BUDGET, whole_page=False).endpoints if scripts else ()
    new = [e for e in (*found, *listed) if (_same(e.endpoint), e.kind) not in known]
    return replace(
        mined,
        endpoints=merged((*mined.endpoints, *new)),
        requests=mined.requests + seen.requests,
        browsed=seen.trouble or f"{seen.events} events, {len(seen.states)} states",
    )


def _same_file(url: str) -> str:
    return _same(urls.endpoint(urls.canonical(url) or url))


def links(seen: Seen, texts: Mapping[str, str]) -> list[Link]:
    """What a crawl can follow of a page that was run: services first, then where events and new states lead."""
    found = added(Mined(seen.page), seen, texts).endpoints
    kept = [Link(_proving(e), context=e.call, place=Place.BROWSER, line=e.line) for e in found]
    kept += [Link(address, place=Place.BROWSER) for address in seen.pages]
    kept += _of_states(seen)
    return kept[:_MAX_LINKS]


def _proving(endpoint: Endpoint) -> str:
    """The address that a test should ask for: of an OGC service, its capabilities."""
    if endpoint.kind not in _OWS:
        return endpoint.url if looks_like_service(endpoint.url) else endpoint.endpoint
    joint = "&" if "?" in endpoint.endpoint else "?"
    return f"{endpoint.endpoint}{joint}service={endpoint.kind.upper()}&request=GetCapabilities"


def _of_states(seen: Seen) -> Iterator[Link]:
    told: set[str] = set()
    for state in seen.states:
        page = html.read(_SCRIPT.sub("", state.html), seen.page)
        yield from _once(page.links, told, state.event)


def _once(links: Iterable[Link], told: set[str], event: str) -> Iterator[Link]:
    for link in links:
        if link.url not in told:
            told.add(link.url)
            yield link._replace(place=Place.BROWSER, context=link.context or event)
