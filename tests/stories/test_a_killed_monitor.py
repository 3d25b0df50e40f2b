"""A monitor that is killed again and again: no check is lost or doubled, and no host is asked too often."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

import pytest
from loopback import running

from geohound.model.catalogue import Observation
from geohound.model.service import Service, Sighting
from geohound.model.visit import Via
from geohound.net.clock import SystemClock
from geohound.stores.sqlite import open_store

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
HOSTS, PER_HOST, DELAY_S, KILLS = 3, 12, 0.2, 6
WMS = b"""<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms"><Service><Title>A</Title></Service>
</WMS_Capabilities>"""


class _Site(BaseHTTPRequestHandler):
    asked: dict[str, list[float]] = defaultdict(list)  # noqa: RUF012 - one for all

    def do_GET(self) -> None:
        type(self).asked[self.headers["Host"]].append(time.monotonic())
        is_map = self.path.startswith("/wms")
        self.send_response(200 if is_map else 404)
        self.send_header("Content-Type", "text/xml")
        self.send_header("Content-Length", str(len(WMS) if is_map else 0))
        self.end_headers()
        self.wfile.write(WMS if is_map else b"")

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def port() -> Iterator[str]:
    _Site.asked.clear()
    with running(ThreadingHTTPServer(("127.0.0.1", 0), _Site)) as origin:
        yield origin.rpartition(":")[2]


FOUND = [
    Service("wms", f"http://h{h}.test/wms?map=m{n}")
    for h in range(HOSTS)
    for n in range(PER_HOST)
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A catalogue of services that were found long ago: all of them are due."""
    path, long_ago = tmp_path / "c.db", datetime.now(UTC) - timedelta(days=60)
    store = open_store(path, SystemClock())
    seen = [
        Sighting(each.id, each.endpoint, "", Via.SEED, "", long_ago) for each in FOUND
    ]
    store.catalogue.record_now(
        [Observation(*pair) for pair in zip(FOUND, seen, strict=True)]
    )
    store.close()
    return path


@pytest.fixture
def environ() -> dict[str, str]:
    return {
        **os.environ, "GEOHOUND_HOST_DELAY_S": str(DELAY_S), "GEOHOUND_SLOW_HOST_FACTOR": "0",
        "GEOHOUND_ADDRESS_SHARE": "0",
    }  # fmt: skip


def words_of(path: Path, port: str) -> list[str]:
    return [
        "--catalogue",
        str(path),
        "--connect-to",
        f"*.test=127.0.0.1:{port}",
        "--allow-net",
        "127.0.0.0/8",
    ]


def assert_checked_once_and_politely(path: Path) -> None:
    store = open_store(path, SystemClock())
    counts = Counter(
        {each.endpoint: len(store.catalogue.checks(each.id)) for each in FOUND}
    )
    store.close()
    assert set(counts.values()) == {1}, counts
    gaps = [
        later - first
        for times in _Site.asked.values()
        for first, later in pairwise(times)
    ]
    assert min(gaps) > DELAY_S * 0.8, sorted(gaps)[:5]


def test_two_monitors_at_the_same_time_check_each_service_once(
    port: str, path: Path, environ: dict[str, str]
) -> None:
    command = [
        sys.executable,
        "-m",
        "geohound",
        "monitor",
        "--once",
        "--quiet",
        *words_of(path, port),
    ]
    both = [
        subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL)
        for _ in range(2)
    ]
    assert [process.wait() for process in both] == [0, 0]
    assert_checked_once_and_politely(path)


def test_every_service_is_checked_once_however_often_the_monitor_is_killed(
    port: str, path: Path, environ: dict[str, str]
) -> None:
    words = words_of(path, port)
    call = [sys.executable, "-m", "geohound"]
    command = [*call, "monitor", "--all", "--quiet", *words]
    for kill in range(KILLS):
        process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL)
        before = sum(map(len, _Site.asked.values()))
        until = time.monotonic() + 20
        while (
            sum(map(len, _Site.asked.values())) < before + 4 + kill
            and time.monotonic() < until
        ):
            time.sleep(0.01)  # for so many requests
        process.send_signal(signal.SIGKILL)
        process.wait()
        command = [*call, "resume", "1", "--quiet", *words]
    assert (
        subprocess.run(
            command, env=environ, check=False, stdout=subprocess.DEVNULL
        ).returncode
        == 0
    )
    assert_checked_once_and_politely(path)
