"""What search providers, catalogues and seed lists have brought: requests, seeds, services; live ones by method."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from geohound.model.health import HealthState

from ._table import CatalogueFacts, CatalogueReport, Cell, Table

COUNTED = ("requests", "seeds", "services")
PER_1000 = "services_per_1000_requests"


def yields(hunts: Iterable[Mapping[str, Any]]) -> dict[str, Counter[str]]:
    """The sums over the counters of hunts, by source; addresses of one provider are added up."""
    sums: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for counters in hunts:
        for row in counters.get("sources", ()):
            name = row["source"]
            source = name if "://" in name.partition("=")[0] else name.partition("=")[0]
            sums[source].update({name: row[name] for name in COUNTED})
    return dict(sums)


def _table(facts: CatalogueFacts) -> Table:
    brought = yields(facts.hunts())
    best_first = sorted(
        brought,
        key=lambda source: (
            -brought[source]["services"],
            -brought[source]["seeds"],
            source,
        ),
    )
    rows: list[tuple[Cell, ...]] = [
        (source, *(brought[source][n] for n in COUNTED), per_1000(brought[source]))
        for source in best_first
    ]
    return Table(("source", *COUNTED, PER_1000), rows)


def per_1000(counted: Mapping[str, int]) -> float:
    """Services for 1,000 requests; those of searchers are requests to them alone."""
    return (
        round(1000 * counted["services"] / counted["requests"], 1)
        if counted["requests"]
        else 0.0
    )


def _methods(facts: CatalogueFacts) -> Table:
    """By how each service was met first: all, and those that answered at the last look."""
    total: Counter[str] = Counter()
    live: Counter[str] = Counter()
    for service in facts.services():
        first = next(iter(facts.catalogue.sightings(service.id)), None)
        method = str(first.via) if first is not None else "unknown"
        total[method] += 1
        live[method] += service.state is HealthState.ALIVE
    rows = [
        (method, count, live[method], round(live[method] / count, 3))
        for method, count in total.most_common()
    ]
    return Table(("method", "services", "live", "live_share"), list(rows))


METHODS = CatalogueReport(
    "methods", "How services were found, and how many of them are alive", _methods
)


SOURCES = CatalogueReport(
    "sources", "What each source has brought in all hunts and harvests", _table
)
