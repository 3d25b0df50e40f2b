"""What the tests of the browser are given."""

from __future__ import annotations

import logging
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback import serving

sys.path.insert(0, str(Path(__file__).parent))

from visiting import BUDGET, Site, Trap, Visitor, handler


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site({"/robots.txt": "User-agent: *\nAllow: /\n"})
    with serving(handler(site)) as site.origin:
        yield site


@pytest.fixture
def trap() -> Iterator[Trap]:
    """On 127.0.0.2, which the guard of these tests does not open."""
    listener = socket.create_server(("127.0.0.2", 0))
    listener.settimeout(0.1)
    trap = Trap(listener.getsockname()[1])
    done = threading.Event()

    def count() -> None:
        while not done.is_set():
            try:
                listener.accept()[0].close()
                trap.visitors += 1
            except TimeoutError:
                continue

    thread = threading.Thread(target=count, daemon=True)
    thread.start()
    yield trap
    done.set()
    thread.join()
    listener.close()


@pytest.fixture(scope="module")
def visitor() -> Iterator[Visitor]:
    logging.getLogger("geohound.browser").setLevel(logging.ERROR)
    visitor = Visitor(BUDGET)
    yield visitor
    visitor.close()
