"""Candidates that were tested: total, available, hosts, and the dead by reason (Hou, Chen & Wu 2016, table 7)."""

from __future__ import annotations

from ._table import CatalogueFacts, CatalogueReport, Table


def _table(facts: CatalogueFacts) -> Table:
    counts = facts.catalogue.count_candidates()
    rows = [
        ("total", counts.total),
        ("available", counts.available),
        ("hosts", counts.hosts),
        ("hosts with an available service", counts.hosts_available),
        *((f"dead: {reason}", count) for reason, count in counts.dead.items()),
    ]
    return Table(("what", "count"), list(rows))


CANDIDATES = CatalogueReport(
    "candidates", "Candidates that were tested, and why some are no services", _table
)
