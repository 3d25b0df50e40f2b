"""Layers, boxes and words of a service into their tables."""

from __future__ import annotations

import re
import sqlite3

from geohound.model.bbox import BBox
from geohound.model.service import Extent, Layer, Service

from .codec import clean, dump_layer, dump_words
from .spatial import box_ranges
from .words import spaced

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MAX_INDEXED_CHARS = 20_000


def write_offerings(connection: sqlite3.Connection, num: int, service: Service) -> None:
    """Replace all that is kept of a service's layers, boxes and words."""
    _forget_offerings(connection, num)
    boxes = _write_boxes(connection, num, service)
    own_box = boxes.get(_box(service.extent))
    _write_words(connection, -num, _service_words(service))
    context = f"{service.title} {' '.join(service.keywords[:50])}"
    for ordinal, layer in enumerate(service.layers):
        row = connection.execute(
            "INSERT INTO layer (service, ordinal, name, title, abstract, keywords, box, body) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING num",
            (
                num, ordinal, clean(layer.name), clean(layer.title), clean(layer.abstract),
                dump_words(layer.keywords), boxes.get(_box(layer.extent), own_box), dump_layer(layer),
            ),
        ).fetchone()  # fmt: skip
        _write_words(connection, row[0], _layer_words(layer, service, context))


def _forget_offerings(connection: sqlite3.Connection, num: int) -> None:
    connection.execute("DELETE FROM words WHERE rowid = ?", (-num,))
    connection.execute("DELETE FROM words WHERE rowid IN (SELECT num FROM layer WHERE service = ?)", (num,))
    for part in (0, 1):
        connection.execute(
            "DELETE FROM box_index WHERE id IN (SELECT id * 2 + ? FROM box WHERE service = ?)", (part, num)
        )
    connection.execute("DELETE FROM box WHERE service = ?", (num,))
    connection.execute("DELETE FROM layer WHERE service = ?", (num,))


def _write_boxes(connection: sqlite3.Connection, num: int, service: Service) -> dict[BBox | None, int]:
    """The different boxes of service and layers, by their new ids."""
    boxes = {_box(service.extent), *(_box(layer.extent) for layer in service.layers)} - {None}
    ids: dict[BBox | None, int] = {}
    for box in boxes:
        if box is None:
            continue
        first, second = box_ranges(box)
        row = connection.execute(
            "INSERT INTO box (service, west, east, west2, east2, south, north) VALUES (?, ?, ?, ?, ?, ?, ?) "
            "RETURNING id",
            (num, *first, *second, box.south, box.north),
        ).fetchone()
        ids[box] = row[0]
        for number, part in enumerate(box.parts()):
            connection.execute(
                "INSERT INTO box_index (id, west, east, south, north) VALUES (?, ?, ?, ?, ?)",
                (row[0] * 2 + number, part.west, part.east, part.south, part.north),
            )
    return ids


def _box(extent: Extent | None) -> BBox | None:
    return extent.box if extent else None


def _service_words(service: Service) -> tuple[str, ...]:
    provider = f"{service.provider.name} {service.provider.contact} {service.provider.site}"
    keywords = " ".join(service.keywords)
    return (service.title, service.kind, keywords, service.abstract, provider, service.endpoint, "")


def _layer_words(layer: Layer, service: Service, context: str) -> tuple[str, ...]:
    """The service's title and keywords stand beside each layer, so that "Brazil land cover" finds it."""
    keywords = " ".join(layer.keywords)
    return (
        layer.title,
        _split_name(layer.name),
        keywords,
        layer.abstract,
        service.provider.name,
        "",
        context,
    )


def _split_name(name: str) -> str:
    """A name, and its words where they stand together like LandCover."""
    parted = _CAMEL.sub(" ", name)
    return name if parted == name else f"{name} {parted}"


def _write_words(connection: sqlite3.Connection, rowid: int, texts: tuple[str, ...]) -> None:
    connection.execute(
        "INSERT INTO words (rowid, title, name, keywords, abstract, provider, address, context) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (rowid, *(spaced(clean(text[:_MAX_INDEXED_CHARS])) for text in texts)),
    )
