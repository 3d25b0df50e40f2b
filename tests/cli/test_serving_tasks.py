"""`geohound serve` runs what is queued, lets go of it when it ends, and leaves alone what a person has ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from geohound.cli.demo import geoweb_running
from geohound.model.catalogue import Observation
from geohound.model.crawl.task import (
    CrawlGoal,
    Task,
    TaskKind,
    TaskSpec,
    TaskState,
    Wanted,
)
from geohound.model.service import Service, Sighting
from geohound.model.visit import Via
from geohound.net.clock import SystemClock
from geohound.stores.sqlite import open_store
from geoweb import World

pytestmark = pytest.mark.slow  # each starts the program


@pytest.fixture(scope="module")
def web() -> Iterator[tuple[World, list[str]]]:
    world = World(3, 12, 150, trouble=False)
    with geoweb_running(world) as port:
        yield (
            world,
            ["--connect-to", f"*.test=127.0.0.1:{port}", "--allow-net", "127.0.0.0/8"],
        )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "c.db"


@contextmanager
def serving(
    path: Path, *words: str, delay_s: str = "0.01"
) -> Iterator[subprocess.Popen[str]]:
    command = [
        sys.executable,
        "-m",
        "geohound",
        "serve",
        "--port",
        "0",
        "--json",
        "--catalogue",
        str(path),
        *words,
    ]
    environ = {
        **os.environ,
        "GEOHOUND_HOST_DELAY_S": delay_s,
        "GEOHOUND_SLOW_HOST_FACTOR": "0",
        "GEOHOUND_RETRY_AFTER_S": "0.2",
    }
    with subprocess.Popen(
        command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert json.loads(process.stdout.readline())["event"] == "serving"
            yield process
        finally:
            process.kill()


def queued(path: Path, world: World, state: TaskState = TaskState.QUEUED) -> int:
    with closing(open_store(path, SystemClock())) as store:
        return store.tasks.create(TaskSpec(CrawlGoal(tuple(world.seeds))), state).id


def task_of(path: Path, number: int) -> Task:
    with closing(open_store(path, SystemClock())) as store:
        found = store.tasks.get(number)
    assert found is not None
    return found


def until(path: Path, number: int, met: Callable[[Task], bool]) -> Task:
    deadline = time.monotonic() + 60
    while not met(task := task_of(path, number)):
        assert time.monotonic() < deadline, task
        time.sleep(0.05)
    return task


def test_two_queued_tasks_are_run_to_their_end_and_the_server_ends_without_complaint(
    web, path: Path
) -> None:
    """PH-15, PH-18: the controller pool of PolarHub (Li, Wang & Bhatia 2016), section 3."""
    world, network = web
    numbers = [queued(path, world), queued(path, world)]
    ended_before = queued(path, world, TaskState.STOPPED)
    with serving(path, *network) as process:
        for number in numbers:
            until(path, number, lambda task: task.state is TaskState.DONE)
        process.send_signal(signal.SIGINT)
        _, complaints = process.communicate(timeout=60)
    assert (process.returncode, complaints) == (0, "")
    assert task_of(path, ended_before).state is TaskState.STOPPED, "a person ended it"


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGKILL])
def test_what_is_under_way_when_serving_ends_goes_on_the_next_time(
    web, path: Path, signum: signal.Signals
) -> None:
    world, network = web
    number = queued(path, world)
    # far from done when the first counters are saved
    with serving(path, *network, delay_s="2") as process:
        until(
            path,
            number,
            lambda task: (
                task.state is TaskState.RUNNING and bool(task.counters.get("pages"))
            ),
        )
        process.send_signal(signum)
        process.wait(60)
    let_go = until(path, number, lambda task: task.state is TaskState.QUEUED)
    assert (let_go.claim, let_go.wanted) == (None, Wanted.RUN)
    with serving(path, *network):
        done = until(path, number, lambda task: task.state is TaskState.DONE)
    assert done.counters["pages"] > let_go.counters["pages"] > 0


def test_without_a_runner_nothing_is_run(web, path: Path) -> None:
    number = queued(path, web[0])
    with serving(path, "--no-runner"):
        time.sleep(1)  # a runner looks twice a second
        assert task_of(path, number).state is TaskState.QUEUED


def test_serving_with_a_monitor_looks_at_what_is_due_and_goes_on_with_the_same_task(
    web, path: Path
) -> None:
    world, network = web
    long_ago = datetime.now(UTC) - timedelta(days=60)
    spec = next(each.spec for each in world.services if each.spec.kind == "wms")
    service = Service("wms", spec.endpoint)
    with closing(open_store(path, SystemClock())) as store:
        seen = Sighting(service.id, service.endpoint, "", Via.SEED, "", long_ago)
        store.catalogue.record_now([Observation(service, seen)])
    for _ in range(2):
        with serving(path, "--monitor", *network) as process:
            until(
                path,
                1,
                lambda task: (
                    task.state is TaskState.RUNNING
                    and task.counters.get("checked", 0) > 0
                ),
            )
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
    with closing(open_store(path, SystemClock())) as store:
        assert [task.spec.kind for task in store.tasks.list()] == [TaskKind.MONITOR]
        assert len(store.catalogue.checks(service.id)) == 1
