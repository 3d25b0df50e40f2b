"""One request in a hundred fails at random: nobody is called dead for it, and whoever is gone is known soon."""

from __future__ import annotations

import random
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from geohound.model.health import HealthState, states

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))

from monitor_policies import look, simulate, web

from geohound.monitor.schedule import Revisiting, RevisitPolicy

pytestmark = pytest.mark.slow  # months of monitoring ten thousand services

SERVICES, LOOKS, FAILING = 10_000, 20, 0.01


def test_no_service_of_ten_thousand_dies_of_random_failures() -> None:
    chance = random.Random(4)
    (each,) = web("calm", 1, 1.0, 1)
    living = replace(each, life=replace(each.life, changes=(), death=1e9))
    worst, unsure = 0, 0
    for _ in range(SERVICES):
        checks = [look(living, float(day), chance, FAILING)[0] for day in range(LOOKS)]
        found = list(states(checks))
        assert HealthState.DEAD not in found
        unsure += sum(state is HealthState.UNSURE for state in found)
        worst = max(worst, sum(check.ok is False for check in checks))
    assert 0 < unsure < SERVICES * LOOKS * FAILING, (
        "a failure that is not confirmed is none"
    )
    assert worst < 5


def test_a_death_is_confirmed_soon_and_the_adaptive_policy_needs_fewer_looks() -> None:
    days, services = 60.0, 120
    daily = simulate(
        web("mixed", services, days, 7),
        Revisiting(RevisitPolicy.DAILY),
        days,
        FAILING,
        8,
    )
    adaptive = simulate(web("mixed", services, days, 7), Revisiting(), days, FAILING, 8)
    assert daily["false_deaths"] == adaptive["false_deaths"] == 0
    assert daily["mean_days_to_confirm"] < 1.0, (
        "three looks: the daily one, and two an hour apart"
    )
    assert adaptive["requests"] < 0.5 * daily["requests"]
    assert adaptive["seen"] > 0.8 * daily["seen"]
