"""Services that markup holds without linking to them: pictures, backgrounds, data attributes, choices, handlers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from itertools import islice

from geohound.model.visit import Link, Place
from geohound.urls.clue import looks_like_service

from . import script, text

MAX_CHARS = 3_000_000
MAX_ATTRIBUTES = 20_000
MAX_FOUND = 1_000
MAX_ADDRESS = 2_000
# Asked first, one by one at the speed of memory: most pages show no map at all.
_SHOWN = (b"wms", b"getmap", b"service=w", b"/ows", b"mapserv", b"/rest/services/")
_HINT = re.compile(
    r"w(?:ms|fs|cs|mts|ps)|/ows|/csw|/sos|getmap|service=|mapserv|/rest/services|/collections|%7bz|\{z|stac|thredds|ogcapi",
    re.IGNORECASE,
)
# Formatting is renamed, scripts are read by others, and what is commented out does not count.
_HIDDEN = re.compile(r"<!--.*?(?:-->|\Z)|<script\b.*?(?:</script|\Z)", re.IGNORECASE | re.DOTALL)
_DATA = re.compile(r"data-[\w-]{1,60}\s{0,9}=\s{0,9}(?:\"[^\"]{4,40000}\"|'[^']{4,40000}'|[^\s\"'>]{4,2000})")
_VALUE = re.compile(r"=\s{0,9}(?:\"([^\"]{4,40000})\"|'([^']{4,40000})'|([^\s\"'>]{4,2000}))")
_NAME = re.compile(
    r"[\s\"'](src|srcset|data|poster|style|background|href|value|content|on\w{3,20}|data-[\w-]{1,60})\s{0,9}\Z"
)
_LINKED = re.compile(r"(?:https?:)?//|[./?#\w-]+(?:[/?#]|$)", re.IGNORECASE)  # by an anchor, which others read
_NAME_CHARS = 80
_STYLE = re.compile(r"<style\b[^>]{0,300}>(.*?)(?:</style|\Z)", re.IGNORECASE | re.DOTALL)
_CSS_URL = re.compile(r"url\(\s{0,9}[\"']?([^\"')\s]{4,2000})", re.IGNORECASE)


def links(source: str, data: bytes) -> list[Link]:
    """Addresses of services in the attributes and styles of a page, each once; `data` is the page in UTF-8."""
    source = source[:MAX_CHARS]
    lowered = data.lower()
    is_shown = any(word in lowered for word in _SHOWN)
    if not is_shown and not (b"data-" in lowered and any(_HINT.search(match[0]) for match in _DATA.finditer(source))):
        return []
    seen = _HIDDEN.sub(" ", source)
    return list({link.url: link for link in islice(_all(seen), MAX_FOUND)}.values())


def _all(source: str) -> Iterator[Link]:
    for match in islice(_VALUE.finditer(source), MAX_ATTRIBUTES):
        value = match[1] or match[2] or match[3]
        if _HINT.search(value):
            name = _NAME.search(source[max(0, match.start() - _NAME_CHARS) : match.start()].lower())
            if name:
                yield from _held(name[1], unescape(value).strip())
    for block in islice(_STYLE.finditer(source), 200):
        yield from _shown(_CSS_URL.findall(block[1]), "style")


def _held(name: str, value: str) -> Iterator[Link]:
    """What one attribute holds: an address, a list of them, a style, or JSON."""
    if value[:1] in "[{" and name.startswith("data-"):
        for found in script.links(value):
            yield found._replace(context=name)
    elif name.startswith("on") or (name == "href" and not _LINKED.match(value)):  # code, or a scheme of its own
        for found in (*script.links(value), *text.links(value, Place.CODE)):
            if looks_like_service(found.url):
                yield found._replace(context=name, place=Place.EMBED)
    elif name == "href":
        return
    elif name == "style":
        yield from _shown(_CSS_URL.findall(value), name)
    elif name == "srcset":
        yield from _shown((part.split()[0] for part in re.split(r",\s+", value) if part.strip()), name)
    else:
        yield from _shown((value,), name)


def _shown(addresses: Iterator[str] | list[str] | tuple[str, ...], name: str) -> Iterator[Link]:
    for address in addresses:
        clean = unescape(address)
        if len(clean) > MAX_ADDRESS or any(c.isspace() for c in clean):
            continue
        full = clean if "//" in clean[:8] else f"http://h.test/{clean.lstrip('./')}"
        if looks_like_service(full):
            yield Link(clean, context=name, place=Place.EMBED)
