"""What became of each URL of a task, for reports."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from geohound.model.frontier import UrlState, VisitRecord
from geohound.model.service import Service
from geohound.model.visit import FailureReason, Purpose, Settlement, Via

from .reading import read_services

TASK_BITS = 32
PURPOSES = tuple(Purpose)  # by the number with which they are kept
_PAGE_ROWS = 1000
_UNASKED = (UrlState.UNASKED, UrlState.REFUSED)

_SELECT = """
SELECT u.id, u.state, u.purpose, u.score, u.url, u.depth, u.attempts, u.via, s.url, u.clue, u.reason, u.status,
  u.services, u.address, u.at
FROM url u LEFT JOIN source s ON s.id = u.source
WHERE u.id > ? AND u.id <= ? AND u.state <> 0 ORDER BY u.id LIMIT ?"""


def id_of(task: int, number: int) -> int:
    return task << TASK_BITS | number


def bounds_of(task: int) -> tuple[int, int]:
    """The first and the last id that belong to a task."""
    return id_of(task, 0), id_of(task + 1, 0) - 1


def page_of_visits(connection: sqlite3.Connection, task: int, after: int, limit: int) -> Sequence[VisitRecord]:
    """In order of admission, those with greater numbers than `after`."""
    rows = connection.execute(_SELECT, (id_of(task, after), bounds_of(task)[1], limit))
    return [_record(task, row) for row in rows.fetchall()]


def iterate_visits(connection: sqlite3.Connection, task: int) -> Iterator[VisitRecord]:
    """All of them, read page by page: a long read would keep the write-ahead log growing."""
    last = 0
    while page := page_of_visits(connection, task, last, _PAGE_ROWS):
        yield from page
        last = page[-1].number


def services_seen_at(connection: sqlite3.Connection, url: str) -> Sequence[Service]:
    """The services that a visit of this URL has proved, without their layers."""
    rows = connection.execute("SELECT DISTINCT service FROM sighting WHERE url = ? ORDER BY service", (url,)).fetchall()
    return list(read_services(connection, [num for (num,) in rows], with_layers=False).values())


def _record(task: int, row: tuple[Any, ...]) -> VisitRecord:
    id_, state, purpose, score, url, depth, attempts, via, parent, clue, reason, status, services, address, at = row
    return VisitRecord(
        number=id_ - id_of(task, 0),
        url=url,
        task=task,
        parent=parent or "",
        via=Via(via),
        clue=clue,
        depth=depth,
        purpose=PURPOSES[purpose],
        score=score,
        settlement=Settlement.DONE if state in (UrlState.DONE, UrlState.REDIRECTED) else Settlement.DROPPED,
        was_asked=state not in _UNASKED,
        reason=FailureReason(reason) if reason else None,
        status=status or 0,
        services=services or 0,
        attempts=attempts,
        address=address,
        at=datetime.fromtimestamp(at or 0.0, UTC),
    )
