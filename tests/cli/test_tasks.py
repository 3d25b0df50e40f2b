"""Tasks as they are listed, watched, paused, gone on with, stopped and deleted from another terminal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from command_line import geohound

from geohound.cli.demo import geoweb_running
from geohound.model.crawl.task import (
    Checkpoint,
    CrawlGoal,
    Ending,
    TaskKind,
    TaskSpec,
    TaskState,
)
from geohound.net.clock import SystemClock
from geohound.settings import USUAL_PAGES
from geohound.stores.sqlite import open_store
from geohound.tasks.control import TaskControl
from geoweb import World

pytestmark = pytest.mark.slow  # they crawl


@pytest.fixture(scope="module")
def web() -> Iterator[tuple[World, list[str]]]:
    world = World(3, 12, 150, trouble=False)
    with geoweb_running(world) as port:
        yield (
            world,
            ["--connect-to", f"*.test=127.0.0.1:{port}", "--allow-net", "127.0.0.0/8"],
        )


class Terminal:
    """Calls the program for one catalogue."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def words(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "geohound", *words, "--catalogue", str(self.path)]

    def call(
        self, *words: str, delay_s: str = "0.01"
    ) -> subprocess.CompletedProcess[str]:
        return geohound(
            *words, "--catalogue", str(self.path), GEOHOUND_HOST_DELAY_S=delay_s
        )

    def lines(self, *words: str) -> list[dict[str, Any]]:
        return [
            json.loads(line) for line in self.call(*words, "--json").stdout.splitlines()
        ]

    def task(self) -> dict[str, Any]:
        (task,) = self.lines("tasks")
        return task

    def until(self, met: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait for the task to come to this; the store is asked, since each call of the program takes its time."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            found = self._look() if self.path.exists() else None
            if found is not None and met(found):
                return found
            time.sleep(0.05)
        pytest.fail("it did not come to that")

    def _look(self) -> dict[str, Any] | None:
        with closing(open_store(self.path, SystemClock())) as store:
            found = store.tasks.get(1)
        return TaskControl(store.tasks).record(found) if found else None


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    return Terminal(tmp_path / "c.db")


@contextmanager
def crawling(
    terminal: Terminal, web: tuple[World, list[str]], delay_s: str
) -> Iterator[subprocess.Popen[str]]:
    world, network = web
    words = terminal.words("crawl", *world.seeds, *network, "--json")
    environ = {
        **os.environ,
        "GEOHOUND_HOST_DELAY_S": delay_s,
        "GEOHOUND_SLOW_HOST_FACTOR": "0",
    }
    with subprocess.Popen(
        words, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def requests_of(task: dict[str, Any]) -> int:
    return int(task["counters"].get("requests", 0))


def test_a_running_crawl_is_paused_goes_on_and_is_watched_from_another_terminal(
    web, terminal: Terminal
) -> None:
    with crawling(terminal, web, "0.15") as process:
        terminal.until(lambda task: task["state"] == "running")
        assert terminal.lines("tasks", "pause", "1")[0]["wanted"] == "pause"
        paused = terminal.until(lambda task: task["state"] == "paused")
        assert paused["ending"] == "paused"
        time.sleep(0.6)
        later = terminal.until(lambda _: True)
        assert requests_of(later) == requests_of(paused), (
            "nobody is asked while it is paused"
        )
        assert process.poll() is None
        assert terminal.lines("tasks", "resume", "1")[0]["wanted"] == "run"
        events = terminal.lines("tasks", "watch", "1")  # until the crawl ends
        told, complaints = process.communicate(timeout=60)
    assert process.returncode == 0, complaints
    assert [event["n"] for event in events] == list(range(1, len(events) + 1))
    states = [event["state"] for event in events if event["type"] == "state"]
    assert states == ["running", "paused", "queued", "running", "done"]
    *printed, last = [json.loads(line) for line in told.splitlines()]
    assert {event["event"] for event in printed} <= {"service", "progress"}
    services = [event for event in printed if event["event"] == "service"]
    assert {s["id"] for s in services} == {
        event["id"] for event in events if event["type"] == "service"
    }
    assert last["summary"]["services"] == len(services)
    assert [event for event in events if event["type"] == "progress"][-1][
        "services"
    ] == len(services)
    assert {event["type"] for event in events} >= {"state", "service", "progress"}


def test_a_paused_crawl_may_be_taken_up_by_another_process(
    web, terminal: Terminal
) -> None:
    with crawling(terminal, web, "0.15") as process:
        terminal.until(lambda task: task["state"] == "running")
        terminal.call("tasks", "pause", "1")
        terminal.until(lambda task: task["state"] == "paused")
        done = terminal.lines("resume", "1", *web[1])[-1]["summary"]
        assert done["ended"] == "finished"
        process.communicate(timeout=30)
    assert process.returncode == 0
    assert terminal.task()["state"] == "done"


def test_a_stopped_task_can_be_deleted_and_a_running_one_cannot(
    web, terminal: Terminal
) -> None:
    with crawling(terminal, web, "0.5") as process:
        terminal.until(lambda task: task["state"] == "running")
        refused = terminal.call("tasks", "delete", "1")
        assert (refused.returncode, refused.stderr) == (
            1,
            "Task 1 is running: stop it first.\n",
        )
        terminal.call("tasks", "stop", "1")
        terminal.until(lambda task: task["state"] == "stopped")
        process.communicate(timeout=30)
    assert process.returncode == 0
    assert terminal.call("tasks", "delete", "1").returncode == 0
    assert terminal.lines("tasks") == []


def test_a_task_whose_process_was_killed_is_told_as_killed_and_watching_it_ends(
    web, terminal: Terminal
) -> None:
    with crawling(terminal, web, "0.5") as process:
        terminal.until(lambda task: task["state"] == "running")
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert (terminal.task()["state"], terminal.task()["ending"]) == (
        "stopped",
        "killed",
    )
    assert terminal.lines("tasks", "watch")[-1]["type"] in (
        "state",
        "service",
        "progress",
        "visit",
        "waiting",
    )
    assert terminal.lines("tasks", "stop", "1")[0]["state"] == "stopped"


def test_the_list_says_in_one_line_what_each_task_is_about_and_what_it_did(
    terminal: Terminal,
) -> None:
    store = open_store(terminal.path, SystemClock())
    queries = ("land cover", "land cover WMS", "bodenbedeckung")
    store.tasks.create(TaskSpec(CrawlGoal(queries=queries), kind=TaskKind.HUNT))
    store.tasks.create(TaskSpec(kind=TaskKind.MONITOR), TaskState.DONE)
    store.close()
    monitor, hunt = terminal.call("tasks").stdout.splitlines()
    assert hunt.endswith("0 pages, 0 services  land cover")
    assert monitor.rstrip().endswith("0 checks, 0 changes")


def test_what_cannot_be_done_is_told_in_a_sentence(terminal: Terminal) -> None:
    store = open_store(terminal.path, SystemClock())
    store.tasks.create(TaskSpec(CrawlGoal(("http://a.test/",))), TaskState.DONE)
    store.close()
    unknown = terminal.call("tasks", "pause", "7")
    assert (unknown.returncode, unknown.stderr) == (
        1,
        "There is no task 7 in this catalogue.\n",
    )
    finished = terminal.call("tasks", "start", "1")
    assert (finished.returncode, finished.stderr) == (
        1,
        "Task 1 is finished already.\n",
    )
    store = open_store(terminal.path, SystemClock())
    store.tasks.create(TaskSpec(CrawlGoal(("http://a.test/",))), TaskState.STOPPED)
    store.close()
    stopped = terminal.call("tasks", "pause", "2")
    assert (stopped.returncode, stopped.stderr) == (
        1,
        "Task 2 is stopped: nothing of it can be paused.\n",
    )
    store = open_store(terminal.path, SystemClock())
    claim = store.tasks.claim(2, "somebody", 30.0)
    assert claim is not None
    store.tasks.save(claim, Checkpoint({"visits": USUAL_PAGES}))
    store.tasks.release(claim, TaskState.STOPPED, Ending.PAGE_BUDGET)
    store.close()
    for words in (["resume", "2"], ["tasks", "resume", "2"]):
        spent = terminal.call(*words)
        assert spent.returncode == 1
        assert spent.stderr.startswith("Task 2 has tried 100,000 pages")
        assert "--max-pages 200000" in spent.stderr
    larger = terminal.call("tasks", "resume", "2", "--max-pages", "200000", "--json")
    assert json.loads(larger.stdout)["state"] == "queued"
    unnamed = terminal.call("tasks", "stop")
    assert unnamed.returncode == 2
    assert "Give the task number" in unnamed.stderr
    assert "done" in terminal.call("tasks").stdout
