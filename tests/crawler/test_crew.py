"""Group sizes that find themselves."""

from __future__ import annotations

from geohound.crawler.crew import Crew


def work(crew: Crew, seconds: int, rate_of, *, is_short: bool = True) -> list[int]:
    """Let a crew work; `rate_of` tells how much a crew of a size does in a second."""
    sizes = []
    crew.look(0.0)
    for second in range(1, seconds + 1):
        for _ in range(rate_of(crew.size)):
            crew.finished()
        if is_short:
            crew.short()
        crew.look(float(second))
        sizes.append(crew.size)
    return sizes


def test_a_crew_grows_while_more_hands_do_more() -> None:
    assert work(Crew(start=10, most=400), 30, lambda size: size * 10)[-1] == 400


def test_a_crew_stops_growing_where_more_hands_do_no_more() -> None:
    sizes = work(Crew(start=10, most=400), 60, lambda size: min(size, 40) * 10)
    assert max(sizes) < 80
    assert 40 <= sizes[-1] <= 70


def test_a_crew_without_enough_to_do_does_not_grow() -> None:
    assert work(Crew(start=10), 30, lambda size: size, is_short=False)[-1] == 10


def test_a_size_that_the_user_gives_is_kept() -> None:
    assert set(work(Crew(7), 30, lambda size: size * 10)) == {7}
