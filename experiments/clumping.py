"""Li, Yang & Yang 2010, section 6.3: services stand in clumps, on few servers and in few stretches of a crawl."""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from itertools import pairwise
from pathlib import Path
from statistics import mean, median
from typing import Any
from urllib.parse import urlsplit

import _real
from _frame import COLOURS, LI, QUIET, figure, markdown, save
from matplotlib.axes import Axes
from webs.geoweb_web import GeowebWeb
from webs.wild import WildWeb

from geoweb import World

# Section 6.3: services per server, by country (1,126 in 18 countries), and gains along the FIFO curve of figure 12.
PER_SERVER = {
    "RR crawler 2008": 6.0,
    "their crawler 2009": 6.38,
    "their crawler 2008": 8.0,
}
COUNTRIES, ALL_SERVICES, ALL_COUNTRIES = (852, 145, 42, 38, 12, 6, 6, 5, 4), 1126, 18
JUMP = {"from": 40, "to": 50, "share": 40}
TAIL = {"from": 60, "to": 100, "share": 10}
HOSTS, PAGES = 80, 1_500  # of each geoweb that is crawled
FAMILIES = {"geoweb": "#0b6bb3", "wild web": "#2b8a5b"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[201, 202, 203])
    args = parser.parse_args()
    clumps = {
        "geoweb": [sizes(GeowebWeb(s)) for s in args.seeds],
        "wild web": [sizes(WildWeb(s)) for s in args.seeds],
    }
    gains = [tenths(seed) for seed in args.seeds]
    pooled = {
        name: sorted((n for one in webs for n in one), reverse=True)
        for name, webs in clumps.items()
    }
    found = {
        "services per server": {
            name: {"mean": round(mean(own), 2), "median": median(own), "sizes": own}
            for name, own in pooled.items()
        },
        "percent of services per tenth of a FIFO crawl": gains,
    }
    with figure(
        "Services stand in clumps, and a crawl finds them in bursts",
        f"Left: all live services of {len(args.seeds)} geowebs and {len(args.seeds)} wild webs, without a crawl; "
        f"right: one real FIFO crawl of each of {len(args.seeds)} smaller geowebs",
        (1, 1, 1),
    ) as axes:
        draw_sizes(axes[0], pooled)
        draw_shares(axes[1], pooled)
        draw_bursts(axes[2], gains)
        published = {
            "source": LI,
            "per server": PER_SERVER,
            "by country": COUNTRIES,
            "jump": JUMP,
            "tail": TAIL,
        }
        source = f"◇ published: {LI}, section 6.3 (1,126 WMSs in 18 countries; gains read from the text on figure 12)."
        save(
            "clumping",
            axes,
            source,
            {"published": published, "measured": found},
            table(found, pooled),
        )


def sizes(web: GeowebWeb | WildWeb) -> list[int]:
    """Services per server."""
    return list(
        Counter(urlsplit(service).netloc for service in web.all_services()).values()
    )


def tenths(seed: int) -> list[float]:
    """Percent of the services found in each tenth of a real FIFO crawl from three pages."""
    world = World(seed, HOSTS, PAGES, trouble=False)
    with tempfile.TemporaryDirectory() as folder:
        options = ("--order", "fifo", "--fetchers", "4", "--testers", "4")
        *events, last = _real.crawl(
            world, list(world.seeds)[:3], Path(folder) / "c.db", *options
        )
    pages = last["summary"]["pages"]
    found_at = [event["pages"] for event in events if event["event"] == "service"]
    marks = [sum(at <= pages * k / 10 for at in found_at) for k in range(10)] + [
        len(found_at)
    ]
    return [round(100 * (b - a) / len(found_at), 1) for a, b in pairwise(marks)]


def draw_sizes(axes: Axes, pooled: dict[str, list[int]]) -> None:
    """How many servers have at least so many services."""
    for name, colour in FAMILIES.items():
        own = pooled[name]
        steps = sorted(set(own))
        axes.plot(
            steps,
            [100 * sum(n >= step for n in own) / len(own) for step in steps],
            color=colour,
            marker="o",
            ms=3.5,
        )
        axes.axvline(mean(own), color=colour, lw=1.2, ls=(0, (1, 1.5)))
    axes.text(1.1, 2.0, "geoweb", color=FAMILIES["geoweb"], fontweight="bold")
    axes.text(1.1, 1.4, "wild web", color=FAMILIES["wild web"], fontweight="bold")
    axes.plot(
        list(PER_SERVER.values()),
        [115] * 3,
        "D",
        ms=6.5,
        mfc="white",
        mec="#c2571a",
        mew=1.8,
        clip_on=False,
        zorder=5,
    )
    axes.text(9.3, 113, "published means", color="#c2571a", fontsize=8, va="center")
    axes.set(
        title="services per server",
        xscale="log",
        yscale="log",
        xlabel="at least so many services (dotted: mean)",
        xlim=(0.95, 90),
    )
    axes.set_xticks((1, 2, 5, 10, 20, 50), ["1", "2", "5", "10", "20", "50"])
    axes.set_yticks((1, 3, 10, 30, 100), ["1 %", "3 %", "10 %", "30 %", "100 %"])
    axes.set_ylabel("servers")
    axes.set_ylim(0.8, 135)
    axes.minorticks_off()


def draw_shares(axes: Axes, pooled: dict[str, list[int]]) -> None:
    """What share of the services the richest servers hold."""
    axes.plot([0, 100], [0, 100], color="#b9c1ca", lw=1, ls=(0, (4, 4)))
    for name, colour in FAMILIES.items():
        held = cumulative(pooled[name])
        axes.plot(
            [100 * k / len(pooled[name]) for k in range(len(held))], held, color=colour
        )
    held = [
        100 * sum(COUNTRIES[:k]) / ALL_SERVICES for k in range(1, len(COUNTRIES) + 1)
    ]
    places = [100 * k / ALL_COUNTRIES for k in range(1, len(COUNTRIES) + 1)]
    axes.plot(
        places,
        held,
        ls=(0, (2, 2)),
        lw=1.2,
        color="#c2571a",
        marker="D",
        ms=6,
        mfc="white",
        mew=1.6,
    )
    axes.text(3, 107, "published, by country", color="#c2571a", fontsize=8, va="center")
    axes.text(63, 55, "spread evenly", color=QUIET, fontsize=8)
    axes.set(
        title="services held by the richest",
        xlabel="servers (or countries), richest first",
        ylabel="services",
        xlim=(0, 100),
        ylim=(0, 111),
    )
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:g} %")


def cumulative(own: list[int]) -> list[float]:
    return [100 * sum(own[:k]) / sum(own) for k in range(len(own) + 1)]


def draw_bursts(axes: Axes, gains: list[list[float]]) -> None:
    """Gains per tenth of the crawl; every web has its own bursts."""
    middles = [10 * k + 5 for k in range(10)]
    axes.axhline(10, color="#b9c1ca", lw=1, ls=(0, (4, 4)))
    axes.bar(
        middles,
        [median(values) for values in zip(*gains, strict=True)],
        7.4,
        color=COLOURS["fifo"],
        alpha=0.55,
        lw=0,
    )
    for own in gains:
        axes.plot(middles, own, "_", ms=13, mew=2, color="#3d4854")
    burst = (JUMP["from"] + JUMP["to"]) / 2
    axes.plot(
        burst, JUMP["share"], "D", ms=7, mfc="white", mec="#c2571a", mew=1.8, zorder=5
    )
    axes.text(
        burst + 3.5,
        JUMP["share"],
        f"published: ≈ {JUMP['share']} %",
        color="#c2571a",
        fontsize=8,
        va="center",
    )
    rest = TAIL["share"] / 4
    axes.plot(
        [65, 75, 85, 95],
        [rest] * 4,
        "D",
        ms=5.5,
        mfc="white",
        mec="#c2571a",
        mew=1.5,
        zorder=5,
    )
    axes.text(
        99,
        18,
        f"published: {TAIL['share']} % in\nthe last four tenths",
        color="#c2571a",
        fontsize=8,
        ha="right",
    )
    axes.set(
        title="gain per tenth of a FIFO crawl",
        xlabel="pages crawled (dashes: each web)",
        xlim=(0, 100),
        xticks=range(0, 101, 20),
    )
    axes.set_ylabel("services found in this tenth")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:g} %")
    axes.grid(axis="x", visible=False)


def table(found: dict[str, Any], pooled: dict[str, list[int]]) -> str:
    rows: list[list[object]] = []
    for name, own in pooled.items():
        held = cumulative(own)
        tenth = held[max(1, round(len(own) / 10))]
        rows.append(
            [
                name,
                len(own),
                sum(own),
                f"{mean(own):.2f}",
                f"{median(own):g}",
                max(own),
                f"{tenth:.0f} %",
            ]
        )
    # 1,126 found in 2008, 228 new, 168 gone
    counted = {"their crawler 2009": ("186", "1,186")}
    rows += [[f"published: {name}", *counted.get(name, ("", "")), value, "", "", ""]
             for name, value in PER_SERVER.items()]  # fmt: skip
    gains = [
        [f"geoweb {n}", *(f"{g:.0f} %" for g in own)]
        for n, own in enumerate(
            found["percent of services per tenth of a FIFO crawl"], 1
        )
    ]
    gains.append(
        [
            "published, figure 12",
            "",
            "",
            "",
            "",
            "≈ 40 %",
            "",
            "10 % in the last four",
            "",
            "",
            "",
        ]
    )
    return (
        "# Clumps\n\n"
        "Services per server are those of the made-up webs, known without a crawl: they show that the webs are made\n"
        "as published, and prove nothing about the Web. The second table is of real crawls to the end\n"
        f"(`geohound crawl --order fifo`), one of each of three geowebs of {HOSTS} hosts and about {PAGES:,} pages.\n"
        "As published, a crawl finds services in bursts. The published burst came at 40 to 50 % of the pages, and\n"
        "little came after 60 %; here each web has its bursts elsewhere, and the last tenth brings most: under\n"
        "`fifo`, as published, every address is tested in its turn, and the tests end after the pages.\n\n"
        + markdown(
            [
                "servers of",
                "servers",
                "services",
                "mean",
                "median",
                "most",
                "held by the richest tenth",
            ],
            rows,
        )
        + "\nServices found per tenth of a FIFO crawl:\n\n"
        + markdown(["crawl", *(f"–{10 * k} %" for k in range(1, 11))], gains)
    )


if __name__ == "__main__":
    main()
