"""Pages, tests, failures and services of each host, those with most services first (Sidsten 2012, section 3.5)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from geohound import urls
from geohound.model.crawl.frontier import EndedVisit

from ._table import Cell, TaskReport, new_services


def _rows(visits: Sequence[EndedVisit]) -> list[tuple[Cell, ...]]:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for visit, new in zip(visits, new_services(visits), strict=True):
        if visit.was_asked:
            host = counts[urls.host(visit.url)]
            host["test" if visit.is_test else "page"] += 1
            host["failure"] += bool(visit.reason)
            host["service"] += new
    best_first = sorted(
        counts,
        key=lambda name: (-counts[name]["service"], -_visits(counts[name]), name),
    )
    every = ((name, counts[name]) for name in best_first)
    return [
        (name, n["page"], n["test"], n["failure"], n["service"]) for name, n in every
    ]


def _visits(host: Counter[str]) -> int:
    return host["page"] + host["test"]


COLUMNS = ("host", "pages", "tests", "failures", "services")
HOSTS = TaskReport(
    "hosts", "Pages, tests, failures and services by host", COLUMNS, _rows
)
