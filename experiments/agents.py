"""Sidsten 2012, sections 4.3 and 5.2: fixed queries, search agents, and agents with a crawl, at equal cost."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC, datetime
from itertools import accumulate
from statistics import mean
from typing import Any

from _frame import OSS, QUIET, RESULTS, figure, markdown, save
from _hunts import Run, crawl, hunt, list_pages, noise_of, web
from matplotlib.axes import Axes

from geohound.agent.queries import planned_queries
from geohound.agent.query_sets import first_set
from geohound.agent.rules import SEED_QUERIES

BUDGETS = (25, 50, 75, 100)  # requests to the search engine
WORDS = "map services"
Q1 = tuple(" ".join(query) for query in first_set())
FIXED = {
    "agent_min_score": 1e9,
    "agent_weighs_results": False,
    "agent_explores_every": 0,
    "agent_max_rounds": 0,
}
PUBLISHED = {"agent_learns_from": "links", "agent_weighs_results": False, "agent_explores_every": 0,
             "agent_max_rounds": 0}  # fmt: skip
OURS = {"agent_max_rounds": 0}
PLAIN = {"agent_correlation": False}
# name, first queries, settings
SEARCHES: tuple[tuple[str, tuple[str, ...], dict[str, Any]], ...] = (
    ("fixed: Q1", Q1, FIXED),
    ("fixed: words", tuple(planned_queries(WORDS)), FIXED),
    ("published agent, one seed", SEED_QUERIES[-1:], PUBLISHED),
    ("published agent", SEED_QUERIES, PUBLISHED),
    ("published, no correlation", SEED_QUERIES, PUBLISHED | PLAIN),
    ("agent", SEED_QUERIES, OURS),
    ("agent, no correlation", SEED_QUERIES, OURS | PLAIN),
)
COLOURS = {"fixed: Q1": "#7b8794", "fixed: words": "#b4bcc6", "published agent": "#d9822b",
           "published agent, one seed": "#8a5a17",
           "published, no correlation": "#f0c08f", "agent": "#0b6bb3", "agent, no correlation": "#8fbfe0"}  # fmt: skip
METHODS = {
    "list pages": 3.05,
    "fixed queries": 62.61,
    "agent": None,
    "agent and crawl": 99.87,
}  # percent of all live
LIVE = {
    "list pages": 6.7,
    "fixed queries": 34.9,
    "agent": 17.6,
    "agent and crawl": None,
}  # percent of what was named


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--seeds", type=int, nargs="+", default=[401, 402, 403, 404, 405]
    )
    parser.add_argument(
        "--small-seeds", type=int, nargs="+", default=[411, 412, 413, 414]
    )
    parser.add_argument(
        "--methods-only",
        action="store_true",
        help="measure the methods anew, and keep the searches of the last run",
    )
    args = parser.parse_args()
    kept = json.loads((RESULTS / "agents.json").read_text("utf-8"))["measured"]
    today = datetime.now(UTC).date().isoformat()
    found = (
        kept if args.methods_only else all_searches(args.seeds) | {"searched": today}
    )
    found |= {
        "methods": [methods(seed) for seed in args.small_seeds],
        "compared": today,
    }
    subtitle = "600 hosts, 60,000 pages; the search engine shows 100 results of a query; bands: all webs"
    with figure(title_of(found), subtitle, (1.3, 1, 1, 0.9)) as axes:
        ways = found["searches"]
        by = "requests to the search engine"
        draw_curves(axes[0], ways, "by_request", by, "services found")
        draw_curves(axes[1], ways, "by_step", "queries", "services found")
        draw_curves(axes[2], ways, "seeds_by_step", "queries", "seeds")
        draw_noise(axes[3], found["noise"])
        source = f"Published: {OSS}, figures 4.12 to 4.17, sections 4.3.1 and 5.2.3. Means of {len(found['alive'])} webs."
        told = {"published": published(), "measured": found}
        save("agents", axes, source, told, table(found))


def all_searches(seeds: list[int]) -> dict[str, Any]:
    """Every way to search, on several webs."""
    searched = [searches(seed) for seed in seeds]
    return {
        "searches": {
            name: merged([each["runs"][name] for each in searched])
            for name, *_ in SEARCHES
        },
        "alive": [each["alive"] for each in searched],
        "noise": [pair for each in searched for pair in each["noise"]],
    }


def searches(seed: int) -> dict[str, Any]:
    """Every way to search, on one web."""
    with web(seed, 600, 60_000) as (world, port):
        runs = {
            name: at_budgets(port, queries, more) for name, queries, more in SEARCHES
        }
        asked = [step["query"] for step in runs["agent"]["steps"] if step["results"]][
            :20
        ]
        return {
            "runs": runs,
            "alive": sum(p.alive for p in world.services),
            "noise": noise_of(port, asked),
        }


def at_budgets(
    port: int, queries: tuple[str, ...], more: dict[str, Any]
) -> dict[str, Any]:
    """One way to search: what it had found when so many requests were made."""
    run: Run = hunt(port, queries, max_queries=BUDGETS[-1], **more)
    curve = run.by_request
    print(f"{port}: {queries[0]} … {more}: {len(run.services)}", file=sys.stderr)
    return {
        "services": [curve[min(budget, len(curve) - 1)] for budget in BUDGETS],
        "by_request": curve,
        "by_step": list(accumulate(step["services"] for step in run.steps)),
        "seeds_by_step": list(accumulate(step["seeds"] for step in run.steps)),
        "live_share": round(run.live_share, 3),
        "steps": run.steps,
    }


def merged(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """The means over several webs; a run that ends early stays where it was."""
    curves = ("by_request", "by_step", "seeds_by_step")
    return {
        "services": [
            round(mean(run["services"][at] for run in runs), 1)
            for at in range(len(BUDGETS))
        ],
        **{name: _mean_curve([run[name] for run in runs]) for name in curves},
        "live_share": round(mean(run["live_share"] for run in runs), 3),
        "each": [run["services"] for run in runs],
        "curves": [run["by_request"] for run in runs],
    }


def _mean_curve(curves: list[list[int]]) -> list[float]:
    longest = max(map(len, curves))
    return [
        round(
            mean(curve[min(at, len(curve) - 1)] if curve else 0 for curve in curves), 1
        )
        for at in range(longest)
    ]


def methods(seed: int) -> dict[str, Any]:
    """What each method finds of what all find together, on a web small enough to be crawled whole."""
    with web(seed, 150, 6_000) as (world, port):
        alive = sum(p.alive for p in world.services)
        runs = {
            "list pages": crawl(port, list_pages(world, 2), 0),
            "fixed queries": hunt(port, Q1, max_queries=50, **FIXED),
            "agent": hunt(port, SEED_QUERIES, max_queries=50, **OURS),
            "agent and crawl": hunt(
                port,
                SEED_QUERIES,
                steps=("search", "crawl"),
                max_queries=50,
                max_depth=3,
                **OURS,
            ),
        }
    everything = set().union(*(run.services for run in runs.values()))
    return {
        "alive": alive,
        "together": len(everything),
        **{
            name: {
                "services": len(run.services),
                "percent": round(100 * len(run.services) / len(everything), 2),
                "live_percent": round(100 * run.live_share, 1),
                "requests": run.counters["requests"],
            }
            for name, run in runs.items()
        },
    }


def title_of(found: dict[str, Any]) -> str:
    ratio = mean(ratios(found)[-1])
    return f"For 100 requests the agent finds {ratio:.1f} times the services of fixed queries"


def ratios(found: dict[str, Any]) -> list[list[float]]:
    """Agent by the better of the fixed sets within each budget, web by web."""
    ways = found["searches"]
    fixed = zip(ways["fixed: Q1"]["each"], ways["fixed: words"]["each"], strict=True)
    best = [list(map(max, *pair)) for pair in fixed]
    return [
        [
            ours[at] / max(1, theirs[at])
            for ours, theirs in zip(ways["agent"]["each"], best, strict=True)
        ]
        for at in range(len(BUDGETS))
    ]


def draw_curves(axes: Axes, found: dict[str, Any], curve: str, x: str, y: str) -> None:
    for name, run in found.items():
        values = run[curve]
        style = "--" if "no correlation" in name else "-"
        axes.plot(
            range(len(values)),
            values,
            color=COLOURS[name],
            label=name,
            ls=style,
            lw=1.8,
        )
        if curve == "by_request" and name in ("agent", "fixed: Q1"):
            draw_band(axes, run["curves"], COLOURS[name])
    axes.set(
        xlabel=x,
        ylabel=y,
        xlim=(0, None),
        ylim=(0, None),
        title=f"{y} by {x.split(maxsplit=1)[0]}",
    )
    if curve == "by_request":
        axes.legend(fontsize=7.8, loc="lower right")


def draw_band(axes: Axes, curves: list[list[int]], colour: str) -> None:
    """From the least to the most of all webs."""
    longest = max(map(len, curves))
    held = [curve + curve[-1:] * (longest - len(curve)) for curve in curves]
    low, high = ([edge(at) for at in zip(*held, strict=True)] for edge in (min, max))
    axes.fill_between(range(longest), low, high, color=colour, alpha=0.12, lw=0)


def draw_noise(axes: Axes, pairs: list[list[float]]) -> None:
    axes.scatter(
        [results for results, _ in pairs],
        [100 * noise for _, noise in pairs],
        s=14,
        color="#0b6bb3",
        alpha=0.6,
    )
    axes.set(
        xlabel="results of both answers",
        ylabel="relative noise, %",
        title="noise of repeated queries",
        ylim=(0, 105),
    )
    axes.text(
        0.03,
        0.94,
        "each query asked twice",
        transform=axes.transAxes,
        fontsize=8,
        color=QUIET,
    )


def published() -> dict[str, Any]:
    return {
        "source": OSS,
        "services after 61 steps": {"manual run of May 5": 418, "best agent": 590},
        "services after 31 steps, best agent": 545,
        "gain by correlation at step 61, percent": 6,
        "seeds after 31 steps": 7000,
        "half-time of change of results, days": 1.6,
        "percent of all live services": METHODS
        | {"one-step crawl": 2.11, "Google": 9.42, "crawl (WIRE)": 56.10},
        "live percent of links": LIVE,
    }


def table(found: dict[str, Any]) -> str:
    ways = found["searches"]
    rows = [
        [
            name,
            *(
                f"{value:g} ({min(each)} to {max(each)})"
                for value, each in zip(
                    run["services"], zip(*run["each"], strict=True), strict=True
                )
            ),
            f"{100 * run['live_share']:.0f} %",
        ]
        for name, run in ways.items()
    ]
    gains = ", ".join(
        f"{mean(each):.2f} ({min(each):.2f} to {max(each):.2f}) within {budget}"
        for budget, each in zip(BUDGETS[1:], ratios(found)[1:], strict=True)
    )  # at the first the fixed queries are asked, and not yet read
    correlated = ways["agent"]["services"][-1]
    plain = ways["agent, no correlation"]["services"][-1]
    theirs, theirs_plain = (
        ways[name]["services"][-1]
        for name in ("published agent", "published, no correlation")
    )
    noise = mean(value for _, value in found["noise"])
    compared = [
        [name, f"{METHODS[name]} %" if METHODS[name] else "–", *(f"{each[name]['percent']} % ({each[name]['services']})"
         for each in found["methods"]), f"{LIVE[name]} %" if LIVE[name] else "–",
         f"{mean(each[name]['live_percent'] for each in found['methods']):.0f} %"]
        for name in METHODS
    ]  # fmt: skip
    together = [
        f"web {at}, of {each['together']}"
        for at, each in enumerate(found["methods"], 1)
    ]
    return (
        "# Search agents\n\n"
        f"Real hunts of {len(found['alive'])} made-up webs of 600 hosts and 60,000 pages, whose search engine is made up, "
        "too: one run of each way on\neach web; in brackets the least and the most of all webs.\n\n"
        f"Alive in the webs: {', '.join(map(str, found['alive']))} services. Requests are those to the search engine; "
        "all ways read and test their results alike, and catalogues that they meet are harvested.\n\n"
        "## Services by way to search and budget\n\n"
        f"Measured: {found['searched']}.\n\n"
        f"{markdown(['way', *(f'{budget} requests' for budget in BUDGETS), 'live share of tests'], rows)}\n"
        f"Agent by the better of the fixed sets: {gains} requests (means, and the least and the most of all "
        "webs; published: 590/418 = 1.41 after 61 steps). "
        f"With correlation {100 * (correlated / plain - 1):+.1f} % within 100 requests, by the published rules "
        f"{100 * (theirs / theirs_plain - 1):+.1f} % (published: +6 %).\n\n"
        f"Noise of a query that is asked again at once: {100 * noise:.0f} % on average "
        "(published: half of the results change in 1.6 days).\n\n"
        "## Share of all live services that all methods find together\n\n"
        f"Measured: {found['compared']}. Data sets of Atom feeds and files of OPeNDAP servers are found as services of "
        "their own.\n\n"
        f"{markdown(['method', 'there', *together, 'live there', 'live here'], compared)}\n"
        "List pages: the two that name most services; fixed queries: Q1; 50 requests; the crawl goes to depth 3.\n"
    )


if __name__ == "__main__":
    main()
