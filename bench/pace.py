"""A thousand hosts at one request a second each: is the pace kept to the request, and how much of it is reached?

nginx answers on a thousand loopback addresses, one for each host, so that the limit of an address never has to hold a
host back, and logs every request, robots.txt included, to the millisecond.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from crawl_peers import docs_site, measure, nginx

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results" / "pace.json"
TOLERANCE_S = 0.005  # of the server's clock, which it reads once a turn of its loop


def write_pages(folder: Path, cache: Path, count: int, port: int) -> None:
    """Small real pages, and one that links to all of them; every host serves the same."""
    site = docs_site.prepare(cache, 1, 5000, port)
    small = sorted(
        site.root.rglob("*.html"), key=lambda path: abs(path.stat().st_size - 4000)
    )[:count]
    folder.mkdir()
    for number, path in enumerate(small):
        shutil.copy(path, folder / f"page-{number}.html")
    links = "".join(
        f'<li><a href="page-{n}.html">page {n}</a></li>' for n in range(len(small))
    )
    (folder / "index.html").write_text(
        f"<!doctype html><title>All pages</title><ul>{links}</ul>"
    )
    (folder / "robots.txt").write_text(docs_site.ROBOTS)


def crawl(
    args: argparse.Namespace, folder: Path, hosts: tuple[str, ...]
) -> tuple[measure.Cost, list[nginx.Hit]]:
    seeds = folder / "seeds.txt"
    seeds.write_text(
        "".join(f"http://{host}:{args.port}/index.html\n" for host in hosts)
    )
    env = {
        "PYTHONPATH": str(ROOT / "src"),
        "GEOHOUND_HOST_DELAY_S": str(args.delay),
        "GEOHOUND_PROCESSES": "1",
    }
    command = [
        sys.executable, "-m", "geohound", "crawl", "--seeds", str(seeds), "--scope", "host", "--max-time",
        str(args.seconds), "--fetchers", str(args.fetchers), "--allow-net", "127.0.0.0/8", "--catalogue",
        str(folder / "catalogue.db"), "--json", "--quiet",
    ]  # fmt: skip
    with nginx.serving(
        folder, dict.fromkeys(hosts, folder / "pages"), args.port, cores="1"
    ) as log:
        mark = log.mark()
        cost = measure.run(
            measure.Job(command, env, "0", None, folder / "said.txt"), args.seconds + 30
        )
        return cost, log.since(mark)


def judge(
    hits: list[nginx.Hit], hosts: int, args: argparse.Namespace
) -> dict[str, Any]:
    """Gaps per host, and the share of what the pace allows in the middle part of the run."""
    times: dict[str, list[float]] = defaultdict(list)
    for hit in hits:
        times[hit.host].append(hit.at_s)
    gaps = sorted(
        later - earlier
        for of in times.values()
        for earlier, later in pairwise(sorted(of))
    )
    begun = min(hit.at_s for hit in hits)
    first, last = begun + args.seconds * 0.2, begun + args.seconds * 0.9
    steady = sum(first <= hit.at_s < last for hit in hits) / (last - first)
    allowed = hosts / args.delay
    return {
        "requests": len(hits),
        "hosts_asked": len(times),
        "least_gap_s": round(gaps[0], 4) if gaps else None,
        "median_gap_s": round(gaps[len(gaps) // 2], 4) if gaps else None,
        "too_near": sum(gap < args.delay - TOLERANCE_S for gap in gaps),
        "gaps": len(gaps),
        "requests_per_s": round(steady, 1),
        "share_of_what_is_allowed": round(steady / allowed, 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in (("hosts", 1000), ("fetchers", 100), ("port", 18080)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--delay", type=float, default=1.0)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--cache", type=Path, default=docs_site.DEFAULT_CACHE)
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    measure.end_on_term()
    hosts = docs_site.loopback_hosts(args.hosts)
    with tempfile.TemporaryDirectory(prefix="geohound-pace-") as name:
        folder = Path(name)
        write_pages(
            folder / "pages", args.cache, int(args.seconds / args.delay) + 10, args.port
        )
        cost, hits = crawl(args, folder, hosts)
    if not hits:
        sys.exit("The crawl asked for nothing.")
    found = judge(hits, args.hosts, args)
    result = {
        "command": " ".join(["python", "bench/pace.py", *sys.argv[1:]]), "machine": measure.machine(),
        "hosts": args.hosts, "delay_s": args.delay, "seconds": args.seconds, "tolerance_s": TOLERANCE_S, **found,
        "cpu_s_per_1000_requests": round(cost.cpu_s / len(hits) * 1000, 3), "peak_mb": round(cost.peak_mb, 1),
    }  # fmt: skip
    args.out.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=1))
    sys.exit(1 if found["too_near"] else 0)


if __name__ == "__main__":
    main()
