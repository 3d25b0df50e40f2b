"""Addresses in metadata records, XML or JSON, with the protocol that the record gives for each."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from geohound import urls
from geohound.document import Document, safe_xml
from geohound.model.crawl.harvest import Listed

from ._protocols import protocol_of

MAX_ADDRESSES = 500  # of one record
MAX_ELEMENTS = 20_000  # of one record
MAX_TITLE_CHARS = 200
MAX_ROWS = 20_000
MAX_LINKS = 20_000
MAX_NOTE_CHARS = 500
MAX_TIME_MS = 9_999_999_999_999  # in the year 2286
_IDS = ("identifier", "fileIdentifier", "metadataIdentifier")
_TITLES = ("title",)
_HREF = "{http://www.w3.org/1999/xlink}href"
_LABELS = ("scheme", "protocol")
_ONLINE = frozenset({"CI_OnlineResource"})
# What a record says about its use: licences, not services.
_USE = frozenset(
    {"MD_LegalConstraints", "MD_Constraints", "license", "rights", "accessRights"}
)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_ANCHOR = re.compile(
    r"""<a\s[^<>]{0,300}?href\s*=\s*(?:"([^"<>]{1,2000})"|'([^'<>]{1,2000})'|([^\s"'<>]{1,2000}))""",
    re.IGNORECASE,
)
_SPACE = re.compile(r"\s")


def is_address(text: str) -> bool:
    """Is this the whole of a web address?"""
    head = text[:8].lower()
    return (
        head.startswith(("http://", "https://"))
        and len(text) < 4_000
        and not _SPACE.search(text)
    )


def is_before(changed: object, since: str) -> bool:
    """Does a record say that it has not changed since that day? One that says nothing may have.

    A number counts milliseconds since 1970, as ArcGIS writes it.
    """
    if isinstance(changed, int) and 0 < changed <= MAX_TIME_MS:
        changed = datetime.fromtimestamp(changed / 1000, UTC).isoformat()
    return (
        isinstance(changed, str)
        and bool(since and _DAY.match(changed))
        and changed[:10] < since
    )


def record_id(record: safe_xml.Element) -> str:
    """By what a record is known; where it does not say, all its words."""
    for element in islice(record.iter(), MAX_ELEMENTS):
        if safe_xml.local(element) in _IDS:
            found = _all_text(element)
            if found:
                return found
    return _all_text(record)


def _all_text(element: safe_xml.Element) -> str:
    return " ".join(
        " ".join(map(str, islice(element.itertext(), MAX_ELEMENTS))).split()
    )


def of_xml(record: safe_xml.Element) -> list[Listed]:
    """Every address in a record of Dublin Core, ISO 19139 or 19115-3, or DIF."""
    title = ""
    found: dict[str, Listed] = {}
    for element in islice(record.iter(), MAX_ELEMENTS):
        name = safe_xml.local(element)
        if not title and name in _TITLES:
            title = _all_text(element)[:MAX_TITLE_CHARS]
        for value in (element.text, element.get(_HREF)):
            word = str(value or "").strip()
            if not is_address(word) or _is_about_use(element):
                continue
            if word not in found and len(found) < MAX_ADDRESSES:
                found[word] = Listed(word, title, _protocol(element))
    return list(found.values())


def _is_about_use(element: safe_xml.Element) -> bool:
    above = islice(element.iterancestors(), 4)
    return any(safe_xml.local(each) in _USE for each in (element, *above))


def _protocol(element: safe_xml.Element) -> str:
    """By its own attribute, as in Dublin Core, or by the protocol beside it, as in ISO 19139."""
    own = protocol_of(*(element.get(name) for name in _LABELS))
    if own:
        return own
    for above in islice(element.iterancestors(), 4):
        if safe_xml.local(above) in _ONLINE:
            beside = safe_xml.child(above, "protocol")
            return protocol_of(_all_text(beside)) if beside is not None else ""
    return ""


def hrefs(document: Document) -> Iterator[str]:
    """Where the links of a page lead, as they are written."""
    found = islice(_ANCHOR.finditer(document.text), MAX_LINKS)
    return (html.unescape("".join(match.groups(""))) for match in found)


def hrefs_with_notes(document: Document) -> Iterator[tuple[str, str]]:
    """Where the links of a page lead, each with what stands between it and the next."""
    found = list(islice(_ANCHOR.finditer(document.text), MAX_LINKS))
    ends = [match.start() for match in found[1:]] + [len(document.text)]
    for match, end in zip(found, ends, strict=False):  # no link: no end
        note = document.text[match.end() : min(end, match.end() + MAX_NOTE_CHARS)]
        yield html.unescape("".join(match.groups(""))), note


def mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def rows(value: object) -> list[Mapping[str, Any]]:
    """The objects in a list."""
    return (
        [each for each in value[:MAX_ROWS] if isinstance(each, dict)]
        if isinstance(value, list)
        else []
    )


def words(value: object) -> str:
    """A text, a number as text, of texts by language the first."""
    if isinstance(value, dict):
        value = next(
            (each for each in value.values() if isinstance(each, str) and each), ""
        )
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)[:40]
    return " ".join(value[:MAX_TITLE_CHARS].split()) if isinstance(value, str) else ""


def address(value: object, base: str = "") -> str:
    """A web address, made absolute; empty where it is none."""
    if not isinstance(value, str):
        return ""
    text = value.strip()
    if is_address(text):
        return text
    is_relative = (
        bool(base and text)
        and "://" not in text[:20]
        and not _SPACE.search(text)
        and len(text) < 2_000
    )
    return urls.canonical(text, base) or "" if is_relative else ""


def strings(value: object, most: int = MAX_ROWS) -> Iterator[str]:
    """All texts in a value, however deep it is nested."""
    waiting: list[object] = [value]
    for _ in range(most):
        if not waiting:
            return
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting.extend(reversed([*item.values()][:MAX_ROWS]))
        elif isinstance(item, list):
            waiting.extend(reversed(item[:MAX_ROWS]))
