"""Ctrl+C in the first second, while the program and its processes are still being loaded, leaves no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

INTERRUPTED = 130
# As if Ctrl+C came at the very moment at which this module is looked for.
WHILE_LOADING = """
import sys

class Interrupting:
    def find_spec(self, name, *_):
        if name == {module!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupting())
sys.argv[1:] = {words!r}
from geohound.__main__ import start
start()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("geohound.cli", ["--help"]),
        ("typer", ["search", "x"]),
        ("geohound.cli.crawl", ["crawl", "http://a.test/"]),
        ("geohound.probe", ["identify", "http://a.test/"]),
    ],
)
def test_ctrl_c_during_imports_ends_the_program_quietly(
    module: str, words: list[str]
) -> None:
    code = WHILE_LOADING.format(module=module, words=words)
    ended = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == INTERRUPTED
    assert "Traceback" not in ended.stderr


# Python itself tells an interrupt in the body of a class as the cause of a RuntimeError.
WHILE_A_CLASS_IS_MADE = """
import sys, types

class Described:
    def __set_name__(self, owner, name):
        raise KeyboardInterrupt

def main():
    class Report:
        drops = Described()

module = types.ModuleType("geohound.cli")
module.main = main
sys.modules["geohound.cli"] = module
from geohound.__main__ import start
start()
"""


def test_ctrl_c_while_a_class_is_made_ends_the_program_quietly() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", WHILE_A_CLASS_IS_MADE],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == INTERRUPTED
    assert not ended.stderr


def test_the_package_itself_loads_nothing_that_takes_time() -> None:
    code = "import sys; before = set(sys.modules); import geohound; print(*set(sys.modules) - before)"
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:] = {sys.path!r}; {code}"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert set(ended.stdout.split()) <= {"__future__", "geohound"}


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_ctrl_c_while_the_processes_of_the_demo_start_ends_all_of_them_quietly(
    tmp_path: Path, processes: int
) -> None:
    """A terminal sends Ctrl+C to the program and to every process it has started."""
    command = [
        sys.executable,
        "-m",
        "geohound",
        "demo",
        "--once",
        "--catalogue",
        str(tmp_path / "c.db"),
    ]
    with subprocess.Popen(
        command, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509 - no threads here
    ) as demo:  # fmt: skip
        end = time.monotonic() + 60
        while len(_children(demo.pid)) < processes and time.monotonic() < end:
            time.sleep(0.002)
        os.killpg(demo.pid, signal.SIGINT)
        _, err = demo.communicate(timeout=60)
    assert demo.returncode == INTERRUPTED, err
    assert "Traceback" not in err
    assert "Error" not in err


def _children(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return []
