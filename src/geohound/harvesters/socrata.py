"""Socrata: what its datasets name that looks like a service, by the discovery API of the site."""

from __future__ import annotations

import re
from functools import partial

from geohound import urls
from geohound.document import Document
from geohound.model.crawl.harvest import Listed

from ._asking import number
from ._moved import with_moved
from ._paging import PAGE, Batch, Offsets, page_at_offset
from ._part import Part, from_date
from ._records import is_address, is_before, mapping, rows, strings, words

_API = "/api/catalog/v1"
_ADDRESS = re.compile(_API)


def _root(url: str) -> str:
    return f"{urls.origin(url)}/"


def _front(document: Document) -> str:
    """Its servers say so in every answer."""
    is_socrata = "x-socrata-requestid" in document.response.headers
    return _root(document.url) if document.is_html and is_socrata else ""


def _request(source: str, offset: int, since: str) -> str:  # noqa: ARG001
    origin, host = "/".join(source.split("/", 3)[:3]), urls.host(source)
    asked = {
        "domains": host,
        "search_context": host,
        "limit": str(PAGE),
        "offset": str(offset),
        "order": "createdAt",
    }
    return urls.with_params(f"{origin}{_API}", asked)


def _read(value: object, url: str, since: str) -> Batch | None:  # noqa: ARG001
    answer = mapping(value)
    if not isinstance(answer.get("results"), list):
        return None
    results = rows(answer["results"])
    listed = []
    for result in results:
        if is_before(mapping(result.get("resource")).get("updatedAt"), since):
            continue
        title = words(mapping(result.get("resource")).get("name"))
        named = [text.strip() for text in strings(result, most=500)]
        listed += [Listed(text, title) for text in named if is_address(text)]
    ids = [words(mapping(result.get("resource")).get("id")) for result in results]
    return Batch(ids, listed, number(answer.get("resultSetSize")), names_files=True)


HARVESTERS = (
    Part(
        "socrata",
        "Socrata",
        with_moved(
            partial(
                page_at_offset,
                protocol=Offsets("an answer of Socrata", _request, _read),
            )
        ),
        from_date,
        address=_ADDRESS,
        root=_root,
        marks=(b"socrata",),
        front=_front,
    ),
)
