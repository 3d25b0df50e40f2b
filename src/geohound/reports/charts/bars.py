"""Horizontal bars, stacked where there are several values, each with its sum."""

from __future__ import annotations

from collections.abc import Sequence

from .svg import COLOURS, SOFT, WIDTH, Svg, shorten, shown

LEFT, RIGHT, ROW, TOP = 190, 60, 26, 14
MAX_LABEL_CHARS = 26


def draw_bars(svg: Svg, bars: Sequence[tuple[str, list[float]]], names: tuple[str, ...]) -> str:
    many = len(names) > 1
    top = TOP + (22 if many else 0)
    if many:
        svg.legend(names, TOP + 4)
    most = max((sum(values) for _, values in bars), default=0.0) or 1.0
    scale = (WIDTH - LEFT - RIGHT) / most
    for place, (label, values) in enumerate(bars):
        y = top + place * ROW
        svg.text(LEFT - 8, y + 16, shorten(label, MAX_LABEL_CHARS), anchor="end")
        x = float(LEFT)
        for value, colour in zip(values, _colours(len(values)), strict=True):
            if value > 0:
                svg.add("rect", x=x, y=y + 4, width=max(value * scale, 0.5), height=ROW - 9, rx=2, fill=colour)
            x += value * scale
        svg.text(x + 6, y + 16, shown(sum(values)), fill=SOFT)
    return svg.document(top + len(bars) * ROW + 8)


def _colours(count: int) -> list[str]:
    return [COLOURS[place % len(COLOURS)] for place in range(count)]
