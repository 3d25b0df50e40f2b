"""Sets and counts for millions of things in a few bytes each."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from mmap import mmap
from typing import Generic, TypeVar

KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")
_SHARDS = 4096
_SHIFT = 64 - 12
_SLOT_BITS = 20
_MASK = (1 << _SLOT_BITS) - 1
_MOST = 0xFFFF
_FEW = 10_000  # things that are counted one by one: at most a megabyte


def floats(count: int, *, double: bool = False) -> memoryview[float]:
    """So many zeros of four bytes, or of eight; what is never written to takes no memory."""
    return (
        memoryview(mmap(-1, 8 * count)).cast("d")
        if double
        else memoryview(mmap(-1, 4 * count)).cast("f")
    )


def _shard(key: int) -> int:
    return (key >> _SHIFT) + _SHARDS // 2


class HashSet:
    """A set of signed 64-bit hashes at about nine bytes each; a Python set needs 75 to 80 and is only twice as fast.

    Sorted arrays, one per leading 12 bits: hashes spread evenly, so an insertion moves few kilobytes.
    """

    def __init__(self, keys: Iterable[int] = ()) -> None:
        gathered: dict[int, array[int]] = {}
        for key in keys:
            gathered.setdefault(_shard(key), array("q")).append(key)
        # Made when they are needed: a crawl has a dozen sets, and most hold little.
        self._shards: list[array[int] | None] = [None] * _SHARDS
        for number, found in gathered.items():
            self._shards[number] = array("q", sorted(set(found)))
        self._size = sum(len(shard) for shard in self._shards if shard is not None)

    def add(self, key: int) -> bool:
        """True if the key was not known before."""
        number = (key >> _SHIFT) + _SHARDS // 2
        shard = self._shards[number]
        if shard is None:
            self._shards[number] = array("q", (key,))
            self._size += 1
            return True
        place = bisect_left(shard, key)
        if place < len(shard) and shard[place] == key:
            return False
        shard.insert(place, key)
        self._size += 1
        return True

    def discard(self, key: int) -> None:
        shard = self._shards[_shard(key)]
        if shard is None:
            return
        place = bisect_left(shard, key)
        if place < len(shard) and shard[place] == key:
            del shard[place]
            self._size -= 1

    def __contains__(self, key: int) -> bool:
        shard = self._shards[(key >> _SHIFT) + _SHARDS // 2]
        if shard is None:
            return False
        place = bisect_left(shard, key)
        return place < len(shard) and shard[place] == key

    def __len__(self) -> int:
        return self._size


class CountMinSketch:
    """How often each of many things came, in four megabytes at most, however many there are; keys have 40 bits.

    The first few are counted one by one, in far less memory. Then it is a count-min sketch of two rows: it may count a
    few too many (about one per million things), never too few.
    """

    def __init__(self) -> None:
        self._few: dict[int, int] | None = {}
        self._low = memoryview(mmap(-1, 2 << _SLOT_BITS)).cast("H")
        self._high = memoryview(mmap(-1, 2 << _SLOT_BITS)).cast("H")

    def count(self, key: int) -> int:
        if self._few is not None:
            return self._few.get(key, 0)
        return min(self._low[key & _MASK], self._high[key >> _SLOT_BITS & _MASK])

    def add(self, key: int) -> None:
        if self._few is None:
            self._count_in(key)
            return
        self._few[key] = min(self._few.get(key, 0) + 1, _MOST)
        if len(self._few) > _FEW:
            counts, self._few = self._few, None
            for each, times in counts.items():
                self._count_in(each, times)

    def _count_in(self, key: int, times: int = 1) -> None:
        low, high = key & _MASK, key >> _SLOT_BITS & _MASK
        # The smaller slot grows first: what the larger one has too much came from other things.
        least = min(min(self._low[low], self._high[high]) + times, _MOST)
        self._low[low] = max(self._low[low], least)
        self._high[high] = max(self._high[high], least)


class Recent(Generic[KeyT, ValueT]):
    """What was put in last: at least half of `most` entries and never more than `most`.

    Two dictionaries, the elder of which is dropped whole. A dictionary that loses its first entry for each new one
    passes over all that it lost before, each time: 30 µs at 100,000 entries.
    """

    def __init__(self, most: float) -> None:
        self._half = most / 2
        self._new: dict[KeyT, ValueT] = {}
        self._old: dict[KeyT, ValueT] = {}

    def get(self, key: KeyT) -> ValueT | None:
        found = self._new.get(key)
        return self._old.get(key) if found is None else found

    def put(self, key: KeyT, value: ValueT) -> None:
        """As the latest of all."""
        if len(self._new) >= self._half and key not in self._new:
            self._old, self._new = self._new, {}
        self._new[key] = value

    def replace(self, key: KeyT, value: ValueT) -> None:
        """Another value for what is here, which stays as old as it is; safe while going over `items`."""
        for part in (self._new, self._old):
            if key in part:
                part[key] = value
                return

    def discard(self, key: KeyT) -> None:
        self._new.pop(key, None)
        self._old.pop(key, None)

    def items(self) -> Iterator[tuple[KeyT, ValueT]]:
        """The elder ones first."""
        for key, value in self._old.items():
            if key not in self._new:
                yield key, value
        yield from self._new.items()

    def __bool__(self) -> bool:
        return bool(self._new or self._old)

    def __len__(self) -> int:
        """What is here twice counts twice."""
        return len(self._new) + len(self._old)
