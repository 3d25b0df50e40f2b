"""ERDDAP: the addresses of all its datasets, by the table that lists them page by page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from geohound.contracts import Fetcher
from geohound.model.crawl.harvest import HarvestPage, Listed, fingerprint
from geohound.model.visit import Failure

from . import _asking
from ._paging import JSON
from ._part import Part
from ._records import address, mapping, words

PAGE = 1_000
# What may stand below the root; anything else belongs to it, as in /erddap/ocean.
_BELOW = "index|info|griddap|tabledap|wms|files|search|categorize|version|opensearch|rest|information|metadata|status"
_ROOT = re.compile(rf"^(.*?/erddap)(?:/?$|/(?:{_BELOW})\b)", re.IGNORECASE)
_PAGE = re.compile(r"/(?:index\.\w+)?$")
_WAYS = (
    ("wms", "OGC:WMS", ""),
    ("griddap", "ERDDAP:griddap", ".dds"),
    ("tabledap", "ERDDAP:tabledap", ".dds"),
)


async def page(source: str, cursor: bytes, fetcher: Fetcher) -> HarvestPage | Failure:
    at = _asking.number(_asking.unpack(cursor).get("page"), 1)
    path = source.partition("?")[0]
    root = _ROOT.match(path)
    base = root[1] if root else _PAGE.sub("", path)
    answer = await _asking.ask(
        fetcher, f"{base}/info/index.json?page={at}&itemsPerPage={PAGE}", JSON
    )
    if isinstance(answer, Failure):
        # Past the last page ERDDAP answers 404: what was read before stays.
        is_past = at > 1 and answer.detail.startswith("HTTP 404")
        return HarvestPage() if is_past else answer
    entries = _entries(answer.json)
    if entries is None:
        return _asking.not_understood(answer, "ERDDAP's table of datasets")
    listed = [found for entry in entries for found in _addresses(entry, answer.url)]
    ids = [words(entry.get("Dataset ID")) for entry in entries]
    onward = _asking.pack(page=at + 1) if len(entries) >= PAGE else b""
    mark = fingerprint(source, ids)
    return HarvestPage(
        tuple(dict.fromkeys(listed)),
        next=onward,
        fingerprint=mark,
        records=len(entries),
    )


def _entries(value: object) -> list[Mapping[str, Any]] | None:
    """The rows of a table by the names of its columns; None where it is no table of datasets."""
    table = mapping(mapping(value).get("table"))
    names, lines = table.get("columnNames"), table.get("rows")
    if (
        not isinstance(names, list)
        or not isinstance(lines, list)
        or "Dataset ID" not in names
    ):
        return None
    columns = [str(name) for name in names[:100]]
    return [
        dict(zip(columns, line, strict=False))
        for line in lines[: _asking.MAX_RECORDS]
        if isinstance(line, list)
    ]


def _addresses(entry: Mapping[str, Any], url: str) -> list[Listed]:
    title = words(entry.get("Title"))
    found = [
        (address(entry.get(name), url), protocol, ending)
        for name, protocol, ending in _WAYS
        if entry.get(name)
    ]
    return [
        Listed(f"{at}{ending}", title, protocol) for at, protocol, ending in found if at
    ]


HARVESTERS = (Part("erddap", "ERDDAP", page, only_long=True),)
