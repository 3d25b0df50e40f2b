"""Geohound beside other crawlers on the same real pages: pages/s, CPU and memory, in turns in one run.

Pages of Debian's documentation packages lie on many loopback hosts behind nginx; every crawler starts from the same
seeds, obeys robots.txt, extracts links, stores as it does by default and makes no pauses (wget and spider-rs, which
stay on one host, get the same pages on one). What was fetched is counted from nginx's log. The crawler has core 0 and
nginx core 1; only geohound-2-cores has both.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from crawl_peers import contenders, docs_site, measure, nginx

RESULTS = Path(__file__).parent / "results" / "crawl.json"


def one_round(
    who: contenders.Contender, reachable: int, log: nginx.Log, out: Path, max_s: float
) -> dict[str, Any]:
    """One crawl of the whole site, counted from the server's log."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    mark, load = log.mark(), os.getloadavg()[0]
    job = measure.Job(
        who.command, who.env, who.cores, out, out.parent / f"{who.name}.log"
    )
    cost = measure.run(
        job,
        max_s,
        lambda: (
            log.lines_since(mark) >= reachable
            and _fetched(log.since(mark)) >= reachable
        ),
    )
    hits = log.since(mark)
    pages = [hit for hit in hits if _is_page(hit)]
    distinct = len({(hit.host, hit.path) for hit in pages})
    span_s = max((pages[-1].at_s - pages[0].at_s) if pages else 0.0, 0.001)
    return {
        "pages": distinct,
        "fetched_again": len(pages) - distinct,
        "other_requests": len(hits) - len(pages),
        "pages_per_s": distinct / span_s,
        "wall_s": cost.wall_s,
        "cpu_s_per_1000_pages": cost.cpu_s / max(distinct, 1) * 1000,
        "peak_mb": cost.peak_mb,
        "ended_by_us": cost.ended_by_us,
        "load_before": round(load, 2),
    }


def _is_page(hit: nginx.Hit) -> bool:
    return hit.status == 200 and hit.path.endswith((".html", ".htm"))


def _fetched(hits: list[nginx.Hit]) -> int:
    return len({(hit.host, hit.path) for hit in hits if _is_page(hit)})


def summarise(runs: list[dict[str, Any]]) -> dict[str, Any]:
    told = {name: measure.spread(run[name] for run in runs)
            for name in ("pages_per_s", "cpu_s_per_1000_pages", "peak_mb", "wall_s")}  # fmt: skip
    counts = {name: [run[name] for run in runs]
              for name in ("pages", "fetched_again", "other_requests", "ended_by_us", "load_before")}  # fmt: skip
    return told | counts


def ratios(told: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Geohound on one core against each: how many times as fast, as costly, as large."""
    if "geohound" not in told:
        return {}
    ours = told["geohound"]

    def times(name: str, figure: str) -> float:
        return round(
            ours[figure]["median"] / max(told[name][figure]["median"], 1e-9), 3
        )

    found: dict[str, Any] = {
        name: {
            figure: times(name, figure)
            for figure in ("pages_per_s", "cpu_s_per_1000_pages", "peak_mb")
        }
        for name in told
        if name != "geohound"
    }
    if "geohound-2-cores" in found:
        both = told["geohound-2-cores"]["pages_per_s"]["median"]
        found["two cores against one"] = round(
            both / max(ours["pages_per_s"]["median"], 1e-9), 3
        )
    return found


def show(told: dict[str, dict[str, Any]]) -> None:
    print(
        f"{'crawler':24}{'pages':>8}{'pages/s':>10}{'(spread)':>18}{'CPU s/1000':>12}{'MB':>8}"
    )
    for name, of in sorted(
        told.items(), key=lambda item: -item[1]["pages_per_s"]["median"]
    ):
        rate = of["pages_per_s"]
        around = f"{rate['min']:.0f} to {rate['max']:.0f}"
        print(f"{name:24}{min(of['pages']):8}{rate['median']:10.0f}{around:>18}"
              f"{of['cpu_s_per_1000_pages']['median']:12.2f}{of['peak_mb']['median']:8.0f}")  # fmt: skip


def measure_all(args: argparse.Namespace) -> dict[str, dict[str, Any]]:
    site = docs_site.prepare(args.cache, args.hosts, args.pages, args.port)
    one_host = docs_site.prepare(args.cache, 1, args.pages, args.port)
    runs: dict[str, list[dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory(prefix="geohound-bench-") as folder:
        rig = contenders.Rig(
            site, one_host, args.cache, Path(folder) / "out", args.concurrency
        )
        crawlers = contenders.all_of(args.only, rig)
        roots = {
            host: where.root / host
            for where in (site, one_host)
            for host in where.hosts
        }
        with nginx.serving(Path(folder), roots, args.port, cores="1") as log:
            reachable = warm_up(log, rig)
            for number in range(args.rounds):
                for who in crawlers:
                    run = one_round(who, reachable, log, rig.out, args.max_s)
                    runs.setdefault(who.name, []).append(run)
                    print(
                        f"round {number + 1} {who.name}: {run['pages_per_s']:.0f} pages/s",
                        file=sys.stderr,
                    )
                    if run["pages"] < reachable * 0.98:
                        tail = (rig.out.parent / f"{who.name}.log").read_text(
                            errors="replace"
                        )[-600:]
                        print(
                            f"  only {run['pages']} of {reachable} pages: {tail}",
                            file=sys.stderr,
                        )
    return {name: summarise(of) for name, of in runs.items()}


def warm_up(log: nginx.Log, rig: contenders.Rig) -> int:
    """Crawl once, uncounted: nginx opens each file, and it shows how many pages links lead to."""
    counts = []
    for where in (rig.one_host, rig.site):
        mark = log.mark()
        measure.run(
            measure.Job(contenders.prototype_command(where, rig.concurrency)), 120
        )
        counts.append(_fetched(log.since(mark)))
    return min(counts)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in (
        ("pages", 5000),
        ("hosts", 200),
        ("rounds", 3),
        ("concurrency", 100),
        ("port", 18080),
    ):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument(
        "--max-s", type=float, default=600.0, help="longest time for one crawl"
    )
    parser.add_argument(
        "--only",
        type=lambda text: text.split(","),
        default=[],
        help="these crawlers, by comma",
    )
    parser.add_argument(
        "--cache",
        type=Path,
        default=docs_site.DEFAULT_CACHE,
        help="pages and peers are kept here",
    )
    parser.add_argument("--quick", action="store_true", help="1,000 pages, one round")
    args = parser.parse_args()
    if args.quick:
        args.pages, args.rounds = 1000, 1
    measure.end_on_term()
    cores = measure.two_cores_give() if (os.cpu_count() or 1) > 1 else {}
    told = measure_all(args)
    result = {
        "command": " ".join(["python", "bench/crawl.py", *sys.argv[1:]]),
        "machine": measure.machine(),
        "pages": args.pages, "hosts": args.hosts, "rounds": args.rounds, "concurrency": args.concurrency,
        "two_cores_give": cores, "crawlers": told, "geohound_against": ratios(told),
    }  # fmt: skip
    show(told)
    print(json.dumps(result["geohound_against"], indent=1))
    if not args.quick:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
