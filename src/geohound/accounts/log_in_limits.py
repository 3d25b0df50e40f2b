"""How often somebody may try to log in: by address, by name, and by both together."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from threading import Lock

WINDOW_S = 900.0
MOST_OF_BOTH = 5  # failures of one name from one address
MOST_OF_ADDRESS = 20
MOST_OF_NAME = 50  # from everywhere: high, so that nobody can lock out another cheaply
MAX_KEYS = 10_000


class TooManyTriesError(Exception):
    """Try again later; `wait_s` says when."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(
            f"Too many failed log-ins. Try again in {int(wait_s // 60) + 1} minutes."
        )
        self.wait_s = wait_s


class LogInLimits:
    """Counts failures of the last quarter of an hour; of very many keys the oldest go."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._now = monotonic
        self._failures: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()
        self._lock = Lock()

    def begin(self, name: str, address: str) -> None:
        """A try, counted as a failure until `succeed`; TooManyTriesError where there were too many.

        Counting first leaves no gap for many tries at the same time.
        """
        now = self._now()
        with self._lock:
            waits = [self._wait_s(key, most, now) for key, most in _keys(name, address)]
            if max(waits) > 0:
                raise TooManyTriesError(max(waits))
            for key, _ in _keys(name, address):
                self._failures.setdefault(key, deque()).append(now)
                self._failures.move_to_end(key)
            while len(self._failures) > MAX_KEYS:
                self._failures.popitem(last=False)

    def succeed(self, name: str, address: str) -> None:
        """The try was none in vain; what failed before from this address for this name is forgotten."""
        with self._lock:
            (both, _), *others = _keys(name, address)
            self._failures.pop(both, None)
            for key, _ in others:
                tries = self._failures.get(key)
                if tries:
                    tries.pop()

    def _wait_s(self, key: tuple[str, str], most: int, now: float) -> float:
        tries = self._failures.get(key)
        if not tries:
            return 0.0
        while tries and tries[0] <= now - WINDOW_S:
            tries.popleft()
        return tries[0] + WINDOW_S - now if len(tries) >= most else 0.0


def _keys(name: str, address: str) -> tuple[tuple[tuple[str, str], int], ...]:
    return (
        ((name, address), MOST_OF_BOTH),
        (("", address), MOST_OF_ADDRESS),
        ((name, ""), MOST_OF_NAME),
    )
