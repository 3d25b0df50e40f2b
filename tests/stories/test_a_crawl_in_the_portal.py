"""A crawl that is started, followed, paused, killed and stopped by the API of `geohound serve --single-user`."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from geohound import app
from geohound.cli.demo import compare, geoweb_running
from geohound.net.clock import SystemClock
from geohound.settings import Settings
from geohound.stores.sqlite import open_store
from geohound.tasks.claiming import read_holder
from geoweb import World

pytestmark = pytest.mark.slow


class Api:
    """Asks the portal as any program would."""

    def __init__(self, address: str) -> None:
        self.host = urlsplit(address).netloc

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        with closing(http.client.HTTPConnection(self.host, timeout=90)) as connection:
            headers = {"Content-Type": "application/json"} if body is not None else {}
            connection.request(
                method,
                f"/api/v1{path}",
                json.dumps(body) if body is not None else None,
                headers,
            )
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if text else None

    def until(self, task: int, met: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        deadline = time.monotonic() + 90
        while True:
            status, found = self.ask("GET", f"/tasks/{task}")
            if status == 200 and met(found):
                return dict(found)
            assert time.monotonic() < deadline, found
            time.sleep(0.2)


class Follower(threading.Thread):
    """Reads server-sent events as a browser does: one that loses its connection comes again after the last event."""

    def __init__(self, api: Api, task: int) -> None:
        super().__init__(daemon=True)
        self._api, self._task = api, task
        self.events: list[dict[str, Any]] = []
        self.connections = 0

    def run(self) -> None:
        with suppress(ConnectionError):  # the portal has ended
            while self._read():
                time.sleep(0.1)

    def _read(self) -> bool:
        """One connection; False once the portal says that nothing more will come."""
        headers = {"Accept": "text/event-stream"}
        if self.events:
            headers["Last-Event-ID"] = str(self.events[-1]["n"])
        with closing(
            http.client.HTTPConnection(self._api.host, timeout=60)
        ) as connection:
            connection.request(
                "GET", f"/api/v1/tasks/{self._task}/events", headers=headers
            )
            answer = connection.getresponse()
            self.connections += 1
            if answer.status == 204:
                return False
            assert answer.headers["Content-Type"].startswith("text/event-stream")
            for line in answer:
                if line.startswith(b"data: "):
                    self.events.append(json.loads(line.removeprefix(b"data: ")))
        return True

    def states(self) -> list[str]:
        return [event["state"] for event in self.events if event["type"] == "state"]


@pytest.fixture(scope="module")
def web() -> Iterator[tuple[World, int]]:
    world = World(3, 12, 200, trouble=False)
    with geoweb_running(world) as port:
        yield world, port


@pytest.fixture
def serving(
    web: tuple[World, int], tmp_path: Path
) -> Iterator[tuple[Api, subprocess.Popen[str]]]:
    config = tmp_path / "geohound.toml"
    config.write_text(
        f'connect_to = ["*.test=127.0.0.1:{web[1]}"]\nallow_nets = ["127.0.0.0/8"]\n'
        "host_delay_s = 0.3\nslow_host_factor = 0.0\n"  # so that it lasts longer than its counters take to be saved
    )
    words = ["serve", "--single-user", "--port", "0", "--json", "--config", str(config)]
    command = [
        sys.executable,
        "-m",
        "geohound",
        *words,
        "--catalogue",
        str(tmp_path / "c.db"),
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield Api(json.loads(process.stdout.readline())["address"]), process
        finally:
            process.kill()


def runner_of(path: Path, task: int) -> int:
    with closing(open_store(path, SystemClock())) as store:
        found = store.tasks.get(task)
    assert found is not None
    assert found.claim is not None
    holder = read_holder(found.claim.holder)
    assert holder is not None
    return holder.pid


@pytest.mark.timeout(400)
def test_a_crawl_is_paused_goes_on_survives_a_kill_and_finds_what_is_there(
    web, serving, tmp_path: Path
) -> None:
    world, (api, process) = web[0], serving
    status, made = api.ask("POST", "/tasks", {"seeds": list(world.seeds)})
    assert (status, made["id"]) == (201, 1)
    follower = Follower(api, 1)
    follower.start()
    api.until(1, lambda task: task["counters"].get("pages", 0) > 0)

    assert api.ask("POST", "/tasks/1/pause")[0] == 200
    paused = api.until(1, lambda task: task["state"] == "paused")
    time.sleep(0.6)
    assert api.ask("GET", "/tasks/1")[1]["counters"] == paused["counters"], (
        "nobody is asked while it is paused"
    )
    assert api.ask("POST", "/tasks/1/resume")[0] == 200
    api.until(1, lambda task: task["state"] == "running")

    first = runner_of(tmp_path / "c.db", 1)
    assert first != process.pid
    os.kill(first, signal.SIGKILL)
    api.until(
        1,
        lambda task: (
            task["state"] == "running" and runner_of(tmp_path / "c.db", 1) != first
        ),
    )
    api.until(1, lambda task: task["state"] == "done")
    follower.join(30)

    assert not follower.is_alive(), "the stream has ended with the task"
    assert [event["n"] for event in follower.events] == list(
        range(1, len(follower.events) + 1)
    )
    assert follower.states() == [
        "queued",
        "running",
        "paused",
        "queued",
        "running",
        "running",
        "done",
    ]
    assert (
        api.ask("GET", "/tasks/1/events?after=0")[1]["events"] == follower.events[:500]
    )
    with app.open_catalogue(Settings(catalogue=str(tmp_path / "c.db"))) as opened:
        verdict = compare(world, opened.catalogue, app.kinds())
    assert verdict["missed"] == []
    listed = {
        each["id"] for each in api.ask("GET", "/services?limit=100")[1]["services"]
    }
    found = [event["id"] for event in follower.events if event["type"] == "service"]
    assert len(found) == len(set(found)), "no service is announced twice"
    assert set(found) <= listed


@pytest.mark.timeout(300)
def test_a_crawl_is_stopped_and_deleted_and_the_portal_ends_while_it_is_followed(
    web, serving
) -> None:
    world, (api, process) = web[0], serving
    for _ in range(2):
        api.ask("POST", "/tasks", {"seeds": list(world.seeds)})
    for task in (1, 2):
        api.until(
            task,
            lambda found: (
                found["state"] == "running" and found["counters"].get("pages", 0) > 0
            ),
        )
    assert api.ask("DELETE", "/tasks/1")[0] == 409
    assert api.ask("POST", "/tasks/1/stop")[0] == 200
    api.until(1, lambda found: found["state"] == "stopped")
    assert api.ask("DELETE", "/tasks/1") == (200, {"id": 1, "state": "deleted"})
    assert api.ask("GET", "/tasks/1")[0] == 404

    follower = Follower(api, 2)
    follower.start()
    while not follower.events:
        time.sleep(0.05)
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    _, complaints = process.communicate(timeout=60)
    assert complaints == ""
    assert process.returncode in (0, -signal.SIGTERM)
    assert time.monotonic() - began < 30, "a follower holds nobody up"
