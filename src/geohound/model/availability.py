"""For which share of the time a service worked, by looks that are not evenly spread.

Who fails is asked again within hours, who works after days: of the looks more fail than of the time. Each look stands
for the time since the one before, by which it was chosen to be then, whatever it was to show.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final, NamedTuple

from .biography import CheckTotals
from .health import Check

Z: Final = 1.96  # of the Wilson interval: 95 % confidence
# the least that a look stands for: several within the hour count alike
LEAST_S: Final = 3600.0
_WEEK_S: Final = 604800.0


class Span(NamedTuple):
    """So long a time, in which a service is taken to have worked, or not."""

    seconds: float
    worked: bool


class Uptime(NamedTuple):
    """A share of the time, and as how many looks, evenly spread, it is to be believed."""

    looks: int
    share: float | None  # None without looks
    worth: float

    @property
    def interval(self) -> tuple[float, float] | None:
        """Between these it lies, with 95 % confidence."""
        return None if self.share is None else wilson(self.share * self.worth, self.worth)  # fmt: skip


def availability(
    checks: Sequence[Check],
    totals: Sequence[CheckTotals],
    now: datetime,
    days: int,
) -> Uptime:
    """In so many days; of weeks that are summed up, those that began in them."""
    since = now - timedelta(days=days)
    weeks = [each for each in totals if each.week * _WEEK_S >= since.timestamp()]
    return of_spans([*spans(checks, since), *_spans_of_weeks(weeks)])


def of_spans(found: Iterable[Span]) -> Uptime:
    every = list(found)
    if not every:
        return Uptime(0, None, 0.0)
    whole_s = math.fsum(each.seconds for each in every)
    worked_s = math.fsum(each.seconds for each in every if each.worked)
    squares = math.fsum(each.seconds**2 for each in every)
    # Kish 1965: as many looks of equal weight say as much as these
    return Uptime(len(every), worked_s / whole_s, whole_s**2 / squares)


def spans(checks: Sequence[Check], since: datetime | None = None) -> Iterator[Span]:
    """What each conclusive check, oldest first, stands for; the first for as long as the second."""
    conclusive = [check for check in checks if check.ok is not None]
    gaps = [later.at - check.at for check, later in pairwise(conclusive)]
    first = gaps[0] if gaps else timedelta()
    for check, gap in zip(conclusive, [first, *gaps], strict=False):
        if since is None or check.at >= since:
            stood_for = gap if since is None else min(gap, check.at - since)
            yield Span(max(stood_for.total_seconds(), LEAST_S), bool(check.ok))


def _spans_of_weeks(weeks: Iterable[CheckTotals]) -> Iterator[Span]:
    """When in a week its checks were is no longer known: they share it."""
    for week in weeks:
        count = week.good + week.failed
        yield from (Span(_WEEK_S / count, True) for _ in range(week.good))
        yield from (Span(_WEEK_S / count, False) for _ in range(week.failed))


def wilson(good: float, total: float) -> tuple[float, float]:
    """The Wilson score interval: between these a share lies, with 95 % confidence."""
    share, square = good / total, Z * Z
    spread = Z * math.sqrt(share * (1 - share) / total + square / (4 * total * total))
    middle, scale = share + square / (2 * total), 1 + square / total
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)
