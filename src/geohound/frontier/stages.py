"""Where an order goes stage by stage: what of a later stage waits until all of the earlier ones is done.

What failed and is to be tried again is not waited for, nor for ever what cannot be asked for, since its host wants a
long pause.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

PATIENCE_S = 60.0


class Stages:
    """The pages that are queued or leased, by their number, and the stage that each belongs to."""

    def __init__(self, stage_of: Callable[[float], int]) -> None:
        self._stage_of = stage_of
        self._open: dict[int, int] = {}
        self._left: Counter[int] = Counter()
        self._moved_at = 0.0

    def open(self, number: int, score: float) -> None:
        stage = self._stage_of(score)
        self._open[number] = stage
        self._left[stage] += 1

    def close(self, number: int) -> None:
        """It was visited or given up."""
        stage = self._open.pop(number, None)
        if stage is not None:
            self._left[stage] -= 1
            if not self._left[stage]:
                del self._left[stage]

    def is_early(self, number: int, now: float) -> bool:
        """Is something of an earlier stage still to be done? Where not, it is taken for leased."""
        stage = self._open.get(number)
        if stage is None:
            return False
        if stage == min(self._left):
            self._moved_at = now
            return False
        return now < self._moved_at + PATIENCE_S
