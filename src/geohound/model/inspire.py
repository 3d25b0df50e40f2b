"""What INSPIRE asks of network services (Regulation 976/2009, annex I), and what checks show of it.

Capacity is left out: it is tested by many requests at once, which nobody may send to other people's servers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from .biography import CheckTotals
from .health import Check
from .score import wilson

AVAILABILITY = 0.99
MIN_CHECKS = 100  # with fewer, one failure more or less decides
NORMAL_SHARE = 0.9  # of the time is the "normal situation", to which limits apply
DAYS = 365
_WEEK_S = 604800.0


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
    good, total = counted(checks, totals, now, DAYS)
    times_s = sorted(check.elapsed_s for check in checks if check.ok)
    normal_s = percentile(times_s, NORMAL_SHARE)
    response_s = None if normal_s is None else round(normal_s, 3)
    return Conformity(
        total,
        good / total if total else None,
        is_available(good, total),
        response_s,
        None if response_s is None else response_s <= limit_s,
    )


def counted(
    checks: Sequence[Check], totals: Sequence[CheckTotals], now: datetime, days: int
) -> tuple[int, int]:
    """Good checks and conclusive ones in so many days; of weeks that are summed up, those that began in them."""
    since = now - timedelta(days=days)
    conclusive = [
        bool(check.ok) for check in checks if check.ok is not None and check.at >= since
    ]
    weeks = [each for each in totals if each.week * _WEEK_S >= since.timestamp()]
    good = sum(conclusive) + sum(each.good for each in weeks)
    return good, len(conclusive) + sum(each.good + each.failed for each in weeks)


def is_available(good: int, total: int) -> bool | None:
    """Is it 99 %? None while there are too few checks to know."""
    if not total:
        return None
    if wilson(good, total)[1] < AVAILABILITY:
        return False
    return good / total >= AVAILABILITY if total >= MIN_CHECKS else None


def percentile(ordered: Sequence[float], share: float) -> float | None:
    """The nearest-rank percentile."""
    return ordered[math.ceil(share * len(ordered)) - 1] if ordered else None
