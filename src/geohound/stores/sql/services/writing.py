"""One transaction of the catalogue: what was observed, into its tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from geohound.model.biography import LifeChange, differences, found_change, state_change
from geohound.model.catalogue import Observation, Recorded, Topics
from geohound.model.health import Check, HealthState, assess
from geohound.model.service import Service, Sighting, service_id, version_order
from geohound.stores.merge_rules import (
    MAX_CANDIDATES,
    content_key,
    host_of,
    is_alike,
    loose_endpoint,
    may_succeed,
    merge,
)
from geohound.stores.sql.database import Connection
from geohound.urls import canonical, endpoint
from geohound.urls.declared import declared_endpoint

from .aliases import find_alias, find_twin
from .codec import CrsLists, clean, dump_layer, dump_service, dump_words
from .history import note_events, note_once
from .proofs import note_proof
from .reading import find_num, read_services, read_topics

_INSERT = """
INSERT INTO service (
  id, kind, endpoint, loose_endpoint, host, version, title, fingerprint, content_key, declared, body,
  first_seen, last_seen, popularity
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING num"""
_REFRESH = """
UPDATE service SET version = ?, title = ?, fingerprint = ?, content_key = ?, declared = ?, body = ? WHERE num = ?"""
_CHANGE = """
INSERT INTO change (revision, service, is_document)
VALUES ((SELECT coalesce(max(revision), 0) + 1 FROM change), ?, ?)
ON CONFLICT (service, is_document) DO UPDATE SET revision = excluded.revision"""

_MOVE_SIGHTING = """
UPDATE sighting SET service = ? WHERE num = ? AND NOT EXISTS (
  SELECT 1 FROM sighting AS other WHERE other.service = ?
    AND other.url = sighting.url AND other.found_on = sighting.found_on AND other.via = sighting.via)"""
_COUNT_SIGHTINGS = "UPDATE service SET popularity = (SELECT count(*) FROM sighting WHERE service = ?) WHERE num = ?"


_SEEN = """
UPDATE service SET first_seen = CASE WHEN :at < first_seen THEN :at ELSE first_seen END,
  last_seen = CASE WHEN :at > last_seen THEN :at ELSE last_seen END, popularity = popularity + :added
WHERE num = :num"""


class SeenTimes(NamedTuple):
    first: float
    last: float
    times: int


def insert_service(
    connection: Connection,
    service: Service,
    content: str,
    seen: SeenTimes,
    topics: Topics,
) -> int:
    """A new service, with the one address at which it was read; the number it gets."""
    address = clean(service.endpoint)
    id_ = service.id
    row = connection.execute(
        _INSERT,
        (
            id_,
            service.kind,
            address,
            loose_endpoint(address),
            host_of(address),
            *_document(service, content),
            *seen,
        ),
    ).fetchone()
    num: int = row[0]
    if address == service.endpoint:
        connection.execute(_ADD_ALIAS, (id_, address, num))
    else:
        add_alias(connection, num, service.kind, service.endpoint)
    write_layers(connection, num, service)
    _write_topics(connection, num, topics)
    _note_successor(connection, num, service, seen.first)
    note_change(connection, num, is_document=True)
    return num


_TWINS = "SELECT num, state FROM service WHERE fingerprint = ? AND fingerprint <> '' AND num <> ? LIMIT ?"


def _note_successor(
    connection: Connection, num: int, service: Service, at: float
) -> None:
    """A service that died and said the same may have a successor."""
    asked = (clean(service.fingerprint), num, MAX_CANDIDATES)
    twins = connection.execute(_TWINS, asked).fetchall()
    dead = [twin for twin, state in twins if state == HealthState.DEAD]
    known = read_services(connection, dead, with_layers=False)
    for twin in dead:
        if may_succeed(known[twin], service, 1 + len(twins)):
            note_once(connection, twin, at, LifeChange.SUCCESSOR, service.endpoint)


_ADD_ALIAS = (
    "INSERT INTO alias (id, endpoint, service) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
)


def add_alias(connection: Connection, num: int, kind: str, address: str) -> None:
    connection.execute(
        _ADD_ALIAS, (service_id(kind, clean(address)), clean(address), num)
    )


def refresh_service(connection: Connection, num: int, met: Observation) -> bool:
    """Write what a new reading changes; most readings change nothing. False if the known one stays, as the newer."""
    service = met.service
    known = read_services(connection, [num])[num]
    merged = merge(known, service)
    stands = version_order(service.version) >= version_order(known.version)
    if merged == known:
        return stands
    if not is_alike(known, merged):
        _part_from_strangers(connection, num, known)
    if met.is_news:
        note_events(
            connection, num, met.sighting.at.timestamp(), differences(known, merged)
        )
    connection.execute(_REFRESH, (*_document(merged, content_key(merged)), num))
    connection.execute("DELETE FROM layer WHERE service = ?", (num,))
    write_layers(connection, num, merged)
    if stands:
        connection.execute("DELETE FROM topic WHERE service = ?", (num,))
        _write_topics(connection, num, met.topics)
    note_change(connection, num, is_document=True)
    return stands


def _part_from_strangers(connection: Connection, num: int, known: Service) -> None:
    """Aliases elsewhere keep the content that was read there: who copies another must not speak for it later."""
    loose = loose_endpoint(known.endpoint)
    strangers = [alias for alias in known.aliases if loose_endpoint(alias) != loose]
    if not strangers:
        return
    seen = connection.execute(
        "SELECT first_seen, last_seen FROM service WHERE num = ?", (num,)
    ).fetchone()
    connection.executemany(
        "DELETE FROM alias WHERE service = ? AND endpoint = ?",
        [(num, address) for address in strangers],
    )
    copy = replace(known, endpoint=strangers[0])
    topics = read_topics(connection, [num]).get(num, ())
    parted = insert_service(
        connection, copy, content_key(known), SeenTimes(seen[0], seen[1], 0), topics
    )
    for address in strangers[1:]:
        add_alias(connection, parted, known.kind, address)
    leave_home(connection, num, parted, strangers)


def leave_home(
    connection: Connection, home: int, num: int, addresses: Sequence[str]
) -> None:
    """Give a service the sightings that its addresses had while they were aliases of another."""
    rows = connection.execute(
        "SELECT num, url FROM sighting WHERE service = ?", (home,)
    ).fetchall()
    moving = [
        (num, row, num)
        for row, url in rows
        if endpoint(canonical(url) or url) in addresses
    ]
    connection.executemany(_MOVE_SIGHTING, moving)
    for changed in (home, num) if moving else ():
        connection.execute(_COUNT_SIGHTINGS, (changed, changed))
        note_change(connection, changed, is_document=False)


def note_change(connection: Connection, num: int, *, is_document: bool) -> None:
    """Let whoever follows the catalogue know that what a service says, or only how it fares, has changed."""
    connection.execute(_CHANGE, (num, is_document))


def _write_topics(connection: Connection, num: int, topics: Topics) -> None:
    connection.executemany(
        "INSERT INTO topic (service, topic, class) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        [(num, *pair) for pair in topics],
    )


def _document(service: Service, content: str) -> tuple[str, str, str, str, str, bytes]:
    declared = clean(declared_endpoint(service.online_resource))
    return (
        clean(service.version), clean(service.title), clean(service.fingerprint), content, declared,
        dump_service(service, CrsLists(service)),
    )  # fmt: skip


def write_layers(connection: Connection, num: int, service: Service) -> None:
    crs = CrsLists(service)
    connection.executemany(
        "INSERT INTO layer (service, ordinal, name, title, abstract, keywords, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (  # one by one: the rows of a hundred thousand layers take 400 MB
            (
                num, ordinal, clean(layer.name), clean(layer.title), clean(layer.abstract),
                dump_words(layer.keywords), dump_layer(layer, crs),
            )
            for ordinal, layer in enumerate(service.layers)
        ),
    )  # fmt: skip


_SINCE_GOOD = """
SELECT at, ok, reason FROM health_check WHERE service = ? AND at >=
  coalesce((SELECT max(at) FROM health_check WHERE service = ? AND ok), 0)
ORDER BY at, num"""
_MET = "INSERT INTO met (task, service) VALUES (?, ?) ON CONFLICT DO NOTHING"
_ADD_SIGHTING = """
INSERT INTO sighting (service, url, found_on, via, evidence, at, task, depth)
VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"""


def record(
    connection: Connection, met: Iterable[Observation | Check]
) -> list[Recorded]:
    """Write what was met; the caller commits."""
    return [
        _look(connection, each) if isinstance(each, Check) else _put(connection, each)
        for each in met
    ]


def _put(connection: Connection, met: Observation) -> Recorded:
    """A service met at another address (see `aliases`) is not new: the address is added to the known one.

    An alias that shows something else than it did is one no longer.
    """
    service, sighting = met.service, met.sighting
    content, at = content_key(service), sighting.at.timestamp()
    home = find_alias(connection, service, content)
    left = home if home is not None and not home.is_proved else None
    if left is not None:
        home = None
        connection.execute("DELETE FROM alias WHERE id = ?", (service.id,))
    home = home or find_twin(connection, service, content)
    if home is None:
        seen = SeenTimes(at, at, 1 if left is None else 0)
        num = insert_service(connection, service, content, seen, met.topics)
        stands = True
    else:
        num = home.num
        add_alias(connection, num, service.kind, service.endpoint)
        stands = home.is_own and refresh_service(connection, num, met)
    if home is None:
        note_events(connection, num, at, [found_change(sighting)])
    if home is None and left is None:
        connection.execute(_ADD_SIGHTING, _sighting_row(num, sighting))
    else:
        if left is not None:
            leave_home(connection, left.num, num, [service.endpoint])
        _note_sighting(connection, num, sighting)
    connection.execute(_MET, (sighting.task, num))
    if met.check is not None:
        _note_check(connection, num, met.check)
        if stands:
            note_proof(connection, num, met.check, is_new=home is None)
    return Recorded(service.id if home is None else _id(connection, num), home is None)


def _look(connection: Connection, check: Check) -> Recorded:
    num = find_num(connection, check.service_id)
    if num is None:
        return Recorded("", False)
    _note_check(connection, num, check)
    return Recorded(_id(connection, num), False)


def _id(connection: Connection, num: int) -> str:
    id_: str = connection.execute(
        "SELECT id FROM service WHERE num = ?", (num,)
    ).fetchone()[0]
    return id_


def _note_check(connection: Connection, num: int, check: Check) -> None:
    connection.execute(
        "INSERT INTO health_check (service, at, ok, reason, elapsed_s, fingerprint) VALUES (?, ?, ?, ?, ?, ?)",
        (
            num,
            check.at.timestamp(),
            check.ok,
            clean(check.reason),
            check.elapsed_s,
            clean(check.fingerprint),
        ),
    )
    if check.word == LifeChange.MOVED:
        note_once(
            connection,
            num,
            check.at.timestamp(),
            LifeChange.MOVED,
            check.reason.partition(": ")[2],
        )
    state = assess(_checks_since_good(connection, num)).state
    (was,) = connection.execute(
        "SELECT state FROM service WHERE num = ?", (num,)
    ).fetchone()
    if state != was:
        connection.execute("UPDATE service SET state = ? WHERE num = ?", (state, num))
        note_events(
            connection,
            num,
            check.at.timestamp(),
            [state_change(HealthState(was), state, check.reason)],
        )
        note_change(connection, num, is_document=False)


def _checks_since_good(connection: Connection, num: int) -> list[Check]:
    """The last good check and those after it: the state depends on no other."""
    rows = connection.execute(_SINCE_GOOD, (num, num)).fetchall()
    return [
        Check(
            "",
            datetime.fromtimestamp(at, UTC),
            None if ok is None else bool(ok),
            reason,
        )
        for at, ok, reason in rows
    ]


def _note_sighting(connection: Connection, num: int, sighting: Sighting) -> None:
    at = sighting.at.timestamp()
    added = connection.execute(_ADD_SIGHTING, _sighting_row(num, sighting)).rowcount
    connection.execute(_SEEN, {"at": at, "added": max(added, 0), "num": num})
    if added > 0:
        note_change(connection, num, is_document=False)


def _sighting_row(num: int, sighting: Sighting) -> tuple[Any, ...]:
    return (
        num, clean(sighting.url), clean(sighting.found_on), sighting.via, clean(sighting.evidence),
        sighting.at.timestamp(), sighting.task, sighting.depth,
    )  # fmt: skip
