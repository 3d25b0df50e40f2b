"""Chance without memory: every draw is a pure function of numbers, so any page can be made alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import IntEnum
from typing import TypeVar

T = TypeVar("T")
_MASK = (1 << 64) - 1
_TO_UNIT = 2.0**-64


class Salt(IntEnum):
    """Keeps the draws for different questions about the same thing apart."""

    ROLE = 1
    SIZE = 2
    HOST = 3
    LAYOUT = 4
    TROUBLE = 5
    SERVICE = 6
    KIND = 7
    TREE = 8
    SEEDS = 9
    LINKS = 10
    TOPIC = 11
    TITLE = 12
    BODY = 13
    MENTION = 14
    SESSION = 15
    SITEMAP = 16
    WORDS = 17
    DEATH = 18
    SEARCH = 19


def mix(a: int, b: int = 0, c: int = 0) -> int:
    """64 well-stirred bits out of three numbers: multiply and xor-shift, the same on every machine."""
    x = (
        a * 0x9E3779B97F4A7C15
        + b * 0xC2B2AE3D27D4EB4F
        + c * 0x165667B19E3779F9
        + 0x27D4EB2F
    ) & _MASK
    x ^= x >> 32
    x = x * 0xD6E8FEB86659FD93 & _MASK
    x ^= x >> 32
    x = x * 0xD6E8FEB86659FD93 & _MASK
    return x ^ (x >> 32)


def unit(a: int, b: int = 0, c: int = 0) -> float:
    """A number in [0, 1)."""
    return mix(a, b, c) * _TO_UNIT


def text_number(text: str) -> int:
    """A number for a name; Python's own hash of text differs from run to run."""
    return mix(int.from_bytes(text.encode()[:24], "big"), len(text))


class Dice:
    """A stream of draws for one purpose."""

    __slots__ = ("_at", "_seed")

    def __init__(self, a: int, b: int = 0, c: int = 0) -> None:
        self._seed = mix(a, b, c)
        self._at = 0

    def unit(self) -> float:
        self._at += 1
        x = (self._seed + self._at * 0x9E3779B97F4A7C15) & _MASK
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB & _MASK
        return (x ^ (x >> 31)) * _TO_UNIT

    def below(self, count: int) -> int:
        return int(self.unit() * count)

    def pick(self, items: Sequence[T]) -> T:
        return items[int(self.unit() * len(items))]

    def pick_weighted(self, weights: Sequence[tuple[T, float]]) -> T:
        left = self.unit() * sum(weight for _, weight in weights)
        for item, weight in weights:
            left -= weight
            if left < 0:
                return item
        return weights[-1][0]

    def lognormal(self, mean: float, sigma: float) -> float:
        """A draw whose mean is `mean`; sigma is that of the logarithm."""
        normal = math.sqrt(-2 * math.log(1 - self.unit())) * math.cos(
            2 * math.pi * self.unit()
        )
        return math.exp(math.log(mean) - sigma * sigma / 2 + sigma * normal)

    def heavy(self, mean: float, most: int) -> int:
        """A heavy-tailed count (Pareto, exponent 1.6, moved to start at 0), at most `most`."""
        return min(most, int(mean * 0.6 * ((1 - self.unit()) ** -0.625 - 1)))
