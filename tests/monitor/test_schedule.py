"""When to look again; expected numbers are worked out by hand from the formulas that the modules quote."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from fuzzing import fuzzed
from hypothesis import given
from hypothesis import strategies as st

from geohound.model.health import CheckResult, HealthState
from geohound.model.revisit import DueLook, LookStats
from geohound.model.visit import Purpose
from geohound.monitor.rates import (
    DAY_S,
    DEATHS,
    Prior,
    change_rate,
    death_rate,
    event_rate,
)
from geohound.monitor.schedule import (
    DEAD_AGAIN_S,
    FAILED_AGAIN_S,
    GONE_AGAIN_S,
    LONGEST_DEAD_S,
    LONGEST_S,
    SEEN_SHARE,
    Revisiting,
    RevisitPolicy,
    after_look,
    budgeted,
    events_for_share,
    next_check,
    next_look_s,
    planned_events,
    rarer_s,
    seen_share,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
NOTHING = LookStats()


def due(**known) -> DueLook:
    return DueLook(Purpose.CHECK, "a" * 16, "a.test", NOON, **known)


def test_half_of_the_services_are_expected_to_vanish_in_106_days() -> None:
    """Sidsten 2012, section 4.1.3: near half of the services disappeared in 106 days; half-times of 94 to 146 days."""
    half_life_days = math.log(2) / DEATHS.rate / DAY_S
    assert half_life_days == pytest.approx(106)
    assert math.exp(-DEATHS.rate * 106 * DAY_S) == pytest.approx(0.5)


def test_a_rate_is_that_of_the_prior_until_something_was_seen() -> None:
    assert change_rate(NOTHING, Prior(2.0, 100.0)) == pytest.approx(0.02)
    assert death_rate(NOTHING, Prior(1.0, 50.0)) == pytest.approx(0.02)


def test_a_rate_is_the_most_likely_one_for_equal_intervals() -> None:
    """6 of 10 looks at intervals of one day found a change: 1 - exp(-r) = 0.6, so r = -ln 0.4 a day."""
    seen = LookStats(looks=10, changes=6, changed_s=6 * DAY_S, unchanged_s=4 * DAY_S)
    none = Prior(1e-12, 1e-12)
    assert change_rate(seen, none) * DAY_S == pytest.approx(-math.log(0.4))


def test_a_quiet_service_gets_a_low_rate_and_one_of_a_lively_host_a_higher_one() -> (
    None
):
    quiet = LookStats(looks=50, unchanged_s=50 * DAY_S)
    lively_host = LookStats(
        looks=500, changes=250, changed_s=250 * DAY_S, unchanged_s=250 * DAY_S
    )
    assert (
        event_rate(quiet, NOTHING)
        < event_rate(NOTHING, NOTHING)
        < event_rate(NOTHING, lively_host)
    )


def test_looks_so_rare_that_a_tenth_of_a_change_is_expected_between_them_show_95_of_100_changes() -> (
    None
):
    """(1 - exp(-x)) / x = 0.95 at x = 0.1034 (by the series 1 - x/2 + x²/6)."""
    assert events_for_share(0.95) == pytest.approx(0.1034, abs=0.0005)
    assert seen_share(0.0) == 1.0


@given(st.lists(st.floats(1e-8, 1e-4), min_size=1, max_size=20), st.floats(1.0, 50.0))
@fuzzed(100)
def test_the_budget_is_kept_unless_the_longest_interval_forbids_it(
    rates: list[float], per_day: float
) -> None:
    events = budgeted(rates, per_day / DAY_S, DAY_S)
    spent = sum(1.0 / min(max(events / rate, DAY_S), LONGEST_S) for rate in rates)
    least = len(rates) / LONGEST_S
    assert spent <= max(per_day / DAY_S, least) * 1.0001


@pytest.mark.parametrize(
    ("policy", "known", "days"),
    [
        (RevisitPolicy.DAILY, {}, 1.0),
        (RevisitPolicy.UNIFORM, {}, 3.0),
        (RevisitPolicy.RANK, {"rank": 5}, 3.0),
        (RevisitPolicy.RANK, {"rank": 1}, 30.0),
        (RevisitPolicy.LEVELS, {"depth": 2}, 3.0),
        (RevisitPolicy.LEVELS, {"depth": 4}, 30.0),
    ],
)
def test_the_published_policies(
    policy: RevisitPolicy, known: dict[str, int], days: float
) -> None:
    """Alqaraleh, Ramadan & Salamah 2015, section 1: uniform takes all at each visit; proportional those whose rank
    is above a threshold, or those in the top N levels. Li, Yang & Yang 2010, section 4.4: once per day."""
    revisiting = Revisiting(policy, 3 * DAY_S, levels=3, least_rank=2)
    assert next_look_s(due(**known), NOTHING, revisiting) == days * DAY_S


def test_who_changes_daily_is_looked_at_four_times_a_day_and_who_never_does_rarely() -> (
    None
):
    lively = LookStats(
        looks=30, changes=28, changed_s=28 * DAY_S, unchanged_s=2 * DAY_S
    )
    still = LookStats(looks=100, unchanged_s=1000 * DAY_S)
    assert next_look_s(due(stats=lively), lively, Revisiting()) == DAY_S / 4
    assert next_look_s(due(stats=still), still, Revisiting()) == LONGEST_S


def test_where_no_budget_is_set_two_looks_a_day_at_five_services_are_enough() -> None:
    calm, lively = [1 / (400 * DAY_S)] * 50, [1 / (14 * DAY_S)] * 50
    assert planned_events(calm, Revisiting()) == pytest.approx(
        events_for_share(SEEN_SHARE)
    ), "nearly all, for less"
    events = planned_events(lively, Revisiting())
    looks_per_day = sum(rate * DAY_S / events for rate in lively)
    assert looks_per_day == pytest.approx(0.4 * 50, rel=0.01)
    assert planned_events(lively, Revisiting(), 5 / DAY_S) == pytest.approx(
        4 * events, rel=0.01
    ), "a fourth of it"


def test_a_failure_is_confirmed_soon_and_the_dead_are_asked_ever_more_rarely() -> None:
    failing = due(stats=replace(NOTHING, failures=1))

    def wait_s(found: CheckResult, state: HealthState, looked: DueLook) -> float:
        return (
            next_check(looked, found, state, NOTHING, Revisiting(), NOON) - NOON
        ).total_seconds()

    assert wait_s(CheckResult.GONE, HealthState.UNSURE, failing) == GONE_AGAIN_S
    assert wait_s(CheckResult.FAILED, HealthState.UNSURE, failing) == FAILED_AGAIN_S
    waits = [
        wait_s(
            CheckResult.GONE, HealthState.DEAD, due(stats=replace(NOTHING, failures=n))
        )
        for n in (3, 4, 5, 60)
    ]
    assert waits == [DEAD_AGAIN_S, 2 * DEAD_AGAIN_S, 4 * DEAD_AGAIN_S, LONGEST_DEAD_S]
    assert rarer_s(1.0, -5) == 1.0


def test_looks_add_up_to_what_rates_are_made_of() -> None:
    first = due(looked_at=NOON)
    later = NOON + timedelta(days=2)
    changed = after_look(
        first, CheckResult.GOOD, HealthState.ALIVE, changed=True, at=later
    )
    assert changed == LookStats(1, 1, 2 * DAY_S, 0.0, 0, 0)
    same = after_look(
        first, CheckResult.GOOD, HealthState.ALIVE, changed=False, at=later
    )
    assert same == LookStats(1, 0, 0.0, 2 * DAY_S, 0, 0)
    dead = after_look(
        first, CheckResult.GONE, HealthState.DEAD, changed=False, at=later
    )
    assert dead == LookStats(1, 0, 0.0, 0.0, 1, 1)
