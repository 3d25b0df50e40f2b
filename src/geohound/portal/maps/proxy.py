"""A way past browsers that may not read a service: GET /proxy/{id}, for services of the catalogue and for who may.

Only what stands at the service's own address is asked for, and only pictures, features and answers about a place are
passed on: their bytes, and a type of our own choosing. No header, cookie or redirect of the service gets through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from geohound.model.service import Service
from geohound.model.visit import Failure, Visit
from geohound.model.visit import Response as Answer
from geohound.portal.portal import Portal, portal_of
from geohound.urls import canonical, origin, params_lower

_ACCEPT = (
    "image/png, image/jpeg, image/webp, image/gif, application/geo+json, application/json, application/xml, "
    "application/vnd.mapbox-vector-tile, */*"
)
_MAX_AT_ONCE = 8
_SNIFFED = 2_000  # bytes in which the first element of a document stands
# By what a body begins, whatever it is said to be.
_IMAGES = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
}
_UNSAID = ("", "application/octet-stream", "binary/octet-stream")
_JSON = re.compile(r"application/(?:[\w.-]+\+)?json")
_XML = re.compile(r"(?:application|text)/(?:[\w.-]+\+)?(?:xml|gml|vnd\.ogc\.gml)")
_TILE = re.compile(r"application/(?:vnd\.mapbox-vector-tile|(?:x-)?protobuf)")
_TILE_LAYER = b"\x1a"  # a vector tile is layers, and each begins with this
_ROOT = re.compile(rb"<(?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)")
_PAGES = (b"html", b"svg", b"script", b"xsl", b"stylesheet", b"transform")
_HEADERS = {
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "Content-Disposition": "attachment",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "private, max-age=300",
}
_running: set[object] = set()


async def proxied(request: Request) -> Response:
    """GET /proxy/{id}?url=…"""
    portal = portal_of(request)
    if request.headers.get("sec-fetch-site", "same-origin") not in (
        "same-origin",
        "none",
    ):
        raise HTTPException(403, "The proxy is for the maps of this portal alone.")
    service = await run_in_threadpool(portal.catalogue.get, request.path_params["id"])
    if service is None or portal.relay is None:
        raise HTTPException(
            404, "There is no such service, or this portal has no proxy."
        )
    url = own_address(portal, service, request.query_params.get("url", ""))
    if url is None:
        raise HTTPException(403, "This is not an address of the service.")
    if len(_running) >= _MAX_AT_ONCE:
        raise HTTPException(
            503, "The proxy is busy; try again in a few seconds.", {"Retry-After": "5"}
        )
    mark = object()
    _running.add(mark)
    try:
        visit = await portal.relay(url, _ACCEPT, lambda _, to: is_own(service, to))
    finally:
        _running.discard(mark)
    answer = _good(visit)
    return Response(answer.body, media_type=safe_type(answer), headers=_HEADERS)


def own_address(portal: Portal, service: Service, asked: str) -> str | None:
    """The address as the crawler reaches it, where it is one of the service's own."""
    url = canonical(asked)
    if url is None or len(asked) > 8_000:
        return None
    root = origin(service.endpoint)
    reached = portal.reach(f"{root}/") if portal.reach is not None else ""
    if reached and url.startswith(reached):
        url = canonical(f"{root}/{url.removeprefix(reached)}")
    return url if url is not None and is_own(service, url) else None


def is_own(service: Service, url: str) -> bool:
    """Has it the origin of the service's endpoint, and a path at or below one of its own?"""
    clean = canonical(url)
    if clean is None or origin(clean) != origin(service.endpoint):
        return False
    return any(_is_below(base, clean) for base in _bases(service))


def _bases(service: Service) -> Iterator[str]:
    """Its endpoint, the addresses of its operations, and the beginnings of its templates."""
    yield service.endpoint
    declared = [operation.get for operation in service.operations]
    templates = [
        link.partition("{")[0].rpartition("/")[0]
        for layer in service.layers
        for link in layer.links
    ]
    for each in (*declared, *templates):
        clean = canonical(each) if each else None
        if (
            clean is not None
            and origin(clean) == origin(service.endpoint)
            and urlsplit(clean).path.strip("/")
        ):
            yield clean


def _is_below(base: str, url: str) -> bool:
    path, asked = urlsplit(base).path.rstrip("/"), urlsplit(url).path
    needed = params_lower(base)
    given = params_lower(url)
    is_within = asked.rstrip("/") == path or asked.startswith(f"{path}/")
    # An escaped slash or dot is one to some servers, and a way out of the path.
    is_plain = not re.search(r"%2f|%5c|%2e|\\", asked, re.IGNORECASE)
    return (
        is_within
        and is_plain
        and all(
            given.get(key) == value
            for key, value in needed.items()
            if key not in _ASKED
        )
    )


# What requests say anew each time; whatever else an endpoint names, such as `map`, belongs to it.
_ASKED = frozenset({"service", "request", "version", "acceptversions", "f", "format"})


def _good(visit: Visit) -> Answer:
    if isinstance(visit, Failure):
        raise HTTPException(502, f"The service could not be asked: {visit.reason}.")
    if not 200 <= visit.status < 300:
        raise HTTPException(502, f"The service answered with HTTP {visit.status}.")
    if visit.truncated:
        raise HTTPException(
            502, "The answer of the service is too large for the proxy."
        )
    return visit


def safe_type(answer: Answer) -> str:
    """The type to pass it on with; HTTPException 502 where it is neither picture nor features."""
    said = answer.content_type.partition(";")[0].strip().lower()
    body = answer.body
    for picture, beginnings in _IMAGES.items():
        if said in (picture, *_UNSAID) and body.startswith(beginnings):
            return picture
    start = body.removeprefix(b"\xef\xbb\xbf").lstrip()[:_SNIFFED]
    is_unsaid = said in _UNSAID
    if (is_unsaid or _JSON.fullmatch(said)) and start[:1] in (b"{", b"["):
        return "application/json"
    root = _ROOT.search(start)
    is_page = root is None or root[1].lower() in _PAGES or b"<?xml-stylesheet" in start
    if (is_unsaid or _XML.fullmatch(said)) and start[:1] == b"<" and not is_page:
        return "application/xml"
    if (is_unsaid or _TILE.fullmatch(said)) and body[:1] in (b"", _TILE_LAYER):
        return "application/vnd.mapbox-vector-tile"
    if said == "text/plain" and b"<" not in start:
        return "text/plain"
    raise HTTPException(
        502,
        "The service answered with something that is neither a picture nor features.",
    )
