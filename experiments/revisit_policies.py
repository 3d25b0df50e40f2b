"""Alqaraleh, Ramadan & Salamah 2015, figures 7 and 8: revisit policies, their requests and the updates that they see.

A site that changes for seven days, drawn anew for each run; the policy of the watcher uses the real watcher. Threshold
and number of levels of the proportional policies are chosen on sites of their own, for the best result, as published.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from _changing_site import ChangingSite, SitePage, interval, shown
from _frame import COLOURS, WBC, figure, markdown, save
from matplotlib.axes import Axes

from geohound.watcher import frequency, level

DAYS = 7
LEARNING_DAYS = 7
AFFORDABLE = 0.25  # of the uniform policy's requests: the published ratio of the best proportional policy
SHARE = 0.09  # of pages a day, as at global.nytimes.com (table I)
PUBLISHED = {  # section 3.5: time beside the watcher's, and the share of updates that was seen
    "uniform": (10.0, "all in most cases"), "by rank": (2.5, "at most 82"), "top N levels": (None, "at most 82"),
    "watcher": (1.0, "all in most cases"),
}  # fmt: skip
COLOUR = {"uniform": COLOURS["fifo"], "by rank": COLOURS["atf"], "top N levels": COLOURS["oss"],
          "watcher": COLOURS["adaptive"]}  # fmt: skip


class Crawler:
    """What one crawler knows of the site: the pages that it met, and their versions when it read them."""

    def __init__(self, site: ChangingSite) -> None:
        self.site = site
        self.versions = {page.name: page.version for page in site.pages}
        self.updates = dict.fromkeys(self.versions, 0)
        self.requests = 0

    def read(self, page: SitePage) -> None:
        self.requests += 1
        if page.name in self.versions and page.version != self.versions[page.name]:
            self.updates[page.name] += 1
        self.updates.setdefault(page.name, 0)
        self.versions[page.name] = page.version

    def walk(self, wants: Callable[[SitePage], bool]) -> None:
        """From the main page along the links of pages that are wanted; known pages are asked for by their address."""
        waiting = [
            self.site.main,
            *(p for p in self.site.pages if p.name in self.versions),
        ]
        met = set()
        while waiting:
            page = waiting.pop()
            if page.name in met or not wants(page):
                continue
            met.add(page.name)
            self.read(page)
            waiting += page.children

    def rank(self, page: SitePage, length: int, most: int) -> float:
        return frequency(self.updates.get(page.name, 0), 0, most) + level(
            page.distance, length
        )


def uniform(crawler: Crawler) -> None:
    crawler.walk(lambda _: True)


def by_rank(threshold: float) -> Callable[[Crawler], None]:
    def visit(crawler: Crawler) -> None:
        length = max(page.distance for page in crawler.site.pages) + 1
        most = max(crawler.updates.values())
        ranks = {
            page.name: crawler.rank(page, length, most) for page in crawler.site.pages
        }
        crawler.walk(lambda page: ranks[page.name] >= threshold)

    return visit


def top_levels(levels: int) -> Callable[[Crawler], None]:
    return lambda crawler: crawler.walk(lambda page: page.distance <= levels)


def by_watcher(crawler: Crawler) -> None:
    names = {page.name: page for page in crawler.site.pages}
    crawler.requests += 2  # for the report: to take the site, and to say what was read
    for name in crawler.site.take():
        crawler.read(names[name])


def run(
    policy: Callable[[Crawler], None], pages: int, seed: int, days: int = DAYS
) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        site = ChangingSite(Path(folder), pages, seed, has_files=policy is by_watcher)
        site.take()
        crawler = Crawler(site)
        requests, shares = [], []
        # whoever goes by rank has to know how often pages change
        for _ in range(LEARNING_DAYS):
            site.live_a_day(round(SHARE * pages))
            uniform(crawler)
        site.take()
        for _ in range(days):
            changed = site.live_a_day(round(SHARE * pages))
            crawler.requests = 0
            policy(crawler)
            current = {page.name: page.version for page in site.pages}
            seen = sum(crawler.versions.get(name) == current[name] for name in changed)
            requests.append(crawler.requests)
            shares.append(100 * seen / len(changed))
        site.watcher.close()
    return {"requests": requests, "shares": shares}


def best(candidates: dict[float, Callable[[Crawler], None]], pages: int) -> float:
    """The value that sees most with the requests that the published policy needed, on sites of their own."""

    def worth(value: float) -> float:
        runs = [run(candidates[value], pages, 900 + n) for n in range(3)]
        asked = sum(sum(one["requests"]) for one in runs) / DAYS / len(runs)
        is_affordable = asked <= AFFORDABLE * pages * (1 + SHARE)
        return sum(sum(one["shares"]) for one in runs) if is_affordable else -asked

    return max(candidates, key=worth)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=8)
    args = parser.parse_args()
    thresholds = {
        value / 100: by_rank(value / 100)
        for value in (30, 40, 41, 42, 43, 44, 46, 48, 50, 55)
    }
    levels = {float(n): top_levels(n) for n in (1, 2, 3)}
    threshold, depth = best(thresholds, args.pages), best(levels, args.pages)
    policies = {"uniform": uniform, "by rank": by_rank(threshold), "top N levels": top_levels(int(depth)),
                "watcher": by_watcher}  # fmt: skip
    found: dict[str, Any] = {}
    for name, policy in policies.items():
        runs = [run(policy, args.pages, seed) for seed in range(args.runs)]
        found[name] = {
            "requests a day": [round(sum(one["requests"]) / DAYS, 1) for one in runs],
            "updates seen, %": [round(sum(one["shares"]) / DAYS, 2) for one in runs],
        }
    base = interval(found["uniform"]["requests a day"])[0]
    used = interval(found["watcher"]["requests a day"])[0]
    for one in found.values():
        one["share of the uniform policy's requests, %"] = round(
            100 * interval(one["requests a day"])[0] / base, 1
        )
    with figure(
        f"With a watcher every update is seen with {100 * used / base:.0f} % of the uniform policy's requests",
        f"{args.runs} sites of {args.pages:,} pages that change for {DAYS} days, {SHARE:.0%} of the pages a day; "
        f"threshold {threshold:g}, N = {depth:g}; bars: 95 % confidence",
        (1, 1),
    ) as (left, right):
        draw(left, found, "requests a day", "requests a day")
        draw(right, found, "updates seen, %", "% of the updated and new pages")
        save("revisit_policies", [left, right], f"Published: {WBC}, figures 7 and 8.",
             {"published": {"source": WBC, "policies": PUBLISHED}, "threshold": threshold, "levels": depth,
              "measured": found}, table(found, used, args.pages))  # fmt: skip


def draw(axes: Axes, found: dict[str, Any], name: str, label: str) -> None:
    middles = [interval(one[name]) for one in found.values()]
    axes.bar(list(found), [m for m, _ in middles], 0.6, yerr=[h for _, h in middles], capsize=4,
             color=[COLOUR[policy] for policy in found])  # fmt: skip
    axes.set(ylabel=label)


def table(found: dict[str, Any], used: float, pages: int) -> str:
    rows = [
        [
            name,
            shown(one["requests a day"]),
            f"{interval(one['requests a day'])[0] / used:.1f}",
            shown(one["updates seen, %"]),
            PUBLISHED[name][0] or "",
            PUBLISHED[name][1],
        ]
        for name, one in found.items()
    ]
    head = ["policy", "requests a day (95 %)", "beside the watcher's", "% of updates seen (95 %)",
            "published: time beside the watcher's", "published: % seen"]  # fmt: skip
    text = (
        "\n\nTime is requests: a polite crawler makes one a second, whatever the policy. The goal, every updated page"
        " with at most 12 % of the uniform policy's requests, counts the two requests for the report."
    )
    about = (
        f"Simulated: {len(next(iter(found.values()))['requests a day'])} runs, each a site of {pages:,} pages of its own "
        "that changes for seven days; the policy of the watcher uses the\nreal watcher; ± is the half of a 95 % "
        "interval.\n\n"
    )
    return "# Revisit policies\n\n" + about + markdown(head, rows) + text


if __name__ == "__main__":
    main()
