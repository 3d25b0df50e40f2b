"""Connections of QGIS, as its dialogues "Load connections" read them: one sort of server in each file, unique names.

The format `qgis` takes the sort of the first service that QGIS connects to; the others are named after their sort.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from xml.sax.saxutils import quoteattr

from geohound.model.export import ExportedService, LeftOut
from geohound.model.layer_request import (
    LayerRequest,
    ServerRequest,
    ServerType,
    TileTemplate,
)
from geohound.model.service import Layer
from geohound.urls import host

from ._part import ExportFormat, Write, Written

_MEDIA_TYPE = "application/xml"


@dataclass(frozen=True, slots=True)
class _Sort:
    """One sort of connection: the root of its file, its element, and which servers it is for."""

    id: str
    title: str
    root: str
    element: str
    version: str
    attributes: Mapping[str, str]
    servers: frozenset[ServerType] = frozenset()
    tiles: str = ""  # raster or vector, where it is for templates of tiles

    def address(self, request: LayerRequest) -> str:
        """Where such a connection leads for this request; empty where it is none of its sort."""
        if isinstance(request, TileTemplate):
            tiles = "vector" if request.is_vector else "raster"
            return request.template if tiles == self.tiles else ""
        if not isinstance(request, ServerRequest) or request.server not in self.servers:
            return ""
        return request.url if request.server is ServerType.WMTS else request.endpoint


def _read_sorts() -> Iterator[_Sort]:
    said = tomllib.loads(
        Path(__file__).with_name("qgis_connections.toml").read_text("utf-8")
    )
    for each in said["connections"]:
        servers = frozenset(map(ServerType, each.pop("servers", ())))
        yield _Sort(**{"element": each["id"], **each, "servers": servers})


_SORTS = tuple(_read_sorts())


def _write_one(sort: _Sort) -> Write:
    return lambda services: _file(sort, services)


def _write_first(services: Iterable[ExportedService]) -> Written:
    """The sort of the first service that has one; without any, a file of no connections."""
    coming, before = iter(services), 0
    for each in coming:
        sort = next((sort for sort in _SORTS if _address(sort, each)), None)
        if sort is not None:
            return (yield from _file(sort, chain((each,), coming), before))
        before += 1
    return (yield from _file(_SORTS[0], (), before))


def _file(
    sort: _Sort, services: Iterable[ExportedService], left_out: int = 0
) -> Written:
    """The file, and at the end the services that are not in it, with a sentence."""
    yield f'<!DOCTYPE connections>\n<{sort.root} version="{sort.version}">\n'.encode()
    unique = _unique_names()
    for each in services:
        address = _address(sort, each)
        if not address:
            left_out += 1
            continue
        attributes = {"name": unique(_name(each)), "url": address, **sort.attributes}
        text = " ".join(
            f"{name}={quoteattr(_printable(value))}"
            for name, value in attributes.items()
        )
        yield f"    <{sort.element} {text}/>\n".encode()
    note = _left_out(sort, left_out) if left_out else ""
    comment = f"    <!-- {note} -->\n" if note else ""
    yield f"{comment}</{sort.root}>\n".encode()
    return LeftOut(left_out, note)


def _left_out(sort: _Sort, number: int) -> str:
    others = ", ".join(f"qgis-{other.id}" for other in _SORTS if other is not sort)
    services = "1 service is" if number == 1 else f"{number:,} services are"
    return (
        f"{services} not in the file, which holds connections of one sort, {sort.title}; "
        f"others are exported as {others}, and some QGIS has no connection for."
    )


def _address(sort: _Sort, each: ExportedService) -> str:
    layer = each.service.layers[0] if each.service.layers else Layer("")
    return next(filter(None, map(sort.address, each.requests(layer))), "")


def _name(each: ExportedService) -> str:
    title = " ".join(_printable(each.service.title).split())[:100]
    return title or host(each.service.endpoint) or each.service.endpoint


def _unique_names() -> Callable[[str], str]:
    """QGIS keeps one connection of a name: of equal ones the second is called "… (2)"."""
    used: dict[str, int] = {}  # each name, and the last number that it was given

    def unique(name: str) -> str:
        chosen, number = name, used.get(name.casefold(), 0)
        while number or chosen.casefold() in used:
            number = max(number, 1) + 1
            chosen = f"{name} ({number})"
            if chosen.casefold() not in used:
                break
        used[name.casefold()] = max(number, 1)
        used.setdefault(chosen.casefold(), 1)
        return chosen

    return unique


def _printable(text: str) -> str:
    return (
        "".join(c if c.isprintable() else " " for c in text)
        .encode("utf-8", "replace")
        .decode()
    )


EXPORTERS = (
    ExportFormat(
        "qgis", "QGIS connections", _MEDIA_TYPE, "xml", _write_first, needs_layers=True
    ),
    *(
        ExportFormat(
            f"qgis-{sort.id}",
            f"QGIS connections: {sort.title}",
            _MEDIA_TYPE,
            "xml",
            _write_one(sort),
            True,
        )
        for sort in _SORTS
    ),
)
