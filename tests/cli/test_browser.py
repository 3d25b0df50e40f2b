"""`--browser` as users give it, for one page and for a crawl."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import command_line
import pytest
import typer
from loopback import serving
from typer.testing import CliRunner

from geohound.cli import options

CAPABILITIES = """<?xml version="1.0"?><WMT_MS_Capabilities version="1.1.1"><Service><Name>OGC:WMS</Name>
<Title>Fjord depths</Title></Service><Capability><Request><GetMap><Format>image/png</Format></GetMap></Request>
<Layer><Title>All</Title><SRS>EPSG:4326</SRS><Layer><Name>depth</Name><Title>Depth</Title>
<LatLonBoundingBox minx="5" miny="58" maxx="6" maxy="59"/></Layer></Layer></Capability></WMT_MS_Capabilities>"""
# The address stands in no script: it is put together from codes when a button is pressed.
HIDDEN = """<html><body><button id="on">Layers</button><script>
const codes = [47, 102, 106, 47, 111, 119, 115];
document.getElementById('on').addEventListener('click', () => {
  const path = codes.map(c => String.fromCharCode(c)).join('');
  new Image().src = location.origin + path + '?SERVICE=WMS&REQUEST=GetMap&LAYERS=depth';
});</script></body></html>"""
PLAIN = "<html><body><p>About us</p><a href='/viewer'>Map</a></body></html>"


class _Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        body = {"/": PLAIN, "/viewer": HIDDEN, "/fj/ows": CAPABILITIES}.get(path, "")
        self.send_response(200 if body else 404)
        self.send_header(
            "Content-Type",
            "application/vnd.ogc.wms_xml" if path == "/fj/ows" else "text/html",
        )
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    with serving(_Site) as origin:
        yield origin


def geohound(*words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return command_line.geohound(*words, COLUMNS="200", TERM="dumb", **environ)


def lines(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["--browser", "http://a.test/"], ("always", ["http://a.test/"])),
        (["http://a.test/", "--browser"], ("always", ["http://a.test/"])),
        (["--browser", "auto", "http://a.test/"], ("auto", ["http://a.test/"])),
        (["--browser=never", "http://a.test/"], ("never", ["http://a.test/"])),
        (["http://a.test/"], (None, ["http://a.test/"])),
    ],
)
def test_browser_may_stand_alone_or_with_a_word(
    words: list[str], meant: tuple[str | None, list[str]]
) -> None:
    app = typer.Typer()
    got: list[tuple[str | None, list[str]]] = []

    @app.command(cls=options.BrowserCommand)
    def run(inputs: list[str], browser: options.BROWSER = None) -> None:
        got.append((browser.value if browser else None, inputs))

    assert CliRunner().invoke(app, words).exit_code == 0
    assert got == [meant]


@pytest.mark.slow
def test_a_page_is_run_where_it_cannot_be_read_and_the_event_is_told(
    origin: str,
) -> None:
    *found, summary = lines(
        geohound(
            "mine",
            "--browser",
            "auto",
            f"{origin}/viewer",
            f"{origin}/",
            "--allow-net",
            "127.0.0.1/32",
            "--json",
        )
    )
    assert [(e["endpoint"], e["kind"], e["how"]) for e in found] == [
        (f"{origin}/fj/ows", "wms", "browser")
    ]
    assert found[0]["call"].startswith("click on button[submit]#on “Layers”")
    assert summary["summary"]["browsed"] == 1
    assert summary["summary"]["ways"] == {"browser": 1}


@pytest.mark.slow
def test_a_crawl_with_a_browser_finds_what_no_link_and_no_script_tells(
    origin: str, tmp_path: Path
) -> None:
    words = (
        "crawl",
        f"{origin}/",
        "--allow-net",
        "127.0.0.1/32",
        "--json",
        "--max-time",
        "100",
    )
    environ = {"GEOHOUND_HOST_DELAY_S": "0.05"}
    without = lines(geohound(*words, "--catalogue", str(tmp_path / "a.db"), **environ))
    assert [
        line["endpoint"] for line in without if line.get("event") == "service"
    ] == []
    with_browser = lines(
        geohound(
            *words,
            "--browser",
            "auto",
            "--catalogue",
            str(tmp_path / "b.db"),
            **environ,
        )
    )
    assert [
        line["endpoint"] for line in with_browser if line.get("event") == "service"
    ] == [f"{origin}/fj/ows"]
    (service,) = lines(
        geohound(
            "show", f"{origin}/fj/ows", "--catalogue", str(tmp_path / "b.db"), "--json"
        )
    )[:1]
    assert "browser" in json.dumps(service)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("mine", "--browser", "page.html"),
        ("crawl", "--browser", "auto", "http://a.test/"),
    ],
)
def test_without_chromium_a_sentence_says_what_to_do(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    done = geohound(
        *words,
        "--catalogue",
        str(tmp_path / "c.db"),
        GEOHOUND_BROWSER_PATH="/nowhere/chromium",
    )
    assert done.returncode == 2
    assert (
        done.stderr.strip()
        == "There is no browser at /nowhere/chromium; name another in the setting browser_path."
    )
