"""The watcher as one file: what a site owner uploads and runs, and the same as a command of Geohound."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import geohound

from geohound import watcher

FILE = Path(watcher.__file__)


def test_it_needs_python_3_8_and_nothing_else() -> None:
    """WBC-1, section 2.3, properties 1 and 2: it works under any platform, and has no special requirement."""
    checked = subprocess.run(
        [Path(sys.executable).with_name("vermin"), "-t=3.8-", "--violations", "--no-tips", str(FILE)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert checked.returncode == 0, checked.stdout
    imported = set()
    for node in ast.walk(ast.parse(FILE.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level
            imported.add((node.module or "").partition(".")[0])
    assert imported <= sys.stdlib_module_names


def alone(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", str(FILE), *words]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False
    )


def test_it_runs_alone_and_serves_several_sites_at_once(tmp_path: Path) -> None:
    """WBC-1, section 2.3, property 4: one copy can monitor a group of web sites that are hosted on the same server."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").write_text(name)
    sites = ["--site", "http://one.test/", "--site", "https://two.test/maps"]
    ended = alone(
        str(tmp_path / "one"),
        str(tmp_path / "two"),
        *sites,
        "--once",
        "--state",
        str(tmp_path / "state"),
    )
    assert ended.returncode == 0, ended.stderr
    found = [
        json.loads((tmp_path / name / watcher.REPORT).read_text())
        for name in ("one", "two")
    ]
    assert [[page["url"] for page in report["pages"]] for report in found] == [
        ["http://one.test/"],
        ["https://two.test/maps/"],
    ]


def test_the_command_of_geohound_does_the_same(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "a.html").write_text("a")
    words = ("watcher", str(tmp_path / "site"), "--site", "http://site.test", "--once")
    ended = geohound(*words, "--json", XDG_STATE_HOME=str(tmp_path / "state"))
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)["listed"] == 1
    assert (tmp_path / "state" / "geohound-watcher").is_dir()
    again = geohound(*words, XDG_STATE_HOME=str(tmp_path / "state"))
    assert "1 of 1 pages; the site is free." in again.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["no-such-folder", "--site", "http://a.test/"], "is no folder"),
        ([".", "--site", "a.test"], "--site must be the address of the main page"),
        (
            [".", ".", ".", "--site", "http://a.test/", "--site", "http://b.test/"],
            "3 folders, 2 sites",
        ),
        ([".", "--site", "http://a.test/", "--rush", "morning"], "08:00-18:00"),
        ([".", "--site", "http://a.test/", "--key", "no-such-key"], "cannot be read"),
    ],
)
def test_wrong_calls_end_with_a_sentence_and_2(
    words: list[str], said: str, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = alone(*words, "--once", "--state", "state")
    assert ended.returncode == 2
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr
    by_geohound = geohound("watcher", *words, "--once", "--state", "state")
    assert by_geohound.returncode == 2
    assert said in by_geohound.stderr


def test_it_watches_until_it_is_stopped(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "a.html").write_text("a")
    words = [
        str(site),
        "--site",
        "http://site.test/",
        "--interval",
        "0.1",
        "--state",
        str(tmp_path / "state"),
    ]
    with subprocess.Popen(
        [sys.executable, "-I", str(FILE), *words], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert json.loads(process.stdout.readline())["event"] == "watching"
            (site / "b.html").write_text("b")
            end = time.monotonic() + 60
            report = site / watcher.REPORT
            while time.monotonic() < end and not (
                report.exists() and "b.html" in report.read_text()
            ):
                assert process.poll() is None
                os.sched_yield()
            assert "b.html" in report.read_text()
        finally:
            process.terminate()
