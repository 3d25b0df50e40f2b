"""Pages that name services, and how many of these answer (Sidsten 2012, sections 3.1.1 and 4.3.1, large listing pages).

A link that several pages name counts for the first of them, as each is tested once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from geohound.model.crawl.frontier import EndedVisit

from ._table import Cell, TaskReport

ALL = "all list pages"


def _rows(visits: Sequence[EndedVisit]) -> list[tuple[Cell, ...]]:
    """Those that named most come first; the last row is the sum."""
    tested, live = Counter[str](), Counter[str]()
    for visit in visits:
        if visit.is_test and visit.was_asked and visit.parent:
            tested[visit.parent] += 1
            live[visit.parent] += bool(visit.services)
    largest_first = sorted(tested, key=lambda page: (-tested[page], page))
    rows = [_row(page, tested[page], live[page]) for page in largest_first]
    return [*rows, _row(ALL, tested.total(), live.total())] if rows else []


def _row(page: str, tested: int, live: int) -> tuple[Cell, ...]:
    return page, tested, live, f"{100 * live / tested:.1f} %"


LIST_PAGES = TaskReport(
    "list-pages",
    "Pages that named services, and the share of these that answered",
    ("page", "tests", "live", "available"),
    _rows,
)
