"""Commands load what they need and no more: whoever asks for help, or searches, does not wait for what crawls."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from geohound.cli import COMMANDS, program
from geohound.net.clock import SystemClock
from geohound.stores.sqlite import open_store

HEAVY = {
    "asyncio",
    "lxml",
    "numpy",
    "pycurl",
    "starlette",
    "selectolax",
    "tree_sitter",
    "playwright",
    "pydantic",
}
RUN = """
import json, sys
from geohound.cli import main
try:
    main()
except SystemExit:
    pass
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    path = tmp_path / "c.db"
    open_store(path, SystemClock()).close()
    return path


@pytest.mark.parametrize(
    ("words", "allowed"),
    [
        (["--help"], set()),
        (["search", "rivers", "--catalogue"], {"numpy"}),
        (["tasks", "list", "--catalogue"], {"asyncio"}),
        (["show", "0000000000000000", "--catalogue"], set()),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_command_loads_what_it_needs(
    words: list[str], allowed: set[str], catalogue: Path
) -> None:
    more = [str(catalogue)] if words[-1] == "--catalogue" else []
    ended = subprocess.run(
        [sys.executable, "-c", RUN, *words, *more],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    loaded = {
        name.partition(".")[0] for name in json.loads(ended.stderr.splitlines()[-1])
    }
    assert loaded & HEAVY == allowed


def test_the_help_of_the_program_says_of_each_command_what_the_command_says() -> None:
    commands = get_command(program()).commands  # type: ignore[attr-defined]
    assert {name: command.help for name, command in commands.items()} == {
        name: command.help for name, command in COMMANDS.items()
    }


@pytest.mark.parametrize("asked", ["", "search", "resume", "nonsense"])
def test_whatever_is_asked_for_the_program_knows_all_commands_in_their_order(
    asked: str,
) -> None:
    assert list(get_command(program(asked)).commands) == list(COMMANDS)  # type: ignore[attr-defined]


@pytest.mark.slow
def test_a_crawl_does_not_load_what_other_tasks_are_made_of(tmp_path: Path) -> None:
    """A monitor, a hunt, and the topics of services that nobody has found yet."""
    words = ["crawl", "http://127.0.0.1:9/", "--json", "--max-time", "1"]
    ended = subprocess.run(
        [sys.executable, "-c", RUN, *words, "--catalogue", str(tmp_path / "c.db")],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={**os.environ, "GEOHOUND_PROCESSES": "1"},
    )
    loaded = set(json.loads(ended.stderr.splitlines()[-1]))
    assert "geohound.crawler.engine" in loaded
    elsewhere = {"monitor.monitor", "agent.choosing", "tasks.hunts.hunt", "topics"}
    assert not loaded & {"rich.console", *(f"geohound.{name}" for name in elsewhere)}
