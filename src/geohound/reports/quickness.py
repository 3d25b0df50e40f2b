"""Quickness: services found by the number of URLs that were asked for, in steps (Sidsten 2012)."""

from __future__ import annotations

from collections.abc import Sequence

from geohound.model.crawl.frontier import EndedVisit

from ._table import Cell, TaskReport, by_time, new_services

STEPS = 20


def _rows(visits: Sequence[EndedVisit]) -> list[tuple[Cell, ...]]:
    asked = [visit for visit in visits if visit.was_asked]
    new = new_services(asked)
    began = min((visit.at for visit in asked), default=0.0)
    rows: list[tuple[Cell, ...]] = []
    services = pages = 0
    size = max(1, -(-len(asked) // STEPS))
    for count, place in enumerate(by_time(asked), 1):
        services += new[place]
        pages += not asked[place].is_test
        if count % size == 0 or count == len(asked):
            seconds = round(asked[place].at - began, 1)
            rows.append((len(rows) + 1, count, pages, services, seconds))
    return rows


QUICKNESS = TaskReport(
    "quickness",
    "Services found by URLs asked for, in at most 20 steps",
    ("step", "urls", "pages", "services", "seconds"),
    _rows,
)
