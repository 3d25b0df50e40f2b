"""100,000 services looked at daily by one process: does the schedule hold, does memory stay flat?

Simulated: the clock of some days, in which the queue of the program says what is due and takes what was looked at; no
request is made, and no more looks are taken in a second than were measured. Real: `geohound monitor --once` over an
hour's share of them, out of the same catalogue, with a server of its own process on loopback.
python bench/monitor_scale.py
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from crawl_peers.measure import machine

from geohound.model.catalogue import Observation
from geohound.model.crawl.task import TaskSpec
from geohound.model.health import Check, CheckResult, HealthState
from geohound.model.monitoring.revisit import DueLook, EndedLook, LookStats
from geohound.model.service import Service, Sighting
from geohound.model.visit import Purpose, Via
from geohound.monitor.rates import DAY_S
from geohound.monitor.schedule import (
    Revisiting,
    RevisitPolicy,
    after_look,
    next_check,
    planned,
)
from geohound.net.clock import SystemClock
from geohound.stores.sqlite import open_store

RESULTS = Path(__file__).parent / "results" / "monitor_scale.json"
PER_HOST = 8
BATCH = 1000
STEP_S = 10.0  # of the simulated clock
PLANS = {"spread_over_the_day": DAY_S, "all_found_at_once": 60.0}
WMS = (
    b'<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms"><Service><Title>A</Title></Service>'
    b"<Capability><Layer>"
    + b"".join(
        b"<Layer><Name>l%d</Name><Title>Layer %d</Title></Layer>" % (n, n)
        for n in range(20)
    )
    + b"</Layer></Capability></WMS_Capabilities>"
)


def fill(path: Path, services: int, found_at: datetime, spread_s: float) -> None:
    """Services that a crawl has found and checked, evenly in so many seconds before."""
    store = open_store(path, SystemClock())
    for first in range(0, services, BATCH):
        met = []
        for number in range(first, min(first + BATCH, services)):
            at = found_at + timedelta(seconds=spread_s * number / services)
            # Neighbours in time are of different hosts, as in a crawl.
            host = number % (services // PER_HOST)
            map_ = number // (services // PER_HOST)
            service = Service("wms", f"http://h{host}.test/wms?map=m{map_}")
            seen = Sighting(service.id, service.endpoint, "", Via.SEED, "", at)
            met.append(Observation(service, seen, Check(service.id, at, True)))
        store.catalogue.record_now(met)
    store.close()


async def plan(
    path: Path, start: datetime, days: float, looks_per_s: float
) -> dict[str, Any]:
    """The queue over simulated days: how late looks are, and what the process holds."""
    store = open_store(path, SystemClock())
    claim = store.tasks.claim(store.tasks.create(TaskSpec()).id, "me", 1e6)
    assert claim is not None
    store.check_queue.enrol({Purpose.CHECK: DAY_S})
    now, end = start, start + timedelta(days=days)
    late: list[float] = []
    memory: list[float] = []
    planning: list[float] = []
    looks = 0
    while now < end:
        ended = list(_looked(store.check_queue, now, int(looks_per_s * STEP_S), late))
        for first in range(0, len(ended), BATCH):
            await store.check_queue.settle(claim, ended[first : first + BATCH])
        looks += len(ended)
        now += timedelta(seconds=STEP_S)
        if (now - start).total_seconds() % 3600 == 0:
            began = time.process_time()
            planned(store.check_queue.services(), Revisiting())
            planning.append(time.process_time() - began)
            memory.append(rss_mb(os.getpid()))
    store.close()
    late.sort()
    return {
        "simulated_days": days, "looks": looks,
        "late_s": {"p50": _at(late, 0.5), "p95": _at(late, 0.95), "most": _at(late, 1.0)},
        "memory_mb_each_6_hours": [round(each, 1) for each in memory[::6]],
        "cpu_s_of_one_plan": {"median": _at(sorted(planning), 0.5), "most": _at(sorted(planning), 1.0)},
    }  # fmt: skip


def _looked(
    queue: Any, now: datetime, most: int, late: list[float]
) -> Iterator[EndedLook]:
    """What is due of so many hosts, one each, as the monitor takes it."""
    for host in queue.hosts(now, most):
        (due,) = queue.due(host, now, 1)
        late.append((now - due.due_at).total_seconds())
        yield _look(due, now)


def _look(due: DueLook, now: datetime) -> EndedLook:
    stats = after_look(due, CheckResult.GOOD, HealthState.ALIVE, changed=False, at=now)
    next_at = next_check(
        due, CheckResult.GOOD, HealthState.ALIVE, LookStats(),
        Revisiting(RevisitPolicy.DAILY), now,
    )  # fmt: skip
    check = Check(due.target, now, True, elapsed_s=0.1)
    return EndedLook(
        due.purpose, due.target, next_at, now, stats, (check,), (), due.stats.looks
    )


def _at(values: list[float], share: float) -> float:
    return round(values[min(len(values) - 1, int(share * len(values)))], 3)


def serve(pipe: Any) -> None:
    """Any host: a WMS with 20 layers below /wms, and nothing else."""
    found = b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: %d\r\n\r\n%b"
    none = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"

    async def answer(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                is_map = head.startswith(b"GET /wms")
                writer.write(found % (len(WMS), WMS) if is_map else none)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    async def run() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def index(path: Path) -> None:
    """A crawl has indexed what it found; the monitor finds that done."""
    call = [
        sys.executable,
        "-m",
        "geohound",
        "search",
        "layer",
        "--limit",
        "1",
        "--quiet",
    ]
    subprocess.run(
        [*call, "--catalogue", str(path)], check=True, stdout=subprocess.DEVNULL
    )


def looked_for_real(path: Path, port: int) -> dict[str, Any]:
    """One process over what is due now, as a user starts it."""
    where = ["--connect-to", f"*.test=127.0.0.1:{port}", "--allow-net", "127.0.0.0/8"]
    words = ["--catalogue", str(path), *where]
    # All hosts have the address of this machine here; limits by numeric address would make one host of them.
    environ = {**os.environ, "GEOHOUND_ADDRESS_SHARE": "0", "GEOHOUND_MONITOR_POLICY": "daily"}  # fmt: skip
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(
        [sys.executable, "-m", "geohound", "monitor", "--once", "--json", *words],
        env=environ,
        stdout=subprocess.PIPE,
        text=True,
    )
    memory: list[float] = []
    done = threading.Event()

    def sample() -> None:
        while not done.wait(1.0):
            memory.append(rss_mb(process.pid))

    sampler = threading.Thread(target=sample, daemon=True)
    sampler.start()
    assert process.stdout is not None
    last = ""
    for last in process.stdout:  # noqa: B007 - the last line is the summary
        pass
    done.set()
    process.wait()
    wall_s = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    summary = json.loads(last)["summary"]
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "checked": summary["checked"], "ok": summary["ok"], "requests": summary["requests"], "wall_s": round(wall_s, 1),
        "cpu_s": round(cpu_s, 1), "checks_per_s": round(summary["checked"] / wall_s, 1),
        "checks_per_cpu_s": round(summary["checked"] / cpu_s, 1),
        "share_of_a_core_at_this_pace_of_the_day": round(cpu_s / 3600.0, 4),
        "memory_mb": [round(each, 1) for each in memory[:: max(1, len(memory) // 12)] if each],
    }  # fmt: skip


def rss_mb(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    path, now = folder / "c.db", datetime.now(UTC)
    day = timedelta(days=1)
    # An hour's share was due before now, the others are due in the next 23 hours.
    fill(path, args.services, now - day - timedelta(hours=1), DAY_S)
    index(path)
    near, far = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(far,), daemon=True)
    server.start()
    try:
        real = looked_for_real(path, near.recv())
    finally:
        server.terminate()
    print(real, flush=True)
    found = {"services": args.services, "real_hour": real}
    looks_per_s = real["checks_per_s"]
    for name in args.plans:
        spread_s = PLANS[name]
        plan_path = folder / f"{name}.db"
        fill(plan_path, args.services, now - day, spread_s)
        found[name] = asyncio.run(plan(plan_path, now, args.days, looks_per_s))
        print(name, found[name], flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--services", type=int, default=100_000)
    parser.add_argument("--days", type=float, default=2.0)
    parser.add_argument("--plans", nargs="+", default=list(PLANS))
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(args, Path(folder))
    plans = " ".join(args.plans)
    command = f"python bench/monitor_scale.py --services {args.services} --days {args.days:g} --plans {plans}"
    kept = {"command": command, "machine": machine(), **found}
    args.out.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
