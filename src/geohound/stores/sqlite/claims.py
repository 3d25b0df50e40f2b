"""Who runs a task: one holder at a time, and nothing is written for a holder whose claim another has taken over."""

from __future__ import annotations

import sqlite3

from geohound.contracts import FencedError
from geohound.model.task import Claim, TaskId


def take(connection: sqlite3.Connection, task: TaskId, holder: str, now: float, ttl_s: float) -> Claim | None:
    """Claim a task that nobody holds, or whose holder has let its claim run out; None where another holds it."""
    row = connection.execute(
        "UPDATE claim SET holder = ?, epoch = epoch + 1, expires_at = ? "
        "WHERE task = ? AND (holder = '' OR expires_at <= ?) RETURNING epoch",
        (holder, now + ttl_s, task, now),
    ).fetchone()
    return Claim(task, holder, row[0]) if row else None


def check(connection: sqlite3.Connection, claim: Claim) -> None:
    """FencedError unless the claim still holds; call it first in each transaction that writes for a task."""
    held = connection.execute(
        "SELECT 1 FROM claim WHERE task = ? AND holder = ? AND epoch = ?", (claim.task, claim.holder, claim.epoch)
    ).fetchone()
    if held is None:
        raise FencedError(f"Task {claim.task} is run by another process by now; this one has let its claim run out.")
