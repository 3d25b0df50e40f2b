"""Whether the process that runs a task is still there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from geohound.contracts import StoreError
from geohound.model.crawl.task import TaskSpec
from geohound.net.clock import SystemClock
from geohound.stores.memory.tasks import MemoryTasks
from geohound.stores.sqlite import open_store
from geohound.tasks.claiming import claim_task, is_gone, read_holder, this_process

HOLD = """
import sys, time
from geohound.net.clock import SystemClock
from geohound.stores.sqlite import open_store
from geohound.tasks.claiming import claim_task
store = open_store(sys.argv[1], SystemClock())
claim_task(store.tasks, 1)
print("held", flush=True)
time.sleep(60)
"""


def test_this_process_is_there_and_its_name_can_be_read() -> None:
    me = this_process()
    assert read_holder(str(me)) == me
    assert me.pid == os.getpid()
    assert not is_gone(str(me))


@pytest.mark.parametrize(
    "name", ["", "somebody", "a/b/c/d", "host/12/34/another-machine"]
)
def test_of_whom_nothing_can_be_known_from_here_nobody_says_that_it_is_gone(
    name: str,
) -> None:
    assert not is_gone(name)


def test_another_process_under_the_same_number_is_not_the_holder() -> None:
    me = this_process()
    assert is_gone(str(me._replace(started="1")))


def test_a_process_that_was_killed_and_not_yet_waited_for_is_gone() -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    name = str(this_process()._replace(pid=child.pid, started=_started(child.pid)))
    assert not is_gone(name)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert is_gone(name)
    child.wait()
    assert is_gone(name)


def _started(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]


def test_who_has_a_task_is_told() -> None:
    tasks = MemoryTasks(SystemClock())
    task = tasks.create(TaskSpec()).id
    claim_task(tasks, task)
    with pytest.raises(
        StoreError, match=rf"Task 1 is running already.*\({os.getpid()}\)"
    ):
        claim_task(tasks, task)
    with pytest.raises(StoreError, match="no task 9"):
        claim_task(tasks, 9)


def test_the_task_of_a_process_that_was_killed_is_free_at_once(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    store = open_store(path, SystemClock())
    store.tasks.create(TaskSpec())
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == "held\n"
        with pytest.raises(StoreError, match=str(process.pid)):
            claim_task(store.tasks, 1)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert claim_task(store.tasks, 1).epoch == 2
    store.close()
