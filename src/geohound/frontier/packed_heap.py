"""A queue of numbered URLs at eight bytes each: best score first, first-in-first-out among equals."""

from __future__ import annotations

import struct
from array import array

MAX_NUMBER = 0xFFFFFFFF
_FLOAT = struct.Struct("<f")
_INT = struct.Struct("<i")
_LARGEST = 3.0e38  # beyond it a 32-bit float overflows


def pack(score: float, number: int) -> int:
    """One signed 64-bit number that is greater the better the score and the earlier the number.

    The bits of an IEEE float, read as an integer, sort like the float itself; negative ones are turned round.
    """
    if score != score:  # noqa: PLR0124 - NaN, which no order may mean
        score = 0.0
    bits: int = _INT.unpack(_FLOAT.pack(min(max(score, -_LARGEST), _LARGEST)))[0]
    if bits < 0:
        bits = bits ^ 0x7FFFFFFF if bits != -0x80000000 else 0
    return (bits >> 1) << 32 | MAX_NUMBER - number


def number_of(key: int) -> int:
    return MAX_NUMBER - (key & MAX_NUMBER)


def score_of(key: int) -> float:
    """The score that was packed, but for its last bit."""
    bits = key >> 32 << 1
    if bits < 0:
        bits ^= 0x7FFFFFFF
    return float(_FLOAT.unpack(_INT.pack(bits))[0])


class PackedHeap:
    """A binary heap in an array, greatest key first: heapq needs a list of objects, five times the memory."""

    __slots__ = ("_keys",)

    def __init__(self) -> None:
        self._keys = array("q")

    def __len__(self) -> int:
        return len(self._keys)

    def best(self) -> int:
        return self._keys[0]

    def push(self, key: int) -> None:
        keys = self._keys
        place = len(keys)
        keys.append(key)
        while place:
            parent = (place - 1) >> 1
            above = keys[parent]
            if above >= key:
                break
            keys[place] = above
            place = parent
        keys[place] = key

    def pop(self) -> int:
        keys = self._keys
        last = keys.pop()
        if not keys:
            return last
        best, size, place, child = keys[0], len(keys), 0, 1
        while child < size:
            if child + 1 < size and keys[child + 1] > keys[child]:
                child += 1
            below = keys[child]
            if below <= last:
                break
            keys[place] = below
            place, child = child, 2 * child + 1
        keys[place] = last
        return best

    def drain(self) -> array[int]:
        """All keys, in no order; the heap is empty afterwards."""
        keys, self._keys = self._keys, array("q")
        return keys
