"""Draw who imports whom among the parts of Geohound: rows are the layers of `pyproject.toml`, arrows are the code.

An arrow is left out where a way of other arrows says the same (the transitive reduction): what is drawn is the least
from which all imports follow. The picture's description holds the arrows as text, so that a test can compare them.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from bench.measuring.imports import graph_of  # noqa: E402

PICTURE = ROOT / "docs" / "imports.svg"
PACKAGE = "geohound"
ROW, COLUMN = 1.0, 1.55
SWEEPS = 12
Edges = Mapping[str, set[str]]


def main() -> None:
    draw(layers(), arrows(), PICTURE)
    print(f"drawn: {PICTURE.relative_to(ROOT)}")


def layers() -> list[list[str]]:
    """The declared layers from the top, without the package's name."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"][
        "importlinter"
    ]
    declared = next(c for c in config["contracts"] if c["type"] == "layers")
    return [[name.strip() for name in row.split("|")] for row in declared["layers"]]


def arrows() -> dict[str, set[str]]:
    """What each part imports and does not reach otherwise; type-checking imports count."""
    graph = graph_of(PACKAGE, ROOT / "src")
    parts = sorted(child.rpartition(".")[2] for child in graph.find_children(PACKAGE))
    modules = {
        part: {f"{PACKAGE}.{part}", *graph.find_descendants(f"{PACKAGE}.{part}")}
        for part in parts
    }
    home = {module: part for part, members in modules.items() for module in members}
    direct: dict[str, set[str]] = {part: set() for part in parts}
    for part, members in modules.items():
        imported = {
            name
            for module in members
            for name in graph.find_modules_directly_imported_by(module)
        }
        direct[part] = {home[name] for name in imported if name in home} - {part}
    return {part: _needed(part, direct) for part in parts}


def _needed(part: str, direct: Edges) -> set[str]:
    return {
        goal
        for goal in direct[part]
        if not any(goal in _reached(by, direct) for by in direct[part] - {goal})
    }


def _reached(start: str, edges: Edges) -> set[str]:
    found, waiting = set[str](), [start]
    while waiting:
        new = edges[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def as_text(drawn: Edges) -> str:
    return "; ".join(
        f"{part} > {', '.join(sorted(goals))}"
        for part, goals in sorted(drawn.items())
        if goals
    )


def draw(rows: Sequence[Sequence[str]], drawn: Edges, target: Path) -> None:
    import matplotlib as mpl  # noqa: PLC0415 - only drawing needs it

    mpl.use("svg")
    mpl.rcParams |= {
        "svg.hashsalt": PACKAGE,
        "svg.fonttype": "none",
        "font.family": "sans-serif",
    }
    from matplotlib import pyplot as plt  # noqa: PLC0415 - after the choice of a backend

    places = _places(rows, drawn)
    widest = max(abs(x) for x, _ in places.values()) + COLUMN
    figure, axes = plt.subplots(figsize=(2 * widest, ROW * len(rows)))
    axes.set_axis_off()
    axes.set_xlim(-widest, widest)
    axes.set_ylim(-len(rows) + 0.4, 0.6)
    for part, goals in drawn.items():
        for goal in goals:
            _arrow(axes, places[part], places[goal])
    box = {"boxstyle": "round,pad=0.35", "facecolor": "#f3f6fa", "edgecolor": "#52657a"}
    for part, (x, y) in places.items():
        axes.text(
            x,
            y,
            part,
            ha="center",
            va="center",
            fontsize=10,
            color="#1d2733",
            bbox=box,
            zorder=3,
        )
    figure.savefig(
        target,
        bbox_inches="tight",
        metadata={"Date": None, "Description": as_text(drawn)},
    )
    plt.close(figure)


def _arrow(axes: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    bend = 0.0 if start[1] - end[1] <= ROW else 0.12 * (1 if start[0] <= end[0] else -1)
    style = {
        "arrowstyle": "-|>",
        "color": "#7d93ab",
        "lw": 1.0,
        "connectionstyle": f"arc3,rad={bend}",
    }
    axes.annotate(
        "",
        xytext=(start[0], start[1] - 0.17),
        xy=(end[0], end[1] + 0.17),
        arrowprops=style,
        zorder=1,
    )


def _places(
    rows: Sequence[Sequence[str]], drawn: Edges
) -> dict[str, tuple[float, float]]:
    """Each part in its row, near what it imports and what imports it: rows are sorted by the mean of neighbours."""
    near = {part: set(goals) for part, goals in drawn.items()}
    for part, goals in drawn.items():
        for goal in goals:
            near[goal].add(part)
    order = [list(row) for row in rows]
    across = {
        part: _column(index, len(row))
        for row in order
        for index, part in enumerate(row)
    }
    for _ in range(SWEEPS):
        for row in order:
            row.sort(
                key=lambda part: (
                    sum(across[n] for n in near[part]) / max(1, len(near[part]))
                )
            )
            across |= {part: _column(index, len(row)) for index, part in enumerate(row)}
    return {
        part: (across[part] + _aside(depth, len(row)), -depth * ROW)
        for depth, row in enumerate(order)
        for part in row
    }


def _aside(depth: int, count: int) -> float:
    """A part alone in its row stands a little aside of the next such part, so that arrows pass between them."""
    return (depth % 3 - 1) * COLUMN * 0.7 if count == 1 else 0.0


def _column(index: int, count: int) -> float:
    """Rows of few parts are drawn wider, so that arrows find a way between them."""
    return (index - (count - 1) / 2) * COLUMN * (2 if count < 5 else 1)


if __name__ == "__main__":
    main()
