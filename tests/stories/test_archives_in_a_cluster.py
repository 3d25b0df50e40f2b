"""Archives divided over two nodes, of which one is killed in the middle: what they hold is in the catalogue once."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from cluster_rig import ClusterRig
from loopback import serving
from postgres_server import free_port, shared_server

from geohound import app
from geohound.harvesters.warc import PIECE_BYTES
from geohound.model.visit import Purpose
from geohound.settings import Settings
from geohound.tasks.spec import harvest_spec

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(400),
    pytest.mark.xdist_group("cluster"),
]

FILES = 8
PAGES = 40  # of a file, each with a service of its own, in a piece of its own
TOTAL = FILES * PAGES
WMS = (
    '<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms">'
    "<Service><Title>{}</Title></Service></WMS_Capabilities>"
)


class Maps(BaseHTTPRequestHandler):
    """A service of its own at each address below /map."""

    protocol_version = "HTTP/1.1"
    asked: Counter[str]

    def do_GET(self) -> None:
        address = f"http://{self.headers['Host']}{self.path.partition('?')[0]}"
        is_map = "/map" in address
        if is_map:
            self.asked[address] += 1
        body = WMS.format(address).encode() if is_map else b""
        self.send_response(200 if is_map else 404)
        self.send_header("Content-Type", "text/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None: ...


def archive(path: Path, name: int) -> str:
    """Pages with large pictures between them: holes, which take no room on disk and are read piece by piece."""
    with path.open("wb") as file:
        for number in range(PAGES):
            url = f"http://archived{name}.test/{number}"
            link = f"{service(name, number)}?service=WMS&request=GetCapabilities"
            page = f'<a href="{link}">Map</a>'.encode()
            file.write(head(url, "text/html", len(page)) + page + b"\r\n\r\n")
            file.write(head(f"{url}.png", "image/png", PIECE_BYTES))
            file.seek(PIECE_BYTES, 1)
            file.write(b"\r\n\r\n")
    return path.as_uri()


def head(url: str, kind: str, size: int) -> bytes:
    """A record by ISO 28500 up to its body."""
    answer = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n"
    return (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
        "WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:0>\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(answer) + size}\r\n\r\n{answer}"
    ).encode()


def service(name: int, number: int) -> str:
    return f"http://gis{name}n{number}.test/map"


def named(settings: Settings) -> int:
    """How many addresses are in the logs."""
    with closing(app.open_store(settings)) as store:
        return int(
            store.database.read().execute("SELECT count(*) FROM url").fetchone()[0]
        )


def test_of_a_node_that_is_killed_archives_are_read_on_and_each_service_is_recorded_once(
    tmp_path: Path,
) -> None:
    files = [archive(tmp_path / f"{name}.warc", name) for name in range(FILES)]
    handler = type("TheseMaps", (Maps,), {"asked": Counter()})
    with serving(handler) as origin:
        values = {
            "host_delay_s": 0.01, "slow_host_factor": 0.0, "shards": 4, "address_share": 0.0,
            "connect_to": [f"*.test={origin.removeprefix('http://')}"], "allow_nets": ["127.0.0.0/8"],
        }  # fmt: skip
        settings = Settings(catalogue=shared_server().new_schema())
        with ClusterRig(tmp_path, settings, free_port()) as rig:
            rig.write_config(values)
            rig.start(nodes=2)
            spec = harvest_spec(settings, tuple(files), "warc")
            task = app.new_task(settings, spec, is_queued=True)
            rig.wait(lambda: rig.holders(task) == 2, "both nodes", 60)
            rig.wait(lambda: named(settings) > FILES + TOTAL // 8, "first pages", 60)
            rig.kill("127.0.0.3")
            at_kill = named(settings)
            counters = rig.wait_done(task, 200)
            found = rig.services(task)
    assert at_kill < FILES + TOTAL * 3 // 4, "it was killed in the middle"
    assert counters["ending"] == "finished"
    wanted = {service(name, n) for name in range(FILES) for n in range(PAGES)}
    assert Counter(endpoint for _, endpoint in found) == Counter(wanted)
    assert set(handler.asked) == wanted
    assert max(handler.asked.values()) <= 2, "asked for again only where it was cut off"
    with closing(app.open_store(settings)) as store:
        seen = {
            each.service.endpoint: len(store.catalogue.sightings(each.service.id))
            for each in store.catalogue.entries()
        }
        visits = [
            visit
            for shard in store.shards.shards(task)
            for visit in store.log.visits(shard)
        ]
    assert seen == dict.fromkeys(wanted, 1)
    steps = Counter(visit.url for visit in visits if visit.purpose is Purpose.HARVEST)
    assert set(steps) == set(files)
    assert len(set(steps.values())) == 1, "files are alike: no piece was ended twice"
    probed = [visit.url for visit in visits if visit.purpose is Purpose.PROBE]
    assert len(probed) == len(set(probed)) == TOTAL
