"""The frontier alone, up to ten million URLs: how fast it takes URLs in and gives them out, in how much memory."""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, Self

from crawl_peers.measure import machine, tree_mb

from geohound.app import task_politeness
from geohound.frontier import FrontierLimits
from geohound.frontier.recovery import open_frontier
from geohound.model.crawl.frontier import Settled
from geohound.model.crawl.task import TaskSpec
from geohound.model.visit import Candidate, Lane, Settlement, Via
from geohound.net.clock import SystemClock
from geohound.settings import Settings
from geohound.stores.sqlite import open_store

RESULTS = Path(__file__).parent / "results" / "frontier.json"
BOUNDS = FrontierLimits(max_queue_per_host=None)
AT_ONCE = Settings(host_delay_s=0.0)
LINKS_OF_A_PAGE = 60


def candidates(first: int, count: int, hosts: int) -> list[Candidate]:
    """What a page brings: links to its own host and to others."""
    return [
        Candidate(f"http://host-{n * 7919 % hosts}.org/section/{n % 97}/page-{n}.html", Via.LINK, "", "a link",
                  float(n * 31 % 100), 3)
        for n in range(first, first + count)
    ]  # fmt: skip


class Stopwatch:
    """Wall time and CPU of this process, its threads included, but for the time it was stopped."""

    def __init__(self) -> None:
        self.wall_s = self.cpu_s = 0.0
        self._since = (0.0, 0.0)

    def __enter__(self) -> Self:
        self._since = (time.monotonic(), time.process_time())
        return self

    def __exit__(self, *_: object) -> None:
        self.wall_s += time.monotonic() - self._since[0]
        self.cpu_s += time.process_time() - self._since[1]


async def push(frontier: Any, first: int, count: int, hosts: int) -> Stopwatch:
    """URLs offered page by page, as twenty fetchers would."""
    watch = Stopwatch()
    for at in range(first, first + count, LINKS_OF_A_PAGE * 20):
        pages = [
            candidates(at + page * LINKS_OF_A_PAGE, LINKS_OF_A_PAGE, hosts)
            for page in range(20)
        ]
        with watch:
            for page in pages:
                frontier.admit(page)
            await frontier.flush()
    return watch


async def pop(frontier: Any, count: int, at_once: int) -> Stopwatch:
    """Leases, each settled as done."""
    watch, done = Stopwatch(), 0
    with watch:
        while done < count:
            leased = frontier.lease(at_once, Lane.PAGES)
            if not leased:
                await asyncio.sleep(0.001)
            for candidate in leased:
                frontier.settle(candidate, Settled(Settlement.DONE))
            await frontier.flush()
            done += len(leased)
    return watch


async def fill(
    path: Path, args: argparse.Namespace
) -> tuple[int, list[dict[str, Any]]]:
    store = open_store(path, SystemClock())
    task = store.tasks.create(TaskSpec()).id
    frontier = open_frontier(store, task, BOUNDS, task_politeness(AT_ONCE))
    rows = []
    step = args.urls // args.steps
    for number in range(args.steps):
        pushed = await push(frontier, number * step, step, args.hosts)
        popped = await pop(frontier, args.pops, 200)
        known = sum(f.stat().st_size for f in (path, Path(f"{path}-wal")) if f.exists())
        rows.append(
            {
                "urls": (number + 1) * step,
                "pushed_per_s": round(step / pushed.wall_s),
                "push_cpu_us": round(pushed.cpu_s / step * 1e6, 2),
                "popped_per_s": round(args.pops / popped.wall_s),
                "pop_cpu_us": round(popped.cpu_s / args.pops * 1e6, 2),
                "memory_mb": round(tree_mb(os.getpid()), 1),
                "disk_mb": round(known / 1e6, 1),
                "load": round(os.getloadavg()[0], 2),
            }
        )
        print(json.dumps(rows[-1]), file=sys.stderr)
    await frontier.flush()
    store.close()
    return task, rows


def reopen(path: Path, task: int) -> dict[str, Any]:
    """What a resume costs, in a process of its own: everything is read back."""
    before, watch = tree_mb(os.getpid()), Stopwatch()
    with watch:
        store = open_store(path, SystemClock())
        frontier = open_frontier(store, task, BOUNDS, task_politeness(AT_ONCE))
    told = {
        "reopen_s": round(watch.wall_s, 2),
        "reopen_cpu_s": round(watch.cpu_s, 2),
        "queued": frontier.stats().queued,
        "reopened_memory_mb": round(tree_mb(os.getpid()) - before, 1),
    }
    asyncio.run(frontier.flush())
    store.close()
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (
        ("urls", 10_000_000),
        ("hosts", 20_000),
        ("steps", 10),
        ("pops", 20_000),
    ):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="geohound-frontier-") as folder:
        path = Path(folder) / "frontier.db"
        task, rows = asyncio.run(fill(path, args))
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            told = pool.submit(reopen, path, task).result()
    first, last = rows[0], rows[-1]
    told |= {
        f"{name}_last_to_first": round(last[name] / first[name], 3)
        for name in ("push_cpu_us", "pop_cpu_us", "pushed_per_s", "popped_per_s")
    }
    told["memory_bytes_per_url"] = round(
        (last["memory_mb"] - first["memory_mb"])
        * 1024**2
        / max(last["urls"] - first["urls"], 1),
        1,
    )
    command = " ".join(["python", "bench/frontier.py", *sys.argv[1:]])
    args.out.write_text(
        json.dumps(
            {"command": command, "machine": machine(), **told, "rows": rows}, indent=2
        )
        + "\n"
    )
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
