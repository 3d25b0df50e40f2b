"""GeoNode: the services under which its datasets are published, by version 2 of its API."""

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
from ._paging import JSON, PAGE, Batch, address_of_page, page_of_links
from ._part import Part, from_date
from ._protocols import protocol_of
from ._records import address, is_before, mapping, rows, words

_API = re.compile(r"/api/v2(?:/|$)")
_ADDRESS = re.compile(r"^[^?]*/api/v2/(?:datasets|resources)/?(?:\?|$)")


_MARKS = (b"geonode/css/", b"geonode/js/", b"geonode-mapstore-client")


def _root(url: str) -> str:
    return url.partition("/api/v2/")[0] + "/"


def _front(document: Document) -> str:
    return f"{urls.origin(document.url)}/" if document.is_html else ""


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:
    path = source.partition("?")[0]
    at = _API.search(path)
    root = path[: at.start()] if at else path.rstrip("/")
    url = address_of_page(
        source, cursor, f"{root}/api/v2/datasets?page=1&page_size={PAGE}"
    )
    since = str(_asking.unpack(cursor).get("since", ""))
    answer = await _asking.ask(fetcher, url, JSON)
    if isinstance(answer, Failure):
        return answer
    value = mapping(answer.json)
    datasets = value.get("datasets", value.get("resources"))
    if not isinstance(datasets, list):
        return _asking.not_understood(answer, "a page of datasets of GeoNode")
    found = rows(datasets)
    changed = (each for each in found if not is_before(each.get("last_updated"), since))
    listed = [each for dataset in changed for each in _services(dataset, answer.url)]
    batch = Batch(
        [words(dataset.get("pk")) or words(dataset.get("uuid")) for dataset in found],
        listed,
        _asking.number(value.get("total")),
    )
    following = (
        address(mapping(value.get("links")).get("next"), answer.url) if found else ""
    )
    return page_of_links(source, url, batch, following, since)


def _services(dataset: Mapping[str, Any], url: str) -> list[Listed]:
    """Links of the type of a protocol; the others are downloads and pictures."""
    title = words(dataset.get("title"))
    links = (
        (link, protocol_of(link.get("link_type")))
        for link in rows(dataset.get("links"))[:200]
    )
    found = [
        Listed(address(link.get("url"), url), title, label)
        for link, label in links
        if label
    ]
    return [each for each in found if each.url]


HARVESTERS = (
    Part(
        "geonode",
        "GeoNode",
        with_moved(page),
        from_date,
        address=_ADDRESS,
        root=_root,
        marks=_MARKS,
        front=_front,
    ),
)
