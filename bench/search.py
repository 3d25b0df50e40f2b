"""Search at the size of a large catalogue: build time, size, memory, latency warm and cold, growth, writing meanwhile.

Beside it in the same run and on the same records: a LIKE scan and pycsw; with `--peers fts5 --peer-services 5000` also
SQLite FTS5 and R*Tree in plain SQL, on a part. `--scale 0.01` is a quick look; the whole takes about a quarter of an
hour on two quiet processors.
"""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import os
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import catalogue_maker
import search_copies
import search_peers
from search_queries import mixed_queries

from geohound.model.catalogue import Observation
from geohound.model.search.query import Query
from geohound.model.service import Service
from geohound.net.clock import SystemClock
from geohound.search.index import CatalogueIndex
from geohound.stores.sqlite import open_store
from geohound.topics import TOPICS, Classifier

RESULTS = Path(__file__).parent / "results" / "search.json"
SERVICES, LAYERS_EACH = 100_000, 15
CHUNK = 500
# parts of the whole at which the same queries are asked; the first is 10,000 layers
GROWTH = (0.0067, 0.05, 0.25, 1.0)


def _make(start: int) -> list[Any]:
    return list(catalogue_maker.met(start, CHUNK))


def services(count: int) -> Iterator[list[Any]]:
    """Made in another process, so that the time to make them is not the time to write them."""
    with multiprocessing.Pool(2) as pool:
        yield from pool.imap(_make, range(0, count, CHUNK))


def observed(met: list[Any], topics_of: Callable[[Service], Any]) -> list[Observation]:
    return [
        Observation(service, sighting, topics=tuple(topics_of(service)))
        for service, sighting in met
    ]


def rss_mb() -> float:
    with Path("/proc/self/status").open() as status:
        return next(
            int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS")
        )


Took = tuple[float, float]  # milliseconds on the wall, and of the processor


def percentile(times: list[float], share: float) -> float:
    return round(sorted(times)[min(len(times) - 1, int(len(times) * share))], 2)


def summary(times: list[Took]) -> dict[str, float]:
    """On a machine with other work the wall says how busy it is; the processor's time says what a query costs."""
    told: dict[str, float] = {"queries": len(times)}
    for name, values in zip(("wall", "cpu"), zip(*times, strict=True), strict=True):
        told |= {
            f"p50_{name}_ms": percentile(list(values), 0.5),
            f"p95_{name}_ms": percentile(list(values), 0.95),
        }
        told[f"mean_{name}_ms"] = round(statistics.mean(values), 2)
    return told


def timed(search: Callable[[Query], Any], queries: list[Query]) -> list[Took]:
    times = []
    for query in queries:
        started, used = time.perf_counter(), time.process_time()
        search(query)
        times.append(
            (
                (time.perf_counter() - started) * 1000,
                (time.process_time() - used) * 1000,
            )
        )
    return times


def least(
    search: Callable[[Query], Any], queries: list[Query], rounds: int = 5
) -> dict[str, float]:
    """Each query several times, the least of its times: what it costs where nobody else is in the way."""
    runs = [timed(search, queries) for _ in range(rounds)]
    best = [
        (min(w for w, _ in took), min(c for _, c in took))
        for took in zip(*runs, strict=True)
    ]
    return {"rounds": rounds, **summary(best)}


def by_mode(
    search: Callable[[Query], Any], queries: list[Query]
) -> dict[str, dict[str, float]]:
    modes: dict[str, list[Took]] = {}
    for query, took in zip(queries, timed(search, queries), strict=True):
        mode = "both" if query.text and query.bbox else "words" if query.text else "box"
        modes.setdefault(mode, []).append(took)
        modes.setdefault("all", []).append(took)
        if query.filters():
            modes.setdefault("filtered", []).append(took)
    return {mode: summary(times) for mode, times in sorted(modes.items())}


def build(path: Path, count: int) -> dict[str, Any]:
    """The whole catalogue, and copies of it on the way."""
    store = open_store(path, SystemClock())
    marks = [max(CHUNK, round(count * part / CHUNK) * CHUNK) for part in GROWTH]
    topics_of = Classifier(TOPICS).classify
    index = CatalogueIndex(store.catalogue, store.segments)
    wall = cpu = index_wall = index_cpu = 0.0
    done = 0
    for chunk in services(count):
        started, used = time.perf_counter(), time.process_time()
        store.catalogue.record_now(observed(chunk, topics_of))
        wall = wall + time.perf_counter() - started
        cpu = cpu + time.process_time() - used
        done += len(chunk)
        started, used = time.perf_counter(), time.process_time()
        index.refresh()
        index_wall = index_wall + time.perf_counter() - started
        index_cpu = index_cpu + time.process_time() - used
        if done in marks and done < count:
            index.refresh(1)
            checkpoint(path)
            shutil.copy(path, path.with_name(f"part-{done}.db"))
    layers = store.catalogue.count()[1]
    started, used = time.perf_counter(), time.process_time()
    index.refresh(1)
    index_wall = index_wall + time.perf_counter() - started
    index_cpu = index_cpu + time.process_time() - used
    store.close()
    return {
        "services": done, "layers": layers, "write_wall_s": round(wall, 1), "write_cpu_s": round(cpu, 1),
        "index_wall_s": round(index_wall, 1), "index_cpu_s": round(index_cpu, 1),
        "layers_per_cpu_s": round(layers / (cpu + index_cpu)), "services_per_cpu_s": round(done / (cpu + index_cpu)),
    }  # fmt: skip


def grow(folder: Path) -> list[dict[str, Any]]:
    """The same queries at several sizes."""
    told = []
    parts = sorted(folder.glob("part-*.db"), key=lambda part: part.stat().st_size)
    for part in [*parts, folder / "search.db"]:
        store = open_store(part, SystemClock())
        queries = mixed_queries(300, seed=5)
        search = CatalogueIndex(store.catalogue, store.segments).search
        timed(search, queries)
        services, layers = store.catalogue.count()
        told.append(
            {"services": services, "layers": layers, **summary(timed(search, queries))}
        )
        store.close()
    return told


def checkpoint(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def size_on_disk(path: Path) -> dict[str, float]:
    checkpoint(path)
    connection = sqlite3.connect(path)
    rows = connection.execute(
        "SELECT CASE WHEN name IN ('segment_part', 'manifest') THEN 'search' "
        "ELSE 'services and layers' END, sum(pgsize) / 1e6 FROM dbstat GROUP BY 1"
    ).fetchall()
    connection.close()
    return {
        "file_mb": round(path.stat().st_size / 1e6),
        **{name: round(size) for name, size in rows},
    }


COLD = """
import sys, time
sys.path.insert(0, {bench!r})
from search_queries import mixed_queries
from geohound.net.clock import SystemClock
from geohound.stores.sqlite import open_store
from geohound.search.index import CatalogueIndex
store = open_store({path!r}, SystemClock())
index = CatalogueIndex(store.catalogue, store.segments)
query = mixed_queries({number} + 1, seed=9)[-1]
begun, used = time.perf_counter(), time.process_time()
index.search(query)
print((time.perf_counter() - begun) * 1000, (time.process_time() - used) * 1000)
"""


def cold(path: Path, count: int) -> dict[str, float]:
    """The first query of a new process each time; the file is in the system's cache, nothing is in ours."""
    times = []
    for number in range(count):
        script = COLD.format(
            bench=str(Path(__file__).parent), path=str(path), number=number
        )
        told = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        ).stdout
        wall, cpu = told.split()
        times.append((float(wall), float(cpu)))
    return summary(times)


def _crawl(path: str, start: int, count: int, rate: float, pipe: Any) -> None:
    """Add so many services a second, if it can."""
    made = [item for at in range(start, start + count, CHUNK) for item in _make(at)]
    store = open_store(path, SystemClock())
    topics_of = Classifier(TOPICS).classify
    gc.collect()
    gc.freeze()  # a crawl does not hold all that it will write
    pipe.send("ready")
    begun, used = time.perf_counter(), time.process_time()
    batch = max(1, int(rate / 20))
    for at in range(0, len(made), batch):
        store.catalogue.record_now(observed(made[at : at + batch], topics_of))
        ahead = begun + (at + batch) / rate - time.perf_counter()
        if ahead > 0:
            time.sleep(ahead)
    pipe.send(
        (
            len(made) / (time.perf_counter() - begun),
            (time.process_time() - used) / len(made) * 1000,
        )
    )


def while_writing(
    search: Callable[[Query], Any], path: Path, first: int, rate: float
) -> dict[str, float]:
    ours, theirs = multiprocessing.Pipe()
    writer = multiprocessing.get_context("spawn").Process(
        target=_crawl, args=(str(path), first, CHUNK * 8, rate, theirs)
    )
    writer.start()
    theirs.close()  # so that a writer that ends early is noticed
    ours.recv()
    times: list[Took] = []
    queries = mixed_queries(2000, seed=11)
    while not ours.poll():
        times += timed(search, [queries[len(times) % len(queries)]])
    reached, cpu_ms = ours.recv()
    writer.join()
    return {
        "asked_services_per_s": rate, "reached_services_per_s": round(reached),
        "cpu_ms_per_service": round(cpu_ms, 2), **summary(times),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument(
        "--copies",
        type=int,
        default=1,
        help="write a part and copy it so often (see search_copies)",
    )
    parser.add_argument(
        "--folder",
        help="where the catalogue is built; a temporary folder that is deleted if not given",
    )
    parser.add_argument("--peers", default="like,pycsw")
    parser.add_argument(
        "--peer-services",
        type=int,
        default=0,
        help="the peers get this part; all if there is none",
    )
    parser.add_argument("--peer-queries", type=int, default=30)
    parser.add_argument("--pycsw-queries", type=int, default=15)
    parser.add_argument("--write", action="store_true", help="keep the result")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(args.folder or scratch)
        path = folder / "search.db"
        count = int(SERVICES * args.scale / args.copies) // CHUNK * CHUNK or CHUNK
        told: dict[str, Any] = {
            "at": time.strftime("%Y-%m-%d"),
            "load_before": os.getloadavg()[0],
        }
        if not path.exists():
            (folder / "build.json").write_text(json.dumps(build(path, count)))
            if args.copies > 1:
                checkpoint(path)
                shutil.copy(path, path.with_name(f"part-{count}.db"))
                search_copies.multiply(path, args.copies)
        told["build"] = json.loads((folder / "build.json").read_text())
        told["copies"] = args.copies
        told["growth"] = grow(folder)
        store = open_store(path, SystemClock())
        told["disk"] = size_on_disk(path)
        search = CatalogueIndex(store.catalogue, store.segments).search
        before = rss_mb()
        search(mixed_queries(1, seed=1)[0])
        queries = mixed_queries(2000, seed=3)
        timed(search, queries[:300])
        told["warm"] = by_mode(search, queries)
        told["warm_least_of_5"] = least(search, queries[:400])
        told["memory_mb"] = {"before": round(before), "searching": round(rss_mb())}
        told["cold"] = cold(path, 20)
        told["peers"] = search_peers.compare(args, folder, queries, timed, summary)
        told["while_writing"] = while_writing(search, path, SERVICES * 10, 1000.0)
        told["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        store.close()
    print(json.dumps(told, indent=1))
    if args.write:
        RESULTS.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
