"""Alqaraleh, Ramadan & Salamah 2015, table II and figure 6: fifty parallel crawlers in four scenarios.

A simulator draws a web as theirs was (one university that every crawler begins with, and the sites that it links to)
and runs fifty crawlers for three days; beside it, a few real crawls of real sites with real watchers show that the flag
does what the simulator says of it.
"""

from __future__ import annotations

import argparse
import heapq
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "shared"))

from _changing_site import shown
from _frame import COLOURS, WBC, figure, markdown, save
from watched import WatchedSite, serving

from geohound.watcher import WatcherRules

CRAWLERS, DAYS = 50, 3
PUBLISHED = {  # section 3.2: how many of the fifty downloaded the same page, and distinct pages
    "independent": ("more than 40", "688,120"), "dependent": ("less than 7", "less than 240,000"),
    "seed-server": ("1 to 3", "350,816"), "watcher": ("1", "about 1,000,000"),
}  # fmt: skip
COLOUR = {"independent": COLOURS["fifo"], "dependent": COLOURS["atf"], "seed-server": COLOURS["oss"],
          "watcher": COLOURS["adaptive"]}  # fmt: skip


class Web(NamedTuple):
    """Pages of each site; the first sites are the university's, which all crawlers begin with."""

    sizes: list[int]
    own: int


class Costs(NamedTuple):
    """In units of one download; a day has so many of them for each crawler."""

    day: int = 2_400
    # to each other crawler, before a page, where they have to agree
    message: float = 0.02
    server: float = 0.01  # of the seed-server, for each page: one after the other
    stale: float = 0.004  # chance that another crawler begins with a page before the message about it has come


def draw_web(chance: random.Random) -> Web:
    own = [max(1, int(chance.paretovariate(1.1) * 8)) for _ in range(40)]
    outer = [max(1, int(chance.paretovariate(1.1) * 20)) for _ in range(4_000)]
    return Web([min(size, 400) for size in own + outer], len(own))


def orders(web: Web, chance: random.Random) -> list[list[int]]:
    """The sites in the order in which each crawler comes to them: the university's, then those that it links to."""
    found = []
    for _ in range(CRAWLERS):
        own, outer = list(range(web.own)), list(range(web.own, len(web.sizes)))
        chance.shuffle(own)
        chance.shuffle(outer)
        found.append(own + outer)
    return found


def independent(
    web: Web, costs: Costs, chance: random.Random
) -> list[Counter[tuple[int, int]]]:
    """Nobody talks to anybody: each reads what it comes to, and the next day again."""
    days = []
    for _ in range(DAYS):
        read: Counter[tuple[int, int]] = Counter()
        for order in orders(web, chance):
            pages = ((site, n) for site in order for n in range(web.sizes[site]))
            read.update(page for page, _ in zip(pages, range(costs.day), strict=False))
        days.append(read)
    return days


def dependent(
    web: Web, costs: Costs, chance: random.Random
) -> list[Counter[tuple[int, int]]]:
    """Before each page all others are asked, which takes time; answers that come late let some pages be read twice."""
    price = 1 + costs.message * (CRAWLERS - 1)
    days = []
    for _ in range(DAYS):
        read: Counter[tuple[int, int]] = Counter()
        for order in orders(web, chance):
            left = float(costs.day)
            for page in ((site, n) for site in order for n in range(web.sizes[site])):
                if left < price:
                    break
                if page not in read or chance.random() < costs.stale:
                    left -= price
                    read[page] += 1
                else:
                    left -= costs.message  # the first answer is enough
        days.append(read)
    return days


def seed_server(
    web: Web, costs: Costs, chance: random.Random
) -> list[Counter[tuple[int, int]]]:
    """One server hands out every page; it is the limit once it has more to do than time."""
    days = []
    for _ in range(DAYS):
        read: Counter[tuple[int, int]] = Counter()
        sites = list(range(len(web.sizes)))
        chance.shuffle(sites)
        pages = iter([(site, n) for site in sites for n in range(web.sizes[site])])
        server, idle = 0.0, [(0.0, n) for n in range(CRAWLERS)]
        while idle and (page := next(pages, None)) is not None:
            at, crawler = heapq.heappop(idle)
            # the page is handed out, and what it links to is handed in
            server = max(server, at) + costs.server * 2
            if server + 1 > costs.day:
                break
            read[page] += 1
            heapq.heappush(idle, (server + 1, crawler))
        days.append(read)
    return days


def watcher(
    web: Web, costs: Costs, chance: random.Random
) -> list[Counter[tuple[int, int]]]:
    """Two requests take a site that is free, one finds that it is taken; after the first time only changes are read."""
    days, taken_before = [], set[int]()
    for _ in range(DAYS):
        read: Counter[tuple[int, int]] = Counter()
        flags: set[int] = set()
        plans = [iter(order) for order in orders(web, chance)]
        turns = [(0.0, n) for n in range(CRAWLERS)]
        while turns:
            at, crawler = heapq.heappop(turns)
            site = next(plans[crawler], None)
            if site is None or at >= costs.day:
                continue
            if site in flags:
                heapq.heappush(turns, (at + 1, crawler))
                continue
            flags.add(site)
            changed = [
                n
                for n in range(web.sizes[site])
                if site not in taken_before or chance.random() < 0.1
            ]
            fitting = changed[: max(0, int(costs.day - at - 2))]
            read.update((site, n) for n in fitting)
            heapq.heappush(turns, (at + 2 + len(fitting), crawler))
        taken_before |= flags
        days.append(read)
    return days


SCENARIOS: dict[str, Callable[[Web, Costs, random.Random], list[Counter[tuple[int, int]]]]] = {
    "independent": independent, "dependent": dependent, "seed-server": seed_server, "watcher": watcher,
}  # fmt: skip


def simulate(runs: int) -> dict[str, Any]:
    found: dict[str, Any] = {
        name: {"distinct": [], "crawlers on a page": []} for name in SCENARIOS
    }
    for seed in range(runs):
        web = draw_web(random.Random(seed))
        for name, scenario in SCENARIOS.items():
            days = scenario(web, Costs(), random.Random(1_000 + seed))
            own = [
                count
                for read in days
                for (site, _), count in read.items()
                if site < web.own
            ]
            found[name]["distinct"].append(len(set().union(*days)))
            found[name]["crawlers on a page"].append(round(mean(own), 2))
    return found


def real(crawls: int, sites: int, pages: int, *, share: bool) -> dict[str, Any]:
    """So many `geohound crawl` at once, each with a catalogue of its own; the servers count who came."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        servers = []
        for n in range(sites):
            (Path(folder) / f"s{n}").mkdir()
            watched = WatchedSite(
                Path(folder) / f"s{n}",
                WatcherRules(sitemap=False),
                f"http://s{n}.test/",
            )
            watched.log.touch()
            stack.callback(watched.site.close)
            for p in range(pages):
                name = "index.html" if p == 0 else f"p{p}.html"
                watched.write(
                    name,
                    f'<title>{n} {p}</title><p>{"word " * p}<a href="p{p + 1}.html">next</a>',
                )
            watched.run()
            servers.append(stack.enter_context(serving(watched)))
        quick = {"GEOHOUND_HOST_DELAY_S": "0.1", "GEOHOUND_PROCESSES": "1", "GEOHOUND_SLOW_HOST_FACTOR": "0",
                 "GEOHOUND_OBEY_ROBOTS": "false"}  # fmt: skip
        quick |= {"GEOHOUND_WATCHERS": "always", "GEOHOUND_WATCHER_LEAVES_TAKEN": "true"} if share else {
            "GEOHOUND_WATCHERS": "never"}  # fmt: skip
        routes = [
            w
            for n, s in enumerate(servers)
            for w in ("--connect-to", f"s{n}.test=127.0.0.1:{s.server_port}")
        ]
        running = []
        for crawl in range(crawls):
            order = random.Random(crawl).sample(range(sites), sites)
            command = [sys.executable, "-m", "geohound", "crawl", *(f"http://s{n}.test/" for n in order), "--json",
                       "--catalogue", f"{folder}/c{crawl}.db", "--allow-net", "127.0.0.0/8", *routes]  # fmt: skip
            options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            running.append(
                subprocess.Popen(command, env={**os.environ, **quick}, **options)
            )  # type: ignore[call-overload]
        codes = [process.wait(300) for process in running]
        read = Counter(
            (n, path)
            for n, server in enumerate(servers)
            for path in server.pages
            if f"p{pages}." not in path
        )
        questions = sum(len(server.questions) for server in servers)
    return {"crawls": crawls, "exit codes": codes, "distinct pages": len(read), "downloads": sum(read.values()),
            "downloads of a page": round(sum(read.values()) / len(read), 2), "most": max(read.values()),
            "requests for reports": questions}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--crawls", type=int, default=4)
    parser.add_argument("--sites", type=int, default=8)
    parser.add_argument("--pages", type=int, default=10)
    args = parser.parse_args()
    found = simulate(args.runs)
    beside = {
        "independent": real(args.crawls, args.sites, args.pages, share=False),
        "watcher": real(args.crawls, args.sites, args.pages, share=True),
    }
    print(json.dumps(beside), flush=True)
    with figure(
        "With watchers fifty crawlers that never talk to each other read no page twice",
        f"simulated: {CRAWLERS} crawlers, {DAYS} days, {args.runs} webs; real crawls beside it in the table",
        (1, 1),
    ) as (left, right):
        for axes, name, label in (
            (left, "crawlers on a page", "crawlers that read the same page in a day"),
            (right, "distinct", "distinct pages in three days"),
        ):
            axes.bar(list(found), [mean(one[name]) for one in found.values()], 0.6,
                     color=[COLOUR[scenario] for scenario in found])  # fmt: skip
            axes.set(ylabel=label)
        save("overlap", [left, right], f"Published: {WBC}, table II and figure 6.",
             {"published": {"source": WBC, "scenarios": PUBLISHED}, "costs": Costs()._asdict(),
              "measured": {"simulated": found, "real": beside}}, table(found, beside, args.runs))  # fmt: skip


def table(found: dict[str, Any], beside: dict[str, Any], runs: int) -> str:
    rows = [
        [
            name,
            shown(one["crawlers on a page"], 2),
            PUBLISHED[name][0],
            shown(one["distinct"], 0),
            PUBLISHED[name][1],
        ]
        for name, one in found.items()
    ]
    head = ["scenario", "crawlers on a page of the university a day (95 %)", "published, of 50",
            "distinct pages (95 %)", "published"]  # fmt: skip
    counted = ("crawls", "distinct pages", "downloads", "most", "requests for reports")
    real_rows = [
        [name, *(one[each] for each in counted)] for name, one in beside.items()
    ]
    real_head = [
        "real crawls",
        "at once",
        "distinct pages",
        "downloads",
        "most downloads of a page",
        "for reports",
    ]
    costs = Costs()
    text = (
        f"\n\nThe web and its costs are assumptions, stated in `overlap.py`: a day has {costs.day:,} downloads for each"
        f" crawler, a message to another crawler costs {costs.message:g} of one, the seed-server {costs.server:g}"
        " for each page that it hands out or takes in. What does not depend on them is the overlap: a flag that one"
        " crawler takes leaves none.\n\nReal crawls: each a process with a catalogue of its own, real sites on loopback"
        " with real watchers that learn of crawlers from their access logs; the servers counted.\n\n"
    )
    return (
        "# Crawlers in parallel\n\n"
        f"Simulated: {CRAWLERS} crawlers, {DAYS} days, {runs} webs drawn anew, ± is the half of a 95 % interval; "
        "below, one run of real crawls.\n\n"
        + markdown(head, rows)
        + text
        + markdown(real_head, real_rows)
    )


if __name__ == "__main__":
    main()
