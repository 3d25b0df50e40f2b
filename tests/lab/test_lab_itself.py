"""The lab says what to do where something is missing, and gives every server a port of its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lab_running import LabError, require
from lab_servers import SERVERS

LAB = Path(__file__).parent


def test_a_missing_program_fails_with_the_way_to_get_it() -> None:
    with pytest.raises(LabError, match=r"no-such-server is missing\. Run `make lab`"):
        require("no-such-server")


def test_every_python_server_of_the_lab_is_pinned_exactly() -> None:
    wanted = {
        server.name
        for server in SERVERS
        if any("${bin}" in word for word in server.command)
    }
    pins = {
        path.stem: path.read_text() for path in (LAB / "requirements").glob("*.txt")
    }
    assert pins.keys() == wanted
    for lines in pins.values():
        assert all(
            re.match(r"#|[\w.-]+(\[[\w,-]+\])?==\S+", line.strip())
            for line in lines.splitlines()
        )


def test_what_a_server_needs_is_listed_before_it() -> None:
    """Servers are stopped in the opposite order: a database outlives its clients."""
    names = [server.name for server in SERVERS]
    for server in SERVERS:
        assert all(
            names.index(needed) < names.index(server.name) for needed in server.needs
        )
