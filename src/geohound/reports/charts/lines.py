"""Lines over a common axis."""

from __future__ import annotations

from collections.abc import Sequence

from .svg import SERIES, WIDTH, Svg, nice, shown

LEFT, RIGHT, TOP, BOTTOM, HEIGHT = 52, 12, 30, 36, 230


def draw_lines(
    svg: Svg,
    points: Sequence[tuple[float, list[float]]],
    names: tuple[str, ...],
    axis: str,
) -> str:
    svg.legend(names, 16)
    high = nice(max((max(values) for _, values in points), default=1.0) or 1.0)
    wide = nice(max((x for x, _ in points), default=1.0) or 1.0)
    across, up = (WIDTH - LEFT - RIGHT) / wide, (HEIGHT - TOP - BOTTOM) / high
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = HEIGHT - BOTTOM - share * high * up
        svg.add("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, stroke="line")
        svg.text(LEFT - 6, y + 4, shown(share * high), anchor="end", fill="soft")
        x = LEFT + share * wide * across
        svg.text(
            x,
            HEIGHT - BOTTOM + 16,
            shown(share * wide),
            anchor="end" if share == 1 else "middle",
            fill="soft",
        )
    svg.text(WIDTH - RIGHT, HEIGHT - 4, axis, anchor="end", fill="soft")
    for place in range(len(names)):
        line = " ".join(
            f"{LEFT + x * across:.1f},{HEIGHT - BOTTOM - values[place] * up:.1f}"
            for x, values in [(0.0, [0.0] * len(names)), *points]
        )
        svg.add(
            "polyline", points=line, fill="none", stroke=SERIES[place], stroke_width=2
        )
    return svg.document(HEIGHT)
