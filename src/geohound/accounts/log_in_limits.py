"""How often somebody may try to log in: by network, by name, and by both together."""

from __future__ import annotations

import hashlib
import secrets
from array import array
from collections import deque
from collections.abc import Callable
from threading import Lock

from .networks import network_of

WINDOW_S = 900.0
MOST_OF_BOTH = 5  # failures of one name from one network
MOST_OF_ADDRESS = 20
# from everywhere: high, so that nobody can lock out another cheaply; not for networks
# from where the same name has logged in
MOST_OF_NAME = 50
MOST_KNOWN = 20  # networks of one name
_SLICE_S = 60.0
_ROWS, _WIDTH = 4, 32_768


class TooManyTriesError(Exception):
    """Try again later; `wait_s` says when."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(
            f"Too many failed log-ins. Try again in {int(wait_s // 60) + 1} minutes."
        )
        self.wait_s = wait_s


class LogInLimits:
    """Counts failures of the last quarter of an hour, minute by minute.

    Count-min sketches: of a fixed size, and nobody can flush the count of a name by
    trying many others. A count may be too high, only where very many have failed.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._now = monotonic
        self._salt = secrets.token_bytes(16)
        self._slices: dict[float, array[int]] = {}
        self._known: dict[str, deque[str]] = {}
        self._lock = Lock()

    def begin(self, name: str, address: str) -> None:
        """A try, counted as a failure until `succeed`; TooManyTriesError where there were too many.

        Counting first leaves no gap for many tries at the same time.
        """
        now, network = self._now(), network_of(address)
        with self._lock:
            self._forget_old(now)
            both, of_network, of_name = self._keys(name, network)
            waits = [
                self._wait_s(both, MOST_OF_BOTH, now),
                self._wait_s(of_network, MOST_OF_ADDRESS, now),
            ]
            if network not in self._known.get(name, ()):
                waits.append(self._wait_s(of_name, MOST_OF_NAME, now))
            if max(waits) > 0:
                raise TooManyTriesError(max(waits))
            counts = self._slices.setdefault(
                now // _SLICE_S * _SLICE_S, array("H", bytes(2 * _ROWS * _WIDTH))
            )
            for cells in (both, of_network, of_name):
                for cell in cells:
                    counts[cell] = min(counts[cell] + 1, 0xFFFF)

    def succeed(self, name: str, address: str) -> None:
        """The try was none in vain; what failed before from this network for this name is forgotten."""
        network = network_of(address)
        with self._lock:
            both, *others = self._keys(name, network)
            for counts in self._slices.values():
                _take(counts, both, 0xFFFF)
            for cells in others:
                newest = (counts for _, counts in sorted(self._slices.items())[::-1])
                next((1 for counts in newest if _take(counts, cells, 1)), None)
            self._know(name, network)

    def know(self, name: str, address: str) -> None:
        """This name has logged in from there."""
        with self._lock:
            self._know(name, network_of(address))

    def _know(self, name: str, network: str) -> None:
        known = self._known.setdefault(name, deque(maxlen=MOST_KNOWN))
        if network in known:
            known.remove(network)
        known.append(network)

    def _forget_old(self, now: float) -> None:
        for start in [start for start in self._slices if start <= now - WINDOW_S]:
            del self._slices[start]

    def _wait_s(self, cells: tuple[int, ...], most: int, now: float) -> float:
        """Until so few of the slices are left that their counts are less than the most."""
        left = [0] * _ROWS
        for start, counts in sorted(self._slices.items())[::-1]:
            left = [had + counts[cell] for had, cell in zip(left, cells, strict=True)]
            if min(left) >= most:
                return start + WINDOW_S - now
        return 0.0

    def _keys(self, name: str, network: str) -> tuple[tuple[int, ...], ...]:
        keys = (f"both\n{name}\n{network}", f"network\n{network}", f"name\n{name}")
        return tuple(self._cells(key) for key in keys)

    def _cells(self, key: str) -> tuple[int, ...]:
        """One of each row."""
        digest = hashlib.blake2b(
            key.encode("utf-8", "replace"), digest_size=4 * _ROWS, key=self._salt
        ).digest()
        numbers = (
            int.from_bytes(digest[4 * row : 4 * row + 4]) for row in range(_ROWS)
        )
        return tuple(
            row * _WIDTH + number % _WIDTH for row, number in enumerate(numbers)
        )


def _take(counts: array[int], cells: tuple[int, ...], most: int) -> int:
    """Take from a count no more than it has; what was taken."""
    taken = min(most, *(counts[cell] for cell in cells))
    for cell in cells:
        counts[cell] -= taken
    return taken
