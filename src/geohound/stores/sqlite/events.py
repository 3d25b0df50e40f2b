"""What happened to a task: rows that are numbered without gaps, of which only the latest are kept."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import msgspec

from geohound.model.event import EVENTS, Event, EventPage, Numbered
from geohound.model.task import TaskId

from .codec import clean

MAX_EVENTS = 10_000  # of one task

_DECODERS: dict[str, msgspec.json.Decoder[Any]] = {name: msgspec.json.Decoder(kind) for name, kind in EVENTS.items()}


def append(connection: sqlite3.Connection, task: TaskId, at: float, events: Sequence[Event], most: int) -> None:
    """Add events to those of a task; only the latest `most` are kept."""
    (last,) = connection.execute("SELECT coalesce(max(n), 0) FROM event WHERE task = ?", (task,)).fetchone()
    rows = [(task, last + number, at, event.type, _dump(event)) for number, event in enumerate(events, 1)]
    connection.executemany("INSERT INTO event (task, n, at, type, body) VALUES (?, ?, ?, ?, ?)", rows)
    connection.execute("DELETE FROM event WHERE task = ? AND n <= ?", (task, last + len(rows) - most))


def read(connection: sqlite3.Connection, task: TaskId, after: int, limit: int) -> EventPage:
    (first,) = connection.execute("SELECT coalesce(min(n), 0) FROM event WHERE task = ?", (task,)).fetchone()
    rows = connection.execute(
        "SELECT n, at, type, body FROM event WHERE task = ? AND n > ? ORDER BY n LIMIT ?", (task, after, limit)
    )
    found = [Numbered(n, datetime.fromtimestamp(at, UTC), _DECODERS[kind].decode(body)) for n, at, kind, body in rows]
    return EventPage(first, tuple(found))


def _dump(event: Event) -> bytes:
    try:
        return msgspec.json.encode(event)
    except UnicodeEncodeError:  # a lone surrogate from a hostile document
        values = {name: getattr(event, name) for name in event.__slots__}
        texts: dict[str, Any] = {name: clean(value) for name, value in values.items() if isinstance(value, str)}
        return msgspec.json.encode(replace(event, **texts))
