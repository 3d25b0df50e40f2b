"""Answers that are made here: pictures, tiles, styles, features; a page needs them to go on, nobody to fetch them."""

from __future__ import annotations

import base64
import json
import re
from typing import NamedTuple

# One transparent point.
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
_NEVER_FETCHED = {
    "image": ("image/png", PNG),
    "stylesheet": ("text/css", b""),
    "font": ("font/woff2", b""),
    "media": ("video/mp4", b""),
    "manifest": ("application/json", b"{}"),
    "texttrack": ("text/vtt", b"WEBVTT\n\n"),
    "ping": ("text/plain", b""),
    "cspviolationreport": ("text/plain", b""),
    "eventsource": ("text/event-stream", b""),
}
_DRAWN = re.compile(
    r"[?&](?:request=(?:getmap|map|gettile|getlegendgraphic|getcoverage)\b)"
    r"|/(?:map|image)server/(?:export|exportimage|tile/|legend)|/\d{1,2}/\d{1,8}/\d{1,8}(?:@\dx)?(?:\.(?:png|jpe?g|webp|gif|avif))?(?:$|\?)"
    r"|\.(?:png|jpe?g|gif|webp|avif|svg|ico|tiff?)(?:$|\?)",
    re.IGNORECASE,
)
_PACKED = re.compile(
    r"\.(?:pbf|mvt|terrain|b3dm|glb|i3dm|pnts|zip|gz|pdf|mp[34]|webm|woff2?|ttf|otf)(?:$|\?)",
    re.IGNORECASE,
)
_FEATURES = re.compile(
    r"[?&]request=(?:getfeature|getfeatureinfo|getpropertyvalue|getobservation|execute)(?:&|$)"
    r"|/(?:map|feature)server(?:/\d+)?/(?:query|identify|find)\b|/collections/[^/?]+/items(?:$|[?/])",
    re.IGNORECASE,
)
_AS_JSON = re.compile(r"json|[?&]f=p?json|/query|/items", re.IGNORECASE)
_NO_FEATURES = b'{"type":"FeatureCollection","features":[],"numberReturned":0}'
_NO_FEATURES_XML = b'<?xml version="1.0"?><FeatureCollection xmlns="http://www.opengis.net/wfs" numberOfFeatures="0"/>'


class Stub(NamedTuple):
    """An answer of ours."""

    content_type: str
    body: bytes


def stub_for(url: str, what: str, method: str) -> Stub | None:
    """What a request gets from us instead of from the network; None if it is worth a fetch."""
    if what in _NEVER_FETCHED:
        return Stub(*_NEVER_FETCHED[what])
    if what == "document":
        return None
    if _FEATURES.search(url):
        return _features(url)
    if method == "GET" and _PACKED.search(url):
        return Stub("application/octet-stream", b"")
    if method == "GET" and _DRAWN.search(url):
        return Stub("image/png", PNG)
    if method != "GET":
        return (
            _features(url)
            if re.search(r"wfs|wms|ows|csw|wps|sos|query", url, re.IGNORECASE)
            else None
        )
    return None


def _features(url: str) -> Stub:
    if _AS_JSON.search(url):
        return Stub("application/json", _NO_FEATURES)
    return Stub("text/xml", _NO_FEATURES_XML)


def moved(address: str) -> Stub:
    """A page that sends the browser on: its address must be the one that answered, or relative addresses go wrong."""
    safe = json.dumps(address).replace("<", "\\u003c")
    return Stub(
        "text/html; charset=utf-8",
        f"<script>location.replace({safe})</script>".encode(),
    )
