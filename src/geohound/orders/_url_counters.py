"""A counter for each of very many URLs in bounded memory: an array indexed by hash, so that a few URLs share one."""

from __future__ import annotations

import zlib

from geohound.model.compact_sets import floats

SLOTS = 1 << 22


class UrlCounters:
    """At most 16 MB for any number of URLs; with 10 million of them two or three share a counter.

    Unlike a count-min sketch it takes negative amounts, which OPIC needs.
    """

    def __init__(self, slots: int = SLOTS) -> None:
        self._values = floats(slots)
        self._mask = slots - 1

    def add(self, url: str, amount: float) -> float:
        """Add to the counter of a URL, and return it."""
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
