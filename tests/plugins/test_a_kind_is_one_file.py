"""A kind that an outside package brings is found, proved, searched and opened like ours: no other file knows of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import pytest
from loopback import serving

pytestmark = pytest.mark.slow  # each call starts the program anew
HERE = Path(__file__).parent
CAVES = {
    "zork": "1.0",
    "title": "The Great Underground Empire",
    "caves": [{"name": "round-room", "title": "Round room", "bbox": "10,40,12,41"}],
}
PAGES = {
    "/": '<html><body><a href="map.html">Our maps</a></body></html>',
    "/map.html": '<html><body><div id="map"></div><script src="caves.js"></script></body></html>',
    "/caves.js": 'const below = "/under" + "ground";\nnew Frobozz.CaveLayer({lair: below + "/maps", cave: "round"});',
}
TYPES = {".js": "text/javascript"}


class _Underground(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        words = {
            name.lower(): values[0] for name, values in parse_qs(asked.query).items()
        }
        if asked.path == "/underground/maps" and words.get("service") == "ZORK":
            self._send(json.dumps(CAVES), "application/json")
        elif asked.path in PAGES:
            self._send(PAGES[asked.path], TYPES.get(asked.path[-3:], "text/html"))
        else:
            self.send_error(404)

    def _send(self, body: str, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with serving(_Underground) as origin:
        yield origin


def _command(*words: str, with_plugin: bool = True) -> dict[str, Any]:
    found = {"PYTHONPATH": str(HERE)} if with_plugin else {}
    return {
        "args": [sys.executable, "-m", "geohound", *words],
        "env": {**os.environ, **found, "GEOHOUND_HOST_DELAY_S": "0.01"},
    }


def geohound(*words: str, with_plugin: bool = True) -> subprocess.CompletedProcess[str]:
    command = _command(*words, with_plugin=with_plugin)
    return subprocess.run(
        **command, capture_output=True, text=True, timeout=100, check=False
    )


def lines(*words: str) -> list[dict[str, Any]]:
    done = geohound(*words, "--json")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def catalogue(site: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a crawl from the first page finds, in two processes, of this kind alone."""
    path = str(tmp_path_factory.mktemp("zork") / "c.db")
    words = (
        "crawl",
        f"{site}/",
        "--kinds",
        "zorkmap",
        "--allow-net",
        "127.0.0.0/8",
        "--catalogue",
        path,
        "--quiet",
    )
    done = geohound(*words)
    assert done.returncode == 0, done.stderr
    return path


def test_without_the_plug_in_nobody_knows_it(site: str) -> None:
    address = f"{site}/underground/maps?SERVICE=ZORK&REQUEST=GetCapabilities"
    done = geohound(
        "identify", address, "--allow-net", "127.0.0.0/8", "--json", with_plugin=False
    )
    assert json.loads(done.stdout.splitlines()[0])["kinds"] == []


def test_it_is_recognised(site: str) -> None:
    found, *_ = lines(
        "identify",
        f"{site}/underground/maps?service=ZORK&request=GetCave",
        "--allow-net",
        "127.0.0.0/8",
    )
    assert found["kinds"] == ["zorkmap"]


def test_its_address_is_computed_out_of_a_script(site: str) -> None:
    found, *_ = lines("mine", f"{site}/map.html", "--allow-net", "127.0.0.0/8")
    assert (found["endpoint"], found["kind"]) == (f"{site}/underground/maps", "zorkmap")
    assert (found["how"], found["line"]) == ("call", 2)


def test_a_crawl_finds_it_and_a_search_by_kind_too(site: str, catalogue: str) -> None:
    (found,) = [
        hit
        for hit in lines("search", "--kind", "zorkmap", "--catalogue", catalogue)
        if "id" in hit
    ]
    assert (found["kind"], found["endpoint"]) == ("zorkmap", f"{site}/underground/maps")
    assert found["title"] == "The Great Underground Empire"


def test_a_box_finds_it(catalogue: str) -> None:
    (found,) = [
        hit
        for hit in lines("search", "--bbox", "11,40,13,42", "--catalogue", catalogue)
        if "id" in hit
    ]
    assert found["kind"] == "zorkmap"


def test_it_is_opened(site: str, catalogue: str) -> None:
    words = (
        "show",
        f"{site}/underground/maps",
        "--open",
        "curl",
        "--bbox",
        "10,40,11,41",
        "--catalogue",
        catalogue,
    )
    done = geohound(*words)
    assert done.returncode == 0, done.stderr
    assert (
        f"{site}/underground/maps?SERVICE=ZORK&REQUEST=GetCave&CAVE=round-room&BBOX=10,40,11,41"
        in done.stdout
    )


def test_it_is_listed_among_the_kinds_and_in_the_answer_to_a_wrong_one(
    catalogue: str,
) -> None:
    told = {each["id"]: each for each in lines("kinds")}
    assert told["zorkmap"] == {
        "id": "zorkmap",
        "title": "Zork map",
        "protocol": "ZORK:MAP",
    }
    assert (
        "zorkmap"
        in geohound("search", "--kind", "nonsense", "--catalogue", catalogue).stderr
    )


def test_the_portal_counts_and_offers_it(catalogue: str) -> None:
    command = _command("serve", "--port", "0", "--no-runner", "--catalogue", catalogue)
    with subprocess.Popen(
        **command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as serving:
        try:
            base = _address_of(serving)
            with urlopen(f"{base}/api/v1/facets") as answer:
                kinds = {
                    each["value"]: each["count"]
                    for each in json.load(answer)["facets"]["kind"]
                }
            with urlopen(f"{base}/api/v1/openapi.json") as answer:
                document = answer.read().decode()
            with urlopen(f"{base}/?kind=zorkmap") as answer:
                page = answer.read().decode()
        finally:
            serving.terminate()
    assert kinds == {"zorkmap": 1}
    assert '"zorkmap"' in document
    assert "Zork map" in page


def _address_of(serving: subprocess.Popen[str]) -> str:
    assert serving.stdout is not None
    until = time.monotonic() + 60
    while time.monotonic() < until:
        line = serving.stdout.readline()
        if "http://127.0.0.1:" in line:
            return (
                "http://127.0.0.1:"
                + line.partition("http://127.0.0.1:")[2].split("/")[0].split()[0]
            )
    raise AssertionError("the portal did not start")
