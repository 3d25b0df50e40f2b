"""A report of many columns fits a terminal of 80; files and programs get all of them."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import termios
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from geohound.cli import program
from geohound.model.crawl.task import Checkpoint, CrawlGoal, TaskKind, TaskSpec
from geohound.net.clock import SystemClock
from geohound.stores.sqlite import open_store

QUERY = "land cover of the Brazilian Amazon by year, as a map service"
STEP = {
    "step": 1, "round": 0, "phase": "search and crawl", "query": QUERY, "explores": False, "requests": 1,
    "results": 10, "seeds": 10, "services": 3, "cost_usd": 0.0, "elapsed_s": 23.65,
    "source": "searxng=http://search.example/",
}  # fmt: skip


@pytest.fixture
def catalogue(tmp_path: Path) -> str:
    path = tmp_path / "c.db"
    with closing(open_store(path, SystemClock())) as store:
        goal = CrawlGoal(queries=(QUERY,), words=QUERY)
        task = store.tasks.create(TaskSpec(goal, kind=TaskKind.HUNT)).id
        claim = store.tasks.claim(task, "somebody", 60.0)
        assert claim is not None
        store.tasks.save(
            claim, Checkpoint({"task": task, "services": 3, "steps": [STEP]})
        )
    return str(path)


@pytest.mark.slow
def test_steps_of_a_hunt_fit_a_terminal_of_80_columns(catalogue: str) -> None:
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    words = [sys.executable, "-m", "geohound", "report", "steps", "--quiet"]
    subprocess.run(
        [*words, "--catalogue", catalogue], stdout=theirs, check=True, timeout=60
    )
    os.close(theirs)
    lines = os.read(ours, 100_000).decode().splitlines()
    os.close(ours)
    assert lines[0].split() == [
        "task", "step", "query", "requests", "results", "seeds", "services",
    ]  # fmt: skip
    assert "land cover of the" in lines[1]
    assert max(map(len, lines)) <= 80


def test_files_and_pipes_get_every_column_and_every_word(catalogue: str) -> None:
    def printed(*words: str) -> str:
        result = CliRunner().invoke(
            program(), ["report", "steps", *words, "--catalogue", catalogue]
        )
        assert result.exit_code == 0, result.output
        return result.output

    assert QUERY in printed()
    assert "With --format csv or json also: round, phase," in printed()
    first = json.loads(printed("--json").splitlines()[0])
    assert first["phase"] == "search and crawl"
    assert printed("--format", "csv").startswith("task,step,round,phase,query,")
