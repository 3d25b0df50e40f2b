"""OpenSearch: the entries of the feed that a description leads to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import NamedTuple
from urllib.parse import urljoin

from geohound import urls
from geohound.contracts import Fetcher
from geohound.document import Document, safe_xml
from geohound.model.crawl.harvest import HarvestPage, Listed, fingerprint
from geohound.model.visit import Failure

from . import _asking, _records
from ._moved import with_moved
from ._part import Part, from_date
from ._protocols import protocol_of

PAGE = 50
_TYPES = ("application/atom+xml", "application/rss+xml", "application/xml", "text/xml")
_NAME = re.compile(r"\{([\w:]+)(\??)\}")
_ENTRIES = ("entry", "item")
_FEEDS = ("feed", "rss", "RDF")


class _Place(NamedTuple):
    """Where the next page begins, by both ways of counting."""

    record: int = 1
    page: int = 1
    since: str = ""  # only entries that were updated since then; empty: all


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:
    """First the description, for the address of its feed; then the feed, page by page."""
    said = _asking.unpack(cursor)
    template = said.get("template")
    place = _Place(
        _asking.number(said.get("record"), 1),
        _asking.number(said.get("page"), 1),
        str(said.get("since", "")),
    )
    if not isinstance(template, str) or not _records.is_address(template):
        answer = await _asking.ask(fetcher, source)
        if isinstance(answer, Failure):
            return answer
        if answer.root_name in _FEEDS:
            return _read(answer, source, "", place)
        template = _template(answer)
        if not _records.is_address(template):
            return _asking.not_understood(answer, "an OpenSearch description of a feed")
    if urls.host(template) != urls.host(source):
        return HarvestPage(sources=(_filled(template, place),))
    answer = await _asking.ask(fetcher, _filled(template, place), ", ".join(_TYPES))
    if isinstance(answer, Failure):
        return answer
    return _read(answer, source, template, place)


def _template(document: Document) -> str:
    """The address of the feed that machines read most easily; one that asks for more than we know is of no use."""
    if document.root_name != "OpenSearchDescription" or document.root is None:
        return ""
    offered: dict[str, str] = {}
    for element in islice(safe_xml.children(document.root, "Url"), 100):
        template = _absolute(safe_xml.attribute(element, "template"), document.url)
        kind = safe_xml.attribute(element, "type").partition(";")[0].strip().lower()
        if kind in _TYPES and template and not _needs_more(template):
            offered.setdefault(kind, template)
    return next((offered[kind] for kind in _TYPES if kind in offered), "")


def _absolute(template: str, base: str) -> str:
    mended = template.replace("%%", "%")  # as pycsw up to version 2 writes it
    return urljoin(base, mended) if template and len(template) < 3_500 else ""


def _needs_more(template: str) -> bool:
    known = {"searchTerms", "count", "startIndex", "startPage"}
    return any(
        not optional and name not in known for name, optional in _NAME.findall(template)
    )


def _filled(template: str, place: _Place) -> str:
    """The address of a page; what we have no value for is left out: servers refuse parameters that are empty."""
    values = {
        "count": str(PAGE),
        "startIndex": str(place.record),
        "startPage": str(place.page),
    }
    base, mark, query = template.partition("?")
    parts = [part for part in query.split("&") if not _is_unfilled(part, values)]
    return _NAME.sub(
        lambda found: values.get(found[1], ""), f"{base}{mark}{'&'.join(parts)}"
    )


def _is_unfilled(part: str, values: Mapping[str, str]) -> bool:
    names = _NAME.findall(part)
    return bool(names) and not any(
        name in values or not optional for name, optional in names
    )


def _read(
    document: Document, source: str, template: str, place: _Place
) -> HarvestPage | Failure:
    if document.root is None or document.root_name not in _FEEDS:
        return _asking.not_understood(document, "a feed")
    elements = safe_xml.descendants(document.root, *_ENTRIES)
    entries = list(islice(elements, _asking.MAX_RECORDS))
    changed = (
        entry
        for entry in entries
        if not _records.is_before(safe_xml.text(entry, "updated"), place.since)
    )
    listed = dict.fromkeys(found for entry in changed for found in _links(entry))
    after = place.record + len(entries)
    total = _asking.number(safe_xml.text(document.root, "totalResults"))
    onward = b""
    if entries and _counts(template) and after <= (total or after):
        onward = _asking.pack(
            template=template, record=after, page=place.page + 1, since=place.since
        )
    return HarvestPage(
        tuple(listed),
        next=onward,
        fingerprint=fingerprint(source, map(_id, entries)),
        records=len(entries),
        total=total,
        names_files=True,
    )


def _counts(template: str) -> bool:
    """Does the address say which page is wanted?"""
    names = {name for name, _ in _NAME.findall(template)}
    return not names.isdisjoint(("startIndex", "startPage"))


def _id(entry: safe_xml.Element) -> str:
    said = safe_xml.text(entry, "id") or safe_xml.text(entry, "guid")
    return said or _records.record_id(entry)


def _links(entry: safe_xml.Element) -> list[Listed]:
    title = safe_xml.text(entry, "title")[:200]
    found = _records.of_xml(entry)
    for link in islice(safe_xml.children(entry, "link"), 200):
        where = safe_xml.attribute(link, "href")
        if _records.is_address(where):
            label = protocol_of(
                safe_xml.attribute(link, "rel"), safe_xml.attribute(link, "type")
            )
            found.append(Listed(where, title, label))
    return found


HARVESTERS = (Part("opensearch", "OpenSearch", with_moved(page), from_date),)
