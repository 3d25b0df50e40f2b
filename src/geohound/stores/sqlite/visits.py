"""What became of each URL of a task, for reports."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from geohound.model.service import Service
from geohound.model.visit import FailureReason, Settlement, Via

from .reading import read_services

PENDING, DONE, IN_VAIN, UNASKED, REDIRECTED, REFUSED = range(6)
TASK_BITS = 32
_PAGE_ROWS = 1000


@dataclass(frozen=True, slots=True)
class Met:
    """A service that a visit proved: what it is, and the middle of its box where it has one."""

    id: str
    kind: str
    latitude: float | None
    longitude: float | None


@dataclass(frozen=True, slots=True)
class VisitRecord:
    """One URL that was visited or dropped, where it came from and what it brought."""

    url: str
    task: int
    parent: str
    via: Via
    clue: str
    depth: int
    probe: bool
    score: float
    settlement: Settlement
    was_asked: bool  # False where it was dropped without a request
    reason: FailureReason | None
    status: int
    services: int
    attempts: int
    at: datetime
    met: tuple[Met, ...]


_SELECT = """
SELECT u.id, u.state, u.probe, u.score, u.url, u.depth, u.attempts, u.via, s.url, u.clue, u.reason, u.status,
  u.services, u.at
FROM url u LEFT JOIN source s ON s.id = u.source
WHERE u.id > ? AND u.id < ? AND u.state <> 0 ORDER BY u.id LIMIT ?"""


def iterate_visits(connection: sqlite3.Connection, task: int) -> Iterator[VisitRecord]:
    """In order of admission, read page by page: a long read would keep the write-ahead log growing."""
    last, end = (task << TASK_BITS) - 1, (task + 1) << TASK_BITS
    while rows := connection.execute(_SELECT, (last, end, _PAGE_ROWS)).fetchall():
        for row in rows:
            yield _record(task, row, _met(connection, row[4]) if row[12] else ())
        last = rows[-1][0]


def latest_done(connection: sqlite3.Connection, task: int) -> str:
    """The latest admitted of the URLs that have answered; empty if none has."""
    row = connection.execute(
        "SELECT url FROM url WHERE id >= ? AND id < ? AND state = ? ORDER BY id DESC LIMIT 1", (*_bounds(task), DONE)
    )
    return next((str(url) for (url,) in row), "")


def marks_of(connection: sqlite3.Connection, task: int) -> Iterator[tuple[int, int]]:
    """What stands for the contents of the pages visited so far: body and words."""
    yield from connection.execute("SELECT body, words FROM mark WHERE url >= ? AND url < ?", _bounds(task))


def _bounds(task: int) -> tuple[int, int]:
    return task << TASK_BITS, (task + 1) << TASK_BITS


def _met(connection: sqlite3.Connection, url: str) -> tuple[Met, ...]:
    rows = connection.execute("SELECT DISTINCT service FROM sighting WHERE url = ? ORDER BY service", (url,)).fetchall()
    services = read_services(connection, [num for (num,) in rows], with_layers=False).values()
    return tuple(Met(service.id, service.kind, *_middle(service)) for service in services)


def _middle(service: Service) -> tuple[float | None, float | None]:
    box = service.extent.box if service.extent else None
    if box is None:
        return None, None
    longitude = box.west + box.width / 2
    return round((box.south + box.north) / 2, 6), round(longitude - 360 if longitude > 180 else longitude, 6)


def _record(task: int, row: tuple, met: tuple[Met, ...]) -> VisitRecord:  # type: ignore[type-arg]
    _, state, probe, score, url, depth, attempts, via, parent, clue, reason, status, services, at = row
    return VisitRecord(
        url=url,
        task=task,
        parent=parent or "",
        via=Via(via),
        clue=clue,
        depth=depth,
        probe=bool(probe),
        score=score,
        settlement=Settlement.DONE if state in (DONE, REDIRECTED) else Settlement.DROPPED,
        was_asked=state not in (UNASKED, REFUSED),
        reason=FailureReason(reason) if reason else None,
        status=status or 0,
        services=services or 0,
        attempts=attempts,
        at=datetime.fromtimestamp(at or 0.0, UTC),
        met=met,
    )
