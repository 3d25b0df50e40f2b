"""What all experiments share: one hand for the figures, and results as JSON, Markdown, PNG and SVG side by side."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

_LEAF = re.compile(r"\[[^\[\]{}]*\]")  # a list of plain values: one line in the results
RESULTS = Path(__file__).parent / "results"
sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

INK, QUIET, FAINT = "#1d2733", "#66707c", "#e3e7ec"
COLOURS = {
    "fifo": "#7b8794", "atf": "#d9822b", "adaptive": "#0b6bb3", "omniscient": "#1d2733", "polarhub": "#7a4fa3",
    "oss": "#2b8a5b",
}  # fmt: skip
DEPTHS = ("#9ec5e8", "#4a94cf", "#0b5a99", "#06335a")
LI = "Li, Yang & Yang 2010, IJGIS 24(8)"
POLARHUB = "Li, Wang & Bhatia 2016, Computers, Environment and Urban Systems"
OSS = "Sidsten 2012, Chalmers thesis"
WBC = "Alqaraleh, Ramadan & Salamah 2015, Aslib Journal of Information Management 67(6)"
_STYLE = {
    "font.family": "DejaVu Sans", "font.size": 9.5, "text.color": INK, "axes.labelcolor": INK,
    "axes.edgecolor": "#aeb6bf", "axes.titlesize": 10.5, "axes.titleweight": "bold", "axes.titlelocation": "left",
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": FAINT, "grid.linewidth": 0.8,
    "axes.axisbelow": True, "xtick.color": QUIET, "ytick.color": QUIET, "xtick.labelcolor": INK,
    "ytick.labelcolor": INK, "lines.linewidth": 2.2, "lines.solid_capstyle": "round",
    "svg.fonttype": "none", "svg.hashsalt": "geohound",
    "legend.frameon": False, "figure.facecolor": "white", "savefig.facecolor": "white",
}  # fmt: skip


@contextmanager
def figure(
    title: str, subtitle: str, columns: Sequence[float] = (1.0,), height: float = 4.4
) -> Iterator[list[Axes]]:
    """Axes in one row under a headline that tells the finding; the caller ends with `save`."""
    with plt.rc_context(_STYLE):
        fig, axes = plt.subplots(
            1, len(columns), figsize=(9.0 if len(columns) == 1 else 10.4, height), width_ratios=list(columns),
            squeeze=False, layout="constrained",
        )  # fmt: skip
        fig.get_layout_engine().set(rect=(0.012, 0.045, 0.976, 0.815), w_pad=0.12)  # type: ignore[union-attr,call-arg]
        fig.text(0.018, 0.955, title, fontsize=13, fontweight="bold", va="center")
        fig.text(0.018, 0.895, subtitle, fontsize=9.2, color=QUIET, va="center")
        yield list(axes[0])


def save(
    name: str, axes: Sequence[Axes], source: str, found: dict[str, Any], tables: str
) -> None:
    """Write all four files of an experiment, and its tables to the screen."""
    fig = axes[0].figure
    assert isinstance(fig, Figure)
    fig.text(0.018, 0.022, source, fontsize=7.4, color=QUIET, va="center")
    RESULTS.mkdir(exist_ok=True)
    command = " ".join(
        ["python", f"experiments/{Path(sys.argv[0]).name}", *sys.argv[1:]]
    )
    fig.savefig(RESULTS / f"{name}.png", dpi=150, metadata={"Software": None})
    fig.savefig(RESULTS / f"{name}.svg", metadata={"Date": None, "Creator": None})
    plt.close(fig)
    told = _LEAF.sub(
        lambda leaf: " ".join(leaf[0].split()),
        json.dumps({"command": command, **found}, indent=1),
    )
    (RESULTS / f"{name}.json").write_text(told + "\n", "utf-8")
    (RESULTS / f"{name}.md").write_text(
        f"{tables.strip()}\n\n![figure]({name}.png)\n\nMade by `{command}`.\n", "utf-8"
    )
    print(tables.strip())


def markdown(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table; numbers to the right."""
    lines = [
        f"| {' | '.join(head)} |",
        "|" + "|".join(" --- " if i == 0 else " ---: " for i in range(len(head))) + "|",
    ]
    lines += [f"| {' | '.join(str(cell) for cell in row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def percent_axes(axes: Axes, x: str, y: str) -> None:
    """Both axes in percent."""
    axes.set(xlabel=x, ylabel=y)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:g} %")
