"""OGC API - Records: the collections of records of an API, and the links of each record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from geohound import urls
from geohound.contracts import Fetcher
from geohound.model.crawl.harvest import HarvestPage, Listed
from geohound.model.visit import Failure

from . import _asking
from ._moved import with_moved
from ._paging import Batch, address_of_page, link_to, page_of_links
from ._part import Part, from_date
from ._protocols import protocol_of
from ._records import address, is_before, mapping, rows, words

PAGE = 100
ACCEPT = "application/geo+json, application/json"
# Links of the record as such, not of what it describes.
_ABOUT = frozenset(
    {
        "self",
        "collection",
        "root",
        "parent",
        "next",
        "prev",
        "canonical",
        "license",
        "alternate",
        "icon",
    }
)


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:
    """Of an API, its collections of records as further sources; of such a collection, a page of records."""
    url = address_of_page(source, cursor, _first(source))
    since = str(_asking.unpack(cursor).get("since", ""))
    answer = await _asking.ask(fetcher, url, ACCEPT)
    if isinstance(answer, Failure):
        return answer
    value = mapping(answer.json)
    if isinstance(value.get("features"), list):
        batch = _read_records(value, answer.url, since)
        return page_of_links(
            source, url, batch, link_to(value.get("links"), "next", url), since
        )
    if isinstance(value.get("collections"), list):
        batch = _read_collections(value, answer.url)
        return page_of_links(
            source, url, batch, link_to(value.get("links"), "next", url), since
        )
    return _asking.not_understood(answer, "a page of records, or a list of collections")


def _first(source: str) -> str:
    base = source.partition("?")[0].rstrip("/")
    if base.endswith("/items"):
        return urls.with_params(source, {"f": "json", "limit": str(PAGE)})
    collections = base if base.endswith("/collections") else f"{base}/collections"
    return urls.with_params(collections, {"f": "json"})


def _read_collections(value: Mapping[str, Any], url: str) -> Batch:
    """Those whose items are records; a collection that does not say so has features."""
    records = [
        each
        for each in rows(value.get("collections"))
        if words(each.get("itemType")).lower() == "record"
    ]
    below = url.partition("?")[0].rstrip("/")
    sources = [
        link_to(each.get("links"), "items", url)
        or f"{below}/{words(each.get('id'))}/items"
        for each in records
    ]
    ids = [words(each.get("id")) for each in rows(value.get("collections"))]
    return Batch(ids, (), sources=[source.partition("?")[0] for source in sources])


def _read_records(value: Mapping[str, Any], url: str, since: str) -> Batch:
    """The standard has no parameter for the date of change: records that say theirs are compared here."""
    records = rows(value.get("features"))
    changed = [
        each
        for each in records
        if not is_before(mapping(each.get("properties")).get("updated"), since)
    ]
    listed = [found for record in changed for found in read_record(record, url)]
    ids = [words(record.get("id")) or repr(record)[:200] for record in records]
    return Batch(ids, listed, _asking.number(value.get("numberMatched")))


def read_record(record: Mapping[str, Any], url: str) -> list[Listed]:
    """The links of one record."""
    properties = mapping(record.get("properties"))
    title = words(properties.get("title"))
    links = [
        *rows(record.get("links")),
        *rows(properties.get("links")),
        *rows(properties.get("associations")),
    ]
    found = []
    for link in links[:500]:
        where = address(link.get("href"), url) or address(
            mapping(link.get("href")).get("href"), url
        )
        if where and words(link.get("rel")) not in _ABOUT:
            label = protocol_of(
                link.get("protocol"),
                link.get("type"),
                link.get("rel"),
                link.get("name"),
            )
            found.append(Listed(where, words(link.get("title")) or title, label))
    return found


HARVESTERS = (Part("ogcapi-records", "OGC API - Records", with_moved(page), from_date),)
