"""The share of the time in which a service worked, where looks are not evenly spread."""

from __future__ import annotations

import random
import statistics
from datetime import UTC, datetime, timedelta

import pytest

from geohound.model.availability import availability, of_spans, spans, wilson
from geohound.model.biography import CheckTotals
from geohound.model.health import Check, states
from geohound.model.monitoring.revisit import DueLook, LookStats
from geohound.model.visit import Purpose
from geohound.monitor.schedule import Revisiting, after_look, next_check

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
FAILED, GONE = "server error: HTTP 500", "not found: HTTP 404"


def looked(*looks: tuple[float, bool | None]) -> list[Check]:
    """So many hours ago, oldest first, and how each ended."""
    return [Check("s", NOON - timedelta(hours=hours), ok) for hours, ok in looks]


def test_of_looks_evenly_spread_it_is_the_share_of_the_good_ones():
    found = availability(looked(*[(n, n != 3) for n in range(40, 0, -1)]), (), NOON, 7)
    assert (found.looks, found.share) == (40, pytest.approx(39 / 40))
    assert found.worth == pytest.approx(40)
    assert found.interval == pytest.approx(wilson(39, 40))


def test_an_outage_that_was_looked_at_three_times_counts_as_long_as_it_took():
    """Good looks every second day; then three within two hours that fail, and a good one."""
    good = [(48.0 * n, True) for n in range(15, 1, -1)]
    looks = looked(*good, (48, False), (47, False), (46, False), (45, True))
    found = availability(looks, (), NOON, 365)
    assert found.share == pytest.approx(1 - 50 / (15 * 48 + 3))
    assert found.share > 1 - 3 / 18, "three of eighteen looks failed"
    assert found.worth < 18
    assert found.interval[0] < found.share < found.interval[1]


def test_inconclusive_looks_say_nothing():
    with_wall = looked((30, True), (20, None), (10, False))
    assert availability(with_wall, (), NOON, 7).share == pytest.approx(0.5)
    assert availability(looked((5, None)), (), NOON, 7).share is None
    assert availability((), (), NOON, 7).interval is None


def test_looks_within_an_hour_count_alike():
    looks = looked((0.003, True), (0.002, False), (0.001, False), (0.0, True))
    assert availability(looks, (), NOON, 7).share == pytest.approx(0.5)


def test_a_look_stands_for_no_time_before_the_days_that_are_asked_for():
    looks = looked((24 * 60, True), (24 * 2, False), (0, True))
    assert availability(looks, (), NOON, 7).share == pytest.approx(2 / 7)


def test_weeks_that_are_summed_up_are_shared_by_their_checks():
    week = int((NOON - timedelta(days=100)).timestamp() // 604800)
    looks = looked((72, True), (48, True), (24, False))
    found = availability(looks, [CheckTotals(week, 3, 1, 5, 1.0)], NOON, 365)
    assert found.share == pytest.approx((7 * 0.75 + 2) / 10)
    assert found.looks == 7


@pytest.mark.parametrize("reason", [FAILED, GONE])
@pytest.mark.parametrize(("up_days", "down_days"), [(60, 0.5), (60, 2), (120, 6)])
def test_the_looks_of_the_program_itself_show_how_long_it_worked(
    up_days: float, down_days: float, reason: str
) -> None:
    """A year of looks as the schedule makes them: after a failure soon again, the living every three weeks."""
    lives = [watched(seed, up_days, down_days, reason) for seed in range(60)]
    true = statistics.fmean(life[0] for life in lives)
    by_time = statistics.fmean(life[1] for life in lives)
    by_looks = statistics.fmean(life[2] for life in lives)
    assert abs(by_time - true) < 0.012
    assert abs(by_time - true) < abs(by_looks - true) + 0.005


def watched(
    seed: int, up_days: float, down_days: float, reason: str
) -> tuple[float, float, float]:
    """The share of a year in which it works: in truth, by what looks stand for, and by their number."""
    chance, year = random.Random(seed), 365.0
    outages, end = [], 0.0
    while end < year:
        begin = end + chance.expovariate(1 / up_days)
        end = begin + chance.expovariate(1 / down_days)
        outages.append((begin, end))
    checks: list[Check] = []
    due = DueLook(Purpose.CHECK, "s", "h.test", NOON)
    day = 0.0
    while day < year:
        at = NOON + timedelta(days=day)
        fails = any(begin <= day < end for begin, end in outages)
        checks.append(Check("s", at, not fails, reason if fails else ""))
        *_, state = states(checks[-20:])
        found = checks[-1].result
        stats = after_look(due, found, state, changed=False, at=at)
        due = DueLook(Purpose.CHECK, "s", "h.test", NOON, at, stats)
        then = next_check(due, found, state, LookStats(), Revisiting(events_per_look=0.35), at)  # fmt: skip
        day = (then - NOON).total_seconds() / 86400
    down = sum(max(0.0, min(end, year) - min(begin, year)) for begin, end in outages)
    share = of_spans(spans(checks)).share
    assert share is not None
    return 1 - down / year, share, sum(bool(each.ok) for each in checks) / len(checks)
