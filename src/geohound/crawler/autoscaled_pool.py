"""How many workers of a group work at once: as many as the user says, else as many as pay."""

from __future__ import annotations

WINDOW_S = 1.0
_GROWTH = 1.3
_GAIN = 1.04  # a larger pool must do this much more, or the smaller one comes back
_REST = 15  # windows until growing is tried again


class AutoscaledPool:
    """Grows while all hands are busy, work waits, and more hands do more; shrinks back where they do not."""

    def __init__(self, fixed: int = 0, *, start: int = 24, most: int = 512) -> None:
        self.size = fixed or start
        self._is_fixed = bool(fixed)
        self._most = most
        self._began: float | None = None
        self._done = 0
        self._was_short = False
        # size and rate before the last growth
        self._before: tuple[int, float] | None = None
        self._rest = 0

    def finished(self) -> None:
        """One piece of work is done."""
        self._done += 1

    def short(self) -> None:
        """Work waited, and nobody was idle."""
        self._was_short = True

    def look(self, now: float) -> None:
        """Call often; once a window the size is thought over."""
        if self._is_fixed:
            return
        if self._began is None:
            self._began = now
        elapsed = now - self._began
        if elapsed < WINDOW_S:
            return
        self._think(self._done / elapsed)
        self._began, self._done, self._was_short = now, 0, False

    def _think(self, rate: float) -> None:
        if self._before is not None:
            size, rate_before = self._before
            self._before = None
            if rate < rate_before * _GAIN:
                self.size, self._rest = size, _REST
                return
        if self._rest > 0:
            self._rest -= 1
        elif self._was_short and self.size < self._most:
            self._before = (self.size, rate)
            self.size = min(self._most, int(self.size * _GROWTH) + 1)
