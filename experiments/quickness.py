"""Li, Yang & Yang 2010, figure 12: services found against pages crawled, FIFO and ATF; with ours on the same web."""

from __future__ import annotations

import argparse
from typing import Any

from _crawls import GRID, crawl, curve, geoweb, middle, pages_for
from _frame import COLOURS, LI, QUIET, figure, markdown, percent_axes, save
from matplotlib.axes import Axes

# Section 6.3: 40,000 pages from three seeds, 23 WMSs.
PUBLISHED = {"fifo": {50: 50, 90: 90}, "atf": {50: 90, 90: 100}}
ORDERS = {"adaptive": "adaptive (ours)", "fifo": "FIFO", "atf": "ATF"}
AT = (1, 2, 5, 10, 20, 50, 90)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[201, 202, 203])
    parser.add_argument("--entries", type=int, default=3, help="pages that a crawl starts from, as many as there")
    args = parser.parse_args()
    found = {order: measure(order, args) for order in ORDERS}
    pages = [geoweb(seed).pages for seed in args.seeds]
    with figure(
        "Ours finds most services after a small part of the pages",
        f"Geowebs of {min(pages):,} to {max(pages):,} pages, each crawled from {args.entries} entry pages; "
        f"median of {len(args.seeds)} webs, band from the lowest to the highest",
    ) as (axes,):
        draw(axes, found)
        source = (
            f"◇ published: {LI}, section 6.3 and figure 12 (40,000 pages of the Web of 2009, 23 WMSs, three seeds)."
        )
        result = {"published": {"source": LI, "percent of services at percent of pages": PUBLISHED}, "measured": found}
        save("quickness", [axes], source, result, table(found))


def measure(order: str, args: argparse.Namespace) -> dict[str, Any]:
    curves, half, most = [], [], []
    for seed in args.seeds:
        web = geoweb(seed, args.entries)
        run = crawl(web, order)
        curves.append(curve(web, run))
        half.append(pages_for(web, run, 0.5))
        most.append(pages_for(web, run, 0.9))
    return {
        "median": middle(curves),
        "low": [round(min(v), 2) for v in zip(*curves, strict=True)],
        "high": [round(max(v), 2) for v in zip(*curves, strict=True)],
        "percent of pages for half": half,
        "percent of pages for nine tenths": most,
    }


def draw(axes: Axes, found: dict[str, dict[str, Any]]) -> None:
    axes.plot([0, 100], [0, 100], color="#b9c1ca", lw=1, ls=(0, (4, 4)), zorder=1)
    axes.text(26, 23.5, "if services were spread evenly", color=QUIET, fontsize=8)
    for order, label in ORDERS.items():
        colour, median = COLOURS[order], found[order]["median"]
        axes.fill_between(GRID, found[order]["low"], found[order]["high"], color=colour, alpha=0.13, lw=0)
        axes.plot(GRID, median, color=colour, lw=3 if order == "adaptive" else 2)
        x, dy = {"adaptive": (19, -8), "fifo": (62, 5), "atf": (29, -5)}[order]
        axes.text(x, median[GRID.index(x)] + dy, label, color=colour, fontweight="bold", fontsize=10)
        for at, share in PUBLISHED.get(order, {}).items():
            axes.plot(at, share, "D", ms=8, mfc="white", mec=colour, mew=2.2, zorder=5, clip_on=False)
            text = f"{label} published: {share} %"
            x, side = (at + 1.8, "left") if at < 80 else (at - 1.8, "right")
            y = share - (5.6 if share == 100 else 0)
            axes.text(x, y, text, color=colour, fontsize=8.2, va="center", ha=side, zorder=6)
    axes.set(xlim=(0, 100), ylim=(0, 103))
    percent_axes(axes, "pages crawled", "services found")


def table(found: dict[str, dict[str, Any]]) -> str:
    rows = [
        [label, *(f"{found[order]['median'][GRID.index(at)]:.0f} %" for at in AT)] for order, label in ORDERS.items()
    ]
    for order, points in PUBLISHED.items():
        rows.append([f"{ORDERS[order]}, published", *(f"{points[at]} %" if at in points else "" for at in AT)])
    keys = ("percent of pages for half", "percent of pages for nine tenths")
    spans = [[label, *(_span(found[order][key]) for key in keys)] for order, label in ORDERS.items()]
    return (
        "# Quickness: services found against pages crawled\n\n"
        "Medians over the webs. ATF reads addresses with a query before all others, as published (LI-1). Three\n"
        "quarters of the geoweb's pages that name services have plain addresses, so it comes to them late: what was\n"
        "a gain on the Web of 2009 is a loss here.\n\n"
        + markdown(["order", *(f"at {at} % of pages" for at in AT)], rows)
        + "\nPages read (percent of all, each web) until half and nine tenths of the services are found:\n\n"
        + markdown(["order", "50 % of services", "90 % of services"], spans)
    )


def _span(values: list[float | None]) -> str:
    return ", ".join("never" if v is None else f"{v:.1f}" for v in values)


if __name__ == "__main__":
    main()
