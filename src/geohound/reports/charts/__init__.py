"""Tables of reports as charts in SVG: bars, lines or a map, as a table says for each report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from geohound.reports._table import Cell, Table

from .bars import draw_grouped, draw_stacked
from .columns import draw_columns
from .lines import draw_lines
from .svg import Svg
from .world import Land, MapColumns, draw_world

MAX_BARS = 20


class Chart(NamedTuple):
    """Which columns of a report are drawn, and how."""

    form: str  # bars (parts of a whole), groups (of bars), columns (over time), lines, map
    label: str = ""  # column with the names of bars, or the x axis
    values: tuple[str, ...] = ()  # none: all columns after those left out
    without: tuple[str, ...] = ()
    rows: int = MAX_BARS
    group: str = ""  # column whose value comes before the name of a bar


CHARTS = {
    "countries": Chart(
        "bars", "country", without=("services", "hosts", "guessed"), rows=10
    ),  # Fig. 11: top ten
    "domains": Chart("bars", "domain", without=("services", "hosts")),
    "sites": Chart("bars", "site", without=("services", "hosts")),
    "software": Chart("bars", "software", without=("services", "hosts")),
    "kinds": Chart("bars", "title", ("services",)),
    "states": Chart("bars", "state", ("services",)),
    "providers": Chart("bars", "provider", ("services",)),
    "licences": Chart("bars", "licence", ("services",)),
    "classes": Chart("bars", "class", ("services",)),
    "classes-exclusive": Chart("bars", "class", ("services",)),
    "clumping": Chart("groups", "services_per_host", ("hosts", "services")),
    "failures": Chart("bars", "end", ("urls",), group="what"),
    "hosts": Chart("bars", "host", ("services",)),
    "sources": Chart("groups", "source", ("seeds", "services")),
    "comparison": Chart("groups", "what", ("catalogue", "list")),
    "candidates": Chart("bars", "what", ("count",)),
    "methods": Chart("groups", "method", ("services", "live")),
    "urls": Chart("bars", "part", ("services",), rows=12),
    "uptime": Chart("columns", "day", ("good", "failed", "unclear")),
    "quickness": Chart("lines", "urls", ("services",)),
    "depth-width": Chart(
        "groups", "depth", ("pages", "tests", "services"), group="width"
    ),
    "density": Chart("map", values=("within_radius",)),
    "country-growth": Chart("map", values=("before", "now")),
    "topic-places": Chart("map", "label", ("of_topic",)),
}


def draw(
    name: str,
    title: str,
    table: Table,
    land: Sequence[Land] | str = (),
    words: Mapping[str, str] | None = None,
) -> str | None:
    """The chart of a report as an SVG document; None where its table is not to be drawn.

    `words` are what columns are called, by their names; `land` may be the id of a path in the page around the chart.
    """
    chart = CHARTS.get(name)
    if chart is None or not table.rows:
        return None
    columns = list(table.columns)
    left_out = (chart.label, *chart.without)
    shown = chart.values or tuple(c for c in columns if c not in left_out)
    places = [columns.index(column) for column in shown]
    named = {column: column.replace("_", " ") for column in columns} | dict(words or {})
    names = tuple(named[column] for column in shown)
    svg = Svg(title)
    label = columns.index(chart.label) if chart.label else -1
    if chart.form == "map":
        where = MapColumns(columns.index("lat"), columns.index("lon"), places, label)
        return draw_world(svg, table.rows, where, names, land)
    if chart.form == "lines":
        points = [_point(row, label, places) for row in table.rows]
        return draw_lines(svg, points, names, named[chart.label])
    group = columns.index(chart.group) if chart.group else -1
    of_bars = BarColumns(
        label, group, places, (named.get(chart.group, ""), named.get(chart.label, ""))
    )
    bars = [_bar(row, of_bars) for row in table.rows]
    if chart.form == "columns":
        return draw_columns(svg, bars, shown)
    filled = [bar for bar in bars if any(bar[1])]
    if not filled:
        return None
    draw_them = draw_grouped if chart.form == "groups" else draw_stacked
    return draw_them(svg, filled[: chart.rows], names)


def _point(
    row: tuple[Cell, ...], label: int, places: Sequence[int]
) -> tuple[float, list[float]]:
    return float(row[label]), [float(row[place]) for place in places]


class BarColumns(NamedTuple):
    """Where a row has the names and the values of its bar, and what its name is called."""

    label: int
    group: int  # -1: none
    values: Sequence[int]
    called: tuple[str, str]  # group and label


def _bar(row: tuple[Cell, ...], at: BarColumns) -> tuple[str, list[float]]:
    return _bar_name(row, at), [_number(row[place]) for place in at.values]


def _bar_name(row: tuple[Cell, ...], at: BarColumns) -> str:
    """A number says nothing without the name of its column."""
    if at.group < 0:
        return str(row[at.label])
    named = zip((row[at.group], row[at.label]), at.called, strict=True)
    said = (
        f"{what} {cell}" if isinstance(cell, int) else str(cell) for cell, what in named
    )
    return " · ".join(said)


def _number(cell: object) -> float:
    return float(cell) if isinstance(cell, int | float) else 0.0
