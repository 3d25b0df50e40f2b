"""Processor time that pages and answers of the portal cost over a catalogue of 5,000 services.

    python bench/portal_cpu.py [services] [requests]

Time of the server's process, user and system, from /proc: other work on the machine does not count. "first" is the
first request after the start, which compiles templates and counts what is kept afterwards; "each" the mean of many.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from urllib.request import Request, urlopen

import catalogue_maker

from geohound.model.catalogue import Observation
from geohound.model.health import Check
from geohound.net.clock import SystemClock
from geohound.search.index import CatalogueIndex
from geohound.stores.sqlite import open_store

SERVICES, REQUESTS = (
    int(word) for word in [*sys.argv[1:3], *("5000", "40")[len(sys.argv) - 1 :]]
)
CHUNK, DAYS = 500, 3
PATHS = (
    "/", "/?q=rivers", "/?q=land+cover&kind=wms", "/?q=rivers&what=layers", "/services/{id}", "/map", "/health",
    "/statistics", "/statistics?part=contents", "/statistics?part=life", "/api/v1/search?q=roads",
    "/api/v1/complete?q=riv",
)  # fmt: skip
RESULTS = Path(__file__).parent / "results" / "portal_cpu.json"


def fill(path: Path) -> None:
    """Services with layers, three looks at each, and the index over them."""
    dice = random.Random(1)
    with closing(open_store(path, SystemClock())) as store:
        for start in range(0, SERVICES, CHUNK):
            met = list(catalogue_maker.met(start, CHUNK))
            store.catalogue.record_now([Observation(*each) for each in met])
            now = store.clock.now()
            looks = [
                Check(service.id, now - timedelta(days=day), dice.random() > 0.1, elapsed_s=dice.random())
                for service, *_ in met
                for day in reversed(range(DAYS))
            ]  # fmt: skip
            store.catalogue.record_now(looks)
        CatalogueIndex(store.catalogue, store.segments).refresh(1)


class Portal:
    """`geohound serve` over the catalogue, and how much processor time it has taken."""

    def __init__(self, catalogue: Path) -> None:
        command = [sys.executable, "-m", "geohound", "serve", "--single-user", "--no-runner", "--json"]  # fmt: skip
        self.process = subprocess.Popen(
            [*command, "--port", "0", "--catalogue", str(catalogue)],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.address = json.loads(self.process.stdout.readline())["address"].rstrip("/")

    def cpu_ms(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2]
        user, system = fields.split()[11:13]
        return (int(user) + int(system)) * 1000 / os.sysconf("SC_CLK_TCK")

    def ask(self, path: str) -> bytes:
        with urlopen(
            Request(self.address + path, headers={"Accept-Encoding": "gzip"})
        ) as answer:
            return bytes(answer.read())

    def cost(self, path: str, requests: int) -> float:
        before = self.cpu_ms()
        for _ in range(requests):
            self.ask(path)
        return round((self.cpu_ms() - before) / requests, 1)


def measure(catalogue: Path) -> dict[str, dict[str, float]]:
    """Each path on a portal of its own, so that "first" is first."""
    costs: dict[str, dict[str, float]] = {}
    for path in PATHS:
        portal = Portal(catalogue)
        try:
            with urlopen(f"{portal.address}/api/v1/services?limit=1") as answer:
                known = json.load(answer)["services"][0]["id"]
            portal.ask("/about-the-crawler")
            asked = path.replace("{id}", known)
            first = portal.cost(asked, 1)
            costs[path] = {"first_ms": first, "each_ms": portal.cost(asked, REQUESTS)}
            print(f"{path:<32} {costs[path]}")
        finally:
            portal.process.terminate()
            portal.process.wait()
    return costs


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "catalogue.db"
        fill(file)
        command = f"python bench/portal_cpu.py {SERVICES} {REQUESTS}"
        result = {"command": command, "services": SERVICES, "cpu_ms": measure(file)}
    if len(sys.argv) == 1:
        RESULTS.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
