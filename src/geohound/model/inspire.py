"""What INSPIRE asks of network services (Regulation 976/2009, annex I), and what checks show of it.

Capacity is left out: it is tested by many requests at once, which nobody may send to other people's servers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from .availability import Uptime, availability
from .biography import CheckTotals
from .health import Check

AVAILABILITY = 0.99
MIN_CHECKS = 100  # evenly spread; with fewer, one failure more or less decides
NORMAL_SHARE = 0.9  # of the time is the "normal situation", to which limits apply
DAYS = 365


class Conformity(NamedTuple):
    """Availability of a year and response time, each with whether it is as required; None: not known yet."""

    checks: int
    availability: float | None
    availability_met: bool | None
    response_s: float | None
    response_met: bool | None


def conformity(
    checks: Sequence[Check],
    totals: Sequence[CheckTotals],
    now: datetime,
    limit_s: float,
) -> Conformity:
    found = availability(checks, totals, now, DAYS)
    times_s = sorted(check.elapsed_s for check in checks if check.ok)
    normal_s = percentile(times_s, NORMAL_SHARE)
    response_s = None if normal_s is None else round(normal_s, 3)
    return Conformity(
        found.looks,
        found.share,
        is_available(found),
        response_s,
        None if response_s is None else response_s <= limit_s,
    )


def is_available(found: Uptime) -> bool | None:
    """Is it 99 %? None while there are too few checks to know."""
    if found.share is None or found.interval is None:
        return None
    if found.interval[1] < AVAILABILITY:
        return False
    return found.share >= AVAILABILITY if found.worth >= MIN_CHECKS else None


def percentile(ordered: Sequence[float], share: float) -> float | None:
    """The nearest-rank percentile."""
    return ordered[math.ceil(share * len(ordered)) - 1] if ordered else None
