"""Group sizes that find themselves (Li, Yang & Yang 2010, section 6.1: there is a best number of threads)."""

from __future__ import annotations

from geohound.crawler.autoscaled_pool import AutoscaledPool


def work(
    pool: AutoscaledPool, seconds: int, rate_of, *, is_short: bool = True
) -> list[int]:
    """Let a pool work; `rate_of` tells how much a pool of a size does in a second."""
    sizes = []
    pool.look(0.0)
    for second in range(1, seconds + 1):
        for _ in range(rate_of(pool.size)):
            pool.finished()
        if is_short:
            pool.short()
        pool.look(float(second))
        sizes.append(pool.size)
    return sizes


def test_a_crew_grows_while_more_hands_do_more() -> None:
    assert (
        work(AutoscaledPool(start=10, most=400), 30, lambda size: size * 10)[-1] == 400
    )


def test_a_crew_stops_growing_where_more_hands_do_no_more() -> None:
    """LI-4: "there is an optimal number of threads" (section 4.3)."""
    sizes = work(
        AutoscaledPool(start=10, most=400), 60, lambda size: min(size, 40) * 10
    )
    assert max(sizes) < 80
    assert 40 <= sizes[-1] <= 70


def test_a_crew_without_enough_to_do_does_not_grow() -> None:
    assert (
        work(AutoscaledPool(start=10), 30, lambda size: size, is_short=False)[-1] == 10
    )


def test_a_size_that_the_user_gives_is_kept() -> None:
    """LI-4: the sizes of both groups of threads are given (section 6.1, Figure 8)."""
    assert set(work(AutoscaledPool(7), 30, lambda size: size * 10)) == {7}
