"""Catalogs of TerriaJS: every item that names the address of a service, however deep its group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from geohound.contracts import Fetcher
from geohound.document import Document
from geohound.model.visit import Failure
from geohound.model.work.harvest import HarvestPage, Listed, fingerprint

from . import _asking
from ._paging import JSON
from ._part import Part
from ._protocols import protocol_of
from ._records import address, mapping, rows, words

MAX_ITEMS = 20_000
_GROUPS = ("catalog", "members", "items")
_OF_GROUPS = ("-group", "-catalog")


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:  # noqa: ARG001
    answer = await _asking.ask(fetcher, source, JSON)
    if isinstance(answer, Failure):
        return answer
    value = mapping(answer.json)
    if not isinstance(value.get("catalog"), list):
        return _asking.not_understood(answer, "a catalog of TerriaJS")
    items = list(_items(value))
    found = [
        Listed(at, words(item.get("name")), _label(item))
        for item in items
        if (at := _where(item, answer.url))
    ]
    mark = fingerprint(
        source, (f"{words(item.get('id'))} {words(item.get('name'))}" for item in items)
    )
    return HarvestPage(
        tuple(dict.fromkeys(found)), fingerprint=mark, records=len(items)
    )


def _items(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    waiting = [value]
    for _ in range(MAX_ITEMS):
        if not waiting:
            return
        item = waiting.pop()
        if item is not value:
            yield item
        waiting.extend(
            reversed([each for name in _GROUPS for each in rows(item.get(name))])
        )


def _label(item: Mapping[str, Any]) -> str:
    kind = words(item.get("type"))
    for ending in _OF_GROUPS:
        kind = kind.removesuffix(ending)
    return protocol_of(kind.removeprefix("esri-"))


def _where(item: Mapping[str, Any], url: str) -> str:
    return address(item.get("url"), url) if item.get("url") else ""


def _front(document: Document) -> str:
    entries = rows(mapping(document.json).get("catalog"))
    return document.url if any("type" in entry for entry in entries) else ""


HARVESTERS = (
    Part("terria", "TerriaJS catalog", page, marks=(b'"catalog"',), front=_front),
)
