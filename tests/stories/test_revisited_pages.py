"""The monitor asks pages whether they have changed, and reads again those that have."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from command_line import geohound
from loopback import serving

from geohound import crawl

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]
WMS = """<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms"><Service><Title>{0}</Title></Service>
</WMS_Capabilities>"""


class Site:
    """A page that names services and sends a tag; what it was asked, and how it answered."""

    def __init__(self) -> None:
        self.page = '<a href="/one?service=WMS">one</a>'
        self.script = ""
        self.tag = '"1"'
        self.always_304 = False
        self.statuses: list[int] = []
        self.down: set[str] = set()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        path = request.path.partition("?")[0]
        if path == "/":
            self._answer_page(request)
        elif path == "/map.js" and self.script:
            self._send(request, 200, self.script, "text/javascript")
        elif path in ("/one", "/two") and path not in self.down:
            self._send(request, 200, WMS.format(path), "text/xml")
        else:
            self._send(request, 503 if path in self.down else 404, "", "text/plain")

    def _answer_page(self, request: BaseHTTPRequestHandler) -> None:
        asked = request.headers.get("If-None-Match")
        is_same = asked is not None and (self.always_304 or asked == self.tag)
        self.statuses.append(304 if is_same else 200)
        body = "" if is_same else f"<html><body>{self.page}</body></html>"
        self._send(request, self.statuses[-1], body, "text/html")

    def _send(
        self, request: BaseHTTPRequestHandler, status: int, body: str, sort: str
    ) -> None:
        request.send_response(status)
        request.send_header("ETag", self.tag)
        if status != 304:
            request.send_header("Content-Type", sort)
            request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        if status != 304:
            request.wfile.write(body.encode())


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.fixture
def origin(site: Site) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.answer(self)

        def log_message(self, *_: object) -> None: ...

    with serving(Handler) as origin:
        yield origin


@pytest.fixture
def path(site: Site, origin: str, tmp_path: Path) -> Path:
    """A catalogue of a crawl of the site."""
    path = tmp_path / "c.db"
    crawl(
        f"{origin}/",
        max_time_s=20.0,
        catalogue=str(path),
        allow_nets="127.0.0.0/8",
        host_delay_s=0.0,
        processes=1,
    )
    look(path)
    site.statuses.clear()
    return path


def look(path: Path, days_ago: float = 0.0) -> int:
    """Look at all pages, the last reading of which was so long ago; how many services are known then."""
    with sqlite3.connect(path) as rows:
        rows.execute("UPDATE check_queue SET due_at = 0 WHERE purpose = 'page'")
        passed = (days_ago * 86400,)
        rows.execute("UPDATE check_queue SET read_at = read_at - ?", passed)
    options = ("--catalogue", str(path), "--allow-net", "127.0.0.0/8", "--quiet")
    done = geohound("monitor", "--once", *options, GEOHOUND_HOST_DELAY_S="0")
    assert done.returncode == 0, done.stderr
    with sqlite3.connect(path) as rows:
        (count,) = rows.execute("SELECT count(*) FROM service").fetchone()
        assert isinstance(count, int)
        return count


def test_a_page_that_has_not_changed_is_not_sent_again(site: Site, path: Path) -> None:
    look(path)  # the crawl keeps no tags: the first look reads it whole
    assert look(path) == 1
    assert look(path) == 1
    assert site.statuses == [200, 304, 304]


def test_a_page_that_has_changed_is_read(site: Site, path: Path) -> None:
    look(path)
    site.page, site.tag = site.page + '<a href="/two?service=WMS">two</a>', '"2"'
    assert look(path) == 2
    assert site.statuses == [200, 200]


def test_a_page_that_never_admits_a_change_is_read_whole_after_a_hundred_days(
    site: Site, path: Path
) -> None:
    look(path)
    site.always_304 = True
    site.page += '<a href="/two?service=WMS">two</a>'
    assert look(path, days_ago=60) == 1
    assert look(path, days_ago=60) == 2
    assert site.statuses == [200, 304, 200]


def test_a_page_with_a_service_that_did_not_answer_is_read_again(
    site: Site, path: Path
) -> None:
    site.page, site.tag = site.page + '<a href="/two?service=WMS">two</a>', '"2"'
    site.down = {"/two"}
    assert look(path) == 1
    site.down = set()
    assert look(path) == 2, (
        "the page has not changed, but one of its links was untested"
    )


def test_a_page_with_scripts_of_its_own_is_always_read(site: Site, path: Path) -> None:
    """Its server knows the page, not what its scripts load: they can change without it."""
    site.page, site.tag = site.page + '<script src="/map.js"></script>', '"2"'
    site.script = "var none = 0;"
    assert look(path) == 1
    site.script = 'new L.TileLayer.WMS("/two?service=WMS", {layers: "a"});'
    assert look(path) == 2
    assert site.statuses == [200, 200]
