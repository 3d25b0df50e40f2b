"""DCAT feeds: data.json of DCAT-US, and JSON-LD; every distribution that is a service."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from geohound.contracts import Fetcher
from geohound.document import Document
from geohound.model.crawl.harvest import HarvestPage, Listed
from geohound.model.visit import Failure

from . import _asking
from ._paging import JSON, Batch, address_of_page, page_of_links
from ._part import Part, from_date
from ._protocols import protocol_of
from ._records import address, is_before, words

MAX_NODES = 200_000
_ADDRESS = re.compile(
    r"^[^?]*/(?:data\.json|catalog\.jsonld|dcat\.jsonld?|dcat-us/[\w.]+|dcat-ap/[\w.]+)(?:\?|$)",
    re.IGNORECASE,
)
_ADDRESSES = ("accessURL", "downloadURL", "endpointURL", "endpointDescription")
_LABELS = ("format", "mediaType", "conformsTo", "title", "description")
_NEXT = ("nextPage", "next")


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:
    url = address_of_page(source, cursor, source)
    since = str(_asking.unpack(cursor).get("since", ""))
    answer = await _asking.ask(fetcher, url, f"application/ld+json, {JSON}")
    if isinstance(answer, Failure):
        return answer
    nodes = _nodes(answer.json)
    distributions = [node for node in nodes if _is_distribution(node)]
    is_catalogue = distributions or any("dataset" in node for node in nodes)
    if not is_catalogue:
        return _asking.not_understood(answer, "a DCAT catalogue")
    old = _unchanged(nodes, since)
    changed = (node for node in distributions if _id(node) not in old)
    listed = [found for node in changed for found in _read(node, answer.url)]
    batch = Batch(list(map(_id, distributions)), listed, names_files=True)
    following = next(filter(None, (_first_text(node, _NEXT) for node in nodes)), "")
    return page_of_links(source, url, batch, address(following, answer.url), since)


def _unchanged(nodes: Iterable[Mapping[str, Any]], since: str) -> frozenset[str]:
    """The ids of distributions that only datasets have which say that they have not changed since then."""
    ids: dict[bool, set[str]] = {True: set(), False: set()}
    for node in nodes:
        is_old = is_before(_text(node.get("modified")), since)
        for part in _as_list(node.get("distribution")):
            ids[is_old].update(_ids_in(part))
    return frozenset(ids[True] - ids[False])


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _ids_in(distribution: object) -> list[str]:
    """A dataset holds its distributions, or their ids."""
    if isinstance(distribution, str):
        return [distribution]
    return list(filter(None, map(_id, _nodes(distribution)[:1])))


def _is_distribution(node: Mapping[str, Any]) -> bool:
    return any(name in node for name in _ADDRESSES)


def _id(node: Mapping[str, Any]) -> str:
    said = words(node.get("id")) or words(node.get("identifier"))
    return said or _first_text(node, _ADDRESSES)


def _nodes(value: object) -> list[Mapping[str, Any]]:
    """All objects of a document, with the prefixes of their names taken off."""
    waiting: list[object] = [value]
    found: list[Mapping[str, Any]] = []
    while waiting and len(found) < MAX_NODES:
        item = waiting.pop()
        if isinstance(item, list):
            waiting.extend(reversed(item[:MAX_NODES]))
        elif isinstance(item, dict):
            found.append({_bare(name): each for name, each in item.items()})
            parts = [each for each in item.values() if isinstance(each, dict | list)]
            waiting.extend(reversed(parts))
    return found


def _bare(name: str) -> str:
    """`dcat:accessURL`, `http://www.w3.org/ns/dcat#accessURL` and `@id` are accessURL and id."""
    return re.split(r"[:#/@]", name)[-1]


def _text(value: object) -> str:
    """A value as JSON-LD may write it: plain, as a node, as a literal, or a list of these."""
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, dict):
        value = value.get("@id") or value.get("@value") or ""
    return value if isinstance(value, str) else ""


def _first_text(node: Mapping[str, Any], names: Iterable[str]) -> str:
    """Of the members with these names, the first that has a text."""
    return next(filter(None, (_text(node.get(name)) for name in names)), "")


def _read(node: Mapping[str, Any], url: str) -> list[Listed]:
    title = words(_text(node.get("title")))
    label = protocol_of(*(_text(node.get(name)) for name in _LABELS))
    places = dict.fromkeys(address(_text(node.get(name)), url) for name in _ADDRESSES)
    return [Listed(place, title, label) for place in places if place]


def _front(document: Document) -> str:
    value = None if document.is_html else document.json
    is_catalogue = any("dataset" in node for node in _nodes(value))
    return document.url if is_catalogue else ""


HARVESTERS = (
    Part(
        "dcat",
        "DCAT catalogue",
        page,
        from_date,
        address=_ADDRESS,
        marks=(b'distribution"', b"dcat:Distribution"),
        front=_front,
    ),
)
