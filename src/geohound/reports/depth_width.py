"""Pages, tests and new services by width (segment of ten seeds) and link depth (Sidsten 2012; PolarHub)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from geohound.model.crawl.frontier import EndedVisit
from geohound.model.crawl.task import SEEDS_PER_SEGMENT

from ._table import Cell, TaskReport, new_services


def _rows(visits: Sequence[EndedVisit]) -> list[tuple[Cell, ...]]:
    pages: Counter[tuple[int, int]] = Counter()
    tests: Counter[tuple[int, int]] = Counter()
    services: Counter[tuple[int, int]] = Counter()
    for visit, width, new in zip(
        visits, _widths(visits), new_services(visits), strict=True
    ):
        if visit.was_asked:
            place = width, _page_depth(visit)
            (tests if visit.is_test else pages)[place] += 1
            services[place] += new
    places = sorted({*pages, *tests})
    return [(*place, pages[place], tests[place], services[place]) for place in places]


def _page_depth(visit: EndedVisit) -> int:
    """A test counts at the depth of the page that named it."""
    return max(visit.depth - 1, 0) if visit.is_test else visit.depth


def _widths(visits: Sequence[EndedVisit]) -> list[int]:
    """The segment of the seed from which each was reached, from 1."""
    width_of: dict[str, int] = {}
    seeds = 0
    found = []
    for visit in visits:
        if not visit.parent and visit.url not in width_of:
            width = seeds // SEEDS_PER_SEGMENT + 1
            seeds += 1
        else:
            width = width_of.get(visit.parent or visit.url, 1)
        width_of.setdefault(visit.url, width)
        found.append(width)
    return found


DEPTH_WIDTH = TaskReport(
    "depth-width",
    "Pages, tests and new services by width and depth",
    ("width", "depth", "pages", "tests", "services"),
    _rows,
)
