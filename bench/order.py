"""All orders on the same webs, as crawls spend them: services against pages, requests and seconds, in simulated time.

    python bench/order.py --part large          # 15 % of the pages of large webs, by family, the worst one last
    python bench/order.py --part small          # 300 to 1,000 pages of 1 to 50 hosts, 20 webs: a sign test against FIFO
    python bench/order.py --part bounds         # pages and time are both bounded: spent by either alone, and by both
    python bench/order.py --part ablations      # the adaptive order without one of its parts, on tuning webs
    python bench/order.py --part cost           # CPU of each order per new link

Published orders ask every host that is due, as published. The adaptive order runs with `--thrift 1`, with auto and with
all hosts; `told hosts` is the same order told which hosts have services. Webs are mined once and kept in the temporary
folder.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from crawl_simulator import Conditions, Found, Simulation
from order_contenders import ABLATIONS, PUBLISHED, Told
from simulated import MinedWeb, mined
from webs import Web
from webs.bazaar import BazaarWeb
from webs.civic import CivicWeb
from webs.geoweb_web import GeowebWeb
from webs.guild import GuildWeb
from webs.mosaic import MosaicWeb
from webs.offices import OfficesWeb
from webs.scholarly import ScholarlyWeb
from webs.wild.web import WildWeb

from geohound.contracts import Order
from geohound.frontier.thrift import Thrift
from geohound.orders.adaptive import Adaptive

RESULTS = Path(__file__).parent / "results"
HOSTS, PAGES, SHARE = 254, 40_000, 0.15
SHARES = (0.01, 0.05, 0.15)
SECONDS = (20, 60, 180)
FAMILIES: dict[str, Callable[[int, int, int], Web]] = {
    "geoweb": lambda seed, hosts, pages: GeowebWeb(seed, hosts=hosts, pages=pages),
    "wild": lambda seed, hosts, pages: WildWeb(seed, hosts=hosts, pages=pages),
    "civic": lambda seed, hosts, pages: CivicWeb(seed, hosts=hosts, pages=pages),
    "scholarly": lambda seed, hosts, pages: ScholarlyWeb(
        seed, hosts=hosts, pages=pages
    ),
    "bazaar": lambda seed, hosts, pages: BazaarWeb(seed, hosts=hosts, pages=pages),
    "mosaic": MosaicWeb,
    "guild": GuildWeb,
    "offices": OfficesWeb,
}
# families for judging alone: whoever changes the order does not look at them
KEPT = "mosaic", "guild", "offices"
TUNING = (501, 502, 503)  # seeds, of webs with so many hosts and pages
TUNING_SIZE = 120, 10_000
JUDGING = (511, 512, 513)
SMALL = tuple((hosts, budget) for hosts in (1, 3, 8, 20, 50) for budget in (300, 1_000))
SMALL_SEEDS = 601, 602
AS_PUBLISHED = None
FRUGAL = Thrift(share=1.0)


@dataclass(frozen=True, slots=True)
class Job:
    """One crawl: an order on one web with one budget."""

    family: str
    seed: int
    hosts: int
    pages: int
    order: str
    budget: int = 0  # pages; 0 for the usual share
    is_ablation: bool = False


@dataclass(frozen=True, slots=True)
class Score:
    """What one crawl brought: services as shares of all that the web has, and in numbers."""

    job: Job
    services: int  # of the web
    at_shares: dict[str, float]  # % of the services after % of the pages
    at_seconds: dict[str, float]
    found: int
    requests: int
    elapsed_s: float


@lru_cache(maxsize=2)
def load(family: str, seed: int, hosts: int, pages: int) -> MinedWeb:
    return mined(
        f"{family}-{seed}-{hosts}-{pages}", lambda: FAMILIES[family](seed, hosts, pages)
    )


def contender(name: str, web: MinedWeb, budget: int) -> tuple[Order, Thrift | None]:
    """An order, and how thriftily it spends."""
    own: dict[str, tuple[Callable[[], Order], Thrift | None]] = {
        "adaptive": (Adaptive, FRUGAL),
        "adaptive, auto": (Adaptive, Thrift(max_pages=budget)),
        "adaptive, all hosts": (Adaptive, None),
        "told hosts": (lambda: Told(web), FRUGAL),
        "shark, 10 hosts": (PUBLISHED["shark"], Thrift(active_hosts=10)),
    }
    make, thrift = own[name] if name in own else (PUBLISHED[name], AS_PUBLISHED)
    return make(), thrift


def play(job: Job) -> Score:
    web = load(job.family, job.seed, job.hosts, job.pages)
    budget = job.budget or int(SHARE * web.pages)
    order, thrift = (
        (ABLATIONS[job.order](), FRUGAL)
        if job.is_ablation
        else contender(job.order, web, budget)
    )
    found = Simulation(web, order, Conditions(budget, thrift=thrift)).run()
    return measure(job, web, found)


def measure(job: Job, web: MinedWeb, found: Found) -> Score:
    total = max(1, len(web.services))
    return Score(
        job, len(web.services),
        {f"{s:.0%}": round(100 * sum(at <= s * web.pages for at in found.at_pages) / total, 1) for s in SHARES},
        {f"{s} s": round(100 * sum(at <= s for at in found.at_s) / total, 1) for s in SECONDS},
        len(found.at_pages), found.requests, round(found.elapsed_s, 1),
    )  # fmt: skip


def run(jobs: Sequence[Job], processes: int) -> list[Score]:
    scores: list[Score] = []
    with multiprocessing.Pool(processes, maxtasksperchild=20) as pool:
        for score in pool.imap(play, jobs):
            scores.append(score)
            job = score.job
            print(
                job.family,
                job.seed,
                job.hosts,
                job.order,
                score.found,
                "of",
                score.services,
                score.at_shares,
                flush=True,
            )
    return scores


def large_jobs(
    families: Sequence[str],
    seeds: Sequence[int],
    size: tuple[int, int],
    published: Sequence[str],
) -> list[Job]:
    orders = (
        "told hosts",
        "adaptive",
        "adaptive, auto",
        "adaptive, all hosts",
        "shark, 10 hosts",
        *published,
    )
    return [
        Job(family, seed, *size, order)
        for family in families
        for seed in seeds
        for order in orders
    ]


def small_jobs(families: Sequence[str]) -> list[Job]:
    """Twenty webs of two families, ten of each: every size with one of two seeds in turn."""
    webs = [
        (family, SMALL_SEEDS[n % 2] + n, hosts, max(600, 3 * budget), budget)
        for family in families
        for n, (hosts, budget) in enumerate(SMALL)
    ]
    return [
        Job(family, seed, hosts, pages, order, budget)
        for family, seed, hosts, pages, budget in webs
        for order in ("fifo", "adaptive, auto")
    ]


def ablation_jobs(families: Sequence[str]) -> list[Job]:
    return [
        Job(family, seed, *TUNING_SIZE, order, is_ablation=True)
        for family in families
        for seed in TUNING
        for order in ABLATIONS
    ]


def large_table(scores: Sequence[Score]) -> tuple[str, dict[str, object]]:
    """By family: means over seeds, and what the goals ask of each."""
    lines: list[str] = []
    summary: dict[str, object] = {}
    for family in dict.fromkeys(s.job.family for s in scores):
        of = [s for s in scores if s.job.family == family]
        lines += [
            "",
            f"{family}, seeds {sorted({s.job.seed for s in of})}: % of the services after",
            "",
        ]
        lines.append(
            f"{'order':24}"
            + "".join(f"{k:>8}" for k in (*of[0].at_shares, *of[0].at_seconds))
            + "  requests       s"
        )
        for order in dict.fromkeys(s.job.order for s in of):
            lines.append(f"{order:24}" + _row([s for s in of if s.job.order == order]))
        summary[family] = goals(of)
        lines += [
            "",
            "  " + ", ".join(f"{name} {value}" for name, value in goals(of).items()),
        ]
    worst = min(
        summary, key=lambda f: summary[f]["times the best published at 15%"], default=""
    )  # type: ignore[index]
    lines += ["", f"worst family: {worst}"]
    return "\n".join(lines).strip() + "\n", summary


def _row(scores: Sequence[Score]) -> str:
    marks = [_mean(s.at_shares[k] for s in scores) for k in scores[0].at_shares]
    marks += [_mean(s.at_seconds[k] for s in scores) for k in scores[0].at_seconds]
    requests = _mean(s.requests for s in scores)
    elapsed_s = _mean(s.elapsed_s for s in scores)
    return (
        "".join(f"{mark:8.1f}" for mark in marks) + f"{requests:10.0f}{elapsed_s:8.0f}"
    )


def _mean(values: object) -> float:
    return statistics.mean(values)  # type: ignore[call-overload, no-any-return]


def goals(scores: Sequence[Score]) -> dict[str, float]:
    """The adaptive order with full thrift beside the best published order, the informed one and FIFO."""
    share = {
        (order, at): _mean(s.at_shares[at] for s in scores if s.job.order == order)
        for order in {s.job.order for s in scores}
        for at in ("5%", "15%")
    }
    best = max(
        (share[order, "15%"] for order in PUBLISHED if (order, "15%") in share),
        default=math.nan,
    )
    fifo = share.get(("fifo", "5%"), math.nan)
    return {
        "times the best published at 15%": round(share["adaptive", "15%"] / best, 2)
        if best
        else math.inf,
        "auto, times the best published at 15%": round(
            share["adaptive, auto", "15%"] / best, 2
        )
        if best
        else math.inf,
        "of told hosts at 15%": round(
            share["adaptive", "15%"] / (share["told hosts", "15%"] or math.nan), 2
        ),
        "times FIFO at 5%": round(share["adaptive", "5%"] / fifo, 2)
        if fifo
        else math.inf,
    }


def bounds_table(
    families: Sequence[str], seeds: Sequence[int]
) -> tuple[str, dict[str, object]]:
    """A minute for 900 pages of 120 hosts: who minds the pages alone reads few, who minds the time alone wastes it."""
    pages, seconds = 900, 60.0
    ways = {
        "both": Thrift(max_pages=pages, max_time_s=seconds),
        "pages alone": FRUGAL,
        "time alone": None,
    }
    lines = [f"{'web':20}" + "".join(f"{way:>14}" for way in ways)]
    found: dict[str, list[float]] = {way: [] for way in ways}
    for family, seed in [(f, s) for f in families for s in seeds]:
        web = load(family, seed, 120, 6_000)
        for way, thrift in ways.items():
            bounds = Conditions(pages, max_time_s=seconds, thrift=thrift)
            run = Simulation(web, Adaptive(), bounds).run()
            found[way].append(100 * len(run.at_pages) / max(1, len(web.services)))
        lines.append(
            f"{family + '-' + str(seed):20}"
            + "".join(f"{found[way][-1]:14.1f}" for way in ways)
        )
    means = {way: round(statistics.mean(shares), 1) for way, shares in found.items()}
    lines.append(f"{'mean':20}" + "".join(f"{means[way]:14.1f}" for way in ways))
    return "\n".join(lines) + "\n", dict(means)


def small_table(scores: Sequence[Score]) -> tuple[str, dict[str, object]]:
    """Each web in a line, then how often either order was ahead and how likely that is by chance."""
    pairs = {s.job: s for s in scores}
    lines = [f"{'web':28}{'pages':>7}{'services':>10}{'fifo':>6}{'adaptive':>10}"]
    ahead = 0
    behind = 0
    for fifo, own in zip(scores[::2], scores[1::2], strict=True):
        ahead += own.found > fifo.found
        behind += own.found < fifo.found
        job = own.job
        web = f"{job.family}-{job.seed}, {job.hosts} hosts"
        lines.append(
            f"{web:28}{job.budget:7}{own.services:10}{fifo.found:6}{own.found:10}"
        )
    chance = sign_test(ahead, behind)
    lines += [
        "",
        f"ahead {ahead}, behind {behind}, equal {len(pairs) // 2 - ahead - behind}; two-sided p = {chance:.3f}",
    ]
    return "\n".join(lines) + "\n", {
        "ahead": ahead,
        "behind": behind,
        "p": round(chance, 4),
    }


def sign_test(ahead: int, behind: int) -> float:
    """How likely so uneven a count is if either order were as good as the other."""
    n, least = ahead + behind, min(ahead, behind)
    return min(1.0, 2 * sum(math.comb(n, k) for k in range(least + 1)) / 2**n)


def ablation_table(scores: Sequence[Score]) -> tuple[str, dict[str, object]]:
    """Mean share of services at 15 % by family, on how many webs a part helps and harms, and how likely by chance."""
    families = list(dict.fromkeys(s.job.family for s in scores))
    of = {(s.job.order, s.job.family, s.job.seed): s.at_shares["15%"] for s in scores}
    whole = {
        key[1:]: share for key, share in of.items() if key[0] == next(iter(ABLATIONS))
    }
    lines = [
        f"{'':40}"
        + "".join(f"{f:>10}" for f in families)
        + "   better with / without, p"
    ]
    summary = {}
    for order in ABLATIONS:
        means = {
            f: round(
                _mean(v for (o, g, _), v in of.items() if o == order and g == f), 1
            )
            for f in families
        }
        helps = sum(whole[key] > of[(order, *key)] for key in whole)
        harms = sum(whole[key] < of[(order, *key)] for key in whole)
        chance = round(sign_test(helps, harms), 3)
        summary[order] = means | {
            "better with it": helps,
            "better without it": harms,
            "p": chance,
        }
        ending = f"{helps:9} /{harms:3}, {chance:.3f}"
        lines.append(
            f"{order:40}" + "".join(f"{means[f]:10.1f}" for f in families) + ending
        )
    return "\n".join(lines) + "\n", dict(summary)


class Recorder:
    """An order that writes down what it is asked, so that the same can be asked again against the clock."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self.calls: list[tuple[str, tuple[object, ...]]] = []

    def __getattr__(self, name: str) -> object:
        method = getattr(self._order, name)
        if not callable(method):
            return method

        def ask(*arguments: object) -> object:
            self.calls.append((name, arguments))
            return method(*arguments)

        return ask


def cost_us(
    web: MinedWeb, make: Callable[[], Order], pages: int = 3000, rounds: int = 3
) -> float:
    """CPU of an order in µs per new link, all that a crawl asks of it counted in: the least of some rounds."""
    recorder = Recorder(make())
    Simulation(web, recorder, Conditions(pages, thrift=FRUGAL)).run()  # type: ignore[arg-type]
    links = sum(name == "score" for name, _ in recorder.calls)
    least = math.inf
    for _ in range(rounds):
        order = make()
        steps = [
            (getattr(order, name), arguments) for name, arguments in recorder.calls
        ]
        started = time.process_time()
        for method, arguments in steps:
            found = method(*arguments)
            if method.__name__ in {"revised", "risen"}:
                list(found)
        least = min(least, time.process_time() - started)
    return round(1e6 * least / links, 1)


def costs(family: str, orders: Sequence[str]) -> tuple[str, dict[str, object]]:
    web = load(family, TUNING[0], *TUNING_SIZE)
    makers: dict[str, Callable[[], Order]] = {"adaptive": Adaptive} | {
        name: PUBLISHED[name] for name in orders
    }
    found: dict[str, object] = {
        name: cost_us(web, make) for name, make in makers.items()
    }
    return "\n".join(
        f"{name:14}{us:8.1f} µs per new link" for name, us in found.items()
    ) + "\n", found


def of_part(part: str) -> tuple[str, ...]:
    """Families that are kept for judging have no part in tuning."""
    is_tuning = part in {"ablations", "bounds", "cost"}
    return tuple(f for f in FAMILIES if not (is_tuning and f in KEPT))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--part",
        choices=("large", "small", "bounds", "ablations", "cost"),
        default="large",
    )
    parser.add_argument("--family", choices=tuple(FAMILIES), action="append")
    parser.add_argument("--seed", type=int, action="append", help="of large webs")
    parser.add_argument("--hosts", type=int, default=HOSTS, help="of large webs")
    parser.add_argument("--pages", type=int, default=PAGES, help="of large webs")
    parser.add_argument(
        "--against",
        choices=tuple(PUBLISHED),
        action="append",
        help="published orders; by default all",
    )
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--result", help="name of the result, by default that of the part"
    )
    given = parser.parse_args()
    families = given.family or of_part(given.part)
    published = given.against or tuple(PUBLISHED)
    size = given.hosts, given.pages
    scores: list[Score] = []
    if given.part == "large":
        scores = run(
            large_jobs(families, given.seed or JUDGING, size, published),
            given.processes,
        )
        text, summary = large_table(scores)
    elif given.part == "small":
        scores = run(small_jobs(families), given.processes)
        text, summary = small_table(scores)
    elif given.part == "bounds":
        text, summary = bounds_table(families, given.seed or TUNING)
    elif given.part == "ablations":
        scores = run(ablation_jobs(families), given.processes)
        text, summary = ablation_table(scores)
    else:
        text, summary = costs(families[0], published)
    command = f"python bench/order.py {' '.join(sys.argv[1:])}".strip()
    print(f"{command}\n\n{text}")
    name = RESULTS / f"order_{given.result or given.part}"
    name.with_suffix(".txt").write_text(f"{command}\n\n{text}", "utf-8")
    name.with_suffix(".json").write_text(
        json.dumps({"command": command, "summary": summary}, indent=1), "utf-8"
    )


if __name__ == "__main__":
    main()
