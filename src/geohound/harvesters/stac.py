"""STAC, as an API and as files: its catalogues and collections, and the services that these link to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from geohound.contracts import Fetcher
from geohound.model.crawl.harvest import HarvestPage, Listed
from geohound.model.visit import Failure

from . import _asking
from ._moved import with_moved
from ._paging import JSON, Batch, address_of_page, link_to, page_of_links
from ._part import Part
from ._protocols import protocol_of
from ._records import address, mapping, rows, words

_CHILDREN = ("child", "catalog")
# Links to the parts of STAC itself; items are data, millions of them in one catalogue, and no services.
_OWN = frozenset(
    {
        "self", "root", "parent", "child", "catalog", "item", "items", "collection", "next", "prev", "data", "search",
        "conformance", "service-desc", "service-doc", "license", "queryables", "aggregate", "aggregations",
    }
)  # fmt: skip


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:
    """A catalogue or collection with its children as further sources; of an API, a page of its collections."""
    url = address_of_page(source, cursor, source)
    answer = await _asking.ask(fetcher, url, JSON)
    if isinstance(answer, Failure):
        return answer
    value = mapping(answer.json)
    links = value.get("links")
    if isinstance(value.get("collections"), list):
        batch = _of_collections(rows(value["collections"]), answer.url)
        total = _asking.number(value.get("numberMatched"))
        batch = batch._replace(total=total)
        return page_of_links(source, url, batch, link_to(links, "next", answer.url))
    if "stac_version" not in value or not isinstance(links, list):
        return _asking.not_understood(answer, "a STAC catalogue")
    is_api = "conformsTo" in value
    collections_at = link_to(links, "data", answer.url) if is_api else ""
    sources = [] if collections_at else _children(links, answer.url)
    ids = [words(value.get("id")) or url]
    batch = Batch(ids, _services_of(value, answer.url), sources=sources)
    return page_of_links(source, url, batch, collections_at)


def _of_collections(collections: Sequence[Mapping[str, Any]], url: str) -> Batch:
    ids = [words(each.get("id")) for each in collections]
    return Batch(ids, [found for c in collections for found in _services_of(c, url)])


def _children(links: object, url: str) -> list[str]:
    children = (link for link in rows(links) if link.get("rel") in _CHILDREN)
    found = (address(child.get("href"), url) for child in children)
    return list(filter(None, found))


def _services_of(value: Mapping[str, Any], url: str) -> list[Listed]:
    """What a catalogue, collection or asset links to by the name of a service."""
    title = words(value.get("title")) or words(value.get("id"))
    links = [link for link in rows(value.get("links")) if link.get("rel") not in _OWN]
    assets = [
        each for each in mapping(value.get("assets")).values() if isinstance(each, dict)
    ]
    found = []
    for link in [*links, *assets][:500]:
        label = protocol_of(link.get("rel"), link.get("type"), link.get("title"))
        where = address(link.get("href"), url)
        if label and where:
            found.append(Listed(where, title, label))
    return found


HARVESTERS = (
    Part(
        "stac",
        "SpatioTemporal Asset Catalog",
        with_moved(page),
        other_kinds=("stac-api",),
    ),
)
