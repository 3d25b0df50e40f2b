"""Services, their doors, layers, boxes and words into their tables."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from geohound.model.bbox import BBox
from geohound.model.service import Extent, Layer, Service, service_id
from geohound.model.url import canonical, endpoint

from .codec import clean, dump_layer, dump_service, dump_words
from .doors import content_key, is_alike, loose_endpoint, merge
from .reading import read_services
from .spatial import box_ranges
from .words import spaced

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MAX_INDEXED_CHARS = 20_000
_INSERT = """
INSERT INTO service (
  id, kind, endpoint, loose_endpoint, version, title, fingerprint, content_key, body, first_seen, last_seen
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING num"""
_REFRESH = """
UPDATE service SET version = ?, title = ?, fingerprint = ?, content_key = ?, body = ? WHERE num = ?"""


def insert_service(connection: sqlite3.Connection, service: Service, seen: tuple[float, float]) -> int:
    """A new service, with the one door at which it was read; the number it gets."""
    address = clean(service.endpoint)
    row = connection.execute(
        _INSERT, (service.id, service.kind, address, loose_endpoint(address), *_document(service), *seen)
    ).fetchone()
    num: int = row[0]
    add_door(connection, num, service.kind, service.endpoint)
    write_offerings(connection, num, service)
    return num


def add_door(connection: sqlite3.Connection, num: int, kind: str, address: str) -> None:
    connection.execute(
        "INSERT OR IGNORE INTO door (id, endpoint, service) VALUES (?, ?, ?)",
        (service_id(kind, clean(address)), clean(address), num),
    )


def refresh_service(connection: sqlite3.Connection, num: int, service: Service) -> None:
    """Write what a new reading changes; most readings change nothing."""
    known = read_services(connection, [num])[num]
    merged = merge(known, service)
    if merged == known:
        return
    if not is_alike(known, merged):
        _part_from_strangers(connection, num, known)
    connection.execute(_REFRESH, (*_document(merged), num))
    write_offerings(connection, num, merged)


def _part_from_strangers(connection: sqlite3.Connection, num: int, known: Service) -> None:
    """Doors elsewhere keep the content that was read there: who copies another must not speak for it later."""
    loose = loose_endpoint(known.endpoint)
    strangers = [door for door in known.doors if loose_endpoint(door) != loose]
    if not strangers:
        return
    seen = connection.execute("SELECT first_seen, last_seen FROM service WHERE num = ?", (num,)).fetchone()
    connection.executemany(
        "DELETE FROM door WHERE service = ? AND endpoint = ?", [(num, address) for address in strangers]
    )
    parted = insert_service(connection, replace(known, endpoint=strangers[0]), seen)
    for address in strangers[1:]:
        add_door(connection, parted, known.kind, address)
    leave_home(connection, num, parted, strangers)


def leave_home(connection: sqlite3.Connection, home: int, num: int, addresses: Sequence[str]) -> None:
    """Give a service the sightings that its addresses had while they were doors of another."""
    rows = connection.execute("SELECT num, url FROM sighting WHERE service = ?", (home,)).fetchall()
    moving = [(num, row) for row, url in rows if endpoint(canonical(url) or url) in addresses]
    connection.executemany("UPDATE OR IGNORE sighting SET service = ? WHERE num = ?", moving)


def _document(service: Service) -> tuple[Any, ...]:
    return (
        clean(service.version), clean(service.title), clean(service.fingerprint), content_key(service),
        dump_service(service),
    )  # fmt: skip


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
