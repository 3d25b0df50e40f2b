"""PolarHub 2016, figure 9 and section 6.1: services found by depth and width, and discovery rates by depth."""

from __future__ import annotations

import argparse
import csv
import io
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import _real
from _frame import DEPTHS, POLARHUB, QUIET, figure, markdown, save
from _graph import Level, large_world, search, walk
from matplotlib.axes import Axes

from geohound.model.crawl.task import SEEDS_PER_SEGMENT
from geoweb import World
from geoweb.addresses import url_of

# Section 6.1: discovery rate in percent by depth; pages crawled for "population"; share of services below width 8.
RATES = {"population": {1: 6.5, 2: 1.0, 3: 0.15}, "climate": {1: 5.0, 3: 0.3}}
PAGES = {1: 292, 2: 11_679, 3: 138_621}
BELOW_EIGHT = 90
WORDS = ("population", "air quality")
WIDTHS = 10
REAL_WEB = (311, 300, 10_000)  # seed, hosts and pages of the web that is crawled


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=311)
    parser.add_argument("--hosts", type=int, default=1000)
    parser.add_argument("--pages", type=int, default=600_000)
    args = parser.parse_args()
    world = large_world(args.seed, args.hosts, args.pages)
    found = {
        word: {depth: crawl(args, word, depth) for depth in (1, 2, 3)} for word in WORDS
    }
    real = {word: real_crawl(word) for word in WORDS}
    with figure(
        "Deeper crawls find more services and pay less for every page",
        f"Simulated walk over the links of one geoweb ({world.pages:,} pages, {world.hosts:,} hosts), ten segments of "
        f"{SEEDS_PER_SEGMENT} seeds, two searches; no chance in it",
        (1, 1, 1.05),
    ) as axes:
        for n, word in enumerate(WORDS):
            draw_widths(axes[n], word, found[word])
        axes[0].set_ylabel("services found first in this segment")
        top = max(axes[0].get_ylim()[1], axes[1].get_ylim()[1])
        for pane in axes[:2]:
            pane.set_ylim(0, top)
        draw_rates(axes[2], found)
        published = {
            "source": POLARHUB,
            "discovery rate %": RATES,
            "pages, population": PAGES,
            "% below width 8": BELOW_EIGHT,
        }
        source = f"◇ published: {POLARHUB}, section 6.1 (discovery rate = services found / pages crawled)."
        result = {"published": published, "measured": found, "real crawls": real}
        save("depth_width", axes, source, result, table(found, real))


def real_crawl(word: str) -> dict[int, dict[str, Any]]:
    """`geohound crawl --order polarhub --depth 3` of a smaller web: pages and services up to each depth."""
    world = World(*REAL_WEB, trouble=False)
    seeds = [
        url_of(world.host(index), page)
        for index, page in search(world, word, 100, per_host=3)
    ]
    with tempfile.TemporaryDirectory() as folder:
        catalogue = Path(folder) / "c.db"
        _real.crawl(
            world,
            seeds,
            catalogue,
            "--order",
            "polarhub",
            "--depth",
            "3",
            polarhub_cut_after="0",
        )
        command = [
            sys.executable,
            "-m",
            "geohound",
            "report",
            "depth-width",
            "--format",
            "csv",
            "--catalogue",
            catalogue,
        ]
        report = subprocess.run(
            command, capture_output=True, text=True, check=True
        ).stdout
    rows = [
        {name: int(value) for name, value in row.items()}
        for row in csv.DictReader(io.StringIO(report))
    ]
    return {
        depth: {
            "seeds": len(seeds),
            "pages": sum(row["pages"] for row in rows if row["depth"] <= depth),
            "services": sum(row["services"] for row in rows if row["depth"] <= depth),
        }
        for depth in (1, 2, 3)
    }


def crawl(args: argparse.Namespace, word: str, depth: int) -> dict[str, Any]:
    """Segment after segment, each to the end, nothing read twice."""
    world = large_world(args.seed, args.hosts, args.pages)
    seeds = search(world, word, WIDTHS * SEEDS_PER_SEGMENT, per_host=2)
    if len(seeds) < WIDTHS * SEEDS_PER_SEGMENT:
        raise SystemExit(
            f"the web has only {len(seeds)} pages about {word}: give it more --hosts"
        )
    seen: set[tuple[int, int]] = set()
    known: set[int] = set()
    pages, by_width = 0, []
    for width in range(WIDTHS):
        segment = seeds[width * SEEDS_PER_SEGMENT : (width + 1) * SEEDS_PER_SEGMENT]
        levels: list[Level] = walk(world, segment, depth, seen)
        pages += sum(level.pages for level in levels)
        new = set().union(*(level.services for level in levels)) - known
        known |= new
        by_width.append(len(new))
    return {
        "pages": pages,
        "services": len(known),
        "rate %": round(100 * len(known) / pages, 3),
        "by width": by_width,
        "% below width 8": round(100 * sum(by_width[:7]) / max(1, len(known))),
    }


def draw_widths(axes: Axes, word: str, by_depth: dict[int, dict[str, Any]]) -> None:
    for depth, told in by_depth.items():
        axes.plot(
            range(1, WIDTHS + 1),
            told["by width"],
            color=DEPTHS[depth - 1],
            marker="o",
            ms=4,
            label=f"depth {depth}",
        )
    axes.axvline(7.5, color=QUIET, lw=1, ls=(0, (3, 3)))
    axes.set(
        title=f"search for “{word}”",
        xlabel="width (segment of seeds)",
        xticks=range(1, WIDTHS + 1),
        ylim=(0, None),
    )
    text = f"{by_depth[3]['% below width 8']} % below width 8\npublished: ≈ {BELOW_EIGHT} %"
    axes.text(
        7.35,
        0.985,
        text,
        color=QUIET,
        fontsize=8,
        ha="right",
        va="top",
        transform=axes.get_xaxis_transform(),
    )
    if word == WORDS[0]:
        axes.legend(
            loc="center right",
            bbox_to_anchor=(1.02, 0.62),
            fontsize=8.6,
            handlelength=1.2,
        )


def draw_rates(axes: Axes, found: dict[str, dict[int, dict[str, Any]]]) -> None:
    for word, colour in zip(WORDS, ("#0b5a99", "#4a94cf"), strict=True):
        rates = [found[word][d]["rate %"] for d in (1, 2, 3)]
        axes.plot((1, 2, 3), rates, color=colour, marker="o", ms=6)
        above = rates[-1] == max(found[w][3]["rate %"] for w in WORDS)
        axes.text(3.08, rates[-1], f"{rates[-1]:.2g} %  geoweb,\n“{word}”", color=colour, fontsize=8.2,
                  va="bottom" if above else "center")  # fmt: skip
    for word, colour in (("population", "#c2571a"), ("climate", "#d9953f")):
        points = RATES[word]
        axes.plot(
            list(points),
            list(points.values()),
            ls=(0, (2, 2)),
            lw=1.3,
            color=colour,
            marker="D",
            ms=7,
            mfc="white",
            mew=1.8,
        )
        axes.text(
            3.08,
            points[3],
            f"{points[3]:g} %  published,\n“{word}”",
            color=colour,
            fontsize=8.2,
            va="center",
        )
    axes.set(
        title="discovery rate",
        xlabel="depth",
        xticks=(1, 2, 3),
        yscale="log",
        xlim=(0.85, 3.95),
        ylim=(0.1, 10),
    )
    axes.set_yticks((0.1, 0.3, 1, 3, 10), ["0.1 %", "0.3 %", "1 %", "3 %", "10 %"])
    axes.minorticks_off()


def table(
    found: dict[str, dict[int, dict[str, Any]]],
    real: dict[str, dict[int, dict[str, Any]]],
) -> str:
    crawled = [
        [f"“{word}”, {told['seeds']} seeds", depth, f"{told['pages']:,}", told["services"],
         f"{100 * told['services'] / told['pages']:.2f} %"]
        for word, by_depth in real.items()
        for depth, told in by_depth.items()
    ]  # fmt: skip
    rows = [
        [
            f"geoweb, “{word}”",
            depth,
            f"{told['pages']:,}",
            told["services"],
            f"{told['rate %']:.2f} %",
            f"{told['% below width 8']} %",
        ]
        for word, by_depth in found.items()
        for depth, told in by_depth.items()
    ]
    for word, rates in RATES.items():
        rows += [
            [f"published, “{word}”", depth, f"{PAGES[depth]:,}" if word == "population" else "", "", f"{rate} %",
             f"≈ {BELOW_EIGHT} %" if depth == 3 else ""]
            for depth, rate in rates.items()
        ]  # fmt: skip
    widths = [
        [f"“{word}”, depth {depth}", *told["by width"]]
        for word, by in found.items()
        for depth, told in by.items()
    ]
    return (
        "# Depth and width\n\n"
        "A simulated walk: the links of one large geoweb are followed without fetching a page, and a service counts\n"
        "when a page that names it is reached. One run each, as there is no chance in it; two searches show the spread.\n"
        "As published, the discovery rate falls with depth and nine of ten services are found below width 8. It falls\n"
        "less than published (a sixth from depth 1 to 3, there a fortieth): a page of the geoweb has fewer links,\n"
        "and its portals stand nearer to each other than those of the Web.\n\n"
        + markdown(
            [
                "crawl",
                "depth",
                "pages",
                "services",
                "discovery rate",
                "found below width 8",
            ],
            rows,
        )
        + "\nServices found first in each segment of seeds:\n\n"
        + markdown(["crawl", *(f"width {w}" for w in range(1, WIDTHS + 1))], widths)
        + "\nReal crawls (`geohound crawl --order polarhub --depth 3`, one each) of a geoweb of "
        f"{REAL_WEB[1]} hosts and {REAL_WEB[2]:,} pages,\nof which a crawl of depth 3 reads up to half:\n\n"
        + markdown(["crawl", "depth", "pages", "services", "discovery rate"], crawled)
    )


if __name__ == "__main__":
    main()
