"""How likely a link that no check by URL took for a duplicate is one (Sidsten 2012, section 4.3.3).

Two checks follow each other: that by URL drops links before they are tested, that by content compares what answered.
What the second one finds, the first one missed: its false negatives. The thesis found a fifth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from geohound import urls
from geohound.model.crawl.frontier import EndedVisit

from ._table import Cell, TaskReport, by_time

SAME, OTHER = "on the same host", "on another host"


def _rows(visits: Sequence[EndedVisit]) -> list[tuple[Cell, ...]]:
    """Of the tests that a service answered: those that proved none which an earlier test had not."""
    hosts: dict[str, set[str]] = {}  # of each service, those at which it was met
    found = Counter[str]()
    answered = 0
    for visit in (visits[place] for place in by_time(visits)):
        if not (visit.is_test and visit.services):
            continue
        answered += 1
        host = urls.host(visit.url)
        if all(service in hosts for service in visit.services):
            met = set[str]().union(*(hosts[service] for service in visit.services))
            found[SAME if host in met else OTHER] += 1
        for service in visit.services:
            hosts.setdefault(service, set()).add(host)
    rows = [(where, answered, found[where]) for where in (SAME, OTHER)]
    rows.append(("all", answered, found.total()))
    return [(*row, f"{100 * row[2] / answered:.1f} %") for row in rows if answered]


DUPLICATES = TaskReport(
    "duplicates",
    "Tests that a service answered which was known already: what the check by URL missed",
    ("what", "answered", "duplicates", "share"),
    _rows,
)
