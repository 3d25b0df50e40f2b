"""Data files that pages link to are listed beside services, with size and date, and never downloaded (PH-16)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from loopback import serving
from starlette.testclient import TestClient
from typer.testing import CliRunner

from geohound import app, crawl
from geohound.cli import program
from geohound.model.crawl.data_file import DataFile, Evidence
from geohound.net.clock import SystemClock
from geohound.portal.app import create_app
from geohound.settings import Settings
from geohound.stores.sqlite import open_store

NETCDF_BYTES = 40_000_000  # of which a look takes the first few
PAGE = """<h1>Ocean data</h1> <a href="/sst.nc">Sea surface temperature</a> <a href="/rivers.gpkg">Rivers</a>
<a href="/counties.zip">Counties as shapefile</a> <a href="/gone.tif">Old relief</a> <a href="/fake.fgb">Lakes</a>
<a href="/moved.nc">Salinity</a> <a href="/private.nc">Drafts</a> <a href="/hidden/x.nc">Hidden</a>
<a href="/setup.zip">Our program</a> <a href="/photo.jpg">A photograph</a> """
GEOPACKAGE = b"SQLite format 3\0".ljust(68, b"\0") + b"GPKG" + bytes(28)


class Site(BaseHTTPRequestHandler):
    """Without ranges: who asks for a file gets all of it, unless he leaves."""

    asked: dict[str, list[str]]
    sent: dict[str, int]

    def do_GET(self) -> None:
        self.asked[self.path].append(self.headers.get("Range", ""))
        match self.path:
            case "/":
                self._answer(200, "text/html", PAGE.encode())
            case "/robots.txt":
                self._answer(200, "text/plain", b"User-agent: *\nDisallow: /hidden/\n")
            case "/sst.nc":
                date = {"Last-Modified": "Tue, 15 Nov 1994 12:45:26 GMT"}
                self._answer(
                    200, "application/octet-stream", b"CDF\x01", date, NETCDF_BYTES
                )
            case "/rivers.gpkg":
                part = {"Content-Range": f"bytes 0-{len(GEOPACKAGE) - 1}/123456"}
                self._answer(206, "application/octet-stream", GEOPACKAGE, part)
            case "/counties.zip":
                self._answer(200, "application/zip", b"PK\x03\x04" + bytes(100))
            case "/fake.fgb":
                self._answer(200, "text/html", b"<h1>Please log in</h1>")
            case "/moved.nc":
                self._answer(302, "text/html", b"", {"Location": "/store/salinity"})
            case "/store/salinity":
                self._answer(200, "application/x-netcdf", b"CDF\x02" + bytes(96))
            case "/private.nc":
                self._answer(403, "text/html", b"no")
            case _:
                self._answer(404, "text/html", b"nothing here")

    def _answer(
        self,
        status: int,
        kind: str,
        start: bytes,
        headers: dict[str, str] | None = None,
        length: int | None = None,
    ) -> None:
        size = len(start) if length is None else length
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(size),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(start)
            for _ in range((size - len(start)) // 10_000):
                self.wfile.write(bytes(10_000))
                self.sent[self.path] += 10_000
        except OSError:
            self.close_connection = True

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def site() -> Iterator[tuple[str, type[Site]]]:
    class Own(Site): ...

    Own.asked, Own.sent = defaultdict(list), defaultdict(int)
    with serving(Own) as origin:
        yield origin, Own


def crawled(origin: str, path: Path, **options: object) -> dict[str, DataFile]:
    usual = {
        "catalogue": str(path),
        "allow_nets": "127.0.0.0/8",
        "host_delay_s": 0.0,
        "processes": 1,
        "retries": 0,
    }
    crawl(f"{origin}/", max_time_s=30.0, **{**usual, **options})
    with app.open_catalogue(Settings(catalogue=str(path))) as opened:
        return {
            each.file.url.removeprefix(origin): each.file
            for each in opened.files.files()
        }


@pytest.mark.slow
def test_files_are_listed_with_what_their_headers_say_and_are_not_downloaded(
    site: tuple[str, type[Site]], tmp_path: Path
) -> None:
    """PH-16: NetCDF and other data, as Li, Wang & Bhatia 2016, section 7, are going to find them."""
    origin, seen = site
    found = crawled(origin, tmp_path / "c.db")
    brief = {
        path: (file.format, file.evidence, file.size, file.status)
        for path, file in found.items()
    }
    assert brief == {
        "/sst.nc": ("netcdf", Evidence.CONTENT, NETCDF_BYTES, 200),
        "/rivers.gpkg": ("geopackage", Evidence.CONTENT, 123_456, 206),
        "/counties.zip": ("shapefile", Evidence.NAME, 104, 200),
        "/moved.nc": ("netcdf", Evidence.CONTENT, 100, 200),
        "/private.nc": ("netcdf", Evidence.NAME, None, 403),
        "/hidden/x.nc": ("netcdf", Evidence.NAME, None, 0),
    }
    sst = found["/sst.nc"]
    assert (sst.title, sst.found_on, f"{sst.modified:%Y-%m-%d}") == (
        "Sea surface temperature",
        f"{origin}/",
        "1994-11-15",
    )
    assert seen.asked["/sst.nc"] == ["bytes=0-4095"]
    assert seen.sent["/sst.nc"] < NETCDF_BYTES / 2
    assert not {"/hidden/x.nc", "/setup.zip", "/photo.jpg"} & set(seen.asked)


def test_the_summary_counts_them_and_limits_hold(
    site: tuple[str, type[Site]], tmp_path: Path
) -> None:
    origin, seen = site
    found = crawled(
        origin, tmp_path / "c.db", max_file_requests_per_host=2, watchers="never"
    )
    assert len(found) == 8, "those that nobody asked about are listed by name"
    assert (
        sum(
            len(asked)
            for path, asked in seen.asked.items()
            if path not in ("/", "/robots.txt")
        )
        == 2
    )
    with closing(open_store(tmp_path / "c.db", SystemClock())) as store:
        assert store.tasks.get(1).counters["data_files"] == 8
    assert (
        len(crawled(origin, tmp_path / "d.db", max_data_files=3, max_file_requests=0))
        == 3
    )


@pytest.mark.slow
def test_what_was_asked_about_lately_is_not_asked_about_again(
    site: tuple[str, type[Site]], tmp_path: Path
) -> None:
    """PH-5 (Li, Wang & Bhatia 2016, section 4.1): a URL in the database "will not be crawled again"."""
    origin, seen = site
    first = crawled(origin, tmp_path / "c.db")
    again = crawled(origin, tmp_path / "c.db")
    assert again == first
    assert len(seen.asked["/sst.nc"]) == 1
    crawled(origin, tmp_path / "c.db", revisit_after=0.0)
    assert len(seen.asked["/sst.nc"]) == 2


def test_command_and_api_list_the_same_files(
    site: tuple[str, type[Site]], tmp_path: Path
) -> None:
    origin, _ = site
    path = str(tmp_path / "c.db")
    crawled(origin, Path(path), max_file_requests=0)
    ran = CliRunner().invoke(
        program("files"),
        ["files", "--format", "netcdf,geopackage", "--json", "--catalogue", path],
    )
    *printed, last = map(json.loads, ran.stdout.splitlines())
    assert last == {"summary": {"total": 5, "formats": {"netcdf": 4, "geopackage": 1}}}
    assert printed[0]["url"] == f"{origin}/sst.nc"
    with app.open_catalogue(Settings(catalogue=path)) as opened:
        portal = TestClient(
            create_app(opened.catalogue, opened.index, app.kinds(), files=opened.files)
        )
        first = portal.get(
            "/api/v1/files?format=netcdf&format=geopackage&limit=3"
        ).json()
        rest = portal.get(
            f"/api/v1/files?format=netcdf&format=geopackage&cursor={first['next']}"
        ).json()
        assert portal.get("/api/v1/files?format=docx").status_code == 400
    assert [*first["files"], *rest["files"]] == printed
    assert rest["next"] is None
    asked = CliRunner().invoke(
        program("files"), ["files", "rivers", "--catalogue", path]
    )
    assert "geopackage" in asked.stdout
    assert "1 of 1 data file" in asked.stdout
