"""Counts over the whole catalogue: facets with words for people, and the reports made of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from geohound.model.query import Query, Results

from .portal import Portal

REPORTS: Mapping[str, str] = MappingProxyType(
    {
        "totals": "Services, layers, kinds and countries",
        "kinds": "Services by kind",
        "classes": "Services by class of each topic",
        "countries": "Services by country of the host",
        "states": "Services by state",
        "providers": "Providers with most services",
        "licences": "Services by licence",
    }
)
_FACETS = {
    "kinds": "kind",
    "countries": "country",
    "states": "state",
    "providers": "provider",
    "licences": "licence",
}
FACET_VALUES = 500  # more than there are kinds, countries or classes; of providers the first


def facet_records(portal: Portal, results: Results) -> dict[str, list[dict[str, Any]]]:
    """Each facet's values, most frequent first, with their titles."""
    return {
        name: [{"value": v, "title": portal.facet_title(name, v), "count": n} for v, n in counts.items()]
        for name, counts in results.facets.items()
    }


def report(portal: Portal, name: str) -> dict[str, Any]:
    """One report as a table: its columns and rows."""
    results = portal.index.search(Query(limit=1, facet_values=FACET_VALUES))
    if name == "totals":
        columns, rows = ["what", "count"], _totals(portal, results)
    elif name == "classes":
        columns, rows = ["topic", "class", "services"], _classes(portal, results)
    else:
        facet = _FACETS[name]
        columns = [facet, "title", "services"]
        counts = results.facets.get(facet, {})
        rows = [[value, portal.facet_title(facet, value), count] for value, count in counts.items()]
    return {"name": name, "title": REPORTS[name], "columns": columns, "rows": rows}


def _totals(portal: Portal, results: Results) -> list[list[Any]]:
    services, layers = portal.catalogue.count()
    kinds, countries = len(results.facets.get("kind", {})), len(results.facets.get("country", {}))
    return [["services", services], ["layers", layers], ["kinds", kinds], ["countries", countries]]


def _classes(portal: Portal, results: Results) -> list[list[Any]]:
    """Every class of every topic, those without a service as well: the table of the land cover paper."""
    counts = results.facets.get("class", {})
    return [[topic.id, each.id, counts.get(each.id, 0)] for topic in portal.topics for each in topic.classes]
