"""What the tests of the browser are given."""

from __future__ import annotations

import logging
import socket
import sys
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from visiting import BUDGET, Site, Trap, Visitor, handler


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site({"/robots.txt": "User-agent: *\nAllow: /\n"})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(site))
    site.origin = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield site
    server.shutdown()
    server.server_close()


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
    logging.getLogger("geohound.browsing").setLevel(logging.ERROR)
    visitor = Visitor(BUDGET)
    yield visitor
    visitor.close()
