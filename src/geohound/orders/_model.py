"""A linear model over hashed features that learns while it is used: logistic, one step per example (AdaGrad)."""

from __future__ import annotations

import math
import struct
import zlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from typing import NamedTuple

from geohound.model.compact_sets import floats

BITS = 20
MAX_NAMES = 500_000
MAX_STEP = 3.0  # log-odds: one example must not dominate the model
_HEAD = struct.Struct("<4sBI")
_MAGIC = b"GHL2"
_FLOAT_BYTES = 4
_BLOCK = 1 << 10  # slots that are looked at together
_UNTRAINED = bytes(_FLOAT_BYTES * _BLOCK)


class FeatureSlots(dict[str, int]):
    """The slot of each feature by its name (feature hashing); names are a cache, slots are stable."""

    def __missing__(self, name: str) -> int:
        if len(self) >= MAX_NAMES:
            self.clear()
        slot = self[name] = zlib.crc32(name.encode("utf-8", "replace")) >> (32 - BITS)
        return slot


class LogisticModel:
    """At most 12 MB and the weights in use, for any number of features.

    Where weights are read for each link they are a list, which is read twice as fast as anything smaller; a `sparse`
    model takes memory only for what it has learned.
    """

    def __init__(
        self,
        prior: Mapping[str, float],
        rate: float = 0.3,
        caution: float = 1.0,
        trust: float = 1.0,
        longest: float = MAX_STEP,
        *,
        sparse: bool = False,
    ) -> None:
        self.slots = FeatureSlots()
        self.weights = floats(1 << BITS, double=True) if sparse else [0.0] * (1 << BITS)
        self._steps = floats(1 << BITS)  # sum of squared gradients, beyond the caution
        self._caution = caution
        self._rate = rate
        self._longest = longest
        for name, weight in prior.items():
            slot = self.slots[name]
            self.weights[slot], self._steps[slot] = weight, max(0.0, trust - caution)

    def value(self, slots: Iterable[int]) -> float:
        """Log-odds."""
        return sum(map(self.weights.__getitem__, slots))

    def chance(self, slots: Iterable[int]) -> float:
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, self.value(slots)))))

    def learn(self, slots: Sequence[int], target: float, weight: float) -> None:
        """One step towards the target, no longer than MAX_STEP however many features take part in it."""
        gradient = weight * (self.chance(slots) - target)
        square, step, caution = (
            gradient * gradient,
            self._rate * gradient,
            self._caution,
        )
        weights, steps, root = self.weights, self._steps, math.sqrt
        moves: list[float] = []
        for slot in slots:
            steps[slot] = total = steps[slot] + square
            moves.append(step / root(caution + total))
        length = abs(sum(moves))
        part = self._longest / length if length > self._longest else 1.0
        for slot, move in zip(slots, moves, strict=True):
            weights[slot] -= part * move

    def state(self) -> bytes:
        """Only the weights that differ from a new model."""
        moved = self._trained()
        weights = array("f", map(self.weights.__getitem__, moved))
        steps = array("f", map(self._steps.__getitem__, moved))
        head = _HEAD.pack(_MAGIC, BITS, len(moved))
        return head + moved.tobytes() + weights.tobytes() + steps.tobytes()

    def _trained(self) -> array[int]:
        """The slots that have learned something, in their order: most blocks of the million hold none."""
        found = array("I")
        for begin in range(0, 1 << BITS, _BLOCK):
            block = self._steps[begin : begin + _BLOCK]
            if block.tobytes() != _UNTRAINED:
                found.extend(compress(range(begin, begin + _BLOCK), block))
        return found

    def average(self, states: Sequence[bytes]) -> None:
        """Move to the mean of this model and others, each weight counted by how much it was trained there."""
        read = [_read(state) for state in states]
        total = {slot: self._steps[slot] for slot in self._trained()}
        sums = {slot: steps * self.weights[slot] for slot, steps in total.items()}
        for other in read:
            for slot, weight, steps in other.rows():
                total[slot] = total.get(slot, 0.0) + steps
                sums[slot] = sums.get(slot, 0.0) + weight * steps
        for slot, trained in total.items():
            if trained > 0:
                self.weights[slot] = sums[slot] / trained

    def restore(self, state: bytes) -> int:
        """Load a stored model; returns how many bytes of the state were its own."""
        read = _read(state)
        for slot, weight, steps in read.rows():
            self.weights[slot] = weight
            self._steps[slot] = steps
        return read.end


class _Stored(NamedTuple):
    """A stored model, and where it ends in the bytes that hold it."""

    slots: array[int]
    weights: array[float]
    steps: array[float]
    end: int

    def rows(self) -> Iterable[tuple[int, float, float]]:
        return zip(self.slots, self.weights, self.steps, strict=True)


def _read(state: bytes) -> _Stored:
    """The stored model at the beginning of these bytes."""
    if len(state) < _HEAD.size:
        raise ValueError("this is no learned order")
    magic, feature_words, count = _HEAD.unpack_from(state)
    size = _FLOAT_BYTES * count
    end: int = _HEAD.size + 3 * size
    if magic != _MAGIC or feature_words != BITS or len(state) < end:
        raise ValueError("this is no learned order, or one of another version")
    slots, weights, steps = array("I"), array("f"), array("f")
    slots.frombytes(state[_HEAD.size : _HEAD.size + size])
    weights.frombytes(state[end - 2 * size : end - size])
    steps.frombytes(state[end - size : end])
    are_numbers = all(map(math.isfinite, weights)) and all(map(math.isfinite, steps))
    if not are_numbers or min(steps, default=0.0) < 0 or max(slots, default=0) >> BITS:
        raise ValueError("this learned order is damaged")
    return _Stored(slots, weights, steps, end)
