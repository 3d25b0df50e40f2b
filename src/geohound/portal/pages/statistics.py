"""Figures of the catalogue, or of one task, each as a chart with its table and its files: /statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from geohound.portal.portal import portal_of
from geohound.portal.records import ReportParams
from geohound.portal.reports import REPORTS, report_table
from geohound.portal.task_changes import chosen_task, seen_tasks
from geohound.reports import TASK_REPORTS
from geohound.reports._table import Table
from geohound.reports.charts import CHARTS
from geohound.views.parsing import read

from .rendering import render

SHOWN_ROWS = 10
# In the order of the page; the others are listed below it.
_OF_CATALOGUE = (
    "density", "countries", "country-growth", "clumping", "software", "topic-places", "classes", "classes-exclusive",
    "urls", "availability", "changes", "halflife", "candidates", "sources", "domains", "sites", "states",
)  # fmt: skip
_OF_TASK = ("quickness", "depth-width", "failures", "hosts")


@dataclass(frozen=True)
class Figure:
    """One report on the page."""

    name: str
    title: str
    table: Table
    query: str  # of its files
    has_chart: bool

    @property
    def rows(self) -> list[tuple[str | int | float, ...]]:
        return self.table.rows[:SHOWN_ROWS]

    @property
    def left(self) -> int:
        return max(0, len(self.table.rows) - SHOWN_ROWS)


def statistics_page(request: Request) -> Response:
    """GET /statistics"""
    portal = portal_of(request)
    given = {name: request.query_params.get(name, "") for name in ("task", "radius")}
    asked = read(ReportParams, {name: [text] for name, text in given.items() if text})
    task = chosen_task(request, asked.task)
    tasks = seen_tasks(request) if portal.tasks else []
    more: dict[str, Any] = {"which": asked.task, "radius_miles": asked.radius}
    pairs: dict[str, Any] = {"task": asked.task} if asked.task else {}
    pairs["radius"] = f"{asked.radius:g}"
    figures = [_figure(request, name, task, pairs, more) for name in _OF_CATALOGUE if name in REPORTS]
    shown = [figure for figure in figures if figure.table.rows]
    of_task = [_figure(request, name, task, {"task": task}, {}) for name in _OF_TASK] if task else []
    context = {
        "totals": report_table(portal, "totals").rows,
        "figures": shown,
        "task_figures": [figure for figure in of_task if figure.table.rows],
        "task": task,
        "asked": asked,
        "tasks": [each.id for each in tasks[:100]],
        "others": {
            n: t for n, t in REPORTS.items() if n not in (*_OF_CATALOGUE, *_OF_TASK, "comparison", "difference")
        },
        "attribution": portal.about.attribution,
    }
    return render(request, "statistics.html", context)


def _figure(request: Request, name: str, task: int, pairs: Mapping[str, Any], more: dict[str, Any]) -> Figure:
    own = more if name not in TASK_REPORTS else {}
    table = report_table(portal_of(request), name, task, **own)
    return Figure(name, REPORTS[name], table, urlencode(pairs), name in CHARTS and bool(table.rows))
