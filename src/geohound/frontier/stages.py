"""For orders that work in stages: holds back URLs of a later stage until all URLs of the earlier ones are done.

Done means visited or given up: pages, tests and retries are waited for, however long their hosts want to be left alone.
A track is a row of stages of its own: tracks do not wait for each other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator

from geohound.model.visit import Lane, order_score

from .host_queue import HostQueue

Held = tuple[HostQueue, int, int]  # host, lane and key


class Stages:
    """The URLs that wait or are leased, by their number, and the track and stage that each belongs to."""

    def __init__(
        self, stage_of: Callable[[float, Lane], tuple[int, int]] | None
    ) -> None:
        """`stage_of` says the track and stage of a score in a lane; None where there are no stages."""
        self._stage_of = stage_of
        self._open: dict[int, tuple[int, int]] = {}
        # by track: URLs left in each stage
        self._left: defaultdict[int, Counter[int]] = defaultdict(Counter)
        # by track and stage
        self._held: defaultdict[int, dict[int, list[Held]]] = defaultdict(dict)
        # the last stage of each track that has begun
        self._reached: dict[int, int] = {}

    def open(self, number: int, score: float, lane: Lane) -> None:
        """Count a URL from its admission on, so that a stage cannot end before the links of its pages are in it."""
        if self._stage_of is not None:
            track, stage = self._open[number] = self._stage_of(order_score(score), lane)
            self._left[track][stage] += 1

    def close(self, number: int) -> None:
        """It was visited or given up."""
        found = self._open.pop(number, None)
        if found is None:
            return
        track, stage = found
        left = self._left[track]
        left[stage] -= 1
        if not left[stage]:
            del left[stage]

    def holds(self, number: int, held: Held) -> bool:
        """Is it too early for this URL? Then it is kept here until its stage begins."""
        if self._stage_of is None:
            return False
        track, stage = self._open[number]
        reached = self._reached.get(track)
        if reached is not None and stage <= reached:
            return False
        self._held[track].setdefault(stage, []).append(held)
        held[0].held += 1
        return True

    def begun(self) -> Iterator[Held]:
        """What was held back, of stages whose turn has come."""
        for track, waiting in self._held.items():
            if waiting:
                yield from self._begin(
                    track, min(self._left[track], default=min(waiting))
                )

    def _begin(self, track: int, stage: int) -> Iterator[Held]:
        self._reached[track] = max(stage, self._reached.get(track, stage))
        waiting = self._held[track]
        due = sorted(each for each in waiting if each <= stage)
        for each in due:
            for held in waiting.pop(each):
                held[0].held -= 1
                yield held
