"""Uptime: the checks of all services by day, and the share of those that found a service in order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from geohound.model.catalogue import CheckCounts

from ._table import CatalogueFacts, CatalogueReport, Cell, Table

DAYS = 30  # not more than every check is kept for: KEPT_DAYS of the model


def _table(facts: CatalogueFacts) -> Table:
    today = (facts.now or datetime.now(UTC)).replace(
        hour=0, minute=0, second=0, microsecond=0
    )
    first = today - timedelta(days=DAYS - 1)
    counts = facts.catalogue.count_checks(first, DAYS)
    rows = [
        _row(first + timedelta(days=place), day) for place, day in enumerate(counts)
    ]
    return Table(
        ("day", "good", "failed", "unclear", "available"),
        rows if any(map(sum, counts)) else [],
    )


def _row(day: datetime, counted: CheckCounts) -> tuple[Cell, ...]:
    conclusive = counted.good + counted.failed
    share: Cell = f"{100 * counted.good / conclusive:.1f} %" if conclusive else ""
    return (f"{day:%Y-%m-%d}", *counted, share)


UPTIME = CatalogueReport(
    "uptime",
    f"Checks of the last {DAYS} days: good, failed, unclear, and the share of good ones",
    _table,
)
