"""Who runs a task: one holder at a time, and nothing is written for a holder whose claim another has taken over."""

from __future__ import annotations

from geohound.contracts import FencedError
from geohound.model.work.task import Claim, TaskId, Wanted

from .database import Connection


def lock_name(task: TaskId) -> str:
    """Whoever writes for a task, or says who may, takes this lock first."""
    return f"task {task}"


def take(
    connection: Connection, task: TaskId, holder: str, now: float, ttl_s: float
) -> Claim | None:
    """Claim a task that nobody holds, or whose holder has let its claim run out; None where another holds it.

    Of a holder that never let go nobody knows when it ended.
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
    """What is wanted of the task, and how many seconds the claim still holds; FencedError where it does not."""
    row = connection.execute(
        "SELECT wanted, expires_at FROM claim WHERE task = ? AND holder = ? AND epoch = ?",
        (claim.task, claim.holder, claim.epoch),
    ).fetchone()
    if row is None:
        raise _fenced(claim)
    return Wanted(row[0]), row[1] - now


def check(connection: Connection, claim: Claim) -> None:
    """FencedError unless the claim still holds; call it first in each transaction that writes for a task."""
    look(connection, claim, 0.0)


def _fenced(claim: Claim) -> FencedError:
    return FencedError(
        f"Task {claim.task} is run by another process by now; this one has let its claim run out."
    )
