"""Services, their addresses, layers and topics into their tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from geohound.model.catalogue import Topics
from geohound.model.service import Service, service_id
from geohound.stores.rules import content_key, is_alike, loose_endpoint, merge, version_order
from geohound.urls import canonical, endpoint

from .codec import clean, dump_layer, dump_service, dump_words
from .reading import read_services, read_topics

_INSERT = """
INSERT INTO service (
  id, kind, endpoint, loose_endpoint, version, title, fingerprint, content_key, body, first_seen, last_seen,
  popularity
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING num"""
_REFRESH = "UPDATE service SET version = ?, title = ?, fingerprint = ?, content_key = ?, body = ? WHERE num = ?"
_CHANGE = """
INSERT OR REPLACE INTO change (revision, service, is_document)
VALUES ((SELECT coalesce(max(revision), 0) + 1 FROM change), ?, ?)"""

_COUNT_SIGHTINGS = "UPDATE service SET popularity = (SELECT count(*) FROM sighting WHERE service = ?) WHERE num = ?"


class Seen(NamedTuple):
    first: float
    last: float
    times: int


def insert_service(connection: sqlite3.Connection, service: Service, content: str, seen: Seen, topics: Topics) -> int:
    """A new service, with the one door at which it was read; the number it gets."""
    address = clean(service.endpoint)
    id_ = service.id
    row = connection.execute(
        _INSERT,
        (id_, service.kind, address, loose_endpoint(address), *_document(service, content), *seen),
    ).fetchone()
    num: int = row[0]
    if address == service.endpoint:
        connection.execute(_ADD_DOOR, (id_, address, num))
    else:
        add_door(connection, num, service.kind, service.endpoint)
    write_layers(connection, num, service)
    _write_topics(connection, num, topics)
    note_change(connection, num, is_document=True)
    return num


_ADD_DOOR = "INSERT OR IGNORE INTO door (id, endpoint, service) VALUES (?, ?, ?)"


def add_door(connection: sqlite3.Connection, num: int, kind: str, address: str) -> None:
    connection.execute(_ADD_DOOR, (service_id(kind, clean(address)), clean(address), num))


def refresh_service(connection: sqlite3.Connection, num: int, service: Service, topics: Topics) -> bool:
    """Write what a new reading changes; most readings change nothing. False if the known one stays, as the newer."""
    known = read_services(connection, [num])[num]
    merged = merge(known, service)
    stands = version_order(service.version) >= version_order(known.version)
    if merged == known:
        return stands
    if not is_alike(known, merged):
        _part_from_strangers(connection, num, known)
    connection.execute(_REFRESH, (*_document(merged, content_key(merged)), num))
    connection.execute("DELETE FROM layer WHERE service = ?", (num,))
    write_layers(connection, num, merged)
    if stands:
        connection.execute("DELETE FROM topic WHERE service = ?", (num,))
        _write_topics(connection, num, topics)
    note_change(connection, num, is_document=True)
    return stands


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
    copy = replace(known, endpoint=strangers[0])
    topics = read_topics(connection, [num]).get(num, ())
    parted = insert_service(connection, copy, content_key(known), Seen(seen[0], seen[1], 0), topics)
    for address in strangers[1:]:
        add_door(connection, parted, known.kind, address)
    leave_home(connection, num, parted, strangers)


def leave_home(connection: sqlite3.Connection, home: int, num: int, addresses: Sequence[str]) -> None:
    """Give a service the sightings that its addresses had while they were doors of another."""
    rows = connection.execute("SELECT num, url FROM sighting WHERE service = ?", (home,)).fetchall()
    moving = [(num, row) for row, url in rows if endpoint(canonical(url) or url) in addresses]
    connection.executemany("UPDATE OR IGNORE sighting SET service = ? WHERE num = ?", moving)
    for changed in (home, num) if moving else ():
        connection.execute(_COUNT_SIGHTINGS, (changed, changed))
        note_change(connection, changed, is_document=False)


def note_change(connection: sqlite3.Connection, num: int, *, is_document: bool) -> None:
    """Let whoever follows the catalogue know that what a service says, or only how it fares, has changed."""
    connection.execute(_CHANGE, (num, is_document))


def _write_topics(connection: sqlite3.Connection, num: int, topics: Topics) -> None:
    connection.executemany(
        "INSERT OR IGNORE INTO topic (service, topic, class) VALUES (?, ?, ?)", [(num, *pair) for pair in topics]
    )


def _document(service: Service, content: str) -> tuple[str, str, str, str, bytes]:
    return (
        clean(service.version), clean(service.title), clean(service.fingerprint), content, dump_service(service)
    )  # fmt: skip


def write_layers(connection: sqlite3.Connection, num: int, service: Service) -> None:
    connection.executemany(
        "INSERT INTO layer (service, ordinal, name, title, abstract, keywords, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (  # one by one: the rows of a hundred thousand layers take 400 MB
            (
                num, ordinal, clean(layer.name), clean(layer.title), clean(layer.abstract),
                dump_words(layer.keywords), dump_layer(layer),
            )
            for ordinal, layer in enumerate(service.layers)
        ),
    )  # fmt: skip
