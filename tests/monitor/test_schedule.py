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
from geohound.model.monitoring.revisit import DueLook, LookStats
from geohound.model.visit import Purpose
from geohound.monitor.rates import (
    DAY_S,
    DEATHS,
    HOST_SHARES,
    NEW_CATALOGUE,
    RATES,
    Known,
    Prior,
    belief,
    change_rate,
    death_rate,
    known_of,
    learned,
    urgency,
)
from geohound.monitor.schedule import (
    DEAD_AGAIN_S,
    FAILED_AGAIN_S,
    GONE_AGAIN_S,
    LONGEST_DEAD_S,
    LONGEST_S,
    Revisiting,
    RevisitPolicy,
    after_look,
    budgeted,
    events_for_share,
    next_check,
    next_look_s,
    planned,
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


def test_before_anything_was_seen_a_change_is_expected_in_two_months() -> None:
    """The first guess is a Gamma density with 0.5 changes in 30 days, between the least rate and the greatest."""
    assert change_rate(Known()) * DAY_S == pytest.approx(0.5 / 30, rel=0.15)
    assert death_rate(NOTHING, Prior(1.0, 50.0)) == pytest.approx(0.02)


def test_a_rate_that_was_watched_for_long_is_the_most_likely_one() -> None:
    """600 of 1,000 looks at intervals of one day found a change: 1 - exp(-r) = 0.6, so r = -ln 0.4 a day."""
    seen = LookStats(
        looks=1000, changes=600, changed_s=600 * DAY_S, unchanged_s=400 * DAY_S
    )
    assert change_rate(Known(seen)) * DAY_S == pytest.approx(-math.log(0.4), rel=0.1)


def test_what_services_have_in_common_is_learned() -> None:
    """Half change every second day, half never: what shows one change soon is one of the lively half."""
    lively = LookStats(20, 10.0, 10 * DAY_S, 10 * DAY_S)
    still = LookStats(20, 0.0, 0.0, 100 * DAY_S)
    model = learned([Known(lively)] * 200 + [Known(still)] * 200, NEW_CATALOGUE)
    once = Known(LookStats(2, 1.0, 2 * DAY_S, 2 * DAY_S))
    assert change_rate(once, model) > 2 * change_rate(once)
    quiet = Known(LookStats(10, 0.0, 0.0, 20 * DAY_S))
    assert change_rate(quiet, model) < change_rate(quiet) / 2


def test_whether_services_of_a_host_are_alike_is_learned() -> None:
    lively = LookStats(20, 10.0, 10 * DAY_S, 10 * DAY_S)
    still = LookStats(20, 0.0, 0.0, 100 * DAY_S)
    alike = [Known(lively, lively)] * 50 + [Known(still, still)] * 50
    unlike = [Known(lively, still)] * 50 + [Known(still, lively)] * 50
    assert learned(alike, NEW_CATALOGUE).host_share == max(HOST_SHARES)
    assert learned(unlike, NEW_CATALOGUE).host_share == 0.0


def test_what_is_not_known_is_more_urgent_than_its_mean_rate_says() -> None:
    assert urgency(Known()) > 1.5 * change_rate(Known())
    known = Known(LookStats(4000, 1000.0, 1000 * DAY_S, 3000 * DAY_S))
    assert urgency(known) == pytest.approx(change_rate(known), rel=0.02)


def test_a_quiet_service_is_less_urgent_and_one_of_a_lively_host_more() -> None:
    quiet = LookStats(looks=50, unchanged_s=50 * DAY_S)
    lively_host = LookStats(500, 250.0, 250 * DAY_S, 250 * DAY_S)
    model = replace(NEW_CATALOGUE, host_share=0.1)
    assert (
        urgency(Known(quiet), model)
        < urgency(Known(), model)
        < urgency(Known(NOTHING, lively_host), model)
    )


def test_a_service_is_no_other_of_its_host() -> None:
    own = LookStats(5, 2.0, 2 * DAY_S, 3 * DAY_S, deaths=1)
    assert known_of(own, own) == Known(own, NOTHING)


@given(
    st.floats(0, 1e4),
    st.floats(0, 1e10),
    st.floats(0, 1e10),
    st.sampled_from(HOST_SHARES),
)
@fuzzed(100)
def test_a_belief_is_a_distribution_whatever_was_seen(
    changes: float, changed_s: float, unchanged_s: float, share: float
) -> None:
    stats = LookStats(1, changes, changed_s, unchanged_s)
    model = replace(NEW_CATALOGUE, host_share=share)
    likely = belief(Known(stats, stats), model)
    assert sum(likely) == pytest.approx(1.0)
    assert RATES[0] * 0.9 < urgency(Known(stats, stats), model) < RATES[-1] * 1.1


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
    assert next_look_s(due(stats=still), still, Revisiting()) > 7 * DAY_S


def spent_per_day(services: list[DueLook], plan: Revisiting) -> float:
    return sum(
        DAY_S / next_look_s(each, LookStats(), plan)
        for each in services
        if not each.stats.deaths
    )


def test_a_plan_keeps_the_budget_and_the_dead_are_paid_for_out_of_it() -> None:
    living = [
        due(stats=LookStats(50, n / 2, n * DAY_S / 2, 100 * DAY_S)) for n in range(50)
    ]
    dead = [due(stats=LookStats(9, failures=3, deaths=1))] * 70
    plan = planned(living, Revisiting(), 10 / DAY_S)
    assert spent_per_day(living, plan) == pytest.approx(10, rel=0.25), (
        "the share of the host apart"
    )
    with_dead = planned([*living, *dead], Revisiting(), 15 / DAY_S)
    asked_of_dead = 70 / 7
    assert spent_per_day(living, with_dead) == pytest.approx(
        15 - asked_of_dead, rel=0.25
    )
    assert planned([], Revisiting()) == Revisiting()


def test_of_many_services_a_sample_is_enough() -> None:
    services = [
        replace(
            due(stats=LookStats(9, n % 7, DAY_S * (n % 7), 60 * DAY_S)), host=str(n)
        )
        for n in range(9000)
    ]
    plan = planned(services, Revisiting(), 900 / DAY_S)
    assert spent_per_day(services, plan) == pytest.approx(900, rel=0.05)


def test_a_look_of_long_ago_counts_for_less() -> None:
    before = due(looked_at=NOON, stats=LookStats(9, 4.0, 8 * DAY_S, 16 * DAY_S))
    after = after_look(
        before,
        CheckResult.GOOD,
        HealthState.ALIVE,
        changed=False,
        at=NOON + timedelta(days=90),
    )
    assert after.changes == pytest.approx(4 / math.e)
    assert after.unchanged_s == pytest.approx((16 / math.e + 90) * DAY_S)


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
