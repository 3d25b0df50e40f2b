"""PolarHub 2016, figure 9 and section 6.1: services found by depth and width, and discovery rates by depth."""

from __future__ import annotations

import argparse
from typing import Any

from _frame import DEPTHS, POLARHUB, QUIET, figure, markdown, save
from _graph import Level, large_world, search, walk
from matplotlib.axes import Axes

from geohound.orders.polarhub import SEEDS_PER_SEGMENT

# Section 6.1: discovery rate in percent by depth; pages crawled for "population"; share of services below width 8.
RATES = {"population": {1: 6.5, 2: 1.0, 3: 0.15}, "climate": {1: 5.0, 3: 0.3}}
PAGES = {1: 292, 2: 11_679, 3: 138_621}
BELOW_EIGHT = 90
WORDS = ("population", "air quality")
WIDTHS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=311)
    parser.add_argument("--hosts", type=int, default=1000)
    parser.add_argument("--pages", type=int, default=600_000)
    args = parser.parse_args()
    world = large_world(args.seed, args.hosts, args.pages)
    found = {word: {depth: crawl(args, word, depth) for depth in (1, 2, 3)} for word in WORDS}
    with figure(
        "Deeper crawls find more services and pay less for every page",
        f"Geoweb of {world.pages:,} pages on {world.hosts:,} hosts, ten segments of {SEEDS_PER_SEGMENT} seeds "
        "for each of two searches",
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
        save("depth_width", axes, source, {"published": published, "measured": found}, table(found))


def crawl(args: argparse.Namespace, word: str, depth: int) -> dict[str, Any]:
    """Segment after segment, each to the end, nothing read twice."""
    world = large_world(args.seed, args.hosts, args.pages)
    seeds = search(world, word, WIDTHS * SEEDS_PER_SEGMENT, per_host=2)
    if len(seeds) < WIDTHS * SEEDS_PER_SEGMENT:
        raise SystemExit(f"the web has only {len(seeds)} pages about {word}: give it more --hosts")
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
            range(1, WIDTHS + 1), told["by width"], color=DEPTHS[depth - 1], marker="o", ms=4, label=f"depth {depth}"
        )
    axes.axvline(7.5, color=QUIET, lw=1, ls=(0, (3, 3)))
    axes.set(
        title=f"search for “{word}”", xlabel="width (segment of seeds)", xticks=range(1, WIDTHS + 1), ylim=(0, None)
    )
    text = f"{by_depth[3]['% below width 8']} % below width 8\npublished: ≈ {BELOW_EIGHT} %"
    axes.text(7.35, 0.985, text, color=QUIET, fontsize=8, ha="right", va="top", transform=axes.get_xaxis_transform())
    if word == WORDS[0]:
        axes.legend(loc="center right", bbox_to_anchor=(1.02, 0.62), fontsize=8.6, handlelength=1.2)


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
        axes.text(3.08, points[3], f"{points[3]:g} %  published,\n“{word}”", color=colour, fontsize=8.2, va="center")
    axes.set(title="discovery rate", xlabel="depth", xticks=(1, 2, 3), yscale="log", xlim=(0.85, 3.95), ylim=(0.1, 10))
    axes.set_yticks((0.1, 0.3, 1, 3, 10), ["0.1 %", "0.3 %", "1 %", "3 %", "10 %"])
    axes.minorticks_off()


def table(found: dict[str, dict[int, dict[str, Any]]]) -> str:
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
        [f"“{word}”, depth {depth}", *told["by width"]] for word, by in found.items() for depth, told in by.items()
    ]
    return (
        "# Depth and width\n\n"
        + markdown(["crawl", "depth", "pages", "services", "discovery rate", "found below width 8"], rows)
        + "\nServices found first in each segment of seeds:\n\n"
        + markdown(["crawl", *(f"width {w}" for w in range(1, WIDTHS + 1))], widths)
    )


if __name__ == "__main__":
    main()
