"""Horizontal bars: parts of a whole end to end with their sum, other values below each other."""

from __future__ import annotations

from collections.abc import Sequence

from .svg import CHAR, WIDTH, Svg, room_of, series, shorten, shown

RIGHT, ROW, TOP = 46, 24, 12
THIN = 13  # height of one of several bars below each other
MAX_LABEL_CHARS = 24
Bars = Sequence[tuple[str, list[float]]]


def draw_stacked(svg: Svg, bars: Bars, names: tuple[str, ...]) -> str:
    """The values of a row are parts of one whole."""
    top = _begin(svg, names)
    left = _left(bars)
    scale = _scale(left, max((sum(values) for _, values in bars), default=0.0))
    for place, (label, values) in enumerate(bars):
        y = top + place * ROW
        svg.text(left - 8, y + 15, shorten(label, MAX_LABEL_CHARS), anchor="end")
        x = left
        for value, colour in zip(values, series(len(values)), strict=True):
            if value > 0:
                svg.add(
                    "rect",
                    x=x,
                    y=y + 4,
                    width=max(value * scale, 0.5),
                    height=ROW - 9,
                    rx=2,
                    fill=colour,
                )
            x += value * scale
        svg.text(x + 6, y + 15, shown(sum(values)), fill="soft")
    return svg.document(top + len(bars) * ROW + 8)


def draw_grouped(svg: Svg, bars: Bars, names: tuple[str, ...]) -> str:
    """The values of a row are of different things: each has its own bar from the same line."""
    top = _begin(svg, names)
    left = _left(bars)
    scale = _scale(left, max((max(values) for _, values in bars), default=0.0))
    row = THIN * len(names) + 10
    for place, (label, values) in enumerate(bars):
        y = top + place * row
        svg.text(left - 8, y + row / 2, shorten(label, MAX_LABEL_CHARS), anchor="end")
        for line, (value, colour) in enumerate(
            zip(values, series(len(values)), strict=True)
        ):
            at = y + line * THIN
            svg.add(
                "rect",
                x=left,
                y=at,
                width=max(value * scale, 0.5),
                height=THIN - 3,
                rx=2,
                fill=colour,
            )
            svg.text(
                left + value * scale + 6, at + 9, shown(value), size=11, fill="soft"
            )
    return svg.document(top + len(bars) * row + 4)


def _begin(svg: Svg, names: tuple[str, ...]) -> float:
    """A legend where there are several values; where the bars begin."""
    return TOP + 22 + svg.legend(names, TOP + 4) if len(names) > 1 else TOP


def _left(bars: Bars) -> float:
    """Where bars begin: names have as much room as they need, and not more."""
    longest = max((room_of(label) for label, _ in bars), default=0.0)
    return 16 + CHAR * min(longest, MAX_LABEL_CHARS)


def _scale(left: float, most: float) -> float:
    return (WIDTH - left - RIGHT) / (most or 1.0)
