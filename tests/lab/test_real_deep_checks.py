"""Deep checks of a real server that is broken on purpose, in ten ways: each is named for what it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest
from breaking_proxy import BreakingProxy
from command_line import geohound
from deep_looks import QUICK, check_with_expired_certificate
from lab_running import Lab
from lab_truth import MARKS
from loopback import running

pytestmark = MARKS
WMS = "/cgi-bin/mapserv?map=BALTIC&SERVICE=WMS&REQUEST=GetCapabilities"


@pytest.fixture
def proxy(address: Callable[[str], str]) -> Iterator[type[BreakingProxy]]:
    BreakingProxy.real, BreakingProxy.mode = address("mapserver"), ""
    with running(ThreadingHTTPServer(("127.0.0.1", 0), BreakingProxy)) as origin:
        BreakingProxy.own = origin
        yield BreakingProxy


@pytest.fixture
def deep_look(proxy: type[BreakingProxy], tmp_path: Path) -> Callable[[str], dict]:
    """The WMS found while all is well; then one deep look, while the server is broken in this way."""
    words = ("--catalogue", str(tmp_path / "c.db"), "--allow-net", "127.0.0.0/8")
    assert (
        geohound("crawl", proxy.own + WMS, "--kinds", "wms", *words, **QUICK).returncode
        == 0
    )

    def look(mode: str) -> dict:
        proxy.mode = mode
        done = geohound("monitor", "--all", "--deep", "--json", *words, **QUICK)
        checks = [json.loads(line) for line in done.stdout.splitlines()][:-1]
        (check,) = [each for each in checks if each["endpoint"].endswith("map=BALTIC")]
        return check

    return look


def test_a_server_that_works_passes(deep_look) -> None:
    check = deep_look("")
    assert (check["ok"], check["reason"]) == (True, "")


@pytest.mark.parametrize(
    ("mode", "ok", "reason"),
    [
        ("empty", False, "blank image"),
        ("wrong projection", False, "wrong projection"),
        ("log-in", True, "log-in wall"),
        ("slow", False, "no first byte in time"),
        ("truncated", False, "truncated"),
        ("html", False, "HTML page"),
        ("moved", True, "moved: to http://127.0.0.1:"),
    ],
)
def test_what_is_broken_is_named(
    deep_look, mode: str, ok: bool | None, reason: str
) -> None:
    check = deep_look(mode)
    assert reason in check["reason"], check
    assert check["ok"] is ok, check


@pytest.fixture
def without(lab: Lab) -> Iterator[Callable[..., None]]:
    """Takes files of the server's data away, as a database that is gone; afterwards they are back."""
    gone: list[Path] = []

    def take(*names: str) -> None:
        for name in names:
            path = lab.folder / "data" / name
            path.rename(path.with_name(f"{name}.gone"))
            gone.append(path)

    yield take
    for path in gone:
        path.with_name(f"{path.name}.gone").rename(path)


def test_a_database_that_is_gone_is_an_exception_of_every_layer(
    deep_look, without
) -> None:
    without("harbours.shp", "basins.shp", "depth.tif")
    check = deep_look("")
    assert check["ok"] is False, check
    assert check["reason"].startswith("no layer works"), check
    assert "exception report" in check["reason"], check


def test_one_layer_of_many_that_is_broken_is_named_and_the_service_works(
    deep_look, without
) -> None:
    without("harbours.shp")
    check = deep_look("")
    assert check["ok"] is True, check
    assert check["reason"].startswith("some layers fail"), check
    assert "harbours" in check["reason"], check


def test_an_expired_certificate_is_named(
    address: Callable[[str], str], tmp_path: Path
) -> None:
    (record,) = check_with_expired_certificate(address("mapserver"), WMS, tmp_path)
    assert record["ok"] is None, record
    assert record["reason"].startswith("certificate expired"), record
