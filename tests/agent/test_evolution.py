"""From search to crawl, by time, step or progress (Sidsten 2012, section 3.2.4)."""

from __future__ import annotations

import pytest

from geohound.agent.evolution import (
    Phase,
    PhaseProgress,
    StayLimits,
    expected_gain,
    is_beaten,
    next_phase,
)


def test_the_agent_evolves_from_search_to_search_and_crawl_to_crawl() -> None:
    limits, over = StayLimits(max_rounds=1), PhaseProgress(0, 1, 1.0)
    assert next_phase(Phase.SEARCH, limits, over) is Phase.BOTH
    assert next_phase(Phase.BOTH, limits, over) is Phase.CRAWL
    assert next_phase(Phase.CRAWL, limits, over) is Phase.CRAWL


@pytest.mark.parametrize(
    ("limits", "progress", "goes_on"),
    [
        (StayLimits(), PhaseProgress(1e6, 1000, 0.0), True),
        (StayLimits(max_time_s=86_400), PhaseProgress(86_399, 1, 1.0), True),
        (StayLimits(max_time_s=86_400), PhaseProgress(86_400, 1, 1.0), False),
        (StayLimits(max_rounds=31), PhaseProgress(0, 30, 1.0), True),
        (StayLimits(max_rounds=31), PhaseProgress(0, 31, 1.0), False),
        (StayLimits(least_gain=0.1), PhaseProgress(0, 3, 0.1), True),
        (StayLimits(least_gain=0.1), PhaseProgress(0, 3, 0.09), False),
        (StayLimits(least_gain=0.1), PhaseProgress(0, 0, 0.0), True),
        (StayLimits(), PhaseProgress(0, 3, 0.05, crawl_gain=0.06), True),
    ],
)
def test_a_phase_lasts_until_its_time_its_rounds_or_its_gain_are_spent(
    limits, progress, goes_on: bool
) -> None:
    """A maximum time, a maximum of steps, and a minimum performance."""
    assert (next_phase(Phase.BOTH, limits, progress) is Phase.BOTH) == goes_on


@pytest.mark.parametrize(
    ("progress", "beaten"),
    [
        (PhaseProgress(0, 3, 0.05, crawl_gain=0.06), True),
        (PhaseProgress(0, 3, 0.05, crawl_gain=0.04), False),
        (PhaseProgress(0, 0, 0.0, crawl_gain=0.06), False),
    ],
)
def test_a_search_rests_where_the_crawl_brings_more_for_each_request(
    progress, beaten: bool
) -> None:
    assert is_beaten(progress) == beaten


def test_later_rounds_count_more_in_what_is_expected() -> None:
    """(1·10 + 2·5 + 3·1) / (1·100 + 2·100 + 3·100) = 23/600; the round before the last three is forgotten."""
    assert expected_gain([(90, 100), (10, 100), (5, 100), (1, 100)]) == pytest.approx(
        23 / 600
    )
    assert expected_gain([]) == 1.0
