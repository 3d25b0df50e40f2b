"""Catalogue Service for the Web, 2.0.2 and 3.0.0: page through GetRecords and take the addresses of its records."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice

from geohound import urls
from geohound.contracts import Fetcher
from geohound.document import Document, safe_xml
from geohound.model.crawl.harvest import HarvestPage, fingerprint
from geohound.model.visit import Failure

from . import _asking, _records
from ._moved import with_moved
from ._part import FRONT_BYTES, Part, from_date

PAGE = 50
_BY_ID = "dc:identifier:A"
_BY_DATE = "dct:modified:A"
_ISO = "http://www.isotc211.org/2005/gmd"
_EVER = "0001-01-01"
_DATES = frozenset({"modified", "dateStamp"})
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a harvest stands, and how this server wants to be asked."""

    version: str
    sort: str = ""
    position: int = 1
    since: str = ""
    # The latest date of change so far, where records come in its order.
    latest: str = ""
    schema: str = ""  # of the records; empty: Dublin Core, which every server has

    def cursor(self) -> bytes:
        return _asking.pack(
            version=self.version,
            sort=self.sort,
            position=self.position,
            since=self.since,
            latest=self.latest,
            schema=self.schema,
        )


# Sorted first: without an order the pages of many servers overlap, and records between them are lost.
_WAYS = (
    _Place("2.0.2", _BY_ID),
    _Place("2.0.2"),
    _Place("3.0.0", _BY_ID),
    _Place("3.0.0"),
)


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:
    """The records from a position; the first page finds out how the server wants to be asked."""
    said = _asking.unpack(cursor)
    since = str(said.get("since", ""))
    if "version" not in said:
        return await _begin(source, since, fetcher)
    place = _Place(
        str(said["version"]),
        str(said.get("sort", "")),
        _asking.number(said.get("position"), 1),
        since,
        str(said.get("latest", "")),
        str(said.get("schema", "")),
    )
    found = await _ask(source, place, fetcher)
    is_refused = isinstance(found, Failure) and found.reason.means.is_rewordable
    slice_ = _next_slice(place) if is_refused else None
    return HarvestPage(next=slice_.cursor()) if slice_ else found


async def _begin(source: str, since: str, fetcher: Fetcher) -> HarvestPage | Failure:
    place, *others = [replace(way, since=since) for way in _WAYS]
    found = await _ask(source, place, fetcher)
    while others and isinstance(found, Failure) and found.reason.means.is_rewordable:
        place, *others = others
        found = await _ask(source, place, fetcher)
    return await _with_links(source, place, found, fetcher)


async def _with_links(
    source: str, place: _Place, found: HarvestPage | Failure, fetcher: Fetcher
) -> HarvestPage | Failure:
    """Some servers leave the addresses out of Dublin Core: then the records are read as ISO 19139."""
    if isinstance(found, Failure) or found.listed or not found.records:
        return found
    whole = await _ask(source, replace(place, schema=_ISO), fetcher)
    return whole if isinstance(whole, HarvestPage) and whole.listed else found


async def _ask(source: str, place: _Place, fetcher: Fetcher) -> HarvestPage | Failure:
    answer = await _asking.ask(fetcher, _request(source, place))
    return answer if isinstance(answer, Failure) else _read(answer, source, place)


def _request(source: str, place: _Place) -> str:
    asked = {
        "service": "CSW",
        "version": place.version,
        "request": "GetRecords",
        "typeNames": "csw:Record",
        "elementSetName": "full",
        "resultType": "results",
        "maxRecords": str(PAGE),
        "startPosition": str(place.position),
    }
    if place.schema:
        asked["outputSchema"] = place.schema
    if place.sort:
        asked["sortBy"] = place.sort
    if place.since:
        asked |= {
            "constraintLanguage": "CQL_TEXT",
            "constraint_language_version": "1.1.0",
            "constraint": f"dct:modified >= '{place.since}'",
        }
    return urls.with_params(urls.endpoint(source), asked)


def _read(document: Document, source: str, place: _Place) -> HarvestPage | Failure:
    if document.root_name != "GetRecordsResponse" or document.root is None:
        return _asking.not_understood(document, "a GetRecordsResponse")
    results = safe_xml.child(document.root, "SearchResults")
    elements = (
        each
        for each in (results if results is not None else ())
        if isinstance(each.tag, str)
    )
    records = list(islice(elements, _asking.MAX_RECORDS))
    listed = dict.fromkeys(
        found for record in records for found in _records.of_xml(record)
    )
    onward = _next_place(results, records, place)
    mark = fingerprint(f"{source} {place.since}", map(_records.record_id, records))
    return HarvestPage(
        tuple(listed),
        next=onward.cursor() if onward else b"",
        fingerprint=mark,
        records=len(records),
        total=0 if onward and onward.position == 1 else _total(results),
    )


def _total(results: safe_xml.Element | None) -> int:
    return _asking.number(safe_xml.attribute(results, "numberOfRecordsMatched"))


def _next_place(
    results: safe_xml.Element | None, records: list[safe_xml.Element], place: _Place
) -> _Place | None:
    """Where the next page begins; None after the last one.

    Servers end with nextRecord 0, or past the total, or never; others say 0 on every page. What they sent counts:
    only a page with records has a next one, and only forward.
    """
    said = _asking.number(safe_xml.attribute(results, "nextRecord"))
    total = _total(results)
    after = place.position + len(records)
    if not records:
        return _next_slice(place) if 1 < place.position <= total else None
    if said > place.position:
        position = said if said <= total or len(records) >= PAGE else 0
    else:
        position = after if after <= total else 0
    latest = (
        max([place.latest, *map(_date_of, records)]) if place.sort == _BY_DATE else ""
    )
    return replace(place, position=position, latest=latest) if position else None


def _next_slice(place: _Place) -> _Place | None:
    """Many servers page no further than some thousand records: the others are asked for by their date of change."""
    if place.position <= 1:
        return None
    if place.sort != _BY_DATE:
        since = place.since or _EVER
    elif place.latest > place.since:
        since = place.latest
    else:
        return None
    return _Place(place.version, _BY_DATE, since=since, schema=place.schema)


def _date_of(record: safe_xml.Element) -> str:
    for element in islice(record.iter(), _records.MAX_ELEMENTS):
        if safe_xml.local(element) in _DATES:
            found = _DATE.search(" ".join(map(str, islice(element.itertext(), 10))))
            if found:
                return found[0]
    return ""


# Pages of GeoNetwork load their view from here, whatever they look like.
_VIEW = re.compile(rb"""["'=]([^"'<>=\s]{0,300})/static/gn_search_\w+\.(?:css|js)""")
_PAGE = re.compile(r"^([^?#]*)/srv/[a-z]{3}/(?:catalog|main)\.(?:search|home)")


def _front(document: Document) -> str:
    """The CSW that every GeoNetwork has, behind its pages."""
    page_of_it = _PAGE.match(document.url)
    view = _VIEW.search(document.body[:FRONT_BYTES])
    if page_of_it is not None:
        return f"{page_of_it[1]}/srv/eng/csw"
    if view is None:
        return ""
    root = view[1].decode("utf-8", "replace")
    return urls.canonical(f"{root}/srv/eng/csw", document.url) or ""


HARVESTERS = (
    Part(
        "csw",
        "Catalogue Service for the Web",
        with_moved(page),
        from_date,
        marks=(b"gn_search", b"gnSearch"),
        front=_front,
    ),
)
