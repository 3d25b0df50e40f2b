"""Does a page cost the same late in a large crawl as early? CPU, time and memory as the geoweb is crawled.

The full run (`--pages 1000000`) takes as long as a million pages take; smaller ones show the trend.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from crawl_peers.measure import end_on_term, machine, tree_cpu_s, tree_mb
from geoweb_rig import Hound, Observed, calm, ended

from geoweb import World

RESULTS = Path(__file__).parent / "results" / "flat.json"


def settings(args: argparse.Namespace) -> dict[str, Any]:
    most = 100_000_000
    return {
        "host_delay_s": 0, "slow_host_factor": 0, "max_depth": 200, "max_pages": most, "max_pages_per_host": most,
        "max_pages_per_pattern": most, "fetchers": args.fetchers, "processes": args.processes,
    }  # fmt: skip


def windows(args: argparse.Namespace, folder: Path) -> list[dict[str, Any]]:
    """One row whenever a window of pages is full."""
    world = World(args.seed, args.hosts, args.pages, calm())
    print(f"the web has {world.pages} pages", file=sys.stderr)
    rows: list[dict[str, Any]] = []
    with Observed(world, only_count=True) as web:
        # the web here, the crawl on core 0
        os.sched_setaffinity(0, {1} if (os.cpu_count() or 1) > 1 else {0})
        hound = Hound(
            folder / "flat.db",
            web.port,
            settings(args),
            "0" if args.processes == 1 else "0,1",
        )
        with ended(hound.crawl(world.seeds)) as process:
            end = time.monotonic() + args.max_s
            last = (0, time.monotonic(), 0.0)
            while (
                process.poll() is None
                and time.monotonic() < end
                and web.pages < args.pages
            ):
                time.sleep(0.05)
                if web.pages - last[0] < args.window:
                    continue
                now = (web.pages, time.monotonic(), tree_cpu_s(process.pid))
                rows.append(_row(last, now, tree_mb(process.pid), hound.catalogue))
                print(json.dumps(rows[-1]), file=sys.stderr)
                last = now
    return rows


def _row(
    last: tuple[int, float, float], now: tuple[int, float, float], mb: float, path: Path
) -> dict[str, Any]:
    pages = now[0] - last[0]
    files = (path, Path(f"{path}-wal"))
    return {
        "pages": now[0],
        "pages_per_s": round(pages / (now[1] - last[1]), 1),
        "cpu_ms_per_page": round((now[2] - last[2]) / pages * 1000, 4),
        "wall_ms_per_page": round((now[1] - last[1]) / pages * 1000, 4),
        "memory_mb": round(mb, 1),
        "disk_mb": round(sum(f.stat().st_size for f in files if f.exists()) / 1e6, 1),
        "load": round(os.getloadavg()[0], 2),
    }


def judge(rows: list[dict[str, Any]], start: int) -> dict[str, Any]:
    """The last fifth against the first fifth after the start: 1 is flat."""
    kept = [row for row in rows if row["pages"] >= start] or rows
    fifth = max(1, len(kept) // 5)

    def mean(part: list[dict[str, Any]], name: str) -> float:
        return sum(float(row[name]) for row in part) / len(part)

    told: dict[str, Any] = {
        f"{name}_last_to_first": round(
            mean(kept[-fifth:], name) / mean(kept[:fifth], name), 3
        )
        for name in ("cpu_ms_per_page", "wall_ms_per_page")
    }
    grown = (kept[-1]["memory_mb"] - kept[0]["memory_mb"]) * 1024 * 1024
    return told | {
        "memory_bytes_per_page": round(
            grown / max(kept[-1]["pages"] - kept[0]["pages"], 1), 1
        )
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in (("pages", 100_000), ("hosts", 1000), ("seed", 7), ("window", 5000), ("fetchers", 64),
                          ("processes", 1), ("start", 10_000)):  # fmt: skip
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--max-s", type=float, default=3600.0)
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    end_on_term()
    with tempfile.TemporaryDirectory(prefix="geohound-flat-") as folder:
        rows = windows(args, Path(folder))
    if not rows:
        sys.exit("No window was filled: take a smaller --window or a larger --max-s.")
    asked = {k: v for k, v in vars(args).items() if k not in {"out", "max_s"}}
    command = " ".join(["python", "bench/flat.py", *sys.argv[1:]])
    told = judge(rows, args.start)
    args.out.write_text(
        json.dumps(
            {"command": command, "machine": machine(), **asked, **told, "rows": rows},
            indent=2,
        )
        + "\n"
    )
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
