"""Webs of services that change and die over simulated months, each in its own way: the dates of changes and of death.

`TUNED` are those on which the numbers of `monitor/rates.py` and `monitor/schedule.py` were chosen, with another seed.
The others were written afterwards, and were not looked at before the figures in `results/` were made.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

HALF_LIFE_DAYS: Final = 106.0  # Sidsten 2012, section 4.1.3
PER_HOST: Final = 8  # services, by section 6.3 of Li, Yang & Yang 2010


@dataclass(frozen=True)
class Life:
    """One service: all in days since the start."""

    host: int
    changes: tuple[float, ...]
    death: float
    rank: int
    depth: int


@dataclass
class Where:
    """Where a service stands among the others, for webs in which they have something in common."""

    chance: random.Random
    host: int
    until: float
    shared: dict[int, list[float]]


Changes = Callable[[Where], list[float]]


def steady(
    chance: random.Random, mean: float, start: float, until: float
) -> list[float]:
    """By chance alone, at a constant rate."""
    found, at = [], start
    while (at := at + chance.expovariate(1 / mean)) < until:
        found.append(at)
    return found


def shares(*parts: tuple[float, float]) -> Changes:
    """Shares of services and the mean days between two changes of each, at a constant rate."""

    def changes(where: Where) -> list[float]:
        weights, means = zip(*parts, strict=True)
        (mean,) = where.chance.choices(means, weights)
        return steady(where.chance, mean, 0.0, where.until)

    return changes


def _lognormal(where: Where) -> list[float]:
    mean = max(1.5, math.exp(where.chance.gauss(math.log(120), 1.5)))
    return steady(where.chance, mean, 0.0, where.until)


def _hosted(where: Where) -> list[float]:
    """Services of one host change about as often as each other."""
    typical = where.shared.setdefault(
        where.host, [math.exp(where.chance.gauss(math.log(90), 1.3))]
    )[0]
    mean = max(1.5, typical * math.exp(where.chance.gauss(0.0, 0.3)))
    return steady(where.chance, mean, 0.0, where.until)


def _bursts(where: Where) -> list[float]:
    """Every four months or so somebody works on it: four changes within days."""
    first = steady(where.chance, 120.0, 0.0, where.until)
    found = [
        at + step * where.chance.expovariate(1 / 4.0)
        for at in first
        for step in range(4)
    ]
    return sorted(at for at in found if at < where.until)


def _drift(where: Where) -> list[float]:
    """Its habits change every two months."""
    found: list[float] = []
    at = 0.0
    while at < where.until:
        mean, length = (
            where.chance.choice((5.0, 40.0, 300.0)),
            where.chance.expovariate(1 / 60),
        )
        found += steady(where.chance, mean, at, min(at + length, where.until))
        at += length
    return found


def _weekly(where: Where) -> list[float]:
    """Published at fixed times: each week, month or quarter, or hardly ever."""
    period = where.chance.choice((7.0, 30.0, 91.0, 365.0, 365.0))
    at, found = where.chance.random() * period, []
    while at < where.until:
        found.append(at)
        at += period + where.chance.gauss(0.0, 0.05)
    return found


def _seasonal(where: Where) -> list[float]:
    """One month in three is lively: eight times the rate of the others."""
    mean = where.chance.choice((20.0, 60.0, 200.0))
    often = steady(where.chance, mean / 2, 0.0, where.until)
    is_season = [int(at // 30) % 3 == where.host % 3 for at in often]
    return [
        at
        for at, season in zip(often, is_season, strict=True)
        if season or where.chance.random() < 1 / 8
    ]


def _releases(where: Where) -> list[float]:
    """A fifth of the hosts belong to one of four providers, who change all their services on the same day."""
    own = steady(where.chance, 250.0, 0.0, where.until)
    if where.host % 5:
        return own
    days = where.shared.setdefault(
        where.host % 4, steady(where.chance, 25.0, 0.0, 1000.0)
    )
    return sorted([*own, *(at for at in days if at < where.until)])


def _ageing(where: Where) -> list[float]:
    """Much is changed when a service is new, hardly anything later."""
    born = -where.chance.expovariate(1 / 60)
    found, at = [], 0.0
    while (at := at + where.chance.expovariate(1 / 4.0)) < where.until:
        if where.chance.random() < 4.0 / (4.0 + 0.5 * (at - born)):
            found.append(at)
    return found


WEBS: Final[dict[str, Changes]] = {
    "calm": shares((0.05, 10.0), (0.25, 60.0), (0.70, 400.0)),
    "lively": shares((0.25, 14.0), (0.50, 60.0), (0.25, 200.0)),
    "few": shares((0.02, 3.0), (0.18, 30.0), (0.80, 500.0)),
    "mixed": shares((0.10, 7.0), (0.30, 45.0), (0.60, 365.0)),
    "lognormal": _lognormal,
    "hosted": _hosted,
    "bursts": _bursts,
    "drift": _drift,
    "weekly": _weekly,
    "seasonal": _seasonal,
    "releases": _releases,
    "ageing": _ageing,
}
TUNED: Final = ("calm", "lively", "few", "mixed", "lognormal", "hosted", "bursts", "drift")  # fmt: skip


def lives(web: str, services: int, days: float, seed: int) -> Iterator[Life]:
    """The services of a web, over so many days."""
    chance, shared = random.Random(seed), dict[int, list[float]]()
    for number in range(services):
        host = number // PER_HOST
        death = chance.expovariate(math.log(2) / HALF_LIFE_DAYS)
        where = Where(chance, host, min(days, death), shared)
        changes = tuple(WEBS[web](where))
        yield Life(host, changes, death, chance.choice((1, 1, 2, 3)), chance.randrange(7))  # fmt: skip
