"""The formulas of Sidsten 2012, sections 3.3.2 and 3.3.3, with numbers worked by hand."""

from __future__ import annotations

import math

import pytest

from geohound.agent.rules import AgentRules, ScoreRules, limit_for
from geohound.agent.scoring import (
    NOWHERE,
    Occurrences,
    inverse_correlation,
    pair_score,
    time_factor,
    word_score,
)

RULES = ScoreRules()


def test_the_defaults_are_the_published_ones() -> None:
    """Section 3.3.2 and appendix A.4.1."""
    assert (RULES.url_weight, RULES.text_weight, RULES.title_weight) == (
        0.25,
        0.25,
        0.5,
    )
    assert (RULES.half_life_h, RULES.too_many, RULES.pair_divisor) == (1200, 400_000, 2)
    assert (RULES.pair_correlation, RULES.least_correlation) == (0.75, 0.01)
    agent = AgentRules()
    assert (
        agent.counted_per_query,
        agent.refresh_counts_h,
        agent.correlation_rounds,
    ) == (5, 90, 10)


@pytest.mark.parametrize(
    ("hours", "factor"),
    [(0, 0.0), (600, 1 - 1 / math.sqrt(2)), (1200, 0.5), (2400, 0.75), (math.inf, 1.0)],
)
def test_half_of_the_time_factor_is_back_after_50_days(
    hours: float, factor: float
) -> None:
    assert time_factor(hours, RULES.half_life_h) == pytest.approx(factor)


def test_a_word_scores_by_the_square_of_its_services_over_all_its_occurrences() -> None:
    """0.25 · 6²/8 + 0.25 · 3²/9 + 0.5 · 2²/4 = 1.125 + 0.25 + 0.5"""
    places = Occurrences(6, 8), Occurrences(3, 9), Occurrences(2, 4)
    assert word_score(*places, 1.0, RULES) == pytest.approx(1.875)
    assert word_score(*places, time_factor(1200, 1200), RULES) == pytest.approx(0.9375)


def test_a_word_that_occurs_nowhere_scores_nothing() -> None:
    assert word_score(NOWHERE, NOWHERE, NOWHERE, 1.0, RULES) == 0


def test_a_pair_of_fresh_words_has_the_mean_of_their_scores() -> None:
    """Section 3.3.2: with c_d = 2, neither single nor combined queries are preferred."""
    assert pair_score((3.0, 5.0), 1.0, ([1.0, 1.0], [1.0]), 2.0) == pytest.approx(4.0)


def test_a_pair_suffers_from_the_more_used_of_its_words() -> None:
    """Complements: (1 - 0.5) + (1 - 0) = 1.5 and 1 - 0.75 = 0.25; 0.5 · (3 + 5) / (2 + 1.5)."""
    assert pair_score((3.0, 5.0), 0.5, ([0.5, 0.0], [0.75]), 2.0) == pytest.approx(
        4 / 3.5
    )


def test_words_that_always_occur_together_have_no_inverse_correlation() -> None:
    """Section 3.3.3: in addresses of type x/A/B/y it is enough to ask for A. Of a pair, c_F = 0.75 leaves a quarter."""
    urls = [frozenset({"x1", "A", "B"}), frozenset({"x2", "A", "B"}), frozenset({"C"})]
    assert inverse_correlation("B", ["A"], urls, 1.0) == 0.0
    assert inverse_correlation("B", ["A"], urls, 0.75) == pytest.approx(0.25)


def test_the_inverse_correlation_is_that_with_the_nearest_word() -> None:
    """Of four addresses with A three have B, of two with D one: 1 - 3/4 is the least; with c_F 1 - 0.75 · 3/4."""
    urls = [
        frozenset("AB"),
        frozenset("AB"),
        frozenset("ABD"),
        frozenset("AD"),
        frozenset("C"),
    ]
    assert inverse_correlation("B", ["A", "D", "B", "E"], urls, 1.0) == pytest.approx(
        0.25
    )
    assert inverse_correlation("B", ["A", "D"], urls, 0.75) == pytest.approx(0.4375)
    assert inverse_correlation("B", ["D"], urls, 1.0) == pytest.approx(0.5)
    assert inverse_correlation("C", ["A", "B", "D"], urls, 1.0) == 1.0


def test_a_provider_that_shows_a_quarter_of_the_results_has_a_quarter_of_the_limit() -> (
    None
):
    """400,000 estimated results belong to 2,000 that are fetched (section 3.1.3 and appendix A)."""
    assert limit_for(RULES, 2000) == 400_000
    assert limit_for(RULES, 500) == 100_000
    assert limit_for(RULES, 5000) == 400_000
