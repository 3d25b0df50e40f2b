"""Density of services at the places of their hosts, within a radius (Li, Wang & Bhatia 2016, Fig. 10: 150 miles)."""

from __future__ import annotations

import math
from collections import Counter

from ._table import CatalogueFacts, CatalogueReport, Cell, Table

EARTH_RADIUS_MILES = 3958.8
RADIUS_MILES = 150.0
Place = tuple[float, float]  # latitude, longitude


def places_of(facts: CatalogueFacts) -> Counter[Place]:
    """How many services are hosted at each place that is known."""
    counts: Counter[Place] = Counter()
    for service in facts.services():
        found = service.location
        if found is not None and found.lat is not None and found.lon is not None:
            counts[found.lat, found.lon] += 1
    return counts


def miles_between(one: Place, other: Place) -> float:
    """Along the great circle (haversine)."""
    lat, lat2 = math.radians(one[0]), math.radians(other[0])
    across = math.radians(other[1] - one[1])
    half = (
        math.sin((lat2 - lat) / 2) ** 2
        + math.cos(lat) * math.cos(lat2) * math.sin(across / 2) ** 2
    )
    return 2 * EARTH_RADIUS_MILES * math.asin(min(1.0, math.sqrt(half)))


def _table(facts: CatalogueFacts) -> Table:
    """Each place with the services within the radius around it, and these per 10,000 square miles."""
    counts, radius = places_of(facts), facts.radius_miles or RADIUS_MILES
    area = (
        2
        * math.pi
        * EARTH_RADIUS_MILES**2
        * (1 - math.cos(radius / EARTH_RADIUS_MILES))
    )
    rows: list[tuple[Cell, ...]] = []
    for place, services in counts.items():
        reach_lat = math.degrees(radius / EARTH_RADIUS_MILES)
        near = (other for other in counts if abs(other[0] - place[0]) <= reach_lat)
        within = sum(
            counts[other] for other in near if miles_between(place, other) <= radius
        )
        rows.append((*place, services, within, round(10_000 * within / area, 3)))
    rows.sort(key=lambda row: (-float(row[3]), -float(row[2]), row[0], row[1]))
    return Table(
        ("lat", "lon", "services", "within_radius", "per_10000_sq_miles"), rows
    )


DENSITY = CatalogueReport(
    "density", "Density of services around the places of their hosts", _table
)
