"""A map of the world with a circle at each place, or two beside each other; outlines where they are at hand."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from geohound.reports._table import Cell

from .svg import CHAR, RAMP, SERIES, WIDTH, Svg, room_of, shown

Land = Sequence[tuple[float, float]]  # a ring of longitudes and latitudes
HEIGHT, TOP = 216, 26
_NORTH, _SOUTH = 85.0, -60.0
MAX_PLACES = 1_500
_STEP = 18  # width of a colour of the scale
_APART = 0.35  # points of an outline that are closer than this are one


class MapColumns(NamedTuple):
    """Where the numbers of a row are; no label: -1."""

    lat: int
    lon: int
    values: Sequence[int]
    label: int = -1


def draw_world(
    svg: Svg,
    rows: Sequence[tuple[Cell, ...]],
    where: MapColumns,
    names: tuple[str, ...],
    land: Sequence[Land] | str,
) -> str:
    """The land: outlines, or the id of the path that the page has them in."""
    svg.add("rect", x=0, y=TOP, width=WIDTH, height=HEIGHT - TOP, fill="sea")
    if isinstance(land, str):
        svg.add("use", href=f"#{land}", fill="land", stroke="border", stroke_width=0.5)
    elif land:
        svg.add(
            "path",
            d=land_path(tuple(map(tuple, land))),
            fill="land",
            stroke="border",
            stroke_width=0.5,
        )
    else:
        for lon in range(-150, 180, 30):
            svg.add("line", x1=_x(lon), x2=_x(lon), y1=TOP, y2=HEIGHT, stroke="line")
    placed = [row for row in rows[:MAX_PLACES] if row[where.lat] != ""]
    most = (
        max(
            (float(row[place]) for row in placed for place in where.values), default=1.0
        )
        or 1.0
    )
    if len(names) > 1:
        svg.legend(names, 16)
    else:
        _draw_scale(svg, names[0], most)
    for row in reversed(_one_a_place(placed, where)):
        _draw_place(svg, row, where, most)
    return svg.document(HEIGHT)


def _one_a_place(
    rows: Sequence[tuple[Cell, ...]], where: MapColumns
) -> list[tuple[Cell, ...]]:
    """Of rows for the same place, as of several topics, that with the most: circles would hide each other."""
    best: dict[tuple[Cell, Cell], tuple[Cell, ...]] = {}
    for row in rows:
        at = row[where.lat], row[where.lon]
        first = where.values[0]
        if at not in best or float(row[first]) > float(best[at][first]):
            best[at] = row
    return list(best.values())


def _draw_scale(svg: Svg, name: str, most: float) -> None:
    """The colours from few to many, with the ends of the scale."""
    svg.text(10, 16, name)
    x = WIDTH - 10 - room_of(shown(most)) * CHAR - len(RAMP) * _STEP - 6
    svg.text(x - 6, 16, "1", anchor="end", fill="soft")
    for place, colour in enumerate(RAMP):
        svg.add("rect", x=x + place * _STEP, y=7, width=_STEP, height=10, fill=colour)
    svg.text(x + len(RAMP) * _STEP + 6, 16, shown(most), fill="soft")


def _draw_place(
    svg: Svg, row: tuple[Cell, ...], where: MapColumns, most: float
) -> None:
    x, y = _x(float(row[where.lon])), _y(float(row[where.lat]))
    if len(where.values) > 1:  # bars side by side, as the published map of two dates
        for place, column in enumerate(where.values):
            height = 42 * float(row[column]) / most
            svg.add(
                "rect",
                x=x + 7 * place - 7,
                y=y - height,
                width=6,
                height=max(height, 0.5),
                fill=SERIES[place],
            )
        return
    value = float(row[where.values[0]])
    share = math.sqrt(value / most)
    colour = RAMP[min(int(share * len(RAMP)), len(RAMP) - 1)]
    svg.add(
        "circle",
        cx=x,
        cy=y,
        r=3 + 11 * share,
        fill=colour,
        fill_opacity=0.6,
        stroke="paper",
        stroke_width=0.8,
    )
    if where.label >= 0 and row[where.label]:
        _draw_label(svg, x, y, 6 + 11 * share, str(row[where.label]))


def _draw_label(svg: Svg, x: float, y: float, away: float, words: str) -> None:
    """Beside its circle, on the land, where it can be read by day and by night."""
    is_far_east = x + away + room_of(words) * CHAR > WIDTH
    at, anchor = (x - away, "end") if is_far_east else (x + away, "start")
    svg.text(at, y + 4, words, anchor=anchor, size=11)


def _x(lon: float) -> float:
    return (lon + 180) / 360 * WIDTH


def _y(lat: float) -> float:
    clipped = max(min(lat, _NORTH), _SOUTH)
    return TOP + (_NORTH - clipped) / (_NORTH - _SOUTH) * (HEIGHT - TOP)


@cache
def land_path(land: Sequence[Land]) -> str:
    """All outlines as one path; those across the 180th meridian are drawn at both edges."""
    drawn = []
    for ring in land:
        whole = _unwrapped(ring)
        drawn.append(_subpath(whole, 0.0))
        if max(lon for lon, _ in whole) > 180:
            drawn.append(_subpath(whole, -360.0))
        if min(lon for lon, _ in whole) < -180:
            drawn.append(_subpath(whole, 360.0))
    return "".join(drawn)


def _unwrapped(ring: Land) -> Land:
    """Without leaps from one edge of the map to the other; a ring around a pole has no other way."""
    turn, last, whole = 0.0, ring[0][0], []
    for lon, lat in ring:
        turn += 360.0 if lon - last < -180 else -360.0 if lon - last > 180 else 0.0
        whole.append((lon + turn, lat))
        last = lon
    return ring if turn else whole


def _subpath(ring: Land, shift: float) -> str:
    points = [(_x(lon + shift), _y(lat)) for lon, lat in ring]
    kept = points[:1]
    for x, y in points[1:]:
        if abs(x - kept[-1][0]) + abs(y - kept[-1][1]) >= _APART:
            kept.append((x, y))
    return "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in kept) + "Z"


@cache
def read_land(path: Path) -> Sequence[Land]:
    """Outlines of countries from a TopoJSON file (world-atlas); none where it cannot be read."""
    try:
        atlas: dict[str, Any] = json.loads(path.read_text("utf-8"))
        arcs = [_decode(arc, atlas["transform"]) for arc in atlas["arcs"]]
        shapes = atlas["objects"]["countries"]["geometries"]
        return [_ring(ring, arcs) for shape in shapes for ring in _rings(shape)]
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return ()


def _decode(
    arc: Sequence[Sequence[int]], transform: dict[str, Sequence[float]]
) -> list[tuple[float, float]]:
    """Positions are differences of whole numbers."""
    (sx, sy), (tx, ty) = transform["scale"], transform["translate"]
    x = y = 0
    points = []
    for dx, dy in arc:
        x, y = x + dx, y + dy
        points.append((x * sx + tx, y * sy + ty))
    return points


def _rings(shape: dict[str, Any]) -> list[list[int]]:
    polygons = [shape["arcs"]] if shape["type"] == "Polygon" else shape["arcs"]
    return [polygon[0] for polygon in polygons]


def _ring(numbers: Sequence[int], arcs: Sequence[Land]) -> Land:
    return [
        point
        for n in numbers
        for point in (arcs[n] if n >= 0 else list(reversed(arcs[~n])))
    ]
