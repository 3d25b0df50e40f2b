"""The claim of a task: one holder at a time; a holder whose claim was taken over can no longer write."""

from __future__ import annotations

from geohound.contracts import FencedError
from geohound.model.crawl.task import Claim, TaskId, Wanted

from .database import Connection


def lock_name(task: TaskId) -> str:
    """The lock that protects a task: taken before its claim is changed or anything is written for it."""
    return f"task {task}"


def take(
    connection: Connection, task: TaskId, holder: str, now: float, ttl_s: float
) -> Claim | None:
    """Claim a task that nobody holds, or whose holder has let its claim run out; None where another holds it.

    The end time of a run whose holder never released its claim is unknown.
    """
    connection.execute(
        "UPDATE task SET finished_at = NULL WHERE id = ? "
        "AND EXISTS (SELECT 1 FROM claim WHERE task = ? AND holder <> '' AND expires_at <= ?)",
        (task, task, now),
    )
    row = connection.execute(
        "UPDATE claim SET holder = ?, epoch = epoch + 1, expires_at = ? "
        "WHERE task = ? AND (holder = '' OR expires_at <= ?) RETURNING epoch",
        (holder, now + ttl_s, task, now),
    ).fetchone()
    return Claim(task, holder, row[0]) if row else None


def look(connection: Connection, claim: Claim, now: float) -> tuple[Wanted, float]:
    """The desired state, and how many seconds the claim is still valid; FencedError if it is not."""
    row = connection.execute(
        "SELECT wanted, expires_at FROM claim WHERE task = ? AND holder = ? AND epoch = ?",
        (claim.task, claim.holder, claim.epoch),
    ).fetchone()
    if row is None:
        raise _fenced(claim)
    return Wanted(row[0]), row[1] - now


def check(connection: Connection, claim: Claim) -> None:
    """Raise FencedError unless the claim is still valid; called first in each transaction that writes for a task."""
    look(connection, claim, 0.0)


def _fenced(claim: Claim) -> FencedError:
    return FencedError(
        f"Task {claim.task} is run by another process by now; this one has let its claim run out."
    )
