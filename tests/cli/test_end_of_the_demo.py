"""The simulated web ends with the demo, however that ends."""

from __future__ import annotations

import socket
import subprocess
import sys
import time

import pytest
from command_line import geohound

HOLD = """
import time
from geohound.cli.demo import geoweb_running
from geoweb import World

if __name__ == "__main__":
    with geoweb_running(World(7, 5, 50)) as port:
        print(port, flush=True)
        time.sleep(600)
"""


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=2).close()
    except OSError:
        return False
    return True


def test_its_help_says_that_the_catalogue_is_deleted() -> None:
    told = geohound("demo", "--help", COLUMNS="200", TERM="dumb").stdout

    assert "deleted on exit" in told
    assert "data folder" not in told


@pytest.mark.slow
def test_the_simulated_web_does_not_outlive_who_started_it(tmp_path) -> None:
    """A portal that is stopped by a signal has no time to end it: it went on for days."""
    script = tmp_path / "hold.py"
    script.write_text(HOLD)
    with subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        port = int(holder.stdout.readline())
        assert answers(port)
        holder.kill()
    until = time.monotonic() + 20
    while answers(port) and time.monotonic() < until:
        time.sleep(0.1)
    assert not answers(port)
