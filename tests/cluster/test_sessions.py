"""All processes of a node get a signal, also those that Ray puts into process groups of their own."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from geohound.cluster.sessions import processes_of, signal_session

# A child in a group of its own that has a child, as Ray starts its workers.
NODE = """
import subprocess, sys, time
more = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])"
subprocess.Popen([sys.executable, "-c", more + "; time.sleep(60)"], process_group=0)
time.sleep(60)
"""


@pytest.fixture
def node():
    started = subprocess.Popen([sys.executable, "-c", NODE], start_new_session=True)
    wait_for(lambda: len(processes_of(started.pid)) == 3)
    yield started
    signal_session(started.pid, signal.SIGKILL)
    started.wait()


def wait_for(is_so) -> None:
    give_up_at = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < give_up_at
        time.sleep(0.02)


def test_a_killed_node_leaves_no_process(node) -> None:
    signal_session(node.pid, signal.SIGKILL)
    wait_for(lambda: not processes_of(node.pid))


def test_whoever_keeps_a_node_may_end_the_others(node) -> None:
    signal_session(node.pid, signal.SIGKILL, but=node.pid)
    wait_for(lambda: processes_of(node.pid) == [node.pid])


def test_other_sessions_are_left_alone(node) -> None:
    other = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True
    )
    try:
        signal_session(node.pid, signal.SIGKILL)
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()
