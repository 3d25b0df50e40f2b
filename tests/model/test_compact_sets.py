"""What was put in last, at the same cost however much was forgotten."""

from __future__ import annotations

import time

from geohound.model.compact_sets import Recent


def test_what_was_put_in_last_is_kept_and_the_rest_forgotten() -> None:
    recent: Recent[int, str] = Recent(10)
    for number in range(100):
        recent.put(number, f"n{number}")
        assert len(recent) <= 10
        assert recent.get(number) == f"n{number}"
        assert all(recent.get(earlier) for earlier in range(max(0, number - 4), number))
    assert recent.get(80) is None
    assert [key for key, _ in recent.items()] == list(range(90, 100))


def test_what_is_put_in_again_is_young_again_and_here_once() -> None:
    recent: Recent[int, int] = Recent(4)
    for number in (1, 2, 3, 1, 4, 5):
        recent.put(number, number * 10)
    assert recent.get(1) == 10
    assert recent.get(2) is None
    recent.put(1, 11)
    assert [value for key, value in recent.items() if key == 1] == [11]
    recent.discard(1)
    assert recent.get(1) is None
    recent.discard(77)


def test_values_may_be_replaced_while_they_are_gone_over() -> None:
    recent: Recent[int, int] = Recent(10)
    for number in range(8):
        recent.put(number, number)
    for key, value in recent.items():
        recent.replace(key, value + 1)
    assert dict(recent.items()) == {number: number + 1 for number in range(8)}
    recent.replace(99, 1)
    assert recent.get(99) is None


def test_putting_in_costs_the_same_however_much_was_forgotten() -> None:
    def cost(most: int) -> float:
        recent: Recent[int, int] = Recent(most)
        for number in range(most):
            recent.put(number, number)
        begun = time.process_time()
        for number in range(most, most + 40_000):
            recent.put(number, number)
        return time.process_time() - begun

    assert min(cost(100_000) for _ in range(3)) < 8 * min(cost(1_000) for _ in range(3))
