"""Services by country before a date and at a later one, side by side (Li, Yang & Yang 2010, figure 13)."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta

from ._table import CatalogueFacts, CatalogueReport, Cell, Table
from .countries import country_of

DAYS = 30


def _table(facts: CatalogueFacts) -> Table:
    """With the mean place of the hosts in each country, where there is one."""
    until = facts.now or datetime.now(UTC)
    since = facts.since or until - timedelta(days=DAYS)
    before, now = Counter[str](), Counter[str]()
    places: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for service in (each for each in facts.services() if each.first_seen <= until):
        country, _ = country_of(service)
        now[country] += 1
        before[country] += service.first_seen < since
        found = service.location
        if found is not None and found.lat is not None and found.lon is not None:
            places[country].append((found.lat, found.lon))
    ranked = sorted(now, key=lambda country: (-now[country], country))
    return Table(
        ("country", "before", "now", "new", "lat", "lon"),
        [
            (c, before[c], now[c], now[c] - before[c], *_middle(places[c]))
            for c in ranked
        ],
    )


def _middle(places: list[tuple[float, float]]) -> tuple[Cell, Cell]:
    if not places:
        return "", ""
    return round(sum(lat for lat, _ in places) / len(places), 2), round(
        sum(lon for _, lon in places) / len(places), 2
    )


COUNTRY_GROWTH = CatalogueReport(
    "country-growth", "Services by country, by an earlier date and now", _table
)
