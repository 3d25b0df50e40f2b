"""Tables as text and HTML, and a small map; texts from services are escaped."""

from __future__ import annotations

import html
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from unicodedata import combining, east_asian_width

from geohound.model.bbox import BBox
from geohound.urls import canonical

_WIDEST_CHARS = 56
_MAX_BOXES = 200


def text_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns side by side, long cells cut."""
    cells = [[_line(cell) for cell in row] for row in (columns, *rows)]
    widths = [max(_width(row[at]) for row in cells) for at in range(len(columns))]
    padded = (
        ((c + " " * (w - _width(c))) for c, w in zip(row, widths, strict=True))
        for row in cells
    )
    return "\n".join("  ".join(row).rstrip() for row in padded)


def _width(text: str) -> int:
    """The columns of a terminal: two for most East Asian characters, none for combining ones."""
    return sum(
        0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text
    )


def _line(text: str) -> str:
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return text if len(text) <= _WIDEST_CHARS else f"{text[: _WIDEST_CHARS - 1]}…"


def html_table(
    heading: str, columns: Sequence[str], rows: Sequence[Sequence[str]]
) -> str:
    head = "".join(f"<th style='text-align:left'>{_escape(c)}</th>" for c in columns)
    body = "".join(
        f"<tr>{''.join(f'<td style=text-align:left>{_cell(c)}</td>' for c in row)}</tr>"
        for row in rows
    )
    table = (
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        if rows
        else ""
    )
    return f"<p>{_escape(heading)}</p>{table}"


def _cell(text: str) -> str:
    """Web addresses as links."""
    address = canonical(text) if text.startswith(("http://", "https://")) else None
    if address is None:
        return _escape(_line(text))
    return f'<a href="{_escape(address)}" rel="noopener noreferrer" target="_blank">{_escape(_line(text))}</a>'


def _escape(text: str) -> str:
    # Notebooks are saved as UTF-8, which cannot encode lone surrogates.
    return html.escape(text.encode("utf-8", "replace").decode(), quote=True)


def map_svg(boxes: Sequence[BBox | None], asked: BBox | None = None) -> str:
    """The world in outline with the boxes on it, in plain degrees; the box asked for is dashed."""
    shapes = [
        _rectangle(part, "#b5541c", "")
        for box in boxes[:_MAX_BOXES]
        if box
        for part in box.parts()
    ]
    if asked:
        shapes += [
            _rectangle(part, "#1c5bb5", ' stroke-dasharray="3 2"')
            for part in asked.parts()
        ]
    grid = "".join(f"M{x} 0v180" for x in range(30, 360, 30)) + "".join(
        f"M0 {y}h360" for y in range(30, 180, 30)
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 360 180" width="540" height="270" role="img" '
        'aria-label="Map of the results" style="max-width:100%;height:auto">'
        '<rect width="360" height="180" fill="#eaf1f5"/>'
        f'<path d="{grid}" stroke="#d3dde3" stroke-width=".4" fill="none"/>'
        f'<path d="{_land()}" fill="#d9dccb" stroke="#b9bda8" stroke-width=".4"/>{"".join(shapes)}</svg>'
    )


def _rectangle(box: BBox, colour: str, more: str) -> str:
    x, y = box.west + 180, 90 - box.north
    width, height = (
        max(box.width, 1.2),
        max(box.height, 1.2),
    )  # a town would not be seen
    return (
        f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" fill="{colour}" '
        f'fill-opacity=".12" stroke="{colour}" stroke-width=".8"{more}/>'
    )


@cache
def _land() -> str:
    """Coarse outlines of the land, after Natural Earth, which is in the public domain."""
    return Path(__file__).with_name("land.txt").read_text("ascii").strip()
