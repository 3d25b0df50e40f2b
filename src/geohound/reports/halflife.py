"""How long services live: the time in which half of them vanish (Sidsten 2012, section 4.1.3)."""

from __future__ import annotations

import math
from collections import defaultdict
from datetime import UTC, datetime
from typing import NamedTuple

from geohound.model.biography import LifeChange
from geohound.model.health import HealthState

from ._table import CatalogueFacts, CatalogueReport, Cell, Table

_DAY_S = 86400.0
_Z = 1.96
# fewer say nothing: with two the interval reaches from a quarter to the fourfold
MIN_DEATHS = 3
TOO_FEW = "too few deaths"


class Life(NamedTuple):
    """For how long a service was watched, and whether it died at the end."""

    days: float
    died: bool


def half_life(lives: list[Life]) -> tuple[float, float, float] | None:
    """Days, with the ends of the 95 % interval; None while too few have died.

    Lives are exponential and those that go on are cut off: deaths per watched day is the likeliest rate; its logarithm
    has a standard error of 1 / √deaths.
    """
    deaths, days = sum(life.died for life in lives), sum(life.days for life in lives)
    if deaths < MIN_DEATHS or days <= 0.0:
        return None
    middle = math.log(2) * days / deaths
    spread = math.exp(_Z / math.sqrt(deaths))
    return middle, middle / spread, middle * spread


def _table(facts: CatalogueFacts) -> Table:
    now = facts.now or datetime.now(UTC)
    groups: dict[tuple[str, str], list[Life]] = defaultdict(list)
    for service in facts.services():
        is_dead = service.state is HealthState.DEAD
        died_at = _death(facts, service.id) if is_dead else None
        life = Life(
            ((died_at or now) - service.first_seen).total_seconds() / _DAY_S,
            died_at is not None,
        )
        seen = facts.catalogue.sightings(service.id)
        depth = min((each.depth for each in seen), default=0)
        for group in (("all", ""), ("kind", service.kind), ("depth", str(depth))):
            groups[group].append(life)
    return Table(
        _COLUMNS, [_row(group, groups[group]) for group in sorted(groups, key=_place)]
    )


def _death(facts: CatalogueFacts, service_id: str) -> datetime | None:
    events = facts.history.events(service_id) if facts.history else ()
    deaths = [
        e.at
        for e in events
        if e.change is LifeChange.STATE
        and e.detail.partition(":")[0].endswith("to dead")
    ]
    return deaths[-1] if deaths else None


_COLUMNS = (
    "group",
    "value",
    "services",
    "deaths",
    "days_watched",
    "half_life_days",
    "low",
    "high",
)


def _row(group: tuple[str, str], lives: list[Life]) -> tuple[Cell, ...]:
    found = half_life(lives)
    numbers: tuple[Cell, ...] = (
        tuple(round(each, 1) for each in found) if found else (TOO_FEW, "", "")
    )
    deaths = sum(life.died for life in lives)
    days = round(sum(life.days for life in lives), 1)
    return (*group, len(lives), deaths, days, *numbers)


def _place(group: tuple[str, str]) -> tuple[int, str]:
    return ("all", "depth", "kind").index(group[0]), group[1].zfill(3)


HALFLIFE = CatalogueReport(
    "halflife",
    "The time in which half of the services vanish, by depth and kind",
    _table,
)
