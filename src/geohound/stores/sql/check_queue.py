"""When each service, page and candidate is looked at again: a row for each."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from geohound.model.crawl.shard import Shard
from geohound.model.crawl.task import Claim
from geohound.model.health import HealthState
from geohound.model.monitoring.revisit import (
    DueLook,
    EndedLook,
    LookStats,
    PageProof,
    StateStep,
)
from geohound.model.visit import Purpose, Validators
from geohound.stores.divisions import part_of, parts_of
from geohound.urls import host

from . import claims
from .database import Connection, Database
from .group_commit import GroupCommit, awaited
from .services.codec import clean
from .services.history import note_layers
from .services.reading import find_num
from .services.writing import record

_STATS = "looks, changes, changed_s, unchanged_s, failures, deaths"
_PROOF = "etag, last_modified, read_at"
_COLUMNS = f"purpose, target, host, due_at, looked_at, rank, depth, {_PROOF}, {_STATS}"
_NEW_SERVICES = """
SELECT id, endpoint, last_seen, popularity, coalesce((SELECT min(depth) FROM sighting WHERE service = num), 0),
  EXISTS (SELECT 1 FROM health_check WHERE health_check.service = service.num)
FROM service
WHERE NOT EXISTS (SELECT 1 FROM check_queue WHERE purpose = 'check' AND target = service.id)"""
_NEW_PAGES = """
SELECT found_on, found_on, max(at), count(DISTINCT service), min(depth), TRUE FROM sighting
WHERE found_on LIKE 'http%'
  AND NOT EXISTS (SELECT 1 FROM check_queue WHERE purpose = 'page' AND target = found_on)
GROUP BY found_on"""
# Tested in vain (state 2), and not proved by anybody since.
_NEW_CANDIDATES = """
SELECT url, url, max(at), 1, min(depth), TRUE FROM url
WHERE purpose = 1 AND state = 2 AND at IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM check_queue WHERE purpose = 'probe' AND target = url.url)
  AND NOT EXISTS (SELECT 1 FROM sighting WHERE sighting.url = url.url)
GROUP BY url"""
_NEW = {
    Purpose.CHECK: _NEW_SERVICES,
    Purpose.PAGE: _NEW_PAGES,
    Purpose.PROBE: _NEW_CANDIDATES,
}
_ADD = """
INSERT INTO check_queue (purpose, target, host, due_at, rank, depth, part) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING"""
_HASTEN = """
UPDATE check_queue SET due_at = :since
WHERE due_at > :since AND purpose = 'check' AND (looked_at IS NULL OR looked_at < :since)"""
# `|| ''` below: what is no column has no index, so that what is due is found by time, and a host's rows by host. SQLite
# would read the whole queue in the order of hosts, or of purposes.
_HOSTS = """
SELECT host || '' AS name FROM check_queue WHERE due_at <= ? AND part BETWEEN ? AND ?
GROUP BY name ORDER BY min(due_at) LIMIT ?"""
_COUNT_DUE = """
SELECT count(*) FROM check_queue WHERE purpose = 'check' AND due_at <= ? AND part BETWEEN ? AND ?"""
_NEXT_DUE = """
SELECT due_at FROM check_queue WHERE part BETWEEN ? AND ? ORDER BY due_at LIMIT 1"""
_DUE = f"SELECT {_COLUMNS} FROM check_queue WHERE host = ? AND due_at <= ? ORDER BY due_at, target LIMIT ?"  # noqa: S608
_ALL = f"SELECT {_COLUMNS} FROM check_queue WHERE purpose = 'check' AND part BETWEEN ? AND ? ORDER BY target"  # noqa: S608
_OF_HOST = """
SELECT CAST(coalesce(sum(looks), 0) AS BIGINT), coalesce(sum(changes), 0.0),
  coalesce(sum(changed_s), 0.0), coalesce(sum(unchanged_s), 0.0),
  CAST(coalesce(sum(failures), 0) AS BIGINT), CAST(coalesce(sum(deaths), 0) AS BIGINT)
FROM check_queue WHERE host = ? AND purpose || '' = 'check'"""
_PUT_OFF = "UPDATE check_queue SET due_at = ? WHERE purpose = ? AND target = ?"
_LOOKED = """
UPDATE check_queue SET due_at = ?, looked_at = ?, looks = ?, changes = ?, changed_s = ?, unchanged_s = ?,
  failures = ?, deaths = ?, etag = ?, last_modified = ?, read_at = ?
WHERE purpose = ? AND target = ?"""
_STATE = "SELECT state FROM service JOIN alias ON alias.service = service.num WHERE alias.id = ?"


class SqlCheckQueue:
    """The check queue of one file."""

    def __init__(
        self, database: Database, commits: GroupCommit, shard: Shard | None = None
    ) -> None:
        self._database = database
        self._commits = commits
        self._parts = parts_of(shard)

    def of(self, shard: Shard | None) -> SqlCheckQueue:
        return SqlCheckQueue(self._database, self._commits, shard)

    def enrol(self, first_s: Mapping[Purpose, float]) -> int:
        added = 0
        for purpose, wait_s in first_s.items():
            found = self._database.read().execute(_NEW[purpose]).fetchall()
            rows = [
                (
                    purpose,
                    target,
                    host(url),
                    met_at + (wait_s if is_checked else 0.0),
                    max(1, rank),
                    depth,
                    part_of(host(url)),
                )
                for target, url, met_at, rank, depth, is_checked in found
            ]
            if rows:
                with self._database.write() as connection:
                    # Two processes that add the same rows would wait for each other.
                    self._database.lock(connection, "enrol")
                    added += connection.executemany(_ADD, rows).rowcount
        return added

    def hasten(self, since: datetime) -> None:
        with self._database.write() as connection:
            connection.execute(_HASTEN, {"since": since.timestamp()})

    def hosts(self, now: datetime, limit: int) -> Sequence[str]:
        return [
            name
            for (name,) in self._database.read().execute(
                _HOSTS, (now.timestamp(), *self._parts, limit)
            )
        ]

    def due(self, host: str, now: datetime, limit: int) -> Sequence[DueLook]:
        rows = (
            self._database.read()
            .execute(_DUE, (host, now.timestamp(), limit))
            .fetchall()
        )
        return [_due_look(row) for row in rows]

    def count_due(self, now: datetime) -> int:
        row = self._database.read().execute(_COUNT_DUE, (now.timestamp(), *self._parts))
        count: int = row.fetchone()[0]
        return count

    def next_due(self) -> datetime | None:
        row = self._database.read().execute(_NEXT_DUE, self._parts).fetchone()
        return None if row is None else _time(row[0])

    def when(self, service_id: str) -> datetime | None:
        sql = "SELECT due_at FROM check_queue WHERE purpose = 'check' AND target = ?"
        row = self._database.read().execute(sql, (service_id,)).fetchone()
        return _time(row[0]) if row else None

    def of_host(self, host: str) -> LookStats:
        return LookStats(*self._database.read().execute(_OF_HOST, (host,)).fetchone())

    def services(self) -> Iterator[DueLook]:
        return map(_due_look, self._database.stream(_ALL, self._parts))

    def settle(
        self, claim: Claim, ended: Sequence[EndedLook]
    ) -> asyncio.Future[list[StateStep | None]]:
        def write(connection: Connection) -> list[StateStep | None]:
            self._database.lock(connection, "catalogue")
            self._database.lock(connection, claims.lock_name(claim.task))
            claims.check(connection, claim)
            return [_settle(connection, each) for each in ended]

        return awaited(self._commits.submit(write))


def _settle(connection: Connection, ended: EndedLook) -> StateStep | None:
    if ended.looks_before not in (None, _looks(connection, ended)):
        return None
    was = _state(connection, ended.target)
    record(connection, ended.met)
    num = find_num(connection, ended.target) if ended.layers else None
    if num is not None:
        note_layers(connection, num, ended.layers)
    due_at = ended.next_at.timestamp()
    if ended.at is None:
        connection.execute(_PUT_OFF, (due_at, ended.purpose, clean(ended.target)))
    else:
        stats = ended.stats
        numbers = (
            stats.looks,
            stats.changes,
            stats.changed_s,
            stats.unchanged_s,
            stats.failures,
            stats.deaths,
        )
        row = (
            due_at,
            ended.at.timestamp(),
            *numbers,
            *_proof_row(ended.proof),
            ended.purpose,
            clean(ended.target),
        )
        connection.execute(_LOOKED, row)
    return StateStep(was, _state(connection, ended.target))


def _looks(connection: Connection, ended: EndedLook) -> int | None:
    sql = "SELECT looks FROM check_queue WHERE purpose = ? AND target = ?"
    row = connection.execute(sql, (ended.purpose, clean(ended.target))).fetchone()
    return row[0] if row else None


def _state(connection: Connection, service_id: str) -> HealthState:
    row = connection.execute(_STATE, (service_id,)).fetchone()
    return HealthState(row[0]) if row else HealthState.UNKNOWN


def _proof_row(proof: PageProof | None) -> tuple[str, str, float | None]:
    if proof is None:
        return "", "", None
    known = proof.validators
    return known.etag, known.last_modified, proof.read_at.timestamp()


def _due_look(row: tuple[Any, ...]) -> DueLook:
    purpose, target, name, due_at, looked_at, rank, depth, *others = row
    etag, last_modified, read_at, *stats = others
    proof = None
    if read_at is not None:
        proof = PageProof(Validators(etag, last_modified), _time(read_at))
    looked = None if looked_at is None else _time(looked_at)
    return DueLook(
        Purpose(purpose),
        target,
        name,
        _time(due_at),
        looked,
        LookStats(*stats),
        rank,
        depth,
        proof,
    )


def _time(timestamp: float) -> datetime:
    return datetime.fromtimestamp(timestamp, UTC)
