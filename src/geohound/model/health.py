"""How a service has behaved: computed from checks, never written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from statistics import median

from .visit import Validators


class State(StrEnum):
    ALIVE = "alive"
    DEAD = "dead"
    UNSURE = "unsure"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Check:
    """One look at a service; `ok` is None where the look was inconclusive."""

    service_id: str
    at: datetime
    ok: bool | None
    reason: str = ""
    elapsed_s: float = 0.0
    fingerprint: str = ""
    asked: str = ""  # the address whose answer proved it, where one answer did
    validators: Validators | None = None  # with which that address is asked the next time


@dataclass(frozen=True, slots=True)
class Health:
    state: State
    availability: float | None
    median_elapsed_s: float | None
    since: datetime | None
    checks: int


def assess(checks: Sequence[Check]) -> Health:
    """The health that these checks, oldest first, add up to; inconclusive ones count for neither side."""
    clear = [c for c in checks if c.ok is not None]
    if not clear:
        state = State.UNSURE if checks else State.UNKNOWN
        return Health(state, None, None, checks[-1].at if checks else None, len(checks))
    last = clear[-1]
    since = last.at
    for check in reversed(clear):
        if check.ok != last.ok:
            break
        since = check.at
    good = [c.elapsed_s for c in clear if c.ok]
    return Health(
        state=State.ALIVE if last.ok else State.DEAD,
        availability=len(good) / len(clear),
        median_elapsed_s=median(good) if good else None,
        since=since,
        checks=len(checks),
    )
