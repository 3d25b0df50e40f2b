"""What the next page of a query is worth, worked by hand."""

from __future__ import annotations

import pytest

from geohound.agent.deepening import (
    PagesHad,
    first_page_worth,
    next_page_worth,
    usual_worth,
)


def test_a_new_result_is_worth_what_the_latest_queries_brought() -> None:
    """(6 + 0) / (20 + 10); of the first query, nine queries ago, nothing counts."""
    early = PagesHad(90, 10, 10, 1.0, 1)
    late = [PagesHad(0, 0, 0, 0.0, 1)] * 6
    had = [early, *late, PagesHad(6, 20, 20, 1.0, 2), PagesHad(0, 10, 10, 1.0, 1)]
    assert usual_worth(had) == pytest.approx(6 / 30)


def test_the_next_page_of_a_query_is_worth_its_new_results() -> None:
    """9 services of 15 new results, usual 0.2: (9 + 0.2 · 5) / 20 = 0.5 each; 0.2 + 0.8 · 0.5 = 0.6 of ten are new."""
    had = PagesHad(worth=9, results=20, new=15, last_new=0.5, pages=2)
    assert next_page_worth(had, usual=0.2) == pytest.approx(0.5 * 0.6 * 10)


def test_a_first_page_without_anything_new_says_little_of_the_second() -> None:
    """Nothing is known of its results, so they are usual ones; a fifth of ten may be new."""
    had = PagesHad(worth=0, results=10, new=0, last_new=0.0, pages=1)
    assert next_page_worth(had, usual=0.3) == pytest.approx(0.3 * 0.2 * 10)


def test_results_in_vain_end_a_query_soon() -> None:
    """10 new results without a service: (0 + 0.3 · 5) / 15 = 0.1 each."""
    had = PagesHad(worth=0, results=10, new=10, last_new=1.0, pages=1)
    assert next_page_worth(had, usual=0.3) == pytest.approx(0.1 * 10)


def test_a_new_query_is_judged_by_the_latest_new_ones() -> None:
    """Usual is (8 + 1) / (4 + 1) a page: (1 + 1.8) / 2."""
    had = [PagesHad(8, 40, 40, 1.0, 4), PagesHad(1, 10, 10, 1.0, 1)]
    assert first_page_worth(had, had[1:]) == pytest.approx(1.4)
    assert first_page_worth([], []) == 0.0
