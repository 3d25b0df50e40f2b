"""Webs of services that change and die over simulated months, each in its own way: the dates of changes and of death.

`TUNED` are those on which the numbers of `monitor/rates.py` and `monitor/schedule.py` were chosen, with another seed.
The others were written afterwards, and nothing was run on them until `results/monitor_policies_first_sight.json` was
made. Of `drawn` even the rules are unknown: they are drawn anew for each seed.
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
        mean = where.chance.choice((5.0, 40.0, 300.0))
        length = where.chance.expovariate(1 / 60)
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


def _rollout(where: Where) -> list[float]:
    """Somebody works through a host: a change at one service is followed by others at its neighbours within days."""
    if where.host not in where.shared:
        where.shared[where.host] = steady(where.chance, 70.0, 0.0, 1000.0)
    found = steady(where.chance, 400.0, 0.0, where.until)
    for start in where.shared[where.host]:
        if where.chance.random() < 0.6:
            found.append(start + where.chance.expovariate(1 / 6.0))
    return sorted(at for at in found if at < where.until)


def _deadlines(where: Where) -> list[float]:
    """Work grows as the end of a quarter comes near, and stops after it; each country ends its quarters in its week."""
    offset = 7.0 * (where.host % 4)
    often = where.chance.choice((10.0, 40.0, 150.0))
    found = steady(where.chance, often / 4, 0.0, where.until)
    return [
        at
        for at in found
        if where.chance.random() < (((at + offset) % 91.0) / 91.0) ** 3
    ]


def _abandoned(where: Where) -> list[float]:
    """Kept with care until the one who did it leaves; a few are taken up again much later."""
    careful = where.chance.choice((6.0, 15.0, 45.0))
    left = where.chance.expovariate(1 / 90.0)
    found = steady(where.chance, careful, 0.0, min(left, where.until))
    if where.chance.random() < 0.2:
        again = left + where.chance.expovariate(1 / 60.0)
        found += steady(where.chance, careful, again, where.until)
    return found


def _long_pauses(where: Where) -> list[float]:
    """Most gaps are of a few days, some of years: a Pareto distribution without a typical length."""
    shape, least = where.chance.choice((0.6, 0.8, 1.2)), where.chance.choice((1.5, 4.0))
    found, at = [], -where.chance.random() * 60.0
    while (at := at + least * where.chance.paretovariate(shape)) < where.until:
        if at > 0.0:
            found.append(at)
    return found


def _workdays(where: Where) -> list[float]:
    """People work from Monday to Friday and are on leave for some weeks; a few programs run every third night."""
    if where.chance.random() < 0.03:
        return [3.0 * night for night in range(1, int(where.until / 3.0))]
    mean = where.chance.choice((12.0, 50.0, 200.0, 600.0))
    leave = where.chance.random() * 150.0
    found = steady(where.chance, mean, 0.0, where.until)
    return [at for at in found if at % 7.0 < 5.0 and not leave < at < leave + 25.0]


def _drawn(where: Where) -> list[float]:
    """States with rates of their own, and chances to pass from one to another, all drawn once for a web."""
    if 0 not in where.shared:
        count = where.chance.randint(2, 4)
        rates = [10 ** where.chance.uniform(-3.2, -0.2) for _ in range(count)]
        stays = [10 ** where.chance.uniform(0.5, 2.5) for _ in range(count)]
        where.shared[0] = [float(count), *rates, *stays]
    count, *numbers = where.shared[0]
    found: list[float] = []
    at = 0.0
    while at < where.until:
        state = where.chance.randrange(int(count))
        rate, stay = numbers[state], numbers[int(count) + state]
        end = at + where.chance.expovariate(1 / stay)
        found += steady(where.chance, 1 / rate, at, min(end, where.until))
        at = end
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
    "rollout": _rollout,
    "deadlines": _deadlines,
    "abandoned": _abandoned,
    "long-pauses": _long_pauses,
    "workdays": _workdays,
    "drawn": _drawn,
}
TUNED: Final = (
    "calm", "lively", "few", "mixed", "lognormal", "hosted", "bursts", "drift",
    "weekly", "seasonal", "releases", "ageing",
)  # fmt: skip


def lives(web: str, services: int, days: float, seed: int) -> Iterator[Life]:
    """The services of a web, over so many days."""
    chance, shared = random.Random(seed), dict[int, list[float]]()
    for number in range(services):
        host = number // PER_HOST
        death = chance.expovariate(math.log(2) / HALF_LIFE_DAYS)
        where = Where(chance, host, min(days, death), shared)
        changes = tuple(WEBS[web](where))
        yield Life(host, changes, death, chance.choice((1, 1, 2, 3)), chance.randrange(7))  # fmt: skip
