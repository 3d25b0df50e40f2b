"""A task belongs to one process at a time, and to none that is dead."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from geohound.stores.sqlite import StoreError
from geohound.stores.sqlite.holding import holding

HOLDER = """
import sys, time
from pathlib import Path
from geohound.stores.sqlite.holding import holding
with holding(Path(sys.argv[1]), 7):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_held_task_is_refused_with_the_number_of_the_process(tmp_path: Path) -> None:
    catalogue = tmp_path / "c.db"
    with (
        holding(catalogue, 7),
        pytest.raises(StoreError, match=rf"Task 7 is running already.*\({os.getpid()}\)"),
        holding(catalogue, 7),
    ):
        pass


def test_other_tasks_of_the_catalogue_are_free_and_so_is_this_one_afterwards(tmp_path: Path) -> None:
    catalogue = tmp_path / "c.db"
    with holding(catalogue, 7), holding(catalogue, 8):
        pass
    with holding(catalogue, 7):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_catalogue_under_another_name_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "c.db").touch()
    (tmp_path / "alias.db").symlink_to(tmp_path / "c.db")
    with holding(tmp_path / "c.db", 1), pytest.raises(StoreError), holding(tmp_path / "alias.db", 1):
        pass


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    catalogue = tmp_path / "c.db"
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(catalogue)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(StoreError, match=str(process.pid)), holding(catalogue, 7):
            pass
        process.send_signal(signal.SIGKILL)
    with holding(catalogue, 7):
        pass
