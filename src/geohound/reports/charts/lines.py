"""Lines over a common axis."""

from __future__ import annotations

from collections.abc import Sequence

from .svg import COLOURS, LINE, SOFT, WIDTH, Svg, nice, shown

LEFT, RIGHT, TOP, BOTTOM, HEIGHT = 60, 16, 30, 36, 300


def draw_lines(svg: Svg, points: Sequence[tuple[float, list[float]]], names: tuple[str, ...], axis: str) -> str:
    svg.legend(names, 16)
    high = nice(max((max(values) for _, values in points), default=1.0) or 1.0)
    wide = nice(max((x for x, _ in points), default=1.0) or 1.0)
    across, up = (WIDTH - LEFT - RIGHT) / wide, (HEIGHT - TOP - BOTTOM) / high
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = HEIGHT - BOTTOM - share * high * up
        svg.add("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, stroke=LINE)
        svg.text(LEFT - 6, y + 4, shown(share * high), anchor="end", fill=SOFT)
        x = LEFT + share * wide * across
        svg.text(x, HEIGHT - BOTTOM + 16, shown(share * wide), anchor="middle", fill=SOFT)
    svg.text(WIDTH - RIGHT, HEIGHT - 4, axis, anchor="end", fill=SOFT)
    for place in range(len(names)):
        line = " ".join(
            f"{LEFT + x * across:.1f},{HEIGHT - BOTTOM - values[place] * up:.1f}"
            for x, values in [(0.0, [0.0] * len(names)), *points]
        )
        svg.add("polyline", points=line, fill="none", stroke=COLOURS[place], stroke_width=2)
    return svg.document(HEIGHT)
