"""A process that runs tasks is kept going, and ends with who keeps it."""

from __future__ import annotations

import itertools
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from geohound.tasks import supervisor
from geohound.tasks.supervisor import Supervisor

# Writes down when it was started and with what, then waits for the end of its line.
PATIENT = """
import sys, time
with open(sys.argv[1], "a") as file:
    print(time.monotonic(), sys.stdin.readline().strip(), file=file)
sys.stdin.read()
with open(sys.argv[1], "a") as file:
    print("ended", file=file)
"""
HASTY = PATIENT.partition("sys.stdin.read()")[0] + "sys.exit(3)"
DEAF = PATIENT.partition("sys.stdin.read()")[0] + "time.sleep(600)"


def until(met: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 20
    while not met():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.01)


class Notes:
    """What the processes wrote down."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def lines(self) -> list[str]:
        return self.path.read_text().splitlines() if self.path.exists() else []

    def supervisor(self, program: str) -> Supervisor:
        return Supervisor([sys.executable, "-c", program, str(self.path)], b"setup")


@pytest.fixture
def notes(tmp_path: Path) -> Notes:
    return Notes(tmp_path / "notes")


@pytest.fixture(autouse=True)
def swift(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "FIRST_PAUSE_S", 0.05)


def test_the_process_gets_its_setup_and_ends_in_good_order(notes: Notes) -> None:
    with notes.supervisor(PATIENT):
        until(notes.lines)
    assert [line.split()[-1] for line in notes.lines()] == ["setup", "ended"]


def test_a_process_that_was_killed_is_replaced(notes: Notes) -> None:
    with notes.supervisor(PATIENT) as kept:
        until(notes.lines)
        first = kept.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        until(lambda: len(notes.lines()) == 2)
        assert kept.pid != first
    assert [line.split()[-1] for line in notes.lines()] == ["setup", "setup", "ended"]


@pytest.mark.slow
def test_one_that_dies_again_and_again_is_started_less_and_less_often(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "FIRST_PAUSE_S", 0.2)
    with notes.supervisor(HASTY):
        until(lambda: len(notes.lines()) == 4)
    starts = [float(line.split()[0]) for line in notes.lines()]
    gaps = [later - earlier for earlier, later in itertools.pairwise(starts)]
    assert all(
        gap >= least for gap, least in zip(gaps, (0.2, 0.4, 0.8), strict=True)
    ), gaps


def test_one_that_does_not_end_is_killed(
    notes: Notes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "LONGEST_END_S", 0.2)
    with notes.supervisor(DEAF) as kept:
        until(notes.lines)
        pid = kept.pid
        assert pid is not None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_program_that_cannot_be_started_is_tried_again_and_the_end_is_not_held_up(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with Supervisor(["/no/such/program"], b""):
        until(lambda: len(caplog.records) >= 2)
    assert "could not be started" in caplog.text
