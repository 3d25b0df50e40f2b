"""A linear model over hashed features that learns while it is used: logistic, one step per example (AdaGrad)."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

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
        steps = np.frombuffer(self._steps.cast("B"), np.float32)
        moved = np.flatnonzero(steps).astype(np.uint32)
        weights = np.array([self.weights[slot] for slot in moved.tolist()], np.float32)
        return (
            _HEAD.pack(_MAGIC, BITS, len(moved))
            + moved.tobytes()
            + weights.tobytes()
            + steps[moved].tobytes()
        )

    def average(self, states: Sequence[bytes]) -> None:
        """Move to the mean of this model and others, each weight counted by how much it was trained there."""
        ours = np.frombuffer(self._steps.cast("B"), np.float32)
        read = [_read(state)[:3] for state in states]
        moved = np.unique(
            np.concatenate([np.flatnonzero(ours), *(slots for slots, _, _ in read)])
        ).astype(np.int64)
        total = ours[moved].astype(np.float64)
        sums = total * np.array([self.weights[slot] for slot in moved.tolist()])
        for slots, weights, steps in read:
            places = np.searchsorted(moved, slots)
            total[places] += steps
            sums[places] += weights.astype(np.float64) * steps
        mean = np.divide(sums, total, out=np.zeros_like(sums), where=total > 0)
        for slot, weight in zip(
            moved[total > 0].tolist(), mean[total > 0].tolist(), strict=True
        ):
            self.weights[slot] = weight

    def restore(self, state: bytes) -> int:
        """Load a stored model; returns how many bytes of the state were its own."""
        slots, weights, steps, end = _read(state)
        for slot, weight in zip(slots.tolist(), weights.tolist(), strict=True):
            self.weights[slot] = weight
        np.frombuffer(self._steps.cast("B"), np.float32)[slots] = steps
        return end


def _read(state: bytes) -> tuple[Any, Any, Any, int]:
    """Slots, weights and training of a stored model, and where it ends."""
    if len(state) < _HEAD.size:
        raise ValueError("this is no learned order")
    magic, feature_words, count = _HEAD.unpack_from(state)
    end: int = _HEAD.size + 12 * count
    if magic != _MAGIC or feature_words != BITS or len(state) < end:
        raise ValueError("this is no learned order, or one of another version")
    slots = np.frombuffer(state, np.uint32, count, _HEAD.size)
    weights, steps = np.frombuffer(
        state, np.float32, 2 * count, _HEAD.size + 4 * count
    ).reshape(2, count)
    whole = (
        np.isfinite(weights).all() and np.isfinite(steps).all() and (steps >= 0).all()
    )
    if not whole or (count and slots.max() >= 1 << BITS):
        raise ValueError("this learned order is damaged")
    return slots, weights, steps, end
