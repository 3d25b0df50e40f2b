"""What the benchmarks of clusters share: their settings, a crawl without a cluster, and where results are kept."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections import defaultdict
from contextlib import suppress
from dataclasses import replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from geohound import app
from geohound.cluster.sessions import processes_of
from geohound.settings import Settings
from geohound.tasks.spec import crawl_spec
from geoweb import World

RESULTS = Path(__file__).parent / "results"
# SQLite and PostgreSQL write to the same one
DISK = Path(os.environ.get("GEOHOUND_BENCH_DISK", "/var/tmp"))
DURABLE = ("max_connections=300", "shared_buffers=256MB")  # commits are flushed to disk


def write(name: str, found: Any) -> None:
    load = os.getloadavg()[0]
    body = {
        "machine": {"processors": os.cpu_count(), "load_before": round(load, 1)},
        "found": found,
    }
    (RESULTS / f"cluster-{name}.json").write_text(json.dumps(body, indent=1) + "\n")
    print(json.dumps(body, indent=1))


def kept(name: str) -> Any:
    """What an earlier run found."""
    path = RESULTS / f"cluster-{name}.json"
    return json.loads(path.read_text())["found"] if path.exists() else []


def values_for(port: int, delay_s: float, address: str = "127.0.0.1") -> dict[str, Any]:
    return {
        "host_delay_s": delay_s, "slow_host_factor": 0.0, "shards": 12,
        "connect_to": [f"*.test={address}:{port}"], "allow_nets": ["127.0.0.0/8", "10.213.0.0/16"],
    }  # fmt: skip


def as_settings(catalogue: str, values: dict[str, Any]) -> Settings:
    tuples = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in values.items()
    }
    return Settings(catalogue=catalogue, **tuples)


def alone(settings: Settings, world: World) -> dict[str, Any]:
    settings = replace(settings, processes=1)
    task = app.new_task(settings, crawl_spec(settings, tuple(world.seeds)))
    before, began = time.process_time(), time.monotonic()

    async def run() -> None:
        with app.task_runner(settings, indexes=False) as (runner, _):
            await runner.run(task)

    asyncio.run(run())
    took, cpu = time.monotonic() - began, time.process_time() - before
    with app.open_catalogue(settings) as opened:
        counters = opened.tasks.find(task).counters
    return figures(counters, took, cpu)


def figures(counters: Any, took: float, cpu: float) -> dict[str, Any]:
    pages = counters["pages"]
    return {
        "pages": pages, "services": counters["services"], "seconds": round(took, 1),
        "pages_per_s": round(pages / took, 1), "cpu_ms_per_page": round(1000 * cpu / pages, 1),
    }  # fmt: skip


def cpu_s(sessions: list[int]) -> float:
    """Processor time of all living processes in these sessions."""
    ticks = 0
    for pid in chain.from_iterable(map(processes_of, sessions)):
        with suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def gaps(asked: Any) -> list[float]:
    times: dict[str, list[float]] = defaultdict(list)
    for one in asked:
        times[one.host].append(one.at_s)
    return [
        later - earlier
        for of in times.values()
        for earlier, later in pairwise(sorted(of))
    ]
