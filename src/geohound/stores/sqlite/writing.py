"""Services, their doors, layers, boxes and words into their tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from geohound.model.catalogue import Topics
from geohound.model.service import Service, service_id
from geohound.urls import canonical, endpoint

from .codec import clean, dump_layer, dump_service, dump_words
from .doors import content_key, is_alike, loose_endpoint, merge, version_order
from .indexing import Indexer
from .reading import read_services, read_topics

_INSERT = """
INSERT INTO service (
  id, kind, endpoint, loose_endpoint, version, title, fingerprint, content_key, body, first_seen, last_seen,
  popularity, revision
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING num"""
_REFRESH = """
UPDATE service SET version = ?, title = ?, fingerprint = ?, content_key = ?, body = ?, revision = ? WHERE num = ?"""


@dataclass(frozen=True, slots=True)
class Writing:
    """One transaction."""

    connection: sqlite3.Connection
    indexer: Indexer

    def revision(self) -> int:
        return self.indexer.revision(self.connection)


class Seen(NamedTuple):
    first: float
    last: float
    times: int


def insert_service(to: Writing, service: Service, content: str, seen: Seen, topics: Topics) -> int:
    """A new service, with the one door at which it was read; the number it gets."""
    address = clean(service.endpoint)
    id_ = service.id
    row = to.connection.execute(
        _INSERT,
        (id_, service.kind, address, loose_endpoint(address), *_document(service, content), *seen, to.revision()),
    ).fetchone()
    num: int = row[0]
    if address == service.endpoint:
        to.connection.execute(_ADD_DOOR, (id_, address, num))
    else:
        add_door(to.connection, num, service.kind, service.endpoint)
    write_layers(to.connection, num, service)
    to.indexer.add(to.connection, num, service, topics)
    return num


_ADD_DOOR = "INSERT OR IGNORE INTO door (id, endpoint, service) VALUES (?, ?, ?)"


def add_door(connection: sqlite3.Connection, num: int, kind: str, address: str) -> None:
    connection.execute(_ADD_DOOR, (service_id(kind, clean(address)), clean(address), num))


def refresh_service(to: Writing, num: int, service: Service, topics: Topics) -> bool:
    """Write what a new reading changes; most readings change nothing. False if the known one stays, as the newer."""
    known = read_services(to.connection, [num])[num]
    merged = merge(known, service)
    stands = version_order(service.version) >= version_order(known.version)
    if merged == known:
        return stands
    before = read_topics(to.connection, [num]).get(num, ())
    if not is_alike(known, merged):
        _part_from_strangers(to, num, known, before)
    to.connection.execute(_REFRESH, (*_document(merged, content_key(merged)), to.revision(), num))
    to.connection.execute("DELETE FROM layer WHERE service = ?", (num,))
    write_layers(to.connection, num, merged)
    to.indexer.add(to.connection, num, merged, topics if stands else before)
    return stands


def _part_from_strangers(to: Writing, num: int, known: Service, topics: Topics) -> None:
    """Doors elsewhere keep the content that was read there: who copies another must not speak for it later."""
    loose = loose_endpoint(known.endpoint)
    strangers = [door for door in known.doors if loose_endpoint(door) != loose]
    if not strangers:
        return
    seen = to.connection.execute("SELECT first_seen, last_seen FROM service WHERE num = ?", (num,)).fetchone()
    to.connection.executemany(
        "DELETE FROM door WHERE service = ? AND endpoint = ?", [(num, address) for address in strangers]
    )
    copy = replace(known, endpoint=strangers[0])
    parted = insert_service(to, copy, content_key(known), Seen(seen[0], seen[1], 0), topics)
    for address in strangers[1:]:
        add_door(to.connection, parted, known.kind, address)
    leave_home(to.connection, num, parted, strangers)


def leave_home(connection: sqlite3.Connection, home: int, num: int, addresses: Sequence[str]) -> None:
    """Give a service the sightings that its addresses had while they were doors of another."""
    rows = connection.execute("SELECT num, url FROM sighting WHERE service = ?", (home,)).fetchall()
    moving = [(num, row) for row, url in rows if endpoint(canonical(url) or url) in addresses]
    connection.executemany("UPDATE OR IGNORE sighting SET service = ? WHERE num = ?", moving)


def _document(service: Service, content: str) -> tuple[str, str, str, str, bytes]:
    return (
        clean(service.version), clean(service.title), clean(service.fingerprint), content, dump_service(service)
    )  # fmt: skip


def write_layers(connection: sqlite3.Connection, num: int, service: Service) -> None:
    connection.executemany(
        "INSERT INTO layer (service, ordinal, name, title, abstract, keywords, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (
                num, ordinal, clean(layer.name), clean(layer.title), clean(layer.abstract),
                dump_words(layer.keywords), dump_layer(layer),
            )
            for ordinal, layer in enumerate(service.layers)
        ],
    )  # fmt: skip
