"""GeoNetwork: its own search where it has one (up to version 3), else the CSW that every GeoNetwork has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from geohound import urls
from geohound.contracts import Fetcher
from geohound.model.crawl.harvest import HarvestPage, Listed
from geohound.model.visit import Failure

from . import _asking, csw
from ._moved import with_moved
from ._paging import Batch, Offsets, page_at_offset
from ._part import Part, from_date
from ._protocols import protocol_of
from ._records import is_address, mapping, rows, words

PAGE = 100
_BELOW = re.compile(r"/srv(?s:/.*)?$")


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:
    said = _asking.unpack(cursor)
    if "version" in said:
        return await csw.page(_csw(source), cursor, fetcher)
    found = await page_at_offset(
        source,
        cursor,
        fetcher,
        Offsets("an answer of GeoNetwork's search", _request, _read),
    )
    is_unknown = isinstance(found, Failure) and found.reason.means.is_rewordable
    return (
        await csw.page(_csw(source), cursor, fetcher)
        if is_unknown and "offset" not in said
        else found
    )


def _root(source: str) -> str:
    return _BELOW.sub("", source.partition("?")[0]).rstrip("/")


def _csw(source: str) -> str:
    return f"{_root(source)}/srv/eng/csw"


def _request(source: str, offset: int, since: str) -> str:
    asked = {
        "_content_type": "json", "fast": "index", "from": str(offset + 1), "to": str(offset + PAGE),
        "sortBy": "changeDate", "sortOrder": "reverse",
    }  # fmt: skip
    if since:
        asked |= {"changeDateFrom": since}
    return urls.with_params(f"{_root(source)}/srv/eng/q", asked)


def _read(value: object, url: str, since: str) -> Batch | None:  # noqa: ARG001
    answer = mapping(value)
    summary, found = answer.get("summary"), answer.get("metadata")
    if not isinstance(summary, list | dict):
        return None
    records = (
        rows(found)
        if isinstance(found, list)
        else [found]
        if isinstance(found, dict)
        else []
    )
    listed = [each for record in records for each in _links(record)]
    ids = [
        words(mapping(record.get("geonet:info")).get("uuid")) or repr(record)[:200]
        for record in records
    ]
    about = summary[0] if isinstance(summary, list) and summary else summary
    return Batch(ids, listed, _asking.number(mapping(about).get("@count")))


def _links(record: Mapping[str, Any]) -> list[Listed]:
    """Links are written as name|description|address|protocol|…; one alone is no list."""
    links = record.get("link")
    texts = links if isinstance(links, list) else [links]
    title = words(record.get("title"))
    parts = (text.split("|") for text in texts[:200] if isinstance(text, str))
    places = ((part[2].strip(), part[3]) for part in parts if len(part) > 3)
    return [
        Listed(at, title, protocol_of(label)) for at, label in places if is_address(at)
    ]


HARVESTERS = (Part("geonetwork", "GeoNetwork", with_moved(page), from_date),)
