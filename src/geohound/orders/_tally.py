"""A number for each of very many URLs in bounded memory: slots by hash, so that a few URLs share one."""

from __future__ import annotations

import zlib

from geohound.model.compact import floats

SLOTS = 1 << 22


class Tally:
    """At most 16 MB whatever the number of URLs; with 10 million of them a slot is shared by two or three."""

    def __init__(self, slots: int = SLOTS) -> None:
        self._values = floats(slots)
        self._mask = slots - 1

    def add(self, url: str, amount: float) -> float:
        """Add to the number of a URL, and return it."""
        slot = zlib.crc32(url.encode("utf-8", "replace")) & self._mask
        self._values[slot] += amount
        return self._values[slot]

    def get(self, url: str) -> float:
        return self._values[zlib.crc32(url.encode("utf-8", "replace")) & self._mask]

    def state(self) -> bytes:
        return zlib.compress(self._values.tobytes(), 1)

    def restore(self, state: bytes) -> None:
        if not state:
            return
        values = zlib.decompress(state)
        if len(values) != 4 * (self._mask + 1):
            raise ValueError("this state was written by another version")
        self._values = memoryview(bytearray(values)).cast("f")
