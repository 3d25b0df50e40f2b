"""A linear model over hashed features that learns while it is used: logistic, one step per example (AdaGrad)."""

from __future__ import annotations

import math
import struct
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence

from geohound.model.compact_sets import floats

BITS = 20
MAX_NAMES = 500_000
MAX_STEP = 3.0  # log-odds: one example must not dominate the model
_HEAD = struct.Struct("<4sBI")
_MAGIC = b"GHL2"


class FeatureSlots(dict[str, int]):
    """The slot of each feature by its name (feature hashing); names are a cache, slots are stable."""

    def __missing__(self, name: str) -> int:
        if len(self) >= MAX_NAMES:
            self.clear()
        slot = self[name] = zlib.crc32(name.encode("utf-8", "replace")) >> (32 - BITS)
        return slot


class LogisticModel:
    """Eight megabytes and what was learned, for any number of features.

    Where weights are read for each link they are a list, which is read twice as fast as anything smaller; a `sparse`
    model takes memory only for what it has learned.
    """

    def __init__(
        self,
        prior: Mapping[str, float],
        rate: float = 0.3,
        caution: float = 1.0,
        trust: float = 1.0,
        *,
        sparse: bool = False,
    ) -> None:
        self.slots = FeatureSlots()
        self.weights = floats(1 << BITS, double=True) if sparse else [0.0] * (1 << BITS)
        self._steps: dict[int, float] = {}  # sums of squared gradients
        self._caution = caution
        self._rate = rate
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
        square, step = gradient * gradient, self._rate * gradient
        weights, steps, caution = self.weights, self._steps, self._caution
        moves: list[float] = []
        for slot in slots:
            steps[slot] = total = steps.get(slot, 0.0) + square
            moves.append(step / math.sqrt(caution + total))
        length = abs(sum(moves))
        part = MAX_STEP / length if length > MAX_STEP else 1.0
        for slot, move in zip(slots, moves, strict=True):
            weights[slot] -= part * move

    def state(self) -> bytes:
        """Only the weights that differ from a new model."""
        moved = array("I", sorted(slot for slot, sum_ in self._steps.items() if sum_))
        weights = array("f", map(self.weights.__getitem__, moved))
        steps = array("f", map(self._steps.__getitem__, moved))
        head = _HEAD.pack(_MAGIC, BITS, len(moved))
        return head + moved.tobytes() + weights.tobytes() + steps.tobytes()

    def average(self, states: Sequence[bytes]) -> None:
        """Move to the mean of this model and others, each weight counted by how much it was trained there."""
        total = {slot: step for slot, step in self._steps.items() if step}
        sums = {slot: step * self.weights[slot] for slot, step in total.items()}
        for slot, weight, step in (part for state in states for part in _read(state)):
            total[slot] = total.get(slot, 0.0) + step
            sums[slot] = sums.get(slot, 0.0) + step * weight
        for slot, step in total.items():
            if step:
                self.weights[slot] = sums[slot] / step

    def restore(self, state: bytes) -> int:
        """Load a stored model; returns how many bytes of the state were its own."""
        parts = list(_read(state))
        for slot, weight, step in parts:
            self.weights[slot], self._steps[slot] = weight, step
        return _HEAD.size + 12 * len(parts)


def _read(state: bytes) -> Iterator[tuple[int, float, float]]:
    """Slots, weights and training of a stored model."""
    if len(state) < _HEAD.size:
        raise ValueError("this is no learned order")
    magic, bits, count = _HEAD.unpack_from(state)
    if magic != _MAGIC or bits != BITS or len(state) < _HEAD.size + 12 * count:
        raise ValueError("this is no learned order, or one of another version")
    starts = [_HEAD.size + 4 * count * part for part in range(4)]
    slots = array("I", state[starts[0] : starts[1]])
    weights = array("f", state[starts[1] : starts[2]])
    steps = array("f", state[starts[2] : starts[3]])
    is_whole = (
        all(map(math.isfinite, (*weights, *steps))) and min(steps, default=0) >= 0
    )
    if not is_whole or max(slots, default=0) >= 1 << BITS:
        raise ValueError("this learned order is damaged")
    return zip(slots, weights, steps, strict=True)
