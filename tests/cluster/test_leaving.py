"""A node that leaves waits for its processes to let go, but not for those that are gone."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from geohound.cluster import leaving
from geohound.cluster.leaving import NodeFolder, leave_when_asked


@pytest.fixture
def folder(monkeypatch):
    monkeypatch.setenv(leaving.VARIABLE, "")
    made = NodeFolder.make()
    yield made
    made.remove()


def test_a_process_lets_go_when_its_node_leaves_and_is_waited_for(folder) -> None:
    done: list[float] = []

    async def let_go() -> None:
        await asyncio.sleep(0.5)
        done.append(time.monotonic())

    async def story() -> float:
        process = asyncio.create_task(leave_when_asked(let_go))
        await asyncio.sleep(0.1)
        assert not done
        folder.ask()
        waiting = threading.Thread(target=folder.wait, args=(10.0,))
        waiting.start()
        await process
        await asyncio.to_thread(waiting.join)
        return time.monotonic()

    ended_at = asyncio.run(story())
    assert done[0] <= ended_at < done[0] + 5


def test_nobody_waits_for_a_process_that_is_gone_nor_for_ever(folder) -> None:
    path = Path(os.environ[leaving.VARIABLE])
    (path / "999999999").touch()
    began = time.monotonic()
    folder.wait(10.0)
    assert time.monotonic() - began < 5
    (path / str(os.getpid())).touch()
    folder.wait(0.3)
    assert 0.3 <= time.monotonic() - began < 9


def test_the_folder_of_a_node_that_was_killed_is_removed_by_the_next_one(
    monkeypatch, tmp_path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv(leaving.VARIABLE, "")
    killed = subprocess.Popen([sys.executable, "-c", ""])
    killed.wait()
    theirs, alive = tmp_path / f"geohound-node-{killed.pid}-abc", NodeFolder.make()
    theirs.mkdir()
    other = NodeFolder.make()
    assert not theirs.exists()
    assert alive._path.exists()
    assert other._path.exists()


def test_without_a_node_of_ours_nothing_is_asked(monkeypatch) -> None:
    monkeypatch.delenv(leaving.VARIABLE, raising=False)
    asyncio.run(asyncio.wait_for(leave_when_asked(lambda: asyncio.sleep(0)), 5))
