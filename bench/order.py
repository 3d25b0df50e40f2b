"""All orders on the same webs with the same seeds and budgets: how soon does each find the services?

    python bench/order.py                       # all judging seeds of both families, then the ablations
    python bench/order.py --seeds 4 --against shark --no-ablations    # the unseen ones, one published order

Seeds used while the adaptive order was tuned are never judged with (`TUNING`, `JUDGING`). Webs are mined once and kept
in the temporary folder, results of single runs too, so that a stopped run goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from simulated import CACHE, MinedWeb, Run, Walk, mined, omniscient
from webs import Web
from webs.geoweb_web import GeowebWeb
from webs.wild.web import WildWeb

from geohound.contracts import Order
from geohound.orders._hosts import HostTuning
from geohound.orders.adaptive import Adaptive, Tuning
from geohound.orders.atf import Atf
from geohound.orders.backlink import Backlink
from geohound.orders.best_first import BestFirst
from geohound.orders.depth_first import DepthFirst
from geohound.orders.fifo import Fifo
from geohound.orders.opic import Opic
from geohound.orders.oss import OssGroups
from geohound.orders.polarhub import PolarHub
from geohound.orders.shark import Shark

RESULTS = Path(__file__).parent / "results"
PAGES = 40_000
HALF = 0.5
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
GOALS = (0.5, 0.8, 0.9)
ABLATION_SHARE = 0.1
ABLATION_SEEDS = 4
TUNING = {"geoweb": (1, 2, 3, 101, 102, 103, 104), "wild": (1, 11, 12, 21, 402)}  # 402 to 408 were judged with before
UNSEEN = (409, 410)  # judged with for the first time by the orders as they are
JUDGING = {"geoweb": (*UNSEEN, *range(201, 211), 401), "wild": (*UNSEEN, *range(22, 31), 401)}
FAMILIES: dict[str, Callable[[int], Web]] = {
    "geoweb": lambda seed: GeowebWeb(seed, pages=PAGES),
    "wild": lambda seed: WildWeb(seed, pages=PAGES),
}
PUBLISHED: dict[str, Callable[[], Order]] = {
    "fifo": Fifo,
    "depth_first": DepthFirst,
    "backlink": Backlink,
    "opic": Opic,
    "polarhub": PolarHub,
    "oss": OssGroups,
    "atf": Atf,
    "shark": Shark,
    "best_first": BestFirst,
}
_FULL = Tuning()
ABLATIONS: dict[str, Callable[[], Order]] = {
    "everything": Adaptive,
    "no bandit over hosts": lambda: Adaptive(replace(_FULL, hosts=None)),
    "visits of a host all alike": lambda: Adaptive(replace(_FULL, hosts=replace(HostTuning(), floor=0.06, scale=0.0))),
    "promises weighed as if all were kept": lambda: Adaptive(replace(_FULL, hosts=replace(HostTuning(), belief=1e9))),
    "no credit to the pages above": lambda: Adaptive(replace(_FULL, generations=0, door=0.0)),
    "no prior": lambda: Adaptive(replace(_FULL, prior=False)),
    "no learning": lambda: Adaptive(replace(_FULL, rate=0.0)),
    "no words of the anchor": lambda: Adaptive(replace(_FULL, without=frozenset({"a", "anchor"}))),
    "no words of the URL": lambda: Adaptive(replace(_FULL, without=frozenset({"u", "url", "file"}))),
    "no words of the host name": lambda: Adaptive(replace(_FULL, without=frozenset({"h", "hostname", "tld"}))),
    "no title and text of the page": lambda: Adaptive(
        replace(_FULL, without=frozenset({"t", "title", "text", "lang"}))
    ),
    "no shape of the URL": lambda: Adaptive(replace(_FULL, without=frozenset({"shape", "folder"}))),
    "no outcome of the page": lambda: Adaptive(replace(_FULL, without=frozenset({"parent", "below"}))),
    "no places inside a host": lambda: Adaptive(replace(_FULL, places=False)),
    "no part in the page": lambda: Adaptive(replace(_FULL, without=frozenset({"trail"}))),
    "no software": lambda: Adaptive(replace(_FULL, without=frozenset({"software"}))),
    "nothing of a host's first page": lambda: Adaptive(replace(_FULL, first=False)),
    "nothing of sisters and hops": lambda: Adaptive(replace(_FULL, without=frozenset({"kin", "hops"}))),
    "steps of any length": lambda: Adaptive(replace(_FULL, longest=1e9)),
    "no depth and way": lambda: Adaptive(replace(_FULL, without=frozenset({"depth", "way"}))),
}


@dataclass(frozen=True, slots=True)
class Job:
    family: str
    seed: int
    orders: tuple[str, ...]
    share: float
    is_ablation: bool = False


@dataclass(frozen=True, slots=True)
class Score:
    """What is reported of one run."""

    family: str
    seed: int
    order: str
    found: dict[str, float]  # % of services after % of pages
    pages_to: dict[str, float | None]  # % of pages until % of services; None if never within the budget
    area: float  # under the curve up to the budget, 1 if all were found at once
    us_per_link: float
    visits: int
    links: int


def measure(job: Job, order: str, run: Run, web: MinedWeb) -> Score:
    total, pages, found = len(web.services), web.pages, sorted(run.found_at)
    budget = job.share * pages
    needed = {g: math.ceil(g * total) for g in GOALS}
    return Score(
        job.family, job.seed, order,
        {f"{s:.0%}": round(100 * sum(at <= s * pages for at in found) / total, 2) for s in SHARES if s <= job.share},
        {f"{g:.0%}": round(100 * found[n - 1] / pages, 2) if len(found) >= n else None for g, n in needed.items()},
        round(sum(max(0.0, budget - at) for at in found) / (total * budget), 4),
        round(1e6 * run.order_s / max(run.links, 1), 1), run.visits, run.links,
    )  # fmt: skip


def play(job: Job) -> list[Score]:
    """All orders of a job on its web; what was run before is taken from the cache."""
    scores: list[Score] = []
    web: MinedWeb | None = None
    for name in job.orders:
        kind = "ablation" if job.is_ablation else "run"
        file = CACHE / f"{kind}-{job.family}-{job.seed}-{name.replace(' ', '_')}-{job.share}.json"
        if file.exists():
            scores.append(Score(**json.loads(file.read_text("utf-8"))))
            continue
        web = web or mined(f"{job.family}-{job.seed}", lambda: FAMILIES[job.family](job.seed))
        if name == "omniscient":
            run = omniscient(web)
        else:
            make = ABLATIONS[name] if job.is_ablation else {**PUBLISHED, "adaptive": Adaptive}[name]
            run = Walk(web, make(), int(job.share * web.pages)).run()
        scores.append(measure(job, name, run, web))
        file.write_text(json.dumps(asdict(scores[-1])), "utf-8")
    return scores


def summarise(scores: Sequence[Score]) -> dict[str, object]:
    """Means over seeds, the worst seed for the goals, wins of the adaptive order in pairs."""
    summary: dict[str, object] = {}
    for family in dict.fromkeys(s.family for s in scores):
        of = {(s.order, s.seed): s for s in scores if s.family == family}
        orders = list(dict.fromkeys(order for order, _ in of))
        seeds = sorted({seed for _, seed in of})
        summary[family] = {"seeds": seeds, "orders": {o: _mean([of[o, s] for s in seeds], of) for o in orders}}
    return summary


def _mean(scores: Sequence[Score], of: dict[tuple[str, int], Score]) -> dict[str, object]:
    def reached(goal: str) -> list[float]:
        return [math.inf if s.pages_to[goal] is None else float(s.pages_to[goal] or 0) for s in scores]

    ours = [of.get(("adaptive", s.seed)) or of["everything", s.seed] for s in scores]
    bound = [of.get(("omniscient", s.seed)) for s in scores]
    relative = [s.area / b.area if b else s.area for s, b in zip(scores, bound, strict=True)]
    return {
        "found": {k: round(statistics.mean(s.found[k] for s in scores), 1) for k in scores[0].found},
        "pages_to": {
            g: [_or_none(statistics.median(reached(g))), _or_none(max(reached(g)))] for g in ("50%", "80%", "90%")
        },
        "area": round(statistics.mean(relative), 3),
        "area_least": round(min(relative), 3),
        "us_per_link": round(statistics.median(s.us_per_link for s in scores), 1),
        "adaptive_wins_area": f"{sum(a.area > s.area for a, s in zip(ours, scores, strict=True))} of {len(scores)}",
    }


def _or_none(number: float) -> float | None:
    return None if math.isinf(number) else number


def table(summary: dict[str, object], share: float) -> str:
    """The summary for people."""
    lines: list[str] = []
    for family, part in summary.items():
        assert isinstance(part, dict)
        lines += ["", f"{family}: {len(part['seeds'])} seeds ({ranges(part['seeds'])})", ""]
        found = list(next(iter(part["orders"].values()))["found"])
        head = "".join(f"{k:>7}" for k in found)
        lines.append(f"{'order':32}{head}   50 % at  80 % at  90 % at (worst)   area (least)   us/link  adaptive wins")
        for order, row in part["orders"].items():
            shares = "".join(f"{row['found'][k]:7.1f}" for k in found)
            to = [_percent(row["pages_to"][g][0], share) for g in ("50%", "80%", "90%")]
            worst = _percent(row["pages_to"]["90%"][1], share)
            lines.append(
                f"{order:32}{shares}  {to[0]:>8} {to[1]:>8} {to[2]:>8} {worst:>7}   {row['area']:.3f}  "
                f"{row['area_least']:.3f}  {row['us_per_link']:8.1f}  {row['adaptive_wins_area']:>9}"
            )
    return "\n".join(lines).strip() + "\n"


def ranges(seeds: Sequence[int]) -> str:
    """Numbers in rising order as people write them: 22 to 30, 401."""
    runs: list[list[int]] = []
    for seed in seeds:
        if runs and seed == runs[-1][-1] + 1:
            runs[-1].append(seed)
        else:
            runs.append([seed])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


def _percent(value: float | None, share: float) -> str:
    return f">{share:.0%}" if value is None else f"{value:.1f}%"


def run(
    families: Sequence[str], seeds: int, published: Sequence[str], processes: int, ablations: bool
) -> dict[str, object]:
    orders = ("omniscient", *published, "adaptive")
    jobs = [Job(f, s, orders, HALF) for f in families for s in JUDGING[f][:seeds]]
    if ablations:
        jobs += [
            Job(f, s, tuple(ABLATIONS), ABLATION_SHARE, True)
            for f in families
            for s in JUDGING[f][: min(seeds, ABLATION_SEEDS)]
        ]
    done: dict[Job, list[Score]] = {}
    with multiprocessing.Pool(processes) as pool:
        for job, scores in zip(jobs, pool.imap(play, jobs), strict=True):
            done[job] = scores
            print(job.family, job.seed, "ablations" if job.is_ablation else "", flush=True)
    main = [s for job, scores in done.items() if not job.is_ablation for s in scores]
    parts = [s for job, scores in done.items() if job.is_ablation for s in scores]
    return {
        "pages": PAGES, "tuning_seeds": TUNING, "judging_seeds": JUDGING,
        "unseen": summarise([s for s in main if s.seed in UNSEEN]),
        "orders": summarise(main), "ablations": summarise(parts), "ablation_share": ABLATION_SHARE,
        "runs": [asdict(s) for s in main + parts],
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", choices=tuple(FAMILIES), action="append")
    parser.add_argument("--seeds", type=int, default=15)
    parser.add_argument(
        "--against", choices=tuple(PUBLISHED), action="append", help="published orders; all if not said"
    )
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--no-ablations", action="store_true")
    parser.add_argument("--out", type=Path, default=RESULTS / "order.json")
    given = parser.parse_args()
    families, published = given.family or tuple(FAMILIES), given.against or tuple(PUBLISHED)
    result = run(families, given.seeds, published, given.processes, not given.no_ablations)
    text = f"python bench/order.py {' '.join(sys.argv[1:])}".strip() + "\n\nSeeds never judged with before:\n\n"
    text += table(result["unseen"], HALF)
    if given.seeds > len(UNSEEN):
        text += "\nAll judging seeds:\n\n" + table(result["orders"], HALF)
    if result["ablations"]:
        text += f"\nAblations of adaptive, up to {ABLATION_SHARE:.0%} of the pages:\n\n" + table(
            result["ablations"], ABLATION_SHARE
        )
    print(text)
    given.out.write_text(json.dumps(result, indent=1), "utf-8")
    given.out.with_suffix(".txt").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
