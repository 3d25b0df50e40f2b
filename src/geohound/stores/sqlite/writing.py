"""Services, their doors, layers, boxes and words into their tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from geohound.model.contracts import TopicsOf
from geohound.model.service import Service, service_id
from geohound.model.url import canonical, endpoint

from .codec import clean, dump_layer, dump_service, dump_words
from .doors import content_key, is_alike, loose_endpoint, merge
from .reading import read_services
from .segments import add_service

_INSERT = """
INSERT INTO service (
  id, kind, endpoint, loose_endpoint, version, title, fingerprint, content_key, body, first_seen, last_seen
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING num"""
_REFRESH = """
UPDATE service SET version = ?, title = ?, fingerprint = ?, content_key = ?, body = ? WHERE num = ?"""


def no_topics(_service: Service) -> Sequence[tuple[str, str]]:
    return ()


def insert_service(
    connection: sqlite3.Connection, service: Service, seen: tuple[float, float], topics_of: TopicsOf = no_topics
) -> int:
    """A new service, with the one door at which it was read; the number it gets."""
    address = clean(service.endpoint)
    row = connection.execute(
        _INSERT, (service.id, service.kind, address, loose_endpoint(address), *_document(service), *seen)
    ).fetchone()
    num: int = row[0]
    add_door(connection, num, service.kind, service.endpoint)
    write_offerings(connection, num, service, topics_of(service))
    return num


def add_door(connection: sqlite3.Connection, num: int, kind: str, address: str) -> None:
    connection.execute(
        "INSERT OR IGNORE INTO door (id, endpoint, service) VALUES (?, ?, ?)",
        (service_id(kind, clean(address)), clean(address), num),
    )


def refresh_service(
    connection: sqlite3.Connection, num: int, service: Service, topics_of: TopicsOf = no_topics
) -> None:
    """Write what a new reading changes; most readings change nothing."""
    known = read_services(connection, [num])[num]
    merged = merge(known, service)
    if merged == known:
        return
    if not is_alike(known, merged):
        _part_from_strangers(connection, num, known, topics_of)
    connection.execute(_REFRESH, (*_document(merged), num))
    write_offerings(connection, num, merged, topics_of(merged))


def _part_from_strangers(connection: sqlite3.Connection, num: int, known: Service, topics_of: TopicsOf) -> None:
    """Doors elsewhere keep the content that was read there: who copies another must not speak for it later."""
    loose = loose_endpoint(known.endpoint)
    strangers = [door for door in known.doors if loose_endpoint(door) != loose]
    if not strangers:
        return
    seen = connection.execute("SELECT first_seen, last_seen FROM service WHERE num = ?", (num,)).fetchone()
    connection.executemany(
        "DELETE FROM door WHERE service = ? AND endpoint = ?", [(num, address) for address in strangers]
    )
    parted = insert_service(connection, replace(known, endpoint=strangers[0]), seen, topics_of)
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


def write_offerings(
    connection: sqlite3.Connection, num: int, service: Service, topics: Sequence[tuple[str, str]]
) -> None:
    """Replace all that is kept of a service's layers, and make it findable as it is now."""
    connection.execute("DELETE FROM layer WHERE service = ?", (num,))
    connection.executemany(
        "INSERT INTO layer (service, ordinal, name, title, abstract, keywords, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            (
                num, ordinal, clean(layer.name), clean(layer.title), clean(layer.abstract),
                dump_words(layer.keywords), dump_layer(layer),
            )
            for ordinal, layer in enumerate(service.layers)
        ),
    )  # fmt: skip
    add_service(connection, num, service, topics)
