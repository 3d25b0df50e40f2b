"""One transaction of the catalogue: what was observed, into its tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from geohound.model.catalogue import Observation, Recorded
from geohound.model.health import Check, assess
from geohound.model.service import Sighting
from geohound.stores.rules import content_key

from .codec import clean
from .doors import find_door, find_twin
from .proofs import note_proof
from .reading import find_num
from .writing import Seen, add_door, insert_service, leave_home, note_change, refresh_service

_ADD_SIGHTING = """
INSERT OR IGNORE INTO sighting (service, url, found_on, via, evidence, at, task, depth)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""


def record(connection: sqlite3.Connection, met: Iterable[Observation | Check]) -> list[Recorded]:
    """Write what was met; the caller commits."""
    return [_look(connection, each) if isinstance(each, Check) else _put(connection, each) for each in met]


def _put(connection: sqlite3.Connection, met: Observation) -> Recorded:
    """A service met through another door (see `doors`) is not new: the address is added to the known one.

    A door that shows something else than it did is one no longer.
    """
    service, sighting = met.service, met.sighting
    content, at = content_key(service), sighting.at.timestamp()
    home = find_door(connection, service, content)
    left = home if home is not None and not home.is_proved else None
    if left is not None:
        home = None
        connection.execute("DELETE FROM door WHERE id = ?", (service.id,))
    home = home or find_twin(connection, service, content)
    if home is None:
        seen = Seen(at, at, 1 if left is None else 0)
        num, stands = insert_service(connection, service, content, seen, met.topics), True
    else:
        num = home.num
        add_door(connection, num, service.kind, service.endpoint)
        stands = home.is_own and refresh_service(connection, num, service, met.topics)
    if home is None and left is None:
        connection.execute(_ADD_SIGHTING, _sighting_row(num, sighting))
    else:
        if left is not None:
            leave_home(connection, left.num, num, [service.endpoint])
        _note_sighting(connection, num, sighting)
    connection.execute("INSERT OR IGNORE INTO met (task, service) VALUES (?, ?)", (sighting.task, num))
    if met.check is not None:
        _note_check(connection, num, met.check)
        if stands:
            note_proof(connection, num, met.check, is_new=home is None)
    return Recorded(service.id if home is None else _id(connection, num), home is None)


def _look(connection: sqlite3.Connection, check: Check) -> Recorded:
    num = find_num(connection, check.service_id)
    if num is None:
        return Recorded("", False)
    _note_check(connection, num, check)
    return Recorded(_id(connection, num), False)


def _id(connection: sqlite3.Connection, num: int) -> str:
    id_: str = connection.execute("SELECT id FROM service WHERE num = ?", (num,)).fetchone()[0]
    return id_


def _note_check(connection: sqlite3.Connection, num: int, check: Check) -> None:
    connection.execute(
        "INSERT INTO health_check (service, at, ok, reason, elapsed_s, fingerprint) VALUES (?, ?, ?, ?, ?, ?)",
        (num, check.at.timestamp(), check.ok, clean(check.reason), check.elapsed_s, clean(check.fingerprint)),
    )
    # The last look that told something decides, however many there were.
    last = connection.execute(
        "SELECT ok FROM health_check WHERE service = ? AND ok IS NOT NULL ORDER BY at DESC, num DESC LIMIT 1", (num,)
    ).fetchone()
    state = assess([replace(check, ok=bool(last[0]) if last else None)]).state
    changed = connection.execute("UPDATE service SET state = ? WHERE num = ? AND state <> ?", (state, num, state))
    if changed.rowcount:
        note_change(connection, num, is_document=False)


def _note_sighting(connection: sqlite3.Connection, num: int, sighting: Sighting) -> None:
    at = sighting.at.timestamp()
    added = connection.execute(_ADD_SIGHTING, _sighting_row(num, sighting)).rowcount
    connection.execute(
        "UPDATE service SET first_seen = min(first_seen, ?), last_seen = max(last_seen, ?), "
        "popularity = popularity + ? WHERE num = ?",
        (at, at, max(added, 0), num),
    )
    if added > 0:
        note_change(connection, num, is_document=False)


def _sighting_row(num: int, sighting: Sighting) -> tuple[Any, ...]:
    return (
        num, clean(sighting.url), clean(sighting.found_on), sighting.via, clean(sighting.evidence),
        sighting.at.timestamp(), sighting.task, sighting.depth,
    )  # fmt: skip
