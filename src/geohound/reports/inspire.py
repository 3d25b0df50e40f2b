"""The services as INSPIRE looks at them: availability of a year and response time, beside what is required."""

from __future__ import annotations

from datetime import UTC, datetime

from geohound.model import inspire
from geohound.model.catalogue import ServiceSummary

from ._table import CatalogueFacts, CatalogueReport, Cell, Table

_COLUMNS = (
    "kind",
    "endpoint",
    "checks",
    "available",
    "available_99",
    "response_s",
    "limit_s",
    "in_time",
)
_SAID = {True: "yes", False: "no", None: "not known yet"}
_ORDER = ("no", "not known yet", "yes")


def _table(facts: CatalogueFacts) -> Table:
    now = facts.now or datetime.now(UTC)
    rows = [_row(service, facts, now) for service in facts.services()]
    rows.sort(key=lambda row: (_ORDER.index(str(row[4])), _ORDER.index(str(row[7]))))
    return Table(_COLUMNS, rows)


def _row(
    service: ServiceSummary, facts: CatalogueFacts, now: datetime
) -> tuple[Cell, ...]:
    limit_s = facts.limit_s(service.kind)
    totals = facts.history.totals(service.id) if facts.history else ()
    found = inspire.conformity(facts.catalogue.checks(service.id), totals, now, limit_s)
    share = found.availability
    return (
        service.kind,
        service.endpoint,
        found.checks,
        "" if share is None else f"{100 * share:.2f} %",
        _SAID[found.availability_met],
        "" if found.response_s is None else found.response_s,
        limit_s,
        _SAID[found.response_met],
    )


INSPIRE = CatalogueReport(
    "inspire",
    "What INSPIRE asks of services: 99 % available in a year, and nine answers of ten in time",
    _table,
)
