"""scrapy-redis on the pages of a simulated web: several processes of Scrapy that share a queue in Redis."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

from cluster_runs import cpu_s, gaps
from crawl_peers.contenders import peers_python
from geoweb_rig import Observed
from postgres_server import free_port

from geoweb import World

CACHE = Path.home() / ".cache" / "geohound-bench"
SCRIPT = Path(__file__).parent / "crawl_peers" / "run_scrapy_redis.py"
DEBIAN = ("redis-server", "redis-tools", "liblzf1", "libjemalloc2")
QUIET_S = 10.0  # nothing was asked for so long: such a crawl waits for ever for more


@contextmanager
def redis_running(folder: Path) -> Iterator[tuple[str, int]]:
    """A Redis of our own that writes what it holds to disk every second; its address and process."""
    program, environ = redis_program()
    port = free_port()
    process = subprocess.Popen(
        [
            program, "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder),
            "--appendonly", "yes", "--save", "",
        ],
        stdout=subprocess.DEVNULL, env=environ, start_new_session=True,
    )  # fmt: skip
    try:
        time.sleep(1.0)
        yield f"redis://127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        process.wait()


def redis_program() -> tuple[str, dict[str, str]]:
    """That of this machine, or unpacked from Debian's packages into the cache, nothing being installed."""
    installed = shutil.which("redis-server")
    if installed:
        return installed, {**os.environ}
    folder = CACHE / "redis"
    if not folder.exists():
        folder.mkdir(parents=True)
        with tempfile.TemporaryDirectory() as name:
            subprocess.run(["apt-get", "-q", "download", *DEBIAN], cwd=name, check=True)
            for package in Path(name).glob("*.deb"):
                subprocess.run(["dpkg", "-x", package, folder], check=True)
    (libraries,) = {each.parent for each in folder.glob("usr/lib/*/libjemalloc*")}
    program = str(folder / "usr" / "bin" / "redis-server")
    return program, {**os.environ, "LD_LIBRARY_PATH": str(libraries)}


def scrapy_redis(world: World, processes: int, delay_s: float) -> dict[str, Any]:
    """Until nothing is asked for any more; pages are what its spider got as pages, once each."""
    with (
        Observed(world) as web,
        tempfile.TemporaryDirectory() as folder,
        redis_running(Path(folder)) as (address, redis),
    ):
        fill(address, world)
        command = [peers_python(CACHE), str(SCRIPT), address]
        command += [f"http://127.0.0.1:{web.port}", str(delay_s)]
        began = time.monotonic()
        spiders = [
            subprocess.Popen(command, start_new_session=True) for _ in range(processes)
        ]
        try:
            while not web.asked or time.monotonic() - web.asked[-1].at_s < QUIET_S:
                assert time.monotonic() - began < 1200, "it does not end"
                time.sleep(0.5)
            used = cpu_s([redis, *(spider.pid for spider in spiders)])
        finally:
            for spider in spiders:
                spider.send_signal(signal.SIGKILL)
                spider.wait()
        pages = items(address)
    took = web.asked[-1].at_s - began
    return {
        "pages": pages, "requests": len(web.asked), "seconds": round(took, 1),
        "pages_per_s": round(pages / took, 1), "cpu_ms_per_page": round(1000 * used / pages, 1),
        "least_gap_s": round(min(gaps(web.asked)), 3), "delay_s": delay_s,
    }  # fmt: skip


def fill(address: str, world: World) -> None:
    _ask(address, *chain(["RPUSH", "geoweb:start_urls"], world.seeds))


def items(address: str) -> int:
    return int(_ask(address, "LLEN", "geoweb:items"))


def _ask(address: str, *words: str) -> str:
    program, environ = redis_program()
    client = program.replace("redis-server", "redis-cli")
    done = subprocess.run(
        [client, "-u", address, *words],
        env=environ, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.strip()
