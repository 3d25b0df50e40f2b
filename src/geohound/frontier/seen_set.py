"""Every URL that a task knows, and how far from a seed those are that wait: ten bytes each."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable

_SHARDS = 4096
_SHIFT = 64 - 12
TAKEN = 0  # it does not wait: visited, being visited, or not to be had nearer
UNKNOWN = -1


def waiting_at(depth: int) -> int:
    """What stands for a URL that waits at this depth; the nearer, the smaller."""
    return min(max(depth, 0), 254) + 1


class SeenUrls:
    """A byte for each signed 64-bit hash: sorted arrays, a pair per leading 12 bits, as in `HashSet`."""

    def __init__(self, known: Iterable[tuple[int, int]] = ()) -> None:
        """Of those with the same hash the last one counts."""
        found = [(array("q"), bytearray()) for _ in range(_SHARDS)]
        for key, byte in known:
            keys, values = found[(key >> _SHIFT) + _SHARDS // 2]
            keys.append(key)
            values.append(byte)
        self._keys = [keys for keys, _ in found]
        self._bytes = [values for _, values in found]
        for shard, (keys, values) in enumerate(found):
            if keys:
                latest = dict(zip(keys, values, strict=True))
                ordered = sorted(latest)
                self._keys[shard] = array("q", ordered)
                self._bytes[shard] = bytearray(map(latest.__getitem__, ordered))

    def add(self, key: int, byte: int) -> bool:
        """True if the key was not known before."""
        shard = (key >> _SHIFT) + _SHARDS // 2
        keys = self._keys[shard]
        place = bisect_left(keys, key)
        if place < len(keys) and keys[place] == key:
            return False
        keys.insert(place, key)
        self._bytes[shard].insert(place, byte)
        return True

    def put(self, key: int, byte: int) -> None:
        """Another byte for a known key."""
        shard = (key >> _SHIFT) + _SHARDS // 2
        keys = self._keys[shard]
        place = bisect_left(keys, key)
        if place < len(keys) and keys[place] == key:
            self._bytes[shard][place] = byte

    def get(self, key: int) -> int:
        shard = (key >> _SHIFT) + _SHARDS // 2
        keys = self._keys[shard]
        place = bisect_left(keys, key)
        return (
            self._bytes[shard][place]
            if place < len(keys) and keys[place] == key
            else UNKNOWN
        )

    def waiting(self) -> int:
        """How many do wait."""
        return sum(len(values) - values.count(TAKEN) for values in self._bytes)

    def discard(self, key: int) -> None:
        shard = (key >> _SHIFT) + _SHARDS // 2
        keys = self._keys[shard]
        place = bisect_left(keys, key)
        if place < len(keys) and keys[place] == key:
            del keys[place]
            del self._bytes[shard][place]
