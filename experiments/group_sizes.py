"""How many fetchers and testers: throughput over the sizes of the two groups (LI-4), on a geoweb with latency.

Each point is a crawl of a few seconds; what came through is counted by the web, from the first request on.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import matplotlib as mpl

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))

from crawl_peers.measure import machine, tree_cpu_s
from geoweb_rig import Hound, Observed, calm, ended, latency

from geohound.geoweb import World

mpl.use("svg")
from matplotlib import pyplot as plt

HERE = Path(__file__).parent
SETTINGS = {"host_delay_s": 0, "slow_host_factor": 0, "max_depth": 40}


def one_crawl(world: World, args: argparse.Namespace, sizes: tuple[int, int] | None) -> dict[str, Any]:
    """Requests and services a second for one pair of sizes; None for the sizes that Geohound takes by itself."""
    chosen = {"fetchers": sizes[0], "testers": sizes[1]} if sizes else {}
    with tempfile.TemporaryDirectory(prefix="geohound-groups-") as folder, Observed(world) as web:
        hound = Hound(Path(folder) / "c.db", web.port, SETTINGS | chosen)
        with ended(hound.crawl(world.seeds)) as process:
            while not web.asked and process.poll() is None:
                time.sleep(0.01)
            begun, cpu = time.monotonic(), tree_cpu_s(process.pid)
            while time.monotonic() - begun < args.seconds and process.poll() is None:
                time.sleep(0.01)
            elapsed = time.monotonic() - begun
            cpu = tree_cpu_s(process.pid) - cpu
            pages = web.pages
        found = len(hound.announced())
    return {"requests_per_s": pages / elapsed, "services_per_s": found / elapsed, "cores": cpu / elapsed}


def sweep(args: argparse.Namespace) -> list[dict[str, Any]]:
    world = World(args.seed, args.hosts, args.pages, calm())
    points: list[tuple[int, int] | None] = [(f, t) for f in args.fetchers for t in args.testers]
    rows = []
    with latency(args.latency):
        for sizes in [*points, None]:
            runs = [one_crawl(world, args, sizes) for _ in range(args.rounds)]
            told = {name: round(statistics.median(r[name] for r in runs), 2) for name in runs[0]}
            named = {"fetchers": sizes[0], "testers": sizes[1]} if sizes else {"fetchers": None, "testers": None}
            rows.append(named | told)
            print(json.dumps(rows[-1]), file=sys.stderr)
    return rows


def draw(rows: list[dict[str, Any]], args: argparse.Namespace) -> None:
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    usual = next(row for row in rows if row["fetchers"] is None)
    pictures = (("requests_per_s", "requests a second", "{:.0f}"), ("services_per_s", "services a second", "{:.1f}"))
    for axis, (name, label, form) in zip(axes, pictures, strict=True):
        values = {(r["fetchers"], r["testers"]): r[name] for r in rows}
        grid = [[values[f, t] for t in args.testers] for f in args.fetchers]
        shown = axis.imshow(grid, origin="lower", aspect="auto", cmap="viridis", vmin=0)
        for y, line in enumerate(grid):
            for x, value in enumerate(line):
                axis.text(x, y, form.format(value), ha="center", va="center", fontsize=8, color="white")
        axis.set_xticks(range(len(args.testers)), args.testers)
        axis.set_yticks(range(len(args.fetchers)), args.fetchers)
        axis.set_xlabel("testers")
        axis.set_ylabel("fetchers")
        axis.set_title(f"{label} (sizes left to Geohound: {form.format(usual[name])})", fontsize=10)
        figure.colorbar(shown, ax=axis)
    figure.suptitle(
        f"Sizes of the two groups; {args.hosts} hosts, answers after {args.latency * 1000:.0f} ms on average"
    )
    for ending in ("png", "svg"):
        figure.savefig(args.out.with_suffix(f".{ending}"), dpi=150)


def main() -> None:
    def sizes(text: str) -> list[int]:
        return [int(part) for part in text.split(",")]

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fetchers", type=sizes, default=[1, 4, 16, 64])
    parser.add_argument("--testers", type=sizes, default=[1, 2, 4, 8, 16])
    parser.add_argument("--latency", type=float, default=0.1, help="seconds, on average")
    parser.add_argument("--seconds", type=float, default=5.0, help="length of each crawl")
    for name, default in (("rounds", 1), ("hosts", 300), ("pages", 30_000), ("seed", 7)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--out", type=Path, default=HERE / "results" / "group_sizes")
    args = parser.parse_args()
    args.out.parent.mkdir(exist_ok=True)
    rows = sweep(args)
    draw(rows, args)
    command = " ".join(["python", "experiments/group_sizes.py", *sys.argv[1:]])
    told = {"command": command, "machine": machine(), "latency_s": args.latency, "hosts": args.hosts, "rows": rows}
    args.out.with_suffix(".json").write_text(json.dumps(told, indent=2) + "\n")


if __name__ == "__main__":
    main()
