"""Every request that was made, as the owner of a host may ask for it."""

from __future__ import annotations

from datetime import UTC, datetime

from geohound.model.visit import MAX_URL_CHARS, FailureReason, RequestRecord

from .codec import clean
from .database import Database

_SELECT = """
SELECT at, host, url, status, reason, bytes, elapsed_s, address FROM request WHERE host = ? ORDER BY at DESC LIMIT ?"""


def row_of(task: int, request: RequestRecord) -> tuple[object, ...]:
    """A request as it is kept."""
    return (
        task, request.host, request.at.timestamp(), clean(request.url[:MAX_URL_CHARS]), request.status,
        request.reason or "", request.bytes, request.elapsed_s, request.address,
    )  # fmt: skip


def hosts_that_answered(database: Database, task: int) -> set[str]:
    """The hosts that have answered a task."""
    rows = database.read().execute("SELECT DISTINCT host FROM request WHERE task = ? AND status > 0", (task,))
    return {host for (host,) in rows}


def requests_to(database: Database, host: str, limit: int = 0) -> list[RequestRecord]:
    """The requests to a host, the latest first; 0 for all of them."""
    rows = database.read().execute(_SELECT, (host, limit or -1))
    return [
        RequestRecord(
            datetime.fromtimestamp(at, UTC), name, url, status, FailureReason(reason) if reason else None, size,
            elapsed_s, address,
        )
        for at, name, url, status, reason, size, elapsed_s, address in rows
    ]  # fmt: skip
