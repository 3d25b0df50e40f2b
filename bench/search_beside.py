"""Search of this checkout beside that of another one, over the same catalogue, by the interfaces that both keep.

The catalogue is one that the older of the two wrote; each gets a copy. Warm: both portals answer the same queries in
turns, over HTTP. Cold: `geohound search` as a command, CPU of the process. Ratios are this one to the other.

    python bench/search_beside.py --before ../before --catalogue before.db
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

from search_queries import mixed_queries

from geohound.model.search.query import Query

ROOT = Path(__file__).parents[1]
RESULT = ROOT / "bench" / "results" / "search_beside.json"
QUERIES, ROUNDS, COMMANDS = 150, 5, 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--before", type=Path, required=True, help="folder of the other checkout"
    )
    parser.add_argument(
        "--catalogue", type=Path, required=True, help="written by the older of the two"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sides = {"before": options.before.resolve(), "after": ROOT}
        copies = {side: Path(folder) / f"{side}.db" for side in sides}
        for copy in copies.values():
            shutil.copy(options.catalogue, copy)
        queries = mixed_queries(QUERIES, seed=90)
        commands = _commands(sides, copies, queries[:COMMANDS])
        warm = _warm(sides, copies, queries)
    result = {
        "command": "python bench/search_beside.py --before DIR --catalogue FILE",
        **commands,
        **warm,
    }
    RESULT.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    print(json.dumps(result, indent=1))


def _environment(checkout: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(checkout / "src")}


def _commands(
    sides: dict[str, Path], copies: dict[str, Path], queries: list[Query]
) -> dict[str, Any]:
    cpu: dict[str, list[float]] = {side: [] for side in sides}
    # the first of all opens, and brings an old file up to date
    for query in [queries[0], *queries]:
        for side, checkout in sides.items():
            words = [
                sys.executable,
                "-m",
                "geohound",
                "search",
                "--json",
                "--catalogue",
                str(copies[side]),
            ]
            words += [query.text or "map"]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(
                words,
                env=_environment(checkout),
                stdout=subprocess.DEVNULL,
                check=False,
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            cpu[side].append(used)
    medians = {side: statistics.median(times[1:]) for side, times in cpu.items()}
    return {
        "command_cpu_s": {side: round(value, 3) for side, value in medians.items()},
        "command_ratio": round(medians["after"] / medians["before"], 2),
        "first_command_cpu_s": {
            side: round(times[0], 3) for side, times in cpu.items()
        },
    }


def _warm(
    sides: dict[str, Path], copies: dict[str, Path], queries: list[Query]
) -> dict[str, Any]:
    ports = {side: _free_port() for side in sides}
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "geohound", "serve", "--port", str(ports[side]), "--catalogue", str(copies[side])],
            env=_environment(checkout) | {"GEOHOUND_API_REQUESTS_PER_MINUTE": "1000000"},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        for side, checkout in sides.items()
    ]  # fmt: skip
    try:
        for side in sides:
            _wait_for(ports[side])
        best = _least_times(ports, queries)
    finally:
        for process in running:
            process.terminate()
            process.wait()
    ratios = [
        after / before
        for before, after in zip(best["before"], best["after"], strict=True)
    ]
    quarters = statistics.quantiles(ratios, n=4)
    return {
        "warm_ms": {side: round(statistics.median(times) * 1000, 2) for side, times in best.items()},
        "warm_p95_ms": {side: round(statistics.quantiles(times, n=20)[-1] * 1000, 2) for side, times in best.items()},
        "warm_ratio": {"lower quartile": round(quarters[0], 2), "median": round(quarters[1], 2),
                       "upper quartile": round(quarters[2], 2)},
    }  # fmt: skip


def _least_times(ports: dict[str, int], queries: list[Query]) -> dict[str, list[float]]:
    """The least time of each query over all rounds, asked in turns."""
    best = {side: [float("inf")] * len(queries) for side in ports}
    for _ in range(ROUNDS):
        for number, query in enumerate(queries):
            for side, port in ports.items():
                best[side][number] = min(best[side][number], _ask(port, query))
    return best


def _ask(port: int, query: Query) -> float:
    asked: dict[str, Any] = {
        "q": query.text,
        "limit": query.limit,
        "offset": query.offset,
    }
    if query.bbox:
        asked |= {
            "bbox": ",".join(f"{side:g}" for side in query.bbox.as_tuple()),
            "relation": query.relation.value,
        }
    url = f"http://127.0.0.1:{port}/api/v1/search?{urlencode(asked)}"
    while True:
        started = time.perf_counter()
        try:
            urlopen(url).read()
        except HTTPError as refusal:
            if refusal.code != 429:
                raise
            time.sleep(1)
            continue
        return time.perf_counter() - started


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(port: int, seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            urlopen(f"http://127.0.0.1:{port}/api/v1/search?q=map").read()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise SystemExit(f"nothing answers at port {port}")


if __name__ == "__main__":
    main()
