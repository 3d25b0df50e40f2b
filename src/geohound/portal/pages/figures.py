"""The live figures of the front page, counted anew every few seconds at most."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime
from weakref import WeakKeyDictionary

from geohound.contracts import CatalogueStore
from geohound.model.health import HealthState
from geohound.model.search.query import Query
from geohound.portal.portal import Portal

_FRESH_S = 10.0


@dataclass(frozen=True)
class Figures:
    """How many services there are, were looked at today (UTC), and answer now."""

    services: int
    checked_today: int
    answering: int


_counted: WeakKeyDictionary[CatalogueStore, tuple[float, Figures]] = WeakKeyDictionary()


def figures(portal: Portal) -> Figures:
    at, known = _counted.get(portal.catalogue, (0.0, None))
    now = time.monotonic()
    if known is None or now - at > _FRESH_S:
        known = _count(portal)
        _counted[portal.catalogue] = (now, known)
    return known


def _count(portal: Portal) -> Figures:
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    states = portal.index.search(Query(limit=0, fold=False)).facets.get("state", {})
    services, _layers = portal.catalogue.count()
    return Figures(
        services,
        portal.catalogue.count_checked(midnight),
        states.get(HealthState.ALIVE.value, 0),
    )
