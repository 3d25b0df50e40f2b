"""Columns over time: each is the whole of its day, in the shares of its parts."""

from __future__ import annotations

from collections.abc import Sequence

from .svg import WIDTH, Svg, shorten

LEFT, RIGHT, TOP, BOTTOM, HEIGHT = 40, 4, 10, 22, 190
GAP = 2
# Parts that have a colour everywhere.
_COLOURS = {"good": "good", "failed": "bad", "unclear": "unknown"}


def draw_columns(
    svg: Svg, columns: Sequence[tuple[str, list[float]]], parts: tuple[str, ...]
) -> str:
    """The first part at the bottom; a day without anything stays empty."""
    high = HEIGHT - TOP - BOTTOM
    step = (WIDTH - LEFT - RIGHT) / max(len(columns), 1)
    for share in (0, 0.5, 1):
        y = HEIGHT - BOTTOM - share * high
        svg.add("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, stroke="line")
        svg.text(LEFT - 6, y + 4, f"{share:.0%}", anchor="end", size=11, fill="soft")
    for place, (_, values) in enumerate(columns):
        x, y, whole = LEFT + place * step, float(HEIGHT - BOTTOM), sum(values)
        for part, value in zip(parts, values, strict=True):
            height = high * value / whole if whole else 0.0
            y -= height
            if height:
                colour = _COLOURS.get(part, "c0")
                svg.add(
                    "rect",
                    x=x + GAP / 2,
                    y=y,
                    width=step - GAP,
                    height=height,
                    fill=colour,
                )
    if columns:
        svg.text(LEFT, HEIGHT - 6, shorten(columns[0][0], 12), size=11, fill="soft")
        svg.text(
            WIDTH - RIGHT,
            HEIGHT - 6,
            shorten(columns[-1][0], 12),
            anchor="end",
            size=11,
            fill="soft",
        )
    return svg.document(HEIGHT)
