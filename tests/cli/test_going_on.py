"""A crawl that was killed, ran out of time or did not reach its seeds: what is told of it, and how it goes on."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import command_line
import pytest
from loopback import running

from geohound.cli.demo import geoweb_running
from geoweb import World

pytestmark = pytest.mark.slow  # they crawl
QUICK = {
    "GEOHOUND_HOST_DELAY_S": "0.01",
    "GEOHOUND_RETRY_AFTER_S": "0.1",
    "GEOHOUND_BUSY_DELAY_S": "0.1",
}


def geohound(*words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    return command_line.geohound(*words, **QUICK, **environ)


def summary(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])["summary"]
    return told


class Server(ThreadingHTTPServer):
    """Answers each path with what `answers` says: a status, or seconds to wait before a page."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: dict[str, float] = {}
        self.asked: list[str] = []


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        answer = self.server.answers.get(self.path, 404)
        if answer < 100:
            time.sleep(answer)
        body = b"<html><title>A page</title><p>words</p></html>"
        self.send_response(200 if answer < 100 else int(answer))
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        with suppress(OSError):
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    with running(server):
        yield server


def network(server: Server) -> list[str]:
    return [
        "--connect-to",
        f"*.test=127.0.0.1:{server.server_port}",
        "--allow-net",
        "127.0.0.0/8",
    ]


def test_a_seed_that_never_answered_is_told_and_tried_again_by_resume(
    server: Server, tmp_path: Path
) -> None:
    server.answers = {"/good": 200, "/busy": 503}
    words = ["--catalogue", str(tmp_path / "c.db"), *network(server), "--json"]
    first = geohound("crawl", "http://a.test/good", "http://b.test/busy", *words)
    assert first.returncode == 1
    assert first.stderr.endswith(
        "1 seed not reached: http://b.test/busy (unavailable).\n"
    )
    told = summary(first)
    assert (told["ended"], told["finished"], told["pages"]) == (
        "seeds not reached",
        False,
        1,
    )
    assert told["unreached"] == [{"url": "http://b.test/busy", "reason": "unavailable"}]
    assert server.asked.count("/busy") == 3

    server.answers["/busy"] = 200
    second = geohound("resume", *words)
    assert second.returncode == 0, second.stderr
    told = summary(second)
    assert (told["ended"], told["finished"], told["unreached"]) == (
        "finished",
        True,
        [],
    )
    assert (told["pages"], told["drops"]) == (2, {})
    assert server.asked.count("/good") == 1
    assert geohound("resume", *words).returncode == 1, "nothing is left to go on with"


def test_a_seed_that_answers_with_an_error_was_reached(
    server: Server, tmp_path: Path
) -> None:
    done = geohound(
        "crawl",
        "http://a.test/gone",
        "--catalogue",
        str(tmp_path / "c.db"),
        *network(server),
        "--json",
    )
    assert (done.returncode, summary(done)["ended"]) == (0, "finished")


def test_a_run_whose_time_is_up_with_its_seed_under_way_is_not_finished(
    server: Server, tmp_path: Path
) -> None:
    server.answers = {"/slow": 30}
    words = ["--catalogue", str(tmp_path / "c.db"), *network(server)]
    done = geohound("crawl", "http://a.test/slow", "--max-time", "1", "--json", *words)
    told = summary(done)
    assert (done.returncode, done.stderr) == (0, "")
    assert (told["ended"], told["finished"]) == ("time", False)
    server.answers = {"/slow": 0}
    again = geohound("resume", "--json", *words)
    assert (again.returncode, summary(again)["pages"]) == (0, 1), again.stderr


def counted(path: Path) -> dict[str, int]:
    with closing(sqlite3.connect(path)) as connection:
        services = connection.execute("SELECT count(*) FROM service").fetchone()[0]
        layers = connection.execute("SELECT count(*) FROM layer").fetchone()[0]
        requests = connection.execute("SELECT count(*) FROM request").fetchone()[0]
        return {"services": services, "layers": layers, "requests": requests}


def test_a_kill_costs_no_counts(tmp_path: Path) -> None:
    path, world = tmp_path / "c.db", World(3, 12, 400, trouble=False)
    with geoweb_running(world) as port:
        words = [
            "--catalogue",
            str(path),
            "--connect-to",
            f"*.test=127.0.0.1:{port}",
            "--allow-net",
            "127.0.0.0/8",
        ]
        crawl = [
            sys.executable,
            "-m",
            "geohound",
            "crawl",
            *world.seeds,
            *words,
            "--quiet",
        ]
        slowly = {**os.environ, **QUICK, "GEOHOUND_HOST_DELAY_S": "0.1"}
        process = subprocess.Popen(crawl, env=slowly, stdout=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:
                time.sleep(0.05)
                with suppress(sqlite3.Error):
                    if path.exists() and counted(path)["services"] >= 3:
                        break
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
        there = counted(path)
        assert there["services"] >= 3
        (killed,) = (
            json.loads(line)
            for line in geohound("tasks", "--json", *words[:2]).stdout.splitlines()
        )
        assert killed["ending"] == "killed"
        assert {name: killed["counters"][name] for name in there} == there
        assert killed["counters"]["pages"] > 0
        done = summary(geohound("resume", "--json", *words))
    assert done["ended"] == "finished"
    there = counted(path)
    assert {name: done[name] for name in there} == there
    assert sum(done["kinds"].values()) == sum(done["via"].values()) == done["services"]
    assert done["run"]["services"] == done["services"] - killed["counters"]["services"]
    assert done["visits"] >= done["pages"] > killed["counters"]["pages"]
