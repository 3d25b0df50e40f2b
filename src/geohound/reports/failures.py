"""How pages and tests ended: the available fraction, and every failure by its reason (Sidsten 2012, section 4.3.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from geohound.model.crawl.frontier import EndedVisit

from ._table import Cell, TaskReport

ALIVE, READ = "service proved", "read"


def _rows(visits: Sequence[EndedVisit]) -> list[tuple[Cell, ...]]:
    """Shares are those of all tests, or pages, that were asked for; what was not asked for has none."""
    ends = Counter((_what(visit), _end(visit)) for visit in visits)
    asked = Counter(_what(visit) for visit in visits)
    ranked = sorted(
        ends.items(), key=lambda item: (_ORDER[item[0][0]], -item[1], item[0][1])
    )
    return [
        (what, end, count, _share(count, asked[what]) if what != DROPPED else "")
        for (what, end), count in ranked
    ]


DROPPED = "not asked"
_ORDER = {"test": 0, "page": 1, DROPPED: 2}


def _what(visit: EndedVisit) -> str:
    if not visit.was_asked:
        return DROPPED
    return "test" if visit.is_test else "page"


def _end(visit: EndedVisit) -> str:
    if visit.services:
        return ALIVE
    return visit.reason or READ


def _share(count: int, of: int) -> str:
    return f"{100 * count / of:.2f} %"


FAILURES = TaskReport(
    "failures",
    "How tests and pages ended: services proved, and every failure by its reason",
    ("what", "end", "urls", "share"),
    _rows,
)
