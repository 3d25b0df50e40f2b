"""`geohound crawl --rules hou2016`: the crawler of Hou, Chen & Wu 2016 (figure 6), on a small web."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from command_line import geohound

pytestmark = pytest.mark.slow  # it crawls

CAPABILITIES = """<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms"><Service><Name>WMS</Name>
<Title>{}</Title></Service><Capability><Layer><Title>All</Title><Layer><Name>a</Name><Title>A</Title></Layer></Layer>
</Capability></WMS_Capabilities>"""
# Both branches of figure 6. The start page is surface web about land cover; the application is judged by its library:
# of its scripts map.js is read and jquery.js, vendor.js are not, and its own links are not followed; the cake is off
# the topic, so what it links to is never fetched; scripts are not fetched as pages.
PAGES = {
    "/": "<title>Land cover WMS</title><p>Forest, cropland and wetland as web map services.</p>"
    '<a href="/app">Land cover map</a> <a href="/cake">Cake</a> <a href="/lists.js">WMS list</a>',
    "/app": '<script src="OpenLayers.js"></script><script src="jquery.js"></script><script src="vendor.js"></script>'
    '<script src="map.js"></script><a href="/from-the-app">Forest WMS</a>',
    "/map.js": 'new OpenLayers.Layer.WMS("Land cover (2010)", "http://gis.test/hidden", {});',
    "/jquery.js": 'var a = "http://gis.test/jquery";',
    "/vendor.js": 'var a = "http://gis.test/vendor";',
    "/cake": '<title>Cake</title><p>Take three eggs and bake them.</p><a href="/from-the-cake">More</a>',
    "/lists.js": "",
    "/from-the-app": "",
    "/from-the-cake": "",
}


class _Answers(BaseHTTPRequestHandler):
    asked: list[str]

    def do_GET(self) -> None:
        host, path = self.headers["Host"], self.path.partition("?")[0]
        self.asked.append(f"{host}{path}")
        is_service = host == "gis.test" and path == "/hidden"
        body = (
            CAPABILITIES.format("Hidden")
            if is_service
            else PAGES.get(path, "")
            if host == "a.test"
            else ""
        )
        kind = (
            "text/xml"
            if is_service
            else "text/javascript"
            if path.endswith(".js")
            else "text/html"
        )
        self.send_response(
            200 if is_service or (host == "a.test" and path in PAGES) else 404
        )
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def web() -> Iterator[tuple[list[str], list[str]]]:
    asked: list[str] = []
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), type("Answers", (_Answers,), {"asked": asked})
    )
    thread = Thread(target=server.serve_forever)
    thread.start()
    port = server.server_address[1]
    yield (
        asked,
        ["--connect-to", f"*.test=127.0.0.1:{port}", "--allow-net", "127.0.0.0/8"],
    )
    server.shutdown()
    thread.join()
    server.server_close()


def test_scripts_are_judged_and_ruled_pages_weighed_and_only_candidates_tested(
    web: tuple[list[str], list[str]], tmp_path: Path
) -> None:
    """LC-14: the steps of figure 6."""
    asked, network = web
    done = geohound(
        "crawl", "http://a.test/", "--rules", "hou2016", "--json", "--catalogue", str(tmp_path / "c.db"), *network,
        GEOHOUND_HOST_DELAY_S="0.01", GEOHOUND_PROCESSES="1",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    pages = {url for url in asked if not url.endswith(("robots.txt", "sitemap.xml"))}
    assert pages == {
        "a.test/",
        "a.test/app",
        "a.test/cake",
        "a.test/map.js",
        "gis.test/hidden",
    }
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["title"] for line in found if line.get("event") == "service"] == [
        "Hidden"
    ]
