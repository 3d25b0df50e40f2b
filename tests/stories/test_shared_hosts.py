"""A site owner sees one visitor, however many crawls there are: in one process and in others on the same catalogue."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

import pytest
from geoweb_rig import Hound, Observed, calm, ended

from geohound import app
from geohound.event_loop import run_async
from geohound.library import acrawl
from geohound.model.catalogue import Filter
from geohound.settings import Settings
from geoweb import World, ground_truth

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

DELAY_S = 0.1
SETTINGS = {"host_delay_s": DELAY_S, "slow_host_factor": 0.0}
WORLD = World(seed=14, hosts=12, pages=24, trouble=calm())


def gaps(asked: Iterable[tuple[float, str]]) -> list[float]:
    """Between the beginnings of two requests to one host."""
    times: dict[str, list[float]] = defaultdict(list)
    for at_s, host in asked:
        times[host].append(at_s)
    return [
        later - earlier
        for of in times.values()
        for earlier, later in pairwise(sorted(of))
    ]


def crawl_twice(catalogue: Path, port: int, seeds: list[str], processes: int) -> None:
    """Two crawls at once in this process."""
    options = SETTINGS | {
        "connect_to": f"*.test=127.0.0.1:{port}",
        "allow_nets": "127.0.0.0/8",
    }

    async def run() -> None:
        work = (
            acrawl(*seeds, catalogue=str(catalogue), processes=processes, **options)
            for _ in range(2)
        )
        for done in await asyncio.gather(*work):
            assert done.summary["finished"]

    run_async(run())


def found_by(catalogue: Path, task: int) -> set[str]:
    with app.open_catalogue(Settings(catalogue=str(catalogue))) as opened:
        services = [
            entry.service for entry in opened.catalogue.entries(Filter(task=task))
        ]
    return {
        alias for service in services for alias in (service.endpoint, *service.aliases)
    }


def test_three_crawls_in_two_processes_ask_no_host_more_often_than_one_may(
    tmp_path: Path,
) -> None:
    with Observed(WORLD) as web:
        hound = Hound(tmp_path / "c.db", web.port, {**SETTINGS, "processes": 2})
        with ended(hound.crawl(WORLD.seeds)) as process:
            crawl_twice(hound.catalogue, web.port, WORLD.seeds, processes=1)
            process.wait(60)
    assert process.returncode == 0, hound.complaints.read_text()
    between = gaps((one.at_s, one.host) for one in web.asked)
    assert min(between) >= DELAY_S - 0.005, sorted(between)[:5]
    there = {
        service["endpoint"]
        for service in ground_truth(WORLD)["services"]
        if service["alive"]
    }
    assert len(there) == 7
    for task in (1, 2, 3):
        assert found_by(hound.catalogue, task) >= there


PAGE = """<!doctype html><title>Map {number}</title><div id="map"></div>
<script src="http://static.county.test/{number}/view.js"></script>
<script src="http://static.county.test/{number}/layers.js"></script>
<a href="http://www{after}.county.test/">next</a>"""
LAYERS = """var map = new ol.Map({{target: 'map', layers: [new ol.layer.Tile({{source: new ol.source.TileWMS(
{{url: 'http://gis{number}.county.test/wms', params: {{LAYERS: 'roads'}}}})}})]}});"""
VIEW = "var centre = [8.5, 47.4];"
MAPS = 4


@contextmanager
def county() -> Iterator[tuple[int, list[tuple[float, str]]]]:
    """Sites whose maps all take their scripts from one host."""
    asked: list[tuple[float, str]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            host = self.headers["Host"].partition(":")[0]
            asked.append((time.monotonic(), host))
            number = next(
                (letter for letter in host + self.path if letter.isdigit()), "0"
            )
            if host.startswith("www"):
                body = PAGE.format(number=number, after=(int(number) + 1) % MAPS)
            else:
                body = (
                    LAYERS.format(number=number)
                    if self.path.endswith("layers.js")
                    else VIEW
                )
            is_there = self.path != "/robots.txt" and not host.startswith("gis")
            self.send_response(200 if is_there else 404)
            self.send_header(
                "Content-Type",
                "text/html" if host.startswith("www") else "text/javascript",
            )
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield server.server_port, asked
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("processes", [1, 2])
def test_a_host_from_which_many_pages_take_their_scripts_is_asked_by_one_at_a_time(
    tmp_path: Path, processes: int
) -> None:
    with county() as (port, asked):
        crawl_twice(tmp_path / "c.db", port, ["http://www0.county.test/"], processes)
    between = gaps(asked)
    assert min(between) >= DELAY_S - 0.005, sorted(between)[:5]
    of_scripts = [host for _, host in asked if host == "static.county.test"]
    assert len(of_scripts) >= 2 * 2 * MAPS, "both crawls have read all scripts"
    assert {host for _, host in asked} >= {
        f"gis{number}.county.test" for number in range(MAPS)
    }
