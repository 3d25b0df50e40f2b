"""How the services of the catalogue fare: by state, those that lately failed, what lately changed, by site: /health."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from geohound.model.catalogue import Filter, ServiceSummary
from geohound.model.health import Check, HealthState
from geohound.model.query import Query
from geohound.portal.portal import Portal, portal_of
from geohound.portal.reports import ReportScope, report_table
from geohound.reports import Table

from .rendering import render

_MOST_KINDS = 50
LOOKED_AT = 300  # failing services whose last check is read
SHOWN = 20


class Failing(NamedTuple):
    """A service that did not answer as one, and the look that showed it."""

    service: ServiceSummary
    check: Check


def health_page(request: Request) -> Response:
    """GET /health"""
    portal = portal_of(request)
    results = portal.index.search(Query(limit=1, fold=False, facet_values=_MOST_KINDS))
    counts = results.facets.get("state", {})
    changes = report_table(portal, "changes", ReportScope()) if portal.past else Table((), [])
    when = changes.columns.index("at") if changes.rows else 0
    latest = sorted(changes.rows, key=lambda row: str(row[when]), reverse=True)[:SHOWN]
    context = {
        "states": [(state, counts.get(state.value, 0)) for state in HealthState],
        "total": results.total,
        "failing": _failing(portal),
        "changes": Table(changes.columns, latest),
        "sites": _first(report_table(portal, "availability", ReportScope())),
    }
    return render(request, "health.html", context)


def _failing(portal: Portal) -> list[Failing]:
    """Those whose last look failed, the latest first."""
    unwell = portal.catalogue.summaries(Filter(states=(HealthState.DEAD, HealthState.UNSURE)))
    found = []
    for service in islice(unwell, LOOKED_AT):
        checks = portal.catalogue.checks(service.id)
        if checks:
            found.append(Failing(service, checks[-1]))
    return sorted(found, key=lambda each: each.check.at, reverse=True)[:SHOWN]


def _first(table: Table) -> Table:
    return Table(table.columns, table.rows[:SHOWN])
