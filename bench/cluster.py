"""What distribution costs, and what it survives: pages a second on 1, 2, 3 nodes, takeover, random faults, search.

    .venv/bin/python bench/cluster.py speed [PAGES]      beside one process with SQLite, and scrapy-redis
    .venv/bin/python bench/cluster.py faults [PAGES] [FAULTS]    nodes, head and database killed, frozen, slow
    .venv/bin/python bench/cluster.py takeover [TIMES]   until the shards of a killed node have another owner
    .venv/bin/python bench/cluster.py log [URLS] [SQLite|PostgreSQL]   admissions, claims and settlements a second
    .venv/bin/python bench/cluster.py search [SERVICES]  p95 of SQLite and PostgreSQL
    .venv/bin/python bench/cluster.py queue [SERVICES]   what a monitor asks of its queue in PostgreSQL
    .venv/bin/python bench/cluster.py monitor [SECONDS]  a million services a day on two nodes: lateness, processor time

All nodes are on this machine, on addresses 127.0.0.2 …, and so is the geoweb; both databases write to one disk
(GEOHOUND_BENCH_DISK, /var/tmp). Results: bench/results/cluster-*.json.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "shared"))

from cluster_faults import faults, takeover
from cluster_monitor import monitored
from cluster_peers import scrapy_redis
from cluster_queue import queue_speed
from cluster_rig import ClusterRig
from cluster_runs import (
    DISK,
    DURABLE,
    alone,
    as_settings,
    cpu_s,
    figures,
    kept,
    values_for,
    write,
)
from geoweb_rig import calm
from postgres_server import Server, free_port

from geohound.cli.demo import geoweb_running
from geohound.model.catalogue import Observation
from geohound.model.crawl.frontier import FrontierBatch, NewUrl, UrlEnd, UrlState
from geohound.model.crawl.task import TaskSpec
from geohound.model.search.query import Query
from geohound.model.service import Layer, Service, Sighting
from geohound.model.visit import Candidate, Via
from geohound.net.clock import SystemClock
from geohound.search.index import CatalogueIndex
from geohound.stores import postgres, sqlite
from geoweb import World

CLAIMS = 20_000
DELAY_S = 0.02  # between two requests to a host


def speed(pages: int) -> None:
    """The same web crawled by one process with SQLite and PostgreSQL, and by 1, 2, 3 nodes and their peers in turn."""
    world = World(seed=5, hosts=max(60, pages // 20), pages=pages, trouble=calm())
    server = Server(DURABLE, disk=DISK)
    server.start()
    rows: list[dict[str, Any]] = []

    def add(how: str, found: dict[str, Any]) -> None:
        rows.append({"how": how, **found})
        write("speed", rows)

    try:
        with (
            geoweb_running(world) as port,
            tempfile.TemporaryDirectory(dir=DISK) as folder,
        ):
            values = values_for(port, DELAY_S)
            by_itself(add, server, values, world, Path(folder), "")
            for count in (1, 2, 3):
                run = partial(clustered, server, values, world, count)
                add(f"cluster, {count} nodes", beside(server, run))
                peer = scrapy_redis(world, count, DELAY_S)
                add(f"scrapy-redis, {count} processes", peer)
            # the load of the machine may have changed meanwhile
            by_itself(add, server, values, world, Path(folder), ", at the end")
    finally:
        server.close()


def by_itself(
    add: Callable[[str, dict[str, Any]], None],
    server: Server,
    values: dict[str, Any],
    world: World,
    folder: Path,
    when: str,
) -> None:
    for name, catalogue in (
        ("SQLite", f"{folder}/{len(when)}.db"),
        ("PostgreSQL", server.new_schema()),
    ):
        run = partial(alone, as_settings(catalogue, values), world)
        add(f"one process, {name}{when}", beside(server, run))


def beside(server: Server, run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What the server of the database needs for it, which no crawler's own figure has."""
    before = server.cpu_s()
    found = run()
    used = server.cpu_s() - before
    ms = round(1000 * used / found["pages"], 1)
    return {**found, "database_cpu_ms_per_page": ms}


def clustered(
    server: Server, values: dict[str, Any], world: World, nodes: int
) -> dict[str, Any]:
    settings = as_settings(server.new_schema(), values)
    with (
        tempfile.TemporaryDirectory(dir=DISK) as folder,
        ClusterRig(Path(folder), settings, free_port()) as rig,
    ):
        rig.write_config(values)
        rig.start(nodes)
        before, began = cpu_s(rig.sessions), time.monotonic()
        task = rig.queue(world.seeds)
        counters = rig.wait_done(task, 1200)
        return figures(counters, time.monotonic() - began, cpu_s(rig.sessions) - before)


def log_speed(urls: int, databases: list[str]) -> None:
    """Admissions and settlements of one shard, in batches of 1,000; what was kept of the other database stays."""
    server = Server(DURABLE, disk=DISK)
    server.start()
    rows = [row for row in kept(f"log-{urls}") if row["database"] not in databases]
    try:
        with tempfile.TemporaryDirectory(dir=DISK) as folder:
            for name in databases:
                clock = SystemClock()
                opened = (
                    sqlite.open_store(f"{folder}/l.db", clock)
                    if name == "SQLite"
                    else postgres.open_store(server.new_schema(), clock)
                )
                with closing(opened) as store:
                    rows.append(
                        {
                            "database": name,
                            "urls": urls,
                            **asyncio.run(fill(store, urls, cpu_of(server))),
                        }
                    )
    finally:
        server.close()
    write(f"log-{urls}", rows)


def candidate(n: int) -> Candidate:
    url = f"http://host{n % 997}.example.org/some/path/page{n}.html"
    return Candidate(url, Via.LINK, "http://a.example.org/", "a clue")


def cpu_of(server: Server) -> Callable[[], float]:
    """Processor time of this process and of the server so far: what the load of other work hardly changes."""
    return lambda: time.process_time() + server.cpu_s()


async def fill(store: Any, urls: int, cpu: Callable[[], float]) -> dict[str, Any]:
    """The first and the last tenth tell whether a log that grows becomes slower."""
    claim = store.tasks.claim(store.tasks.create(TaskSpec()).id, "bench", 86_400.0)
    admitted = await batched(
        store, claim, urls, cpu, lambda some: FrontierBatch(urls=new_urls(some))
    )
    claimed = claims_per_s(store, claim.task, urls)
    settled = await batched(
        store, claim, urls, cpu, lambda some: FrontierBatch(ends=ended_urls(some))
    )
    began = time.perf_counter()
    replayed = sum(1 for _ in store.log.replay(claim.task))
    return {
        "admitted": admitted, "claimed_per_s": claimed, "settled": settled,
        "replayed_per_s": round(replayed / (time.perf_counter() - began)),
    }  # fmt: skip


async def batched(
    store: Any,
    claim: Any,
    urls: int,
    cpu: Callable[[], float],
    make: Callable[[range], FrontierBatch],
) -> dict[str, dict[str, float]]:
    """URLs a second and processor time of a URL: of all, of the first tenth, of the last one."""
    marks = [(time.perf_counter(), cpu())]
    every = max(1000, urls // 10)
    for tenth in range(1, urls + 1, every):
        for first in range(tenth, min(tenth + every, urls + 1), 1000):
            some = range(first, min(first + 1000, tenth + every, urls + 1))
            await store.log.append(claim, make(some))
        marks.append((time.perf_counter(), cpu()))
    parts = {"all": (0, -1), "first_tenth": (0, 1), "last_tenth": (-2, -1)}
    found = {}
    for name, (start, end) in parts.items():
        took, used = (b - a for a, b in zip(marks[start], marks[end], strict=True))
        count = urls if name == "all" else every
        found[name] = {
            "per_s": round(count / took),
            "cpu_us": round(1e6 * used / count, 1),
        }
    return found


def new_urls(some: range) -> list[NewUrl]:
    return [
        NewUrl(n, n * 2654435761 % 2**62, n % 1000, UrlState.PENDING, candidate(n)) for n in some
    ]  # fmt: skip


def ended_urls(some: range) -> list[UrlEnd]:
    return [
        UrlEnd(n, UrlState.DONE, 1, None, 200, 0, "10.0.0.1", None, 0.0) for n in some
    ]


def claims_per_s(store: Any, task: int, urls: int) -> int:
    """The order of a frontier is in memory: a claim reads, of the URLs whose hosts are due, what their jobs need."""
    chance = random.Random(3)
    began = time.perf_counter()
    for _ in range(CLAIMS // 50):
        store.log.load(task, sorted(chance.sample(range(1, urls + 1), 50)))
    return round(CLAIMS / (time.perf_counter() - began))


def search_speed(services: int) -> None:
    """The same searches over the same services in both databases."""
    server = Server(DURABLE, disk=DISK)
    server.start()
    rows = []
    try:
        with tempfile.TemporaryDirectory(dir=DISK) as folder:
            for name in ("SQLite", "PostgreSQL"):
                clock = SystemClock()
                opened = (
                    sqlite.open_store(f"{folder}/s.db", clock)
                    if name == "SQLite"
                    else postgres.open_store(server.new_schema(), clock)
                )
                with closing(opened) as store:
                    rows.append({"database": name, **searched(store, services)})
    finally:
        server.close()
    write(f"search-{services}", rows)


def searched(store: Any, services: int) -> dict[str, Any]:
    chance = random.Random(2)
    words = [f"word{n}" for n in range(3000)]
    began = time.perf_counter()
    for first in range(0, services, 500):
        store.catalogue.record_now(
            made(n, chance, words) for n in range(first, min(first + 500, services))
        )
    recorded = time.perf_counter()
    index = CatalogueIndex(store.catalogue, store.segments)
    index.refresh(1)
    indexed = time.perf_counter()
    times = []
    for _ in range(200):
        text = (
            " ".join(chance.sample(words, 2))
            if chance.random() < 0.5
            else chance.choice(words)
        )
        at = time.perf_counter()
        index.search(Query(text))
        times.append(1000 * (time.perf_counter() - at))
    times.sort()
    count = store.catalogue.count()
    return {
        "services": count.services, "layers": count.layers, "recorded_per_s": round(services / (recorded - began)),
        "index_s": round(indexed - recorded, 1), "p50_ms": round(times[100], 1), "p95_ms": round(times[190], 1),
    }  # fmt: skip


def made(n: int, chance: random.Random, words: list[str]) -> Observation:
    layers = tuple(
        Layer(f"l{k}", " ".join(chance.choices(words, k=4))) for k in range(15)
    )
    service = Service(
        "wms",
        f"http://h{n}.example.org/wms",
        title=" ".join(chance.choices(words, k=5)),
        layers=layers,
    )
    now = SystemClock().now()
    return Observation(
        service,
        Sighting(
            service.id, service.endpoint, "http://p.example.org/", Via.LINK, "", now
        ),
    )


if __name__ == "__main__":
    what, *numbers = sys.argv[1:] or ["speed"]
    first = int(numbers[0]) if numbers else 0
    match what:
        case "speed":
            speed(first or 3000)
        case "faults":
            faults(first or 4000, int(numbers[1]) if len(numbers) > 1 else 10)
        case "takeover":
            takeover(first or 3)
        case "log":
            log_speed(first or 200_000, numbers[1:] or ["SQLite", "PostgreSQL"])
        case "search":
            search_speed(first or 5000)
        case "queue":
            queue_speed(first or 300_000)
        case "monitor":
            monitored(first or 300)
        case _:
            sys.exit(__doc__)
