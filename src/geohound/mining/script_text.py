"""Addresses in JavaScript and in the configuration of map viewers, without running anything."""

from __future__ import annotations

import re
from collections.abc import Iterator

from geohound.model.visit import Link, LinkPlace
from geohound.urls.address_book import AddressBook

from . import text

# A string is matched before a comment, so that the slashes of an address are not taken for one. What is open at the end
# runs to the end, and no alternative fails once it has begun: otherwise a file of nothing but openings would cost the
# square of its length.
_TOKENS = re.compile(
    r"\"((?:[^\"\\\n]++|\\.)*+)\"?+|'((?:[^'\\\n]++|\\.)*+)'?+|`((?:[^`\\]++|\\.)*+)`?+|//[^\n]*+|/\*(?:.*?\*/|.*\Z)",
    re.DOTALL,
)
# Addresses that scripts name without ever asking them for data: namespaces, manuals, licences, fonts, counters.
_NO_SERVICE = re.compile(
    r"://(?:www\.)?(?:w3\.org|opengis\.net|schemas\.\w+|xmlns\.com|purl\.org|gnu\.org|opensource\.org|creativecommons\.org|"
    r"github\.com|openstreetmap\.org/copyright|fonts\.\w+|cdn\.\w+|unpkg\.com|cdnjs\.\w+|google-?\w*\.com|facebook\.com|twitter\.com)"
    r"|\.(?:html?|js|mjs|css|png|jpe?g|gif|svg|ico|woff2?|ttf|pdf|txt|md)(?:$|[?#])",
    re.IGNORECASE,
)
_NAMESPACE = re.compile(
    r"://(?:www\.|schemas\.)?(?:w3\.org|opengis\.net|xmlns\.com|purl\.org|isotc211\.org)/",
    re.IGNORECASE,
)
_CONFIG = re.compile(r"\.(?:json|xml|geojson)(?:$|\?)", re.IGNORECASE)
_PATHLIKE = re.compile(r"(?:\.{0,2}/)?[\w.~%-]+(?:/[\w.~%:=,@-]*)*(?:\?\S*)?$")
MAX_BYTES = 2_000_000
MAX_ADDRESS = 500


def links(source: str, book: AddressBook) -> list[Link]:
    """Full addresses that may be services, relative ones that look like services, and configuration files."""
    found: list[Link] = []
    for words in _strings(source[:MAX_BYTES]):
        found += address(words, book)
        if len(found) >= text.MAX_LINKS:
            break
    return found


def address(words: str, book: AddressBook) -> list[Link]:
    """The addresses in one string of a script, or in one attribute."""
    if "http" in words[:2000].lower():
        found = [
            link
            for link in text.links(words, LinkPlace.SCRIPT)
            if not _NAMESPACE.search(link.url)
        ]
        return [
            Link(link.url, context=link.context, place=LinkPlace.SCRIPT)
            for link in found
            if book.looks_like_service(link.url) or not _NO_SERVICE.search(link.url)
        ]
    if len(words) <= MAX_ADDRESS and ("/" in words or "." in words):
        return _relative(words.replace("\\/", "/"), book)
    return []


def _strings(source: str) -> Iterator[str]:
    """The string literals of a script, comments left out; JSON is a script too."""
    for match in _TOKENS.finditer(source):
        words = match[1] or match[2] or match[3]
        if words and len(words) > 3:
            yield words


def _relative(address: str, book: AddressBook) -> list[Link]:
    if any(c.isspace() for c in address) or not _PATHLIKE.match(address):
        return []
    if _CONFIG.search(address):
        return [Link(address, place=LinkPlace.CONFIG)]
    if address.startswith(("/", "./", "../")) and book.looks_like_service(
        f"http://h.test/{address.lstrip('./')}"
    ):
        return [Link(address, place=LinkPlace.SCRIPT)]
    return []
