"""Lists of addresses that somebody publishes: registries of portals, CSV, JSON, plain text; best expected yield first.

A registry gives each endpoint a type, such as csw202 or arcgis:rest:services; other lists give none, and the address
alone is judged.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

import orjson

from geohound.model.crawl.harvest import Listed

from ._protocols import protocol_of
from ._records import is_address, mapping, rows, words

MAX_ENTRIES = 500_000
_ADDRESS = re.compile(r"""https?://[^\s"'<>|\\^`{}]{3,2000}""", re.IGNORECASE)
_AFTER = ".,;:!?)]*"
_COLUMNS = (
    "url",
    "endpoint",
    "address",
    "link",
    "href",
    "uri",
    "website",
    "homepage",
    "capabilities",
)
_TYPES = ("type", "protocol", "kind", "service", "format")
_NAMES = ("name", "title")
_GONE = ("inactive", "dead", "closed", "deprecated")
# What a seed of a type is expected to bring, in services; the first that matches counts. Only the order of the numbers
# matters: lists of pages, then directories with many services, catalogues, single services, feeds.
_YIELDS: tuple[tuple[re.Pattern[str], float], ...] = tuple(
    (re.compile(pattern), value)
    for pattern, value in (
        (
            r"sitemap|rss|openapi|soap|:info|:version|:settings|:documents|kmz|graphql|docs",
            0.05,
        ),
        (
            r"arcgis:rest:services|arcgisserver|arcgis-directory|thredds|erddap|geoserver|geonode",
            20.0,
        ),
        (
            r"csw|records|stac|oaipmh|opensearch|ckan|geonetwork|arcgis:portals|dcat",
            10.0,
        ),
        (
            r"wms|wfs|wcs|wmts|wps|sos|tms|ogcapi|ogcfeat|server|arcgis|sensorthings",
            1.0,
        ),
        (r"atom|kml|opendap|dods", 0.5),
    )
)
_UNTYPED = 0.2  # a page, or who knows what
_PRIOR_SOURCES = 3  # as many as the table above counts beside what sources have brought
# services that sources of a protocol have brought, and how many sources
Learned = Mapping[str, tuple[int, int]]


class Seed(NamedTuple):
    """An address of a list, and what the list says of it."""

    url: str
    name: str = ""
    type: str = ""

    @property
    def expected(self) -> float:
        """Services that it may bring."""
        said = self.type.lower()
        return (
            next(
                (value for pattern, value in _YIELDS if pattern.search(said)), _UNTYPED
            )
            if said
            else _UNTYPED
        )

    @property
    def listed(self) -> Listed:
        return Listed(
            self.url, self.name, protocol_of(self.type, self.type.rstrip("0123456789"))
        )


def read_seeds(text: str) -> list[Seed]:
    """All addresses of a list in whatever form, the most promising first."""
    found = read_typed(text)
    if found is None:
        matches = islice(_ADDRESS.finditer(text), MAX_ENTRIES)
        found = [Seed(match[0].rstrip(_AFTER)) for match in matches]
    return ranked(found)


def ranked(seeds: Iterable[Seed], learned: Learned | None = None) -> list[Seed]:
    """Each address once, by what it may bring; equal ones in the order of the list.

    `learned` has what sources of each protocol have brought so far, by the id of the harvester.
    """
    once: dict[str, Seed] = {}
    for seed in seeds:
        if seed.url not in once or seed.expected > once[seed.url].expected:
            once[seed.url] = seed
    return sorted(once.values(), key=lambda seed: -_expected(seed, learned or {}))


def _expected(seed: Seed, learned: Learned) -> float:
    """The table's number, moved towards the mean of what sources of the same protocol have brought."""
    said = seed.type.lower()
    services, sources = next(
        (brought for name, brought in learned.items() if said.startswith(name)), (0, 0)
    )
    return (seed.expected * _PRIOR_SOURCES + services) / (_PRIOR_SOURCES + sources)


def read_typed(text: str) -> list[Seed] | None:
    """The addresses of JSON, JSON lines, or CSV with names of columns; None where the list is plain text."""
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith(("{", "[")):
        return list(islice(_of_json(start), MAX_ENTRIES))
    return _of_csv(start)


def _of_json(text: str) -> Iterator[Seed]:
    for value in _entries_of(_json_value(text)):
        if isinstance(value, str) and is_address(value):
            yield Seed(value)
        elif isinstance(value, dict):
            yield from _of_object(value)


def _json_value(text: str) -> Any:
    """The value of a JSON document; of JSON lines the list of their values."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return list(map(_json_line, text.splitlines()))


def _entries_of(value: Any) -> list[Any]:
    """The list that a document is, or the longest list in it; one portal with its endpoints is an entry itself."""
    if isinstance(value, dict):
        lists = [each for each in value.values() if isinstance(each, list)]
        is_one = "endpoints" in value or not lists
        return [value] if is_one else max(lists, key=len)
    return value if isinstance(value, list) else []


def _json_line(line: str) -> Any:
    try:
        return orjson.loads(line) if line.strip() else None
    except orjson.JSONDecodeError:
        return None


def _of_object(value: Mapping[str, Any]) -> Iterator[Seed]:
    """A portal of a registry with its endpoints, or one address with what is said of it."""
    if words(value.get("status")).lower() in _GONE:
        return
    name = next((words(value.get(each)) for each in _NAMES if value.get(each)), "")
    for endpoint in rows(value.get("endpoints")):
        url = _address(endpoint.get("url"))
        if url:
            yield Seed(url, name, words(endpoint.get("type")))
    url = next(filter(None, (_address(value.get(each)) for each in _COLUMNS)), "")
    if url:
        yield Seed(url, name, _type_of(value))


def _type_of(value: Mapping[str, Any]) -> str:
    """As it is said; else the software, unless endpoints with types of their own are listed beside it."""
    types = [value[each] for each in _TYPES if isinstance(value.get(each), str)]
    said = words(types[0]) if types else ""
    if said or value.get("endpoints"):
        return said
    return words(mapping(value.get("software")).get("id"))


def _address(value: object) -> str:
    text = value.strip() if isinstance(value, str) else ""
    return text if is_address(text) else ""


def _of_csv(text: str) -> list[Seed] | None:
    """Rows under names of columns, one of which is that of addresses."""
    head = text.partition("\n")[0][:2_000]
    delimiter = max(",;\t|", key=head.count)
    names = [name.strip(' "\ufeff\r').lower() for name in head.split(delimiter)]
    column = next((name for name in _COLUMNS if name in names), None)
    if column is None:
        return None
    reader = csv.reader(io.StringIO(text.partition("\n")[2]), delimiter=delimiter)
    found = []
    try:
        for row in islice(reader, MAX_ENTRIES):
            said = dict(zip(names, map(str.strip, row), strict=False))
            if is_address(said.get(column, "")):
                name, kind = _first_of(said, _NAMES), _first_of(said, _TYPES)
                found.append(Seed(said[column], name[:200], kind))
    except csv.Error:
        pass  # a cell too large for one: what was read before it stays
    return found


def _first_of(row: Mapping[str, str], columns: Iterable[str]) -> str:
    return next(filter(None, (row.get(column, "") for column in columns)), "")
