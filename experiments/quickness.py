"""Li, Yang & Yang 2010, figure 12: services found against pages crawled, FIFO and ATF, by real crawls of geowebs."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import _real
from _frame import COLOURS, LI, QUIET, figure, markdown, percent_axes, save
from matplotlib.axes import Axes

from geohound.orders.atf import FIRST_SERVICES
from geoweb import World

# Section 6.3: 40,000 pages from three seeds, 23 WMSs. Section 6.1: as many determination threads as crawling threads.
PUBLISHED = {"fifo": {50: 50, 90: 90}, "atf kept": {50: 90, 90: 100}}
FETCHERS = 4
# Order, whether it starts with the terms of an earlier crawl, and testers: many, so that what the order puts first is
# tested at once; or as many as fetchers, as published.
SETUPS = {
    "fifo": ("fifo", False, 3 * FETCHERS), "atf kept": ("atf", True, 3 * FETCHERS),
    "adaptive": ("adaptive", False, 3 * FETCHERS),
    "fifo, equal": ("fifo", False, FETCHERS), "atf kept, equal": ("atf", True, FETCHERS),
}  # fmt: skip
LABELS = {"fifo": "FIFO", "atf kept": "ATF, kept list", "adaptive": "adaptive (ours)"}
COSTS = ("pages", "requests", "tested")
AT = (5, 10, 20, 50, 90)
GRID = [0.5 * k for k in range(201)]  # percent of the pages
TRAINED_ON = 900  # the web of the earlier crawl, whose services the kept list has
# as large as the others: a list of fewer services than N ranks no term
TRAINED_TIMES = 3
WHY = """\
Why it is less than published: pages of the geoweb share no term with the addresses of services, so that ATF has no
reason to read one active page before another; static pages come last, whatever they name; and few pages have its
keywords (last table). What it can bring forward here are tests, and twelve testers keep up with FIFO's."""
Runs = dict[int, dict[str, list[dict[str, Any]]]]  # by web and setup


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--seeds", type=int, nargs="+", default=[201, 202, 203], help="the webs"
    )
    parser.add_argument(
        "--runs", type=int, default=3, help="crawls of each web by each order"
    )
    parser.add_argument(
        "--entries",
        type=int,
        default=3,
        help="pages that a crawl starts from, as many as there",
    )
    parser.add_argument("--hosts", type=int, default=80)
    parser.add_argument("--pages", type=int, default=1_500, help="of each web, about")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        trained = Path(folder) / "trained.db"
        earlier = World(
            TRAINED_ON,
            TRAINED_TIMES * args.hosts,
            TRAINED_TIMES * args.pages,
            trouble=False,
        )
        learned = crawl(earlier, SETUPS["atf kept"], args.entries, trained)
        kept = len(learned["found_at"])
        if kept < FIRST_SERVICES:
            sys.exit(f"The kept list has {kept} services of {FIRST_SERVICES} (N).")
        runs: Runs = {
            seed: measure(seed, args, trained, Path(folder)) for seed in args.seeds
        }
    show(runs, kept, args)


def show(runs: Runs, kept: int, args: argparse.Namespace) -> None:
    found = {setup: curves_of(setup, runs) for setup in SETUPS}
    gain = gains(runs, "")
    result = {
        "published": {
            "source": LI,
            "percent of services at percent of pages": PUBLISHED,
        },
        "services in the kept list": kept,
        "gain of ATF with a kept list over FIFO at half the pages, in points, by web": gain,
        "the same with as many testers as fetchers": gains(runs, ", equal"),
        "measured": found,
        "runs": runs,
    }
    with figure(headline(gain, found), subtitle(runs, args)) as (axes,):
        draw(axes, found)
        source = f"◇ published: {LI}, section 6.3 and figure 12 (40,000 pages of the Web of 2009, 23 WMSs, three seeds)."
        save("quickness", [axes], source, result, table(found, runs, kept))


def gains(runs: Runs, groups: str) -> list[list[float]]:
    """Of each web the points that ATF is ahead at half the pages: between medians of the runs, least and most."""
    found = []
    for orders in runs.values():
        fifo, kept = (
            at_half(orders, f"{order}{groups}") for order in ("fifo", "atf kept")
        )
        found.append(
            [
                round(median(kept) - median(fifo), 1),
                min(kept) - max(fifo),
                max(kept) - min(fifo),
            ]
        )
    return found


def headline(gain: list[list[float]], found: dict[str, dict[str, list[float]]]) -> str:
    fifo, kept = (
        found[order]["median"][GRID.index(90)] for order in ("fifo", "atf kept")
    )
    return f"The published gain {said_of(gain)} at half the pages; at 90 % ATF has {kept:.0f} %, FIFO {fifo:.0f} %"


def said_of(gain: list[list[float]]) -> str:
    middle = median(of_web[0] for of_web in gain)
    return (
        "appears"
        if middle >= 20
        else "appears in part"
        if middle > 5
        else "does not appear"
    )


def subtitle(runs: Runs, args: argparse.Namespace) -> str:
    pages = [
        run["pages"]
        for orders in runs.values()
        for made in orders.values()
        for run in made
    ]
    return (
        f"Real crawls on loopback, {len(runs)} geowebs, {args.runs} runs each, {min(pages):,} to {max(pages):,} pages "
        f"from {args.entries} entries; median, band from lowest to highest"
    )


def world_of(seed: int, args: argparse.Namespace) -> World:
    return World(seed, args.hosts, args.pages, trouble=False)


def measure(
    seed: int, args: argparse.Namespace, trained: Path, folder: Path
) -> dict[str, list[dict[str, Any]]]:
    """Some crawls of a web to its end by each order, the orders taking turns."""
    made: dict[str, list[dict[str, Any]]] = {name: [] for name in SETUPS}
    for number in range(args.runs):
        for name, setup in SETUPS.items():
            catalogue = folder / f"{seed} {name} {number}.db"
            if setup[1]:
                catalogue.write_bytes(trained.read_bytes())
            made[name].append(
                crawl(world_of(seed, args), setup, args.entries, catalogue)
            )
            print(seed, number, name, made[name][-1]["pages"], "pages", flush=True)
    return made


def crawl(
    world: World, setup: tuple[str, bool, int], entries: int, catalogue: Path
) -> dict[str, Any]:
    """`geohound crawl` to its end: how many pages had been read when each service was found."""
    order, _, testers = setup
    options = ("--order", order, "--fetchers", str(FETCHERS), "--testers", str(testers))
    *events, last = _real.crawl(world, list(world.seeds)[:entries], catalogue, *options)
    found_at = [event["pages"] for event in events if event["event"] == "service"]
    named = ("pages", "requests", "tested", "seconds_per_page", "keyword_groups")
    return {**{name: last["summary"][name] for name in named}, "found_at": found_at}


def total(orders: dict[str, list[dict[str, Any]]]) -> int:
    """The services of a web: the most that any run has found."""
    return max(len(run["found_at"]) for made in orders.values() for run in made)


def curve(run: dict[str, Any], services: int) -> list[float]:
    """Percent of the services found when each share of the pages was read."""
    return [
        round(
            100
            * sum(at <= run["pages"] * p / 100 for at in run["found_at"])
            / services,
            2,
        )
        for p in GRID
    ]


def curves_of(setup: str, runs: Runs) -> dict[str, list[float]]:
    curves = [
        curve(run, total(orders)) for orders in runs.values() for run in orders[setup]
    ]
    columns = list(zip(*curves, strict=True))
    return {
        "median": [round(median(c), 2) for c in columns],
        "low": [min(c) for c in columns],
        "high": [max(c) for c in columns],
    }


def at_half(orders: dict[str, list[dict[str, Any]]], setup: str) -> list[float]:
    return [curve(run, total(orders))[GRID.index(50)] for run in orders[setup]]


def draw(axes: Axes, found: dict[str, dict[str, list[float]]]) -> None:
    axes.plot([0, 100], [0, 100], color="#b9c1ca", lw=1, ls=(0, (4, 4)), zorder=1)
    axes.text(
        82, 77, "if services were spread evenly", color=QUIET, fontsize=8, ha="center"
    )
    for order, label in LABELS.items():
        colour = COLOURS[order.split()[0]]
        axes.plot(GRID, found[order]["median"], color=colour, lw=2.2, label=label)
        axes.fill_between(
            GRID,
            found[order]["low"],
            found[order]["high"],
            color=colour,
            alpha=0.1,
            lw=0,
        )
        for at, share in PUBLISHED.get(order, {}).items():
            axes.plot(
                at,
                share,
                "D",
                ms=8,
                mfc="white",
                mec=colour,
                mew=2.2,
                zorder=5,
                clip_on=False,
            )
    axes.legend(loc="lower right", fontsize=8.5)
    axes.set(xlim=(0, 100), ylim=(0, 103))
    percent_axes(axes, "pages crawled", "services found")


def table(found: dict[str, dict[str, list[float]]], runs: Runs, kept: int) -> str:
    rows = [
        [labelled(setup), *(shares(found[setup], at) for at in AT)] for setup in SETUPS
    ]
    for order, points in PUBLISHED.items():
        rows.append(
            [
                f"{LABELS[order]}, published",
                *(f"{points[at]} %" if at in points else "" for at in AT),
            ]
        )
    costs = [
        [labelled(setup), *(cost(setup, name, runs) for name in COSTS)]
        for setup in SETUPS
    ]
    count = len(next(iter(next(iter(runs.values())).values())))
    return (
        "# Quickness: services found against pages crawled\n\n"
        f"Real crawls (`geohound crawl`, {FETCHERS} fetchers) of {len(runs)} geowebs on loopback, {count} runs of\n"
        "each order on each web, each to its end; the kept list is that of an earlier crawl of another geoweb, whose\n"
        f"{kept} services are in the catalogue, more than the {FIRST_SERVICES} (N) from which on ATF ranks terms.\n"
        "Medians over all runs, lowest and highest in brackets.\n\n"
        f"{verdict(runs)}\n\n"
        + markdown(["order", *(f"at {at} % of pages" for at in AT)], rows)
        + "\nAs published, FIFO and ATF ask every address that is no static file for the capabilities of a WMS; what\n"
        "that costs:\n\n"
        + markdown(["order", "pages", "requests", "addresses tested"], costs)
        + "\n"
        + group_table(runs)
    )  # fmt: skip


def labelled(setup: str) -> str:
    order, _, testers = SETUPS[setup]
    label = LABELS["atf kept" if order == "atf" else order]
    return f"{label}, {testers} testers"


def shares(curve: dict[str, list[float]], at: float) -> str:
    middle, low, high = (
        curve[name][GRID.index(at)] for name in ("median", "low", "high")
    )
    return f"{middle:.0f} % ({low:.0f}–{high:.0f})"


def cost(setup: str, name: str, runs: Runs) -> str:
    return (
        f"{median(run[name] for orders in runs.values() for run in orders[setup]):,.0f}"
    )


def verdict(runs: Runs) -> str:
    """Whether the published gain, 40 points at half the pages, appears, and what of it is the order's."""
    many, equal = gains(runs, ""), gains(runs, ", equal")
    widest = max(
        max(at_half(orders, setup)) - min(at_half(orders, setup))
        for orders in runs.values()
        for setup in SETUPS
    )
    return (
        "The published gain of ATF over FIFO at half the pages is 40 points. Here, by web, between the medians of the\n"
        "runs, and from the worst run of ATF beside the best of FIFO to the reverse:\n\n"
        f"- with {3 * FETCHERS} testers, so that what the order puts first is tested at once: {spread_of(many)}.\n"
        f"  It {said_of(many)};\n"
        f"- with {FETCHERS} testers, as many as fetchers, the published ratio (72 and 72): {spread_of(equal)}.\n"
        f"  It {said_of(equal)}.\n\n"
        f"{WHY}\n\n"
        f"Runs of one order on one web differ by up to {widest:.0f} points at half the pages."
    )


def spread_of(gain: list[list[float]]) -> str:
    return ", ".join(
        f"{middle:+.0f} ({low:+.0f} to {high:+.0f})" for middle, low, high in gain
    )


def group_table(runs: Runs) -> str:
    """Section 4.1: the share of pages with a WMS address, by keyword group."""
    published = {
        "Web Map Service": "16 %",
        "WMS, Service": "13.25 %",
        "WMS, Server": "10 %",
        "none": "about 0 %",
    }
    groups: dict[str, list[int]] = {name: [0, 0] for name in published}
    for orders in runs.values():
        for group in orders["fifo"][0]["keyword_groups"]:
            groups[group["keywords"]][0] += group["pages"]
            groups[group["keywords"]][1] += group["with_wms"]
    rows = [
        [
            name,
            f"{pages:,}",
            f"{100 * held / pages:.1f} %" if pages else "",
            published[name],
        ]
        for name, (pages, held) in groups.items()
    ]
    return (
        "Pages with a WMS address, by the keywords of the page (FIFO, the first run on each web):\n\n"
        + markdown(["keywords", "pages", "with a WMS address", "published"], rows)
    )


if __name__ == "__main__":
    main()
