"""A web server on loopback, in a thread of its own while a test needs it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from typing import Any

_LOOKS_EVERY_S = 0.02  # whether it is to end: the usual half second is what every test would wait for


@contextmanager
def running(server: ThreadingHTTPServer) -> Iterator[str]:
    """Serve until the block ends; gives the origin."""
    thread = threading.Thread(
        target=server.serve_forever, args=(_LOOKS_EVERY_S,), daemon=True
    )
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def serving(handler: Any) -> Iterator[str]:
    """A server of its own, on a free port, that answers with this handler."""
    with running(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as origin:
        yield origin
