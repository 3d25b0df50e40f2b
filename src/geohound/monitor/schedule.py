"""When to look again: pure functions of what earlier looks showed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from geohound.model.health import GONE_CHECKS, CheckResult, HealthState
from geohound.model.monitoring.revisit import NO_LOOKS, DueLook, LookStats
from geohound.model.visit import Purpose

from .rates import (
    DAY_S,
    NEW_CATALOGUE,
    Known,
    RateModel,
    known_of,
    learned,
    urgency,
)

SEEN_SHARE: Final = 0.99  # of the changes, where the looks that it takes are allowed
# Of the looks of the policy uniform that adaptive may make, where no budget says otherwise. With the second requests
# after failures, and to the dying, which are not planned, it makes 40 % of the requests.
LOOKS_SHARE: Final = 0.36
# an old look counts for 1 / e after this time: habits change
MEMORY_S: Final = 90 * DAY_S
MAX_SAMPLE: Final = 2000  # services from which rates and plan are learned
SHORTEST_SHARE: Final = 0.25  # of the period: who changes every few days is looked at more often than once in it
# "not found" three times in a row is death: known within hours
GONE_AGAIN_S: Final = 3600.0
# and so are five failures over three days: 0, 18, 36, 54, 72 hours
FAILED_AGAIN_S: Final = 18 * 3600.0
HINDERED_AGAIN_S: Final = DAY_S
DEAD_AGAIN_S: Final = 7 * DAY_S  # doubled with each look in vain
LONGEST_S: Final = 30 * DAY_S
LONGEST_DEAD_S: Final = 180 * DAY_S
# a page that brings nothing new is read ever more rarely
PAGE_AGAIN_S: Final = 7 * DAY_S
CANDIDATE_AGAIN_S: Final = 14 * DAY_S


class RevisitPolicy(StrEnum):
    """How the time of the next look at a service that is well is chosen."""

    ADAPTIVE = "adaptive"  # by the rate at which it changes, for the best freshness within the budget
    UNIFORM = "uniform"  # all alike, once in a period
    RANK = "rank"  # those with a rank above a threshold once in a period, others at the longest interval
    LEVELS = "levels"  # those found in the top N levels of links once in a period, others at the longest interval
    DAILY = "daily"  # all alike, once a day (Li, Yang & Yang 2010, section 4.4)


@dataclass(frozen=True, slots=True)
class Revisiting:
    """A policy with its numbers."""

    policy: RevisitPolicy = RevisitPolicy.ADAPTIVE
    period_s: float = DAY_S  # of uniform, rank and levels; a quarter of it is the shortest interval of adaptive
    levels: int = 3
    least_rank: int = 2
    events_per_look: float = 0.0  # of adaptive: urgency times interval between two looks; 0: as SEEN_SHARE asks
    model: RateModel = NEW_CATALOGUE  # of adaptive: what is expected of any service


def next_look_s(due: DueLook, of_host: LookStats, revisiting: Revisiting) -> float:
    """Seconds from a good look at a service to the next one."""
    match revisiting.policy:
        case RevisitPolicy.DAILY:
            return DAY_S
        case RevisitPolicy.UNIFORM:
            return revisiting.period_s
        case RevisitPolicy.RANK:
            return (
                revisiting.period_s if due.rank >= revisiting.least_rank else LONGEST_S
            )
        case RevisitPolicy.LEVELS:
            return revisiting.period_s if due.depth <= revisiting.levels else LONGEST_S
    events = revisiting.events_per_look or events_for_share(SEEN_SHARE)
    urgent = urgency(known_of(due.stats, of_host), revisiting.model)
    return _within(events / urgent, revisiting.period_s * SHORTEST_SHARE)


def _within(interval_s: float, shortest_s: float) -> float:
    return min(max(interval_s, shortest_s), max(LONGEST_S, shortest_s))


def events_for_share(share: float) -> float:
    """How many events x may be expected between two looks so that this share of them is seen.

    Of events with rate r, looks at intervals t see one where there was at least one: (1 - exp(-x)) of x = r t. To see
    the most for a given number of looks x must be the same for all services: see `budgeted`.
    """
    low, high = 0.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if seen_share(middle) > share else (low, middle)
    return low


def seen_share(events: float) -> float:
    return -math.expm1(-events) / events if events > 0.0 else 1.0


def budgeted(
    urgencies: Iterable[float], looks_per_s: float, shortest_s: float
) -> float:
    """How much urgency may pass between two looks, if services as urgent as these get so few looks."""
    known = [each for each in urgencies if each > 0.0]
    low, high = 1e-9, 1e6
    for _ in range(60):
        middle = math.sqrt(low * high)
        needed = sum(1.0 / _within(middle / each, shortest_s) for each in known)
        low, high = (low, middle) if needed <= looks_per_s else (middle, high)
    return high


@dataclass(slots=True)
class Census:
    """What the queue holds, counted in one pass: a sample of the living, and what the dead cost."""

    alive: int = 0
    dead_looks_per_s: float = 0.0
    hosts: dict[str, LookStats] = field(default_factory=dict)
    sample: list[DueLook] = field(default_factory=list)
    _stride: int = 1

    def count(self, due: DueLook) -> None:
        self.hosts[due.host] = self.hosts.get(due.host, NO_LOOKS) + due.stats
        if due.stats.deaths:
            self.dead_looks_per_s += 1.0 / dead_again_s(due.stats)
            return
        if self.alive % self._stride == 0:
            self.sample.append(due)
        self.alive += 1
        if len(self.sample) > MAX_SAMPLE:
            self.sample = self.sample[::2]
            self._stride *= 2

    def known(self) -> list[Known]:
        return [known_of(due.stats, self.hosts[due.host]) for due in self.sample]


def planned(
    services: Iterable[DueLook], revisiting: Revisiting, looks_per_s: float = 0.0
) -> Revisiting:
    """The policy with what these services teach, and with as many looks as are allowed."""
    census = Census()
    for due in services:
        census.count(due)
    known = census.known()
    if not known:
        return revisiting
    model = learned(known, revisiting.model)
    allowed = looks_per_s - census.dead_looks_per_s
    if not looks_per_s:
        allowed = _share_of_uniform(census, revisiting.period_s)
    urgencies = [urgency(each, model) for each in known]
    affordable = budgeted(
        urgencies,
        max(0.0, allowed) * len(known) / census.alive,
        revisiting.period_s * SHORTEST_SHARE,
    )
    events = max(events_for_share(SEEN_SHARE), affordable)
    return replace(revisiting, events_per_look=events, model=model)


def _share_of_uniform(census: Census, period_s: float) -> float:
    """Looks at the living per second: the dead are asked as often by any policy, and are paid for out of the same."""
    uniform = census.alive / period_s
    return LOOKS_SHARE * uniform - (1.0 - LOOKS_SHARE) * census.dead_looks_per_s


def after_look(
    due: DueLook, found: CheckResult, state: HealthState, *, changed: bool, at: datetime
) -> LookStats:
    """The statistics with one look more."""
    stats = due.stats
    passed_s = (at - due.looked_at).total_seconds() if due.looked_at else 0.0
    is_good = found is CheckResult.GOOD
    is_change = changed and is_good
    kept = math.exp(-passed_s / MEMORY_S)
    return replace(
        stats,
        looks=stats.looks + 1,
        changes=kept * stats.changes + is_change,
        changed_s=kept * stats.changed_s + (passed_s if is_change else 0.0),
        unchanged_s=kept * stats.unchanged_s
        + (passed_s if is_good and not changed else 0.0),
        failures=0 if is_good else stats.failures + 1,
        deaths=int(state is HealthState.DEAD),
    )


def next_check(
    due: DueLook,
    found: CheckResult,
    state: HealthState,
    of_host: LookStats,
    revisiting: Revisiting,
    now: datetime,
) -> datetime:
    """When a service is looked at again, after a look that ended so; `due` has the statistics after it."""
    if state is HealthState.DEAD:
        wait_s = dead_again_s(due.stats)
    elif found is CheckResult.GOOD:
        wait_s = next_look_s(due, of_host, revisiting)
    elif found is CheckResult.GONE:
        wait_s = GONE_AGAIN_S
    elif found is CheckResult.FAILED:
        wait_s = FAILED_AGAIN_S
    else:
        wait_s = min(HINDERED_AGAIN_S * max(1, due.stats.failures), LONGEST_S)
    return now + timedelta(seconds=wait_s)


def dead_again_s(stats: LookStats) -> float:
    return rarer_s(DEAD_AGAIN_S, stats.failures - GONE_CHECKS)


def rarer_s(first_s: float, in_vain: int) -> float:
    """Twice as long after each look in vain, up to half a year."""
    return min(first_s * 2.0 ** max(0, min(in_vain, 10)), LONGEST_DEAD_S)


def first_waits(of_purpose: Revisiting) -> dict[Purpose, float]:
    """How long after it was met each kind of target is looked at for the first time."""
    fresh = DueLook(Purpose.CHECK, "", "", datetime.min)  # noqa: DTZ901 - never read
    return {
        Purpose.CHECK: next_look_s(fresh, LookStats(), of_purpose),
        Purpose.PAGE: PAGE_AGAIN_S,
        Purpose.PROBE: CANDIDATE_AGAIN_S,
    }
