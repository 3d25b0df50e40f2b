"""Figures of the catalogue, a search or a task, each as a chart with its table and its files: /statistics."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from geohound.model.search.query import Query
from geohound.portal.access.rights import may_judge
from geohound.portal.access.visitor import visitor_of
from geohound.portal.assets import land_file
from geohound.portal.languages import PageTexts, language_of
from geohound.portal.portal import Portal, portal_of
from geohound.portal.query_params import from_page
from geohound.portal.recent import FRESH_S, LONG_S, recent
from geohound.portal.records import ReportParams
from geohound.portal.reports import (
    ReportScope,
    report_table,
    scope_of,
    task_tables,
    verdicts_of,
)
from geohound.portal.task_changes import chosen_task, seen_tasks
from geohound.portal.task_events import has_ended
from geohound.reports import TASK_REPORTS, Table
from geohound.reports.charts import CHARTS, draw
from geohound.reports.charts.world import land_path, read_land
from geohound.reports.country_growth import DAYS
from geohound.reports.halflife import TOO_FEW
from geohound.views.params import PAGES, read_query
from geohound.views.parsing import read

from .rendering import render_as_it_comes
from .report_words import WORDS, column_words, with_names

SHOWN_ROWS = 10
SHOWN_TASKS = 100
LAND_ID = "land"
_NOWHERE = 2**62  # a revision that no catalogue has reached
_OWN = ("task", "radius", "since", "until")  # what the page asks for beside a search


class StatisticsPart(NamedTuple):
    """Some of the figures: a page of all of them would be long, and slow."""

    id: str
    title: str
    reports: tuple[str, ...]


PARTS = (
    StatisticsPart("places", "Places", ("density", "countries", "country-growth", "topic-places")),
    StatisticsPart(
        "contents", "Contents",
        ("kinds", "software", "classes", "classes-exclusive", "clumping", "sites", "providers", "licences", "urls",
         "domains"),
    ),
    StatisticsPart("life", "Life", ("uptime", "states", "methods", "availability", "halflife")),
    StatisticsPart(
        "crawls", "Crawls", ("quickness", "depth-width", "failures", "hosts", "candidates", "sources"),
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Figure:
    """One report on the page."""

    name: str
    title: str
    about: str
    table: Table
    columns: dict[str, str]
    chart: str | None
    is_map: bool
    query: str  # of its files

    @property
    def rows(self) -> list[tuple[str | int | float, ...]]:
        return _telling(self.name, self.table)[:SHOWN_ROWS]

    @property
    def left(self) -> int:
        return len(self.table.rows) - len(self.rows)


def _telling(name: str, table: Table) -> list[tuple[str | int | float, ...]]:
    """Without groups of which too few have died to say anything."""
    if name != "halflife":
        return table.rows
    at = table.columns.index("half_life_days")
    return [row for row in table.rows if row[at] != TOO_FEW]


@dataclass(frozen=True)
class StatisticsParams:
    """What the address asks for."""

    params: ReportParams
    query: Query
    scope: ReportScope
    # for the addresses of other pages and files
    pairs: dict[str, Any] = field(default_factory=dict)


def statistics_page(request: Request) -> Response:
    """GET /statistics"""
    portal, spoken = portal_of(request), language_of(request)
    asked = _asked(request)
    named = request.query_params.get("part", "")
    part = next((each for each in PARTS if each.id == named), PARTS[0])
    figures = (_figure(portal, spoken, name, asked) for name in part.reports)
    shown = filter(_has_something, figures)
    since, until = _dates(asked.scope)
    context = {
        "parts_of_page": PARTS,
        "part": part,
        "pairs": asked.pairs,
        "link": lambda **other: urlencode({**asked.pairs, **other}, doseq=True),
        "totals": _table(portal, "totals", asked.scope).rows,
        "figures": shown,
        "land": _outlines() if any(map(_is_map, part.reports)) else "",
        "land_id": LAND_ID,
        "asked": asked.params,
        "words": asked.query.text,
        "is_search": asked.scope.query is not None,
        "task": asked.scope.task,
        "since": since,
        "until": until,
        "may_judge": may_judge(visitor_of(request), portal),
        "tasks": [each.id for each in seen_tasks(request)[:SHOWN_TASKS]]
        if portal.tasks
        else [],
        "attribution": portal.about.attribution,
    }
    return render_as_it_comes(request, "statistics.html", context)


def _has_something(figure: Figure) -> bool:
    is_drawn = figure.chart is not None or figure.name not in CHARTS
    return bool(figure.table.rows) and is_drawn


def _is_map(report: str) -> bool:
    return report in CHARTS and CHARTS[report].form == "map"


def _outlines() -> str:
    return land_path(tuple(map(tuple, read_land(land_file()))))


def _asked(request: Request) -> StatisticsParams:
    portal, sent = portal_of(request), request.query_params
    texts = from_page(sent)
    own = {name: [sent.get(name, "")] for name in _OWN if sent.get(name, "")}
    params = read(ReportParams, own)
    query = read_query(texts, PAGES, portal.choices(texts))
    pairs: dict[str, Any] = {**texts, **{name: texts[0] for name, texts in own.items()}}
    return StatisticsParams(
        params, query, scope_of(params, query, chosen_task(request, params.task)), pairs
    )


def _dates(scope: ReportScope) -> tuple[str, str]:
    """The two dates of the map of countries."""
    until = scope.until or datetime.now(UTC)
    since = scope.since or until - timedelta(days=DAYS)
    return f"{since:%Y-%m-%d}", f"{until:%Y-%m-%d}"


def _table(portal: Portal, name: str, scope: ReportScope) -> Table:
    if name in TASK_REPORTS:
        return recent(
            portal.catalogue,
            ("reports of a task", scope.task),
            lambda: task_tables(portal, scope.task),
            _fresh_s(portal, name, scope),
        )[name]
    return recent(
        portal.catalogue,
        (name, repr(scope), _judged(portal, name)),
        lambda: report_table(portal, name, scope),
        _fresh_s(portal, name, scope),
        _revision(portal, name),
    )


def _revision(portal: Portal, name: str) -> Hashable:
    """What changes with the catalogue and with the lives of its services; visits of a task change neither."""
    if name in TASK_REPORTS:
        return None
    lives = portal.past.history.newest() if portal.past else 0
    return portal.catalogue.changes(_NOWHERE, 1).latest, lives


def _judged(portal: Portal, name: str) -> Hashable:
    """Whoever has judged wants to see what came of it."""
    if name != "classes-exclusive":
        return None
    return frozenset(verdicts_of(portal).items())


def _fresh_s(portal: Portal, name: str, scope: ReportScope) -> float:
    """The visits of a task that has ended stay as they are, and there may be many."""
    is_of_task = name in TASK_REPORTS and portal.tasks is not None and scope.task
    return (
        LONG_S
        if is_of_task and portal.tasks and has_ended(portal.tasks.control, scope.task)
        else FRESH_S
    )


def _figure(
    portal: Portal, spoken: PageTexts, name: str, asked: StatisticsParams
) -> Figure:
    def made() -> Figure:
        table = with_names(portal, _table(portal, name, asked.scope), spoken.text)
        columns = column_words(portal, table.columns, spoken.text)
        if name == "country-growth":
            columns["before"], columns["now"] = _dates(asked.scope)
        title = spoken.text(WORDS[name].title)
        chart = draw(name, title, table, LAND_ID, columns)
        is_map = chart is not None and _is_map(name)
        of_task = {"task": asked.scope.task} if name in TASK_REPORTS else {}
        query = urlencode({**asked.pairs, **of_task}, doseq=True)
        return Figure(
            name,
            title,
            spoken.text(WORDS[name].about),
            table,
            columns,
            chart,
            is_map,
            query,
        )

    asked_for = repr(asked.scope), repr(asked.pairs)
    key = ("figure", spoken.id, name, asked_for, _judged(portal, name))
    fresh_s = _fresh_s(portal, name, asked.scope)
    return recent(portal.catalogue, key, made, fresh_s, _revision(portal, name))
