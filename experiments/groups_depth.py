"""Sidsten 2012, tables 3.3 to 3.5 and section 4.1.3: crawl groups of ranked seeds, and how deep it pays to go."""

from __future__ import annotations

import argparse
from statistics import correlation
from typing import Any

from _frame import OSS, QUIET, figure, markdown, save
from _graph import Level, Spot, large_world, search, walk
from matplotlib.axes import Axes

from geohound.agent.seed_selection import best_seeds
from geoweb import World
from geoweb.addresses import url_of
from geoweb.words import vocabulary

# Table 3.3: name, best seeds, depth, OGC URLs found, hours.
FIRST = (
    ("CN4", 15, 3, 465, 3.15),
    ("CN3", 120, 2, 429, 1.33),
    ("CN2", 960, 1, 2457, 1.18),
    ("CN1", 7680, 0, 1380, 1.85),
)
# Table 3.4: name, first and last rank, seeds per group, OGC URLs, hours; section 4.1.3: services per 100 pages at
# depth 3 and 1.
MAJOR = (("CNF", 1, 200, 20, 1976, 26.35, 0.18, 1.2), ("CNG", 201, 400, 20, 1771, 24.0, 0.24, 0.16),
         ("CVX", 401, 4400, 100, 4469, 169.33, 0.059, 0.26))  # fmt: skip
# Table 3.5: name, OGC URLs at depth 3 and 5, hours at depth 3 and 5.
DEEP = (
    ("CNF1", 1286, 1412, 2.45, 4.48),
    ("CNG2", 145, 235, 2.43, 4.57),
    ("CNG7", 491, 607, 2.72, 4.80),
)
# of new listing pages, all groups, section 4.1.3
CORRELATION = {"depth 3 to 2": 0.82, "depth 2 to 1": 0.64}
OURS, THEIRS = "#0b6bb3", "#c2571a"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=321)
    parser.add_argument("--hosts", type=int, default=2000)
    parser.add_argument("--pages", type=int, default=1_000_000)
    args = parser.parse_args()
    world = large_world(args.seed, args.hosts, args.pages)
    seeds = ranked_seeds(world)
    groups = {
        name: [walk(world, part, 3, set()) for part in parts(seeds, row)]
        for name, *row in MAJOR
    }
    found = {
        "web": {"pages": world.pages, "hosts": world.hosts, "seeds": len(seeds)},
        "first": {
            name: told(walk(world, seeds[:count], depth, set()))
            for name, count, depth, *_ in FIRST
        },
        "major": {name: major(crawls) for name, crawls in groups.items()},
        "deep": deep(world, seeds, groups),
        "correlation": correlations(
            [crawl for crawls in groups.values() for crawl in crawls]
        ),
    }
    with figure(
        "Many seeds and short ways pay best; every further level pays less",
        f"Simulated walks over the links of one geoweb of {world.pages:,} pages on {world.hosts:,} hosts, "
        f"{len(seeds):,} seeds ranked by sum of 1/rank",
        (1, 1.05, 1.1),
    ) as axes:
        draw_first(axes[0], found["first"])
        draw_major(axes[1], found["major"])
        draw_deep(axes[2], found["deep"])
        source = f"Published: {OSS}, tables 3.3–3.5 and section 4.1.3. There per hour of crawling, here per page read; "
        source += (
            f"a group that wants more seeds than there are takes all {len(seeds)}."
        )
        published = {"source": OSS, "table 3.3": FIRST, "table 3.4 and section 4.1.3": MAJOR, "table 3.5": DEEP,
                     "correlation of listing pages": CORRELATION}  # fmt: skip
        save(
            "groups_depth",
            axes,
            source,
            {"published": published, "measured": found},
            table(found),
        )


def ranked_seeds(world: World) -> list[Spot]:
    """Fifteen searches, then S_A1: hosts by the sum of 1/rank, one page each."""
    ranked: list[tuple[str, int]] = []
    spots: dict[str, Spot] = {}
    for word in vocabulary("en").topics:
        for rank, spot in enumerate(search(world, word, world.hosts), 1):
            url = url_of(world.host(spot[0]), spot[1])
            ranked.append((url, rank))
            spots[url] = spot
    return [spots[url] for url in best_seeds(ranked, world.hosts)]


def parts(seeds: list[Spot], row: list[Any]) -> list[list[Spot]]:
    first, last, size = row[:3]
    chosen = seeds[first - 1 : last]
    return [
        chosen[i : i + size]
        for i in range(0, len(chosen), size)
        if len(chosen[i : i + size]) == size
    ]


def told(levels: list[Level]) -> dict[str, Any]:
    pages = sum(level.pages for level in levels)
    services = set().union(*(level.services for level in levels))
    return {
        "pages": pages,
        "services": len(services),
        "per 100 pages": round(100 * len(services) / pages, 3),
    }


def major(crawls: list[list[Level]]) -> dict[str, Any]:
    """All groups of one kind together: unique services, pages of every group."""
    merged = {}
    for depth in (1, 3):
        services = set().union(
            *(level.services for crawl in crawls for level in crawl[: depth + 1])
        )
        pages = sum(level.pages for crawl in crawls for level in crawl[: depth + 1])
        merged[f"depth {depth}"] = {
            "pages": pages,
            "services": len(services),
            "per 100 pages": round(100 * len(services) / pages, 3),
        }
    return {"groups": len(crawls), **merged}


def deep(
    world: World, seeds: list[Spot], groups: dict[str, list[list[Level]]]
) -> dict[str, Any]:
    """The best group of CNF, the best and a middling one of CNG, by listing pages at depth 3, two levels deeper."""
    order = {
        name: sorted(range(len(crawls)), key=lambda i: -crawls[i][3].lists)
        for name, crawls in groups.items()
    }
    chosen = (
        ("CNF", order["CNF"][0]),
        ("CNG", order["CNG"][0]),
        ("CNG", order["CNG"][len(order["CNG"]) // 2]),
    )
    rows = {name: list(row) for name, *row in MAJOR}
    found = {}
    for (published, *_), (name, at) in zip(DEEP, chosen, strict=True):
        three = told(groups[name][at])
        five = told(walk(world, parts(seeds, rows[name])[at], 5, set()))
        gain = round(100 * (five["services"] / three["services"] - 1))
        found[published] = {
            "depth 3": three,
            "depth 5": five,
            "gain %": gain,
            "cost": round(five["pages"] / three["pages"], 2),
        }
    return found


def correlations(crawls: list[list[Level]]) -> dict[str, float]:
    return {
        f"depth {d} to {d - 1}": round(
            correlation([c[d].lists for c in crawls], [c[d - 1].lists for c in crawls]),
            2,
        )
        for d in (3, 2)
    }


def draw_first(axes: Axes, found: dict[str, Any]) -> None:
    """Yield of each group, the best of each crawl being 100."""
    theirs = {name: urls / hours for name, _, _, urls, hours in FIRST}
    ours = {name: one["per 100 pages"] for name, one in found.items()}
    labels = [f"{count}\nseeds,\ndepth {depth}" for _, count, depth, *_ in FIRST]
    for at, (name, *_) in enumerate(FIRST):
        for shift, values, colour in ((-0.2, theirs, THEIRS), (0.2, ours, OURS)):
            share = 100 * values[name] / max(values.values())
            axes.bar(
                at + shift,
                share,
                0.36,
                color="white" if colour == THEIRS else colour,
                edgecolor=colour,
                lw=1.6,
            )
            axes.text(
                at + shift,
                share + 1.5,
                f"{share:.0f}",
                ha="center",
                fontsize=8,
                color=colour,
            )
    axes.set(
        title="yield, best group = 100",
        xticks=range(4),
        xticklabels=labels,
        ylim=(0, 128),
        yticks=(0, 50, 100),
    )
    axes.tick_params(axis="x", labelsize=8.2, length=0)
    axes.grid(axis="x", visible=False)
    axes.bar(
        [0], [0], color="white", edgecolor=THEIRS, lw=1.6, label="published, per hour"
    )
    axes.bar([0], [0], color=OURS, label="geoweb, per page")
    axes.legend(loc="upper left", fontsize=8.4, ncols=1)


def draw_major(axes: Axes, found: dict[str, Any]) -> None:
    """Services per hundred pages, at depth 1 and 3."""
    for at, (name, *_, deep_rate, near_rate) in enumerate(MAJOR):
        ours = [found[name][f"depth {d}"]["per 100 pages"] for d in (1, 3)]
        for shift, (near, far), colour, mark in (
            (-0.14, (near_rate, deep_rate), THEIRS, "D"),
            (0.14, ours, OURS, "o"),
        ):
            axes.plot(
                [at + shift] * 2,
                [near, far],
                color=colour,
                lw=1.4,
                ls=(0, (2, 2)) if mark == "D" else "-",
                zorder=2,
            )
            axes.plot(
                [at + shift] * 2,
                [near, far],
                mark,
                ms=7.5,
                color=colour,
                mew=1.8,
                mfc="white" if mark == "D" else colour,
                zorder=3,
            )
            for depth, value in ((1, near), (3, far)):
                axes.text(
                    at + shift * 1.7,
                    value,
                    f"d{depth}",
                    color=colour,
                    fontsize=7.8,
                    va="center",
                    ha="right" if shift < 0 else "left",
                )
    names = [
        f"{name}\n{first}–{last},\nby {size}" for name, first, last, size, *_ in MAJOR
    ]
    axes.set(
        title="services per page, depth 1 and 3",
        yscale="log",
        xticks=range(3),
        xticklabels=names,
        xlim=(-0.6, 2.6),
    )
    axes.set_xlabel("ranks of the seeds, size of the groups", fontsize=8.4, color=QUIET)
    axes.tick_params(axis="x", labelsize=8.2, length=0)
    axes.set_yticks(
        (0.05, 0.1, 0.2, 0.5, 1, 2, 5),
        [f"{v:g} %" for v in (0.05, 0.1, 0.2, 0.5, 1, 2, 5)],
    )
    axes.minorticks_off()
    axes.grid(axis="x", visible=False)


def draw_deep(axes: Axes, found: dict[str, Any]) -> None:
    """Yield after two more levels, that of depth 3 being 100."""
    for at, (name, three, five, hours3, hours5) in enumerate(DEEP):
        ours = found[name]
        pairs = (
            (-0.2, five / three, hours5 / hours3, THEIRS),
            (0.2, 1 + ours["gain %"] / 100, ours["cost"], OURS),
        )
        for shift, gain, cost, colour in pairs:
            share = 100 * gain / cost
            axes.bar(
                at + shift,
                share,
                0.36,
                color="white" if colour == THEIRS else colour,
                edgecolor=colour,
                lw=1.6,
            )
            axes.text(
                at + shift,
                share + 1.5,
                f"{share:.0f}",
                ha="center",
                fontsize=8,
                color=colour,
            )
            text = f"×{gain:.1f} found\n×{cost:.1f} {'time' if colour == THEIRS else 'pages'}"
            axes.text(at + shift, 4, text, ha="center", va="bottom", fontsize=7.4, rotation=90, linespacing=1.4,
                      color=colour if colour == THEIRS else "white")  # fmt: skip
    axes.axhline(100, color=QUIET, lw=1, ls=(0, (3, 3)), zorder=0)
    axes.set(
        title="yield at depth 5, at depth 3 = 100",
        xticks=range(3),
        xticklabels=["best of\nCNF", "best of\nCNG", "middling\nof CNG"],
    )
    axes.tick_params(axis="x", labelsize=8.2, length=0)
    axes.set(ylim=(0, 128), yticks=(0, 50, 100))
    axes.grid(axis="x", visible=False)


def table(found: dict[str, Any]) -> str:
    web = found["web"]
    pairs = [
        [key, CORRELATION[key], value] for key, value in found["correlation"].items()
    ]
    return (
        f"# Crawl groups and depth\n\nGeoweb of {web['pages']:,} pages on {web['hosts']:,} hosts; "
        f"{web['seeds']:,} seeds, one a host.\n"
        "Where a published group needs more seeds than there are, it takes all there are.\n"
        "Simulated walks, one for each group, without chance in them: links are followed without fetching a page.\n"
        "Real crawls of so many pages (a million, by 26 groups) would take days; the crawler's own groups are tested\n"
        "in `tests/orders` and `tests/crawler`.\n\n"
        "As published, many seeds and short ways pay best per page. Two results contradict the thesis. Going from\n"
        "depth 3 to 5 brought 10 to 62 % more there and multiplies the services here: the geoweb is one web in which\n"
        "five links lead from any seed to most of its hosts, while the thesis crawled on for twice the time, not to\n"
        "the end of a level. And listing pages of depth 3 follow those of depth 2 less closely than there.\n\n"
        f"## Table 3.3: first groups\n\n{first_table(found['first'])}\n"
        f"## Table 3.4: major groups\n\n{major_table(found['major'])}\n"
        f"## Table 3.5: depth 3 to 5\n\n{deep_table(found['deep'])}\n"
        f"## Correlation of new listing pages between levels\n\n{markdown(['levels', 'there', 'here'], pairs)}"
    )


def first_table(found: dict[str, Any]) -> str:
    rows = []
    for name, count, depth, urls, hours in FIRST:
        ours = found[name]
        rate = f"{ours['per 100 pages']:.2f} %"
        rows.append(
            [
                name,
                count,
                depth,
                urls,
                hours,
                ours["services"],
                f"{ours['pages']:,}",
                rate,
            ]
        )
    head = "group, seeds, depth, OGC URLs there, hours there, services here, pages here, services per page here"
    return markdown(head.split(", "), rows)


def major_table(found: dict[str, Any]) -> str:
    rows = []
    for name, first, last, size, urls, hours, far, near in MAJOR:
        one, three = found[name]["depth 1"], found[name]["depth 3"]
        rates = f"{one['per 100 pages']:.2f} % / {three['per 100 pages']:.2f} %"
        rows.append([name, f"{first}–{last}", size, urls, hours, f"{near} % / {far} %", found[name]["groups"],
                     three["services"], f"{three['pages']:,}", rates])  # fmt: skip
    head = (
        "groups, ranks, size, OGC URLs there, hours there, per page there at depth 1 / 3, groups here, services here, "
        "pages here, per page here at depth 1 / 3"
    )
    return markdown(head.split(", "), rows)


def deep_table(found: dict[str, Any]) -> str:
    rows = []
    for name, three, five, hours3, hours5 in DEEP:
        ours = found[name]
        counts = f"{ours['depth 3']['services']} → {ours['depth 5']['services']}"
        rows.append([name, f"{three} → {five}", f"+{100 * (five / three - 1):.0f} %", f"×{hours5 / hours3:.2f} time",
                     counts, f"+{ours['gain %']} %", f"×{ours['cost']} pages"])  # fmt: skip
    return markdown(["group", "there", "gain", "cost", "here", "gain", "cost"], rows)


if __name__ == "__main__":
    main()
