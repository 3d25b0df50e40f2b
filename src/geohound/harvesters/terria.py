"""Catalogs of TerriaJS and maps that were shared from it: every item that names the address of a service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from geohound.contracts import Fetcher
from geohound.document import Document
from geohound.model.crawl.harvest import HarvestPage, Listed, fingerprint
from geohound.model.visit import Failure

from . import _asking
from ._paging import JSON
from ._part import Part
from ._protocols import protocol_of
from ._records import address, mapping, rows, words

MAX_ITEMS = 20_000
_GROUPS = ("initSources", "catalog", "members", "items")
_OF_GROUPS = ("-group", "-catalog")
_REFERENCE = "terria-reference"  # another file like this one


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:  # noqa: ARG001
    answer = await _asking.ask(fetcher, source, JSON)
    if isinstance(answer, Failure):
        return answer
    value = mapping(answer.json)
    if not any(isinstance(value.get(name), list) for name in _GROUPS[:2]):
        return _asking.not_understood(answer, "a catalog of TerriaJS")
    items = list(_items(value))
    placed = [(item, at) for item in items if (at := _where(item, answer.url))]
    found = [
        Listed(at, words(item.get("name")), _label(item))
        for item, at in placed
        if item.get("type") != _REFERENCE
    ]
    files = [at for item, at in placed if item.get("type") == _REFERENCE]
    mark = fingerprint(
        source, (f"{words(item.get('id'))} {words(item.get('name'))}" for item in items)
    )
    return HarvestPage(
        tuple(dict.fromkeys(found)),
        tuple(dict.fromkeys(files)),
        fingerprint=mark,
        records=len(items),
    )


def _items(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    waiting = [value]
    for _ in range(MAX_ITEMS):
        if not waiting:
            return
        item = waiting.pop()
        if item is not value:
            yield item
        waiting.extend(reversed(_below(item)))


def _below(item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The items of a group; those of a shared map stand under their ids."""
    models = list(mapping(item.get("models")).values())
    listed = [each for name in _GROUPS for each in rows(item.get(name))]
    return [*listed, *rows(models)]


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
