"""The process that runs tasks ends soon after whoever started it, whatever a task does meanwhile."""

from __future__ import annotations

import asyncio
import os
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from geohound import runner
from geohound.settings import Settings


def test_a_task_that_does_not_end_does_not_keep_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One whose network was lost at that moment kept it for minutes."""
    gone = asyncio.Event()
    codes = []

    def leave(code: int) -> None:
        codes.append(code)
        gone.set()

    async def serve(_: int) -> None:
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            await asyncio.wait_for(gone.wait(), 10)

    @contextmanager
    def task_runner(_: Settings):
        yield SimpleNamespace(serve=serve), None

    line, other_end = os.pipe()
    os.close(other_end)
    monkeypatch.setattr(runner, "_LINE", line)
    monkeypatch.setattr(runner, "LONGEST_END_S", 0.1, raising=False)
    monkeypatch.setattr(runner, "task_runner", task_runner)
    monkeypatch.setattr(os, "_exit", leave)
    asyncio.run(runner.serve_tasks(Settings()))
    os.close(line)
    assert codes == [1]
