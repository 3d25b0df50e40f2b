"""`geohound monitor` and `geohound check`: looks at a real server that answers in many ways."""

from __future__ import annotations

import json
import sqlite3
import struct
import zlib
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from command_line import geohound
from loopback import running

CAPABILITIES = """<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms"><Service><Name>WMS</Name>
<Title>Roads of {host}</Title></Service><Capability><Request><GetMap><Format>image/png</Format></GetMap></Request>
<Layer><Title>All</Title><Layer><Name>roads</Name><Title>Roads</Title><CRS>EPSG:4326</CRS>
<EX_GeographicBoundingBox><westBoundLongitude>10</westBoundLongitude><eastBoundLongitude>12</eastBoundLongitude>
<southBoundLatitude>50</southBoundLatitude><northBoundLatitude>51</northBoundLatitude></EX_GeographicBoundingBox>
</Layer></Layer></Capability></WMS_Capabilities>"""
_ROWS = zlib.compress((b"\0" + b"\x40" * 256) * 256)
_CHUNKS = (
    (b"IHDR", struct.pack(">IIBBBBB", 256, 256, 8, 0, 0, 0, 0)),
    (b"IDAT", _ROWS),
    (b"IEND", b""),
)
TILE = b"\x89PNG\r\n\x1a\n" + b"".join(
    struct.pack(">I", len(data))
    + name
    + data
    + struct.pack(">I", zlib.crc32(name + data))
    for name, data in _CHUNKS
)
DIRECTORY_PAGE = b"""<html><head><title>Roads (MapServer) - ArcGIS REST Services Directory</title></head><body>
<h2>Roads (MapServer)</h2><a href="/arcgis/rest/services/Roads/MapServer/0">Roads</a> (0)</body></html>"""
EXCEPTION = b"<ServiceExceptionReport><ServiceException>no such table</ServiceException></ServiceExceptionReport>"


class _Site(BaseHTTPRequestHandler):
    """Every host has a WMS at /wms, which answers as `mode` says."""

    mode = "good"
    asked: list[str] = []  # noqa: RUF012 - one for all
    gone_hosts: set[str] = set()  # noqa: RUF012 - likewise
    more: tuple[str, ...] = ()  # links on the page, beside the first
    arcgis_title = "All roads"

    def do_GET(self) -> None:
        type(self).asked.append(self.path)
        status, kind, body, headers = self._answer()
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            **headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _answer(self) -> tuple[int, str, bytes, dict[str, str]]:
        host = self.headers["Host"].partition(":")[0]
        is_here = self.path.startswith("/new/wms" if self.mode == "moved" else "/wms")
        if self.path.startswith("/wms") and self.mode == "moved":
            return 301, "text/plain", b"", {"Location": f"http://{host}/new{self.path}"}
        if self.path.endswith("/tiles/4/8/5.png"):
            return 200, "image/png", TILE, {}
        if self.path.startswith("/arcgis/rest/services/Roads/MapServer"):
            return self._answer_as_arcgis()
        if self.path == "/page":
            links = [
                "http://a.test/wms?service=WMS&request=GetCapabilities",
                *type(self).more,
            ]
            return (
                200,
                "text/html",
                "".join(f"<a href='{link}'>map</a>" for link in links).encode(),
                {},
            )
        if not is_here or self.mode == "gone" or host in self.gone_hosts:
            return 404, "text/plain", b"nothing here", {}
        if self.mode == "busy":
            return 429, "text/plain", b"later", {"Retry-After": "1"}
        if self.mode == "log-in":
            return 401, "text/plain", b"who are you", {}
        if "getmap" in self.path.lower():
            return 200, "text/xml", EXCEPTION, {}
        return 200, "text/xml", CAPABILITIES.format(host=host).encode(), {}

    def _answer_as_arcgis(self) -> tuple[int, str, bytes, dict[str, str]]:
        if "f=json" not in self.path:
            return 200, "text/html", DIRECTORY_PAGE, {}
        described = {
            "currentVersion": 10.9, "mapName": "Layers", "layers": [{"id": 0, "name": "Roads"}],
            "documentInfo": {"Title": type(self).arcgis_title}, "supportedImageFormatTypes": "PNG",
            "singleFusedMapCache": False, "capabilities": "Map,Query",
        }  # fmt: skip
        return 200, "application/json", json.dumps(described).encode(), {}

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def site() -> Iterator[type[_Site]]:
    _Site.mode, _Site.asked, _Site.more, _Site.gone_hosts = "good", [], (), set()
    _Site.arcgis_title = "All roads"
    with running(ThreadingHTTPServer(("127.0.0.1", 0), _Site)) as origin:
        _Site.port = origin.rpartition(":")[2]  # type: ignore[attr-defined]
        yield _Site


@pytest.fixture
def call(site, tmp_path: Path):
    words = (
        "--catalogue", str(tmp_path / "c.db"), "--connect-to", f"*.test=127.0.0.1:{site.port}",
        "--allow-net", "127.0.0.0/8",
    )  # fmt: skip
    fast = {
        "GEOHOUND_HOST_DELAY_S": "0", "GEOHOUND_BUSY_DELAY_S": "0.05", "GEOHOUND_MAX_RETRY_AFTER_S": "0.1",
        "GEOHOUND_RETRY_AFTER_S": "0.05", "GEOHOUND_PROCESSES": "1", "GEOHOUND_ADDRESS_SHARE": "0",
    }  # fmt: skip
    return lambda *asked: geohound(*asked, *words, **fast)


@pytest.fixture
def show(tmp_path: Path):
    return lambda url: lines(
        geohound("show", url, "--json", "--catalogue", str(tmp_path / "c.db"))
    )[0]


def lines(done) -> list[dict]:
    assert "Traceback" not in done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def look(call, *options: str) -> tuple[list[dict], dict]:
    done = call("monitor", "--all", "--json", *options)
    assert done.returncode == 0, done.stderr
    *checks, last = lines(done)
    return checks, last["summary"]


@pytest.fixture
def known(call) -> None:
    assert call("crawl", "http://a.test/wms", "http://b.test/wms").returncode == 0


@pytest.mark.usefixtures("known")
def test_every_look_is_a_line_and_the_last_line_is_the_summary(call, site):
    checks, summary = look(call)
    assert {check["event"] for check in checks} == {"check"}
    assert {
        (check["endpoint"], check["ok"], check["was"], check["state"])
        for check in checks
    } == {
        ("http://a.test/wms", True, "alive", "alive"),
        ("http://b.test/wms", True, "alive", "alive"),
    }
    assert set(checks[0]) == {
        "event",
        "id",
        "endpoint",
        "ok",
        "reason",
        "elapsed_ms",
        "state",
        "was",
    }
    numbers = {
        name: summary[name]
        for name in ("due", "checked", "ok", "failed", "changed", "requests")
    }
    assert numbers == {
        "due": 2,
        "checked": 2,
        "ok": 2,
        "failed": 0,
        "changed": 0,
        "requests": 2,
    }
    assert summary["elapsed_s"] > 0


@pytest.mark.usefixtures("known")
def test_after_a_look_reports_and_visits_are_still_those_of_the_crawl(call, tmp_path):
    look(call)
    here = ("--catalogue", str(tmp_path / "c.db"))
    hosts = geohound("report", "hosts", "--format", "csv", *here).stdout
    assert "a.test" in hosts
    assert "b.test" in hosts
    assert "http://a.test/wms" in geohound("visits", *here).stdout


@pytest.mark.usefixtures("known")
def test_not_found_on_three_looks_in_a_row_is_death_and_a_good_look_brings_back(
    call, site
):
    """LI-8: Li, Yang & Yang 2010, section 4.4: what is unavailable has its reason kept."""
    site.mode = "gone"
    seen = [look(call)[0] for _ in range(3)]
    states = [{check["state"] for check in checks} for checks in seen]
    assert all("404" in check["reason"] for checks in seen for check in checks)
    assert states == [{"unsure"}, {"unsure"}, {"dead"}]
    site.mode = "good"
    checks, summary = look(call)
    assert {(check["was"], check["state"]) for check in checks} == {("dead", "alive")}
    assert summary["changed"] == 2


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("mode", "reason"), [("busy", "rate limited"), ("log-in", "log-in wall")]
)
def test_who_keeps_us_out_is_never_dead(call, site, mode, reason):
    site.mode = mode
    for _ in range(4):
        checks, _ = look(call)
        assert {check["state"] for check in checks} == {"unsure"}
        assert all(check["reason"].startswith(reason) for check in checks), checks


@pytest.mark.usefixtures("known")
def test_a_service_that_moved_is_found_at_its_new_address(call, site, show):
    site.mode = "moved"
    checks, _ = look(call)
    assert {check["state"] for check in checks} == {"alive"}
    assert {check["reason"] for check in checks} == {
        "moved: to http://a.test/new/wms",
        "moved: to http://b.test/new/wms",
    }
    shown = show("http://a.test/new/wms")
    assert "http://a.test/wms" in (shown["endpoint"], *shown["aliases"])


@pytest.mark.usefixtures("known")
def test_nothing_is_due_right_after_a_look_and_the_time_of_the_next_one_is_known(
    call, site, show
):
    look(call)
    asked = len(site.asked)
    (summary,) = lines(call("monitor", "--once", "--json"))
    assert summary["summary"]["due"] == summary["summary"]["checked"] == 0
    assert len(site.asked) == asked
    shown = show("http://a.test/wms")
    assert shown["health"]["next_check"] > shown["health"]["since"]


ARCGIS = "http://a.test/arcgis/rest/services/Roads/MapServer"


def test_a_service_that_was_found_by_its_page_is_not_changed_by_being_read_in_json(
    call, site, show
):
    assert call("crawl", ARCGIS).returncode == 0
    assert show(ARCGIS)["title"] == "All roads", (
        "what it says of itself, not the title of a page about it"
    )
    assert [look(call)[1]["changed"] for _ in range(2)] == [0, 0]
    assert {event["change"] for event in show(ARCGIS)["history"]} == {"found", "state"}
    site.arcgis_title = "All roads and paths"
    assert look(call)[1]["changed"] == 1
    assert show(ARCGIS)["history"][-1]["detail"] == "All roads → All roads and paths"


def test_a_change_before_the_first_look_is_seen_by_it(call, site, show):
    assert call("crawl", ARCGIS).returncode == 0
    site.arcgis_title = "All roads and paths"
    assert look(call)[1]["changed"] == 1
    assert "title" in {event["change"] for event in show(ARCGIS)["history"]}


@pytest.mark.usefixtures("known")
def test_a_deep_look_sees_that_no_map_comes(call, site):
    checks, summary = look(call, "--deep")
    assert {check["reason"] for check in checks} == {
        "no layer works: roads: exception report: no such table"
    }
    assert {check["state"] for check in checks} == {"unsure"}
    assert summary["failed"] == 2


def test_without_a_catalogue_one_sentence_says_so(call):
    done = call("monitor", "--once")
    assert done.returncode == 2
    assert "No catalogue at" in done.stderr


@pytest.mark.usefixtures("known")
def test_check_prints_the_command_of_every_request(call, site):
    done = call("check", "http://a.test/wms", "--json")
    assert done.returncode == 1
    (found,) = lines(done)
    assert (found["ok"], found["was"], found["state"]) == (False, "alive", "unsure")
    assert [layer["reason"] for layer in found["layers"]] == [
        "exception report: no such table"
    ]
    assert len(found["requests"]) == 3, "capabilities, GetMap, and GetMap once more"
    assert all(asked["curl"].startswith("curl -sSL ") for asked in found["requests"])
    people = call("check", found["id"])
    assert people.returncode == 1
    assert "curl -sSL" in people.stdout
    assert "✗ roads" in people.stdout


def test_an_address_can_be_checked_without_a_catalogue(call, site):
    (found,) = lines(call("check", "http://z.test/wms", "--json", "--layers", "0"))
    assert (found["kind"], found["ok"], found["state"]) == ("wms", True, None)
    site.mode = "gone"
    done = call("check", "http://z.test/wms", "--json")
    assert done.returncode == 1
    assert lines(done)[0]["reason"].startswith("not found")
    assert call("check", "nonsense").returncode == 1
    assert call("check", "http://[bad").returncode == 2


def test_tiles_are_looked_at_where_they_were_met_because_their_endpoint_answers_nothing(
    call,
) -> None:
    crawled = lines(call("crawl", "http://a.test/tiles/4/8/5.png", "--json"))
    assert [event["kind"] for event in crawled if event.get("event") == "service"] == [
        "xyz"
    ]
    (check,), summary = look(call)
    assert (check["ok"], check["state"], summary["failed"]) == (True, "alive", 0)


def make_due(path: Path) -> None:
    """As if weeks had passed."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE check_queue SET due_at = 0 WHERE purpose <> 'check'")


def test_new_services_on_old_pages_and_candidates_that_came_back_are_found(
    call, site, show, tmp_path
):
    site.more = ("http://later.test/wms?service=WMS&request=GetCapabilities",)
    site.gone_hosts = {"later.test"}
    assert call("crawl", "http://p.test/page", "--depth", "1").returncode == 0
    (summary,) = lines(call("monitor", "--once", "--json"))
    assert summary["summary"]["pages"] == 0, "a page is read again after a week"
    site.gone_hosts = set()
    site.more = (*site.more, "http://new.test/wms?service=WMS&request=GetCapabilities")
    make_due(tmp_path / "c.db")
    *_, summary = lines(call("monitor", "--once", "--json"))
    assert summary["summary"]["pages"] == 1
    assert summary["summary"]["candidates"] >= 1, (
        "likely addresses that were none are candidates too"
    )
    assert summary["summary"]["found"] >= 2, (
        "the page and the candidate may find the same one at once"
    )
    assert (
        show("http://new.test/wms")["sightings"][0]["found_on"] == "http://p.test/page"
    )
    assert show("http://later.test/wms")["health"]["state"] == "alive"


@pytest.mark.usefixtures("known")
def test_show_says_in_words_how_available_a_service_is_and_when_the_next_look_is(
    call, site, tmp_path
):
    look(call)
    site.mode = "gone"
    look(call)
    shown = geohound(
        "show", "http://a.test/wms", "--catalogue", str(tmp_path / "c.db")
    ).stdout
    (available,) = [
        line.split(maxsplit=1)[1]
        for line in shown.splitlines()
        if line.startswith("  available")
    ]
    assert available.startswith("7 days 66.67% (20.77% to 93.85%), 30 days 66.67%"), (
        "Wilson, of two good ones of three"
    )
    assert "availability of 99 %: missed" in shown
    assert "\n  next look   20" in shown


@pytest.mark.usefixtures("known")
def test_nobody_looks_at_a_host_while_its_maintenance_lasts(call, site, tmp_path):
    config = tmp_path / "announced.toml"
    config.write_text('maintenance = ["a.test 2020-01-01 2200-01-01 new disks"]\n')
    site.gone_hosts = {"a.test"}
    checks, summary = look(call, "--config", str(config))
    assert [each["endpoint"] for each in checks] == ["http://b.test/wms"]
    assert (summary["due"], summary["checked"]) == (1, 1)
    config.write_text('maintenance = ["a.test soon"]\n')
    done = call("monitor", "--all", "--config", str(config))
    assert done.returncode == 2
    assert "write HOST BEGIN END TEXT" in done.stderr
