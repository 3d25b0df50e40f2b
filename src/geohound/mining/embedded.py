"""Services that markup holds without linking to them: pictures, backgrounds, data attributes, choices, handlers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import unescape
from itertools import islice

from geohound.model.visit import Link, LinkPlace
from geohound.urls.address_book import AddressBook

from . import script_text, text

MAX_CHARS = 3_000_000
MAX_ATTRIBUTES = 20_000
MAX_FOUND = 1_000
MAX_ADDRESS = 2_000
# Formatting is renamed, scripts are read by others, and what is commented out does not count.
_HIDDEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<script\b.*?(?:</script|\Z)", re.IGNORECASE | re.DOTALL
)
_DATA = re.compile(
    r"data-[\w-]{1,60}\s{0,9}=\s{0,9}(?:\"[^\"]{4,40000}\"|'[^']{4,40000}'|[^\s\"'>]{4,2000})"
)
DATA_START = "data-"
_VALUE = re.compile(
    r"=\s{0,9}(?:\"([^\"]{4,40000})\"|'([^']{4,40000})'|([^\s\"'>]{4,2000}))"
)
_NAME = re.compile(
    r"[\s\"'](src|srcset|data|poster|style|background|href|value|content|on\w{3,20}|data-[\w-]{1,60})\s{0,9}\Z"
)
# by an anchor, which others read
_LINKED = re.compile(r"(?:https?:)?//|[./?#\w-]+(?:[/?#]|$)", re.IGNORECASE)
_NAME_CHARS = 80
_STYLE = re.compile(
    r"<style\b[^>]{0,300}>(.*?)(?:</style|\Z)", re.IGNORECASE | re.DOTALL
)
_CSS_URL = re.compile(r"url\(\s{0,9}[\"']?([^\"')\s]{4,2000})", re.IGNORECASE)


def links(source: str, marks: frozenset[str], book: AddressBook) -> list[Link]:
    """Addresses of services in the attributes and styles of a page, each once; `marks` has those `words` of it."""
    source = source[:MAX_CHARS]
    is_shown = not marks.isdisjoint(book.shown)  # most pages show no map at all
    if not is_shown and not (DATA_START in marks and _has_data(source, book)):
        return []
    seen = _HIDDEN.sub(" ", source)
    return list(
        {link.url: link for link in islice(_all(seen, book), MAX_FOUND)}.values()
    )


def words(book: AddressBook) -> tuple[str, ...]:
    """Pages without one of them, in any case, show nothing."""
    return (*book.shown, DATA_START)


def _has_data(source: str, book: AddressBook) -> bool:
    return any(book.may_hold_address(match[0]) for match in _DATA.finditer(source))


def _all(source: str, book: AddressBook) -> Iterator[Link]:
    for match in islice(_VALUE.finditer(source), MAX_ATTRIBUTES):
        value = match[1] or match[2] or match[3]
        if book.may_hold_address(value):
            name = _NAME.search(
                source[max(0, match.start() - _NAME_CHARS) : match.start()].lower()
            )
            if name:
                yield from _held(name[1], unescape(value).strip(), book)
    for block in islice(_STYLE.finditer(source), 200):
        yield from _shown(_CSS_URL.findall(block[1]), "style", book)


def _held(name: str, value: str, book: AddressBook) -> Iterator[Link]:
    """What one attribute holds: an address, a list of them, a style, or JSON."""
    if value[:1] in "[{" and name.startswith("data-"):
        yield from (
            found._replace(context=name) for found in script_text.links(value, book)
        )
    elif name.startswith("on") or (
        name == "href" and not _LINKED.match(value)
    ):  # code, or a scheme of its own
        yield from _in_code(name, value, book)
    elif name != "href":
        yield from _shown(_addresses(name, value), name, book)


def _in_code(name: str, code: str, book: AddressBook) -> Iterator[Link]:
    for found in (*script_text.links(code, book), *text.links(code, LinkPlace.CODE)):
        if book.looks_like_service(found.url):
            yield found._replace(context=name, place=LinkPlace.EMBED)


def _addresses(name: str, value: str) -> list[str]:
    """The addresses in an attribute of this name."""
    if name == "style":
        return _CSS_URL.findall(value)
    if name == "srcset":
        return [part.split()[0] for part in re.split(r",\s+", value) if part.strip()]
    return [value]


def _shown(addresses: Iterable[str], name: str, book: AddressBook) -> Iterator[Link]:
    for address in addresses:
        clean = unescape(address)
        if len(clean) > MAX_ADDRESS or any(c.isspace() for c in clean):
            continue
        full = clean if "//" in clean[:8] else f"http://h.test/{clean.lstrip('./')}"
        if book.looks_like_service(full):
            yield Link(clean, context=name, place=LinkPlace.EMBED)
