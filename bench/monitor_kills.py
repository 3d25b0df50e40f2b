"""Kill a monitor at random moments and resume it: is a check lost or doubled, a host asked too often?

The server sees every request; nothing is believed. python bench/monitor_kills.py
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any

from crawl_peers.measure import machine

from geohound.model.catalogue import Observation
from geohound.model.service import Service, Sighting
from geohound.model.visit import Via
from geohound.net.clock import SystemClock
from geohound.stores.sqlite import open_store

RESULTS = Path(__file__).parent / "results" / "monitor_kills.json"
TOLERANCE_S = 0.01  # of the machine's scheduling, between two requests to a host
WMS = b"""<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms"><Service><Title>A</Title></Service>
</WMS_Capabilities>"""


class Site(BaseHTTPRequestHandler):
    """Any host, with a WMS below /wms; notes when it was asked."""

    asked: dict[str, list[float]] = defaultdict(list)  # noqa: RUF012 - one for all

    def do_GET(self) -> None:
        is_map = self.path.startswith("/wms")
        type(self).asked[self.headers["Host"]].append(time.monotonic())
        body = WMS if is_map else b""
        self.send_response(200 if is_map else 404)
        self.send_header("Content-Type", "text/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


def fill(path: Path, hosts: int, per_host: int) -> list[Service]:
    found = [
        Service("wms", f"http://h{h}.test/wms?map=m{n}")
        for h in range(hosts)
        for n in range(per_host)
    ]
    now, store = datetime.now(UTC), open_store(path, SystemClock())
    seen = [Sighting(each.id, each.endpoint, "", Via.SEED, "", now) for each in found]
    store.catalogue.record_now(
        [Observation(*pair) for pair in zip(found, seen, strict=True)]
    )
    store.close()
    return found


def torture(path: Path, port: int, args: argparse.Namespace) -> int:
    """Kill and resume; then let it end. How many runs were killed while they worked."""
    chance, killed = random.Random(args.seed), 0
    words = [
        "--catalogue",
        str(path),
        "--connect-to",
        f"*.test=127.0.0.1:{port}",
        "--allow-net",
        "127.0.0.0/8",
    ]
    call = [sys.executable, "-m", "geohound"]
    environ = {
        **os.environ, "GEOHOUND_HOST_DELAY_S": str(args.delay), "GEOHOUND_SLOW_HOST_FACTOR": "0",
        "GEOHOUND_ADDRESS_SHARE": "0",
    }  # fmt: skip
    command = [*call, "monitor", "--all", "--quiet", *words]
    for _ in range(args.kills):
        process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL)
        until, wanted = time.monotonic() + 30, count() + chance.randrange(1, 12)
        while count() < wanted and process.poll() is None and time.monotonic() < until:
            time.sleep(0.001)
        time.sleep(chance.random() * 0.05)
        killed += process.poll() is None
        process.kill()
        process.wait()
        command = [*call, "resume", "1", "--quiet", *words]
    subprocess.run(command, env=environ, check=True, stdout=subprocess.DEVNULL)
    return killed


def count() -> int:
    return sum(map(len, Site.asked.values()))


def measure(args: argparse.Namespace) -> dict[str, Any]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "c.db"
        found = fill(path, args.hosts, args.per_host)
        killed = torture(path, server.server_port, args)
        store = open_store(path, SystemClock())
        checks = Counter(len(store.catalogue.checks(each.id)) for each in found)
        store.close()
    server.shutdown()
    gaps = [
        later - first
        for times in Site.asked.values()
        for first, later in pairwise(times)
    ]
    return {
        "kills": args.kills, "killed_at_work": killed, "services": len(found), "requests": count(),
        "checks_lost": checks[0], "checks_doubled": sum(n for times, n in checks.items() if times > 1),
        "host_delay_s": args.delay, "shortest_gap_s": round(min(gaps), 4),
        "asked_too_often": sum(gap < args.delay - TOLERANCE_S for gap in gaps),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--hosts", type=int, default=5)
    parser.add_argument("--per-host", type=int, default=100)
    parser.add_argument("--delay", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    result = measure(args)
    print(json.dumps(result))
    command = f"python bench/monitor_kills.py --kills {args.kills}"
    RESULTS.write_text(
        json.dumps({"command": command, "machine": machine(), **result}, indent=1)
        + "\n",
        "utf-8",
    )


if __name__ == "__main__":
    main()
