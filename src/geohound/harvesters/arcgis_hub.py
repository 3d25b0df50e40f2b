"""ArcGIS Hub sites: the services behind their datasets, by the search API of the site."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from geohound import urls
from geohound.contracts import Fetcher
from geohound.document import Document
from geohound.model.crawl.harvest import HarvestPage, Listed
from geohound.model.visit import Failure

from . import _asking
from ._moved import with_moved
from ._paging import JSON, PAGE, Batch, address_of_page, link_to, page_of_links
from ._part import Part, from_date
from ._protocols import protocol_of
from ._records import address, is_before, mapping, rows, words

_API = "/api/search/v1"
_ADDRESS = re.compile(
    rf"^https?://[^/?]+\.(?:hub|opendata)\.arcgis\.com(?::\d+)?/$|{_API}"
)


def _root(url: str) -> str:
    """A site is a host, its own domain or one of Esri's."""
    return f"{urls.origin(url)}/"


def _front(document: Document) -> str:
    return _root(document.url) if document.is_html else ""


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:
    url = address_of_page(source, cursor, _first(source))
    since = str(_asking.unpack(cursor).get("since", ""))
    answer = await _asking.ask(fetcher, url, JSON)
    if isinstance(answer, Failure):
        return answer
    value = mapping(answer.json)
    if not isinstance(value.get("features"), list):
        return _asking.not_understood(answer, "a page of datasets of a Hub site")
    datasets = rows(value["features"])
    all_properties = [mapping(dataset.get("properties")) for dataset in datasets]
    listed = [
        found
        for properties in all_properties
        if not is_before(properties.get("modified"), since)
        for found in _read(properties, answer.url)
    ]
    ids = [words(dataset.get("id")) for dataset in datasets]
    total = _asking.number(value.get("numberMatched"))
    batch = Batch(ids, listed, total, names_files=True)
    following = link_to(value.get("links"), "next", answer.url) if datasets else ""
    return page_of_links(source, url, batch, following, since)


def _first(source: str) -> str:
    origin = "/".join(source.split("/", 3)[:3])
    return f"{origin}{_API}/collections/all/items?limit={PAGE}&startindex=1"


def _read(properties: Mapping[str, Any], url: str) -> list[Listed]:
    title, kind = words(properties.get("title")), words(properties.get("type"))
    where = address(properties.get("url"), url)
    return [Listed(where, title, protocol_of(kind))] if where else []


HARVESTERS = (
    Part(
        "arcgis-hub",
        "ArcGIS Hub",
        with_moved(page),
        from_date,
        address=_ADDRESS,
        root=_root,
        marks=(b"hubcdn.arcgis.com/opendata-ui/",),
        front=_front,
    ),
)
