"""Availability and response times by site (Sidsten 2012, section 3.5.3): which sites are stable and fast."""

from __future__ import annotations

from collections import defaultdict

from geohound import urls
from geohound.model.availability import of_spans, spans
from geohound.model.health import Check, median

from ._table import CatalogueFacts, CatalogueReport, Cell, Table


def _table(facts: CatalogueFacts) -> Table:
    sites: dict[str, list[list[Check]]] = defaultdict(list)
    for service in facts.services():
        sites[urls.site(service.endpoint) or urls.host(service.endpoint)].append(
            list(facts.catalogue.checks(service.id))
        )
    rows = [_row(site, services) for site, services in sites.items()]
    rows.sort(key=lambda row: (-int(row[1]), str(row[0])))
    return Table(
        (
            "site",
            "services",
            "answering",
            "checks",
            "available",
            "median_ms",
            "slowest_ms",
        ),
        rows,
    )


def _row(site: str, services: list[list[Check]]) -> tuple[Cell, ...]:
    looks = [check for checks in services for check in checks if check.ok is not None]
    good = [check for check in looks if check.ok]
    answering = sum(any(check.ok for check in checks[-1:]) for checks in services)
    times_ms = [check.elapsed_s * 1000 for check in good]
    worked = of_spans(span for checks in services for span in spans(checks)).share
    share: Cell = "" if worked is None else f"{100 * worked:.1f} %"
    middle: Cell = round(median(times_ms), 1) if times_ms else ""
    slowest: Cell = round(max(times_ms), 1) if times_ms else ""
    return site, len(services), answering, len(looks), share, middle, slowest


AVAILABILITY = CatalogueReport(
    "availability", "Availability and response times of services, by site", _table
)
