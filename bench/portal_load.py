"""Load on the portal: live viewers of one task and searches, while a crawl runs. Prints and keeps what it measured.

    python bench/portal_load.py [viewers] [searches per second] [seconds]

One machine does everything: portal, crawl, simulated web and the clients of this script share its processors.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from geohound.cli.demo import geoweb_running, write_places
from geoweb import World

VIEWERS, RATE, SECONDS = (
    int(word) for word in [*sys.argv[1:4], *("200", "20", "40")[len(sys.argv) - 1 :]]
)
PAGES = (
    "/?q=rivers",
    "/?q=land+cover&kind=wms",
    "/api/v1/search?q=roads",
    "/tasks/1",
    "/",
)
# searches a second, each for RATE_S, until the slowest pass SLOW_MS
RATES = (40, 80, 120, 160, 200, 240)
RATE_S = 10.0
SLOW_MS = 300.0
RESULTS = Path(__file__).parent / "results" / "portal_load.json"


async def ask(port: int, path: str, headers: str = "") -> tuple[float, int]:
    """Seconds and status of one request."""
    began = time.monotonic()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(
        f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n".encode()
    )
    answer = await reader.read()
    writer.close()
    return time.monotonic() - began, int(answer.split(b" ", 2)[1])


async def view(port: int, seen: list[int], until: float) -> None:
    """Follow the task as a browser does."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = "GET /api/v1/tasks/1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
    writer.write(head.encode())
    while (left := until - time.monotonic()) > 0:
        try:
            line = await asyncio.wait_for(reader.readline(), left)
        except TimeoutError:
            break
        if not line:
            break
        if line.startswith(b"id: "):
            seen.append(int(line[4:]))
    writer.close()


def memory_mb(pid: int) -> float:
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.partition("VmRSS:")[2].split()[0]) / 1024


async def sample_memory(pid: int, until: float) -> list[float]:
    """Whether it stays flat once every page has been made: the first samples are of a portal that warms up."""
    sizes = []
    while time.monotonic() < until:
        await asyncio.sleep(10)
        sizes.append(round(memory_mb(pid), 1))
    return sizes


async def load(port: int, pid: int) -> dict[str, object]:
    until = time.monotonic() + SECONDS
    seen: list[list[int]] = [[] for _ in range(VIEWERS)]
    viewing = [asyncio.create_task(view(port, each, until)) for each in seen]
    await asyncio.sleep(2)
    times: dict[str, list[float]] = {path: [] for path in PAGES}
    statuses: list[int] = []
    first_mb, asking = memory_mb(pid), []
    sizes = asyncio.create_task(sample_memory(pid, until - 2))

    async def one(path: str) -> None:
        seconds, status = await ask(port, path)
        times[path].append(seconds)
        statuses.append(status)

    number = 0
    while time.monotonic() < until - 2:
        asking.append(asyncio.create_task(one(PAGES[number % len(PAGES)])))
        number += 1
        await asyncio.sleep(1 / RATE)
    await asyncio.gather(*asking)
    await asyncio.gather(*viewing)
    every = sorted(second for each in times.values() for second in each)
    gaps = sum(b != a + 1 for each in seen for a, b in itertools.pairwise(each))
    last = max((each[-1] for each in seen if each), default=0)
    return {
        "command": f"python bench/portal_load.py {VIEWERS} {RATE} {SECONDS}",
        "viewers": VIEWERS,
        "viewers_that_got_events": sum(bool(each) for each in seen),
        "events_each": statistics.median(len(each) for each in seen),
        "events_lost": gaps,
        "viewers_behind_at_the_end": sum(
            not each or each[-1] < last - 10 for each in seen
        ),
        "requests": len(every),
        "asked_per_s": round(len(every) / (SECONDS - 4), 1),
        "refused": sum(status != 200 for status in statuses),
        "p50_ms": round(1000 * statistics.median(every), 1),
        "p95_ms": round(1000 * every[int(0.95 * len(every))], 1),
        "p95_ms_by_page": {
            path: round(1000 * sorted(v)[int(0.95 * len(v))], 1)
            for path, v in times.items()
            if v
        },
        "portal_mb_at_first": round(first_mb, 1),
        "portal_mb_every_10_s": await sizes,
        "portal_mb_at_last": round(memory_mb(pid), 1),
        "load_average": os.getloadavg()[0],
        "cores": os.cpu_count(),
    }


async def p95_at(port: int, rate: float) -> dict[str, float]:
    """How slow pages are at this rate, without waiting for one before the next is asked."""
    until, number, asking = time.monotonic() + RATE_S, 0, []
    while time.monotonic() < until:
        asking.append(asyncio.create_task(ask(port, PAGES[number % len(PAGES)])))
        number += 1
        await asyncio.sleep(1 / rate)
    seconds = sorted(each for each, _ in await asyncio.gather(*asking))
    return {
        "rate": rate,
        "asked_per_s": round(number / RATE_S, 1),
        "p95_ms": round(1000 * seconds[int(0.95 * number)], 1),
    }


async def growing(port: int) -> list[dict[str, float]]:
    """The last row is the first rate at which p95 is above SLOW_MS."""
    found: list[dict[str, float]] = []
    for rate in RATES:
        found.append(await p95_at(port, rate))
        if found[-1]["p95_ms"] > SLOW_MS:
            break
    return found


def main() -> None:
    world = World(7, 60, 3_000, trouble=False)
    with tempfile.TemporaryDirectory() as folder, geoweb_running(world) as web:
        config, places = Path(folder) / "g.toml", write_places(world, Path(folder))
        config.write_text(
            f'connect_to = ["*.test=127.0.0.1:{web}"]\nallow_nets = ["127.0.0.0/8"]\nhost_delay_s = 0.5\n'
            f'slow_host_factor = 0.0\napi_requests_per_minute = 0\nhost_places = "{places}"\n'
        )
        words = [
            "serve",
            "--single-user",
            "--port",
            "0",
            "--json",
            "--config",
            str(config),
        ]
        command = [
            sys.executable,
            "-m",
            "geohound",
            *words,
            "--catalogue",
            f"{folder}/c.db",
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as portal:
            assert portal.stdout is not None
            port = int(
                json.loads(portal.stdout.readline())["address"]
                .rstrip("/")
                .rpartition(":")[2]
            )
            start = json.dumps({"seeds": list(world.seeds)})
            subprocess.run(
                ["curl", "-s", "-X", "POST", f"http://127.0.0.1:{port}/api/v1/tasks", "-H",
                 "Content-Type: application/json", "-d", start], check=True, stdout=subprocess.DEVNULL,
            )  # fmt: skip
            time.sleep(8)
            measured = asyncio.run(load(port, portal.pid))
            measured["without_viewers"] = asyncio.run(growing(port))
            measured["portal_mb_after_that"] = round(memory_mb(portal.pid), 1)
            portal.terminate()
    RESULTS.write_text(json.dumps(measured, indent=1) + "\n")
    print(json.dumps(measured, indent=1))


if __name__ == "__main__":
    main()
