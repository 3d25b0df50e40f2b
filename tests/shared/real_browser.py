"""Debian's Chromium, and a portal of this process that it can visit."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, sync_playwright
from starlette.applications import Starlette

from geohound.portal.assets import load_assets

CHROMIUM = Path("/usr/bin/chromium")
_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")


@contextmanager
def chromium() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        pytest.fail("Chromium is missing: run make system")
    if not load_assets().scripts:
        pytest.fail("The portal's pages are not built: run make frontend")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=_ARGUMENTS
        )
        yield browser
        browser.close()


@contextmanager
def served(
    app: Starlette,
    name: str = "127.0.0.1",
    begin: Callable[[uvicorn.Server], None] = lambda _: None,
) -> Iterator[str]:
    """The portal's address, under this name of the machine; `begin` is given the server first."""
    config = uvicorn.Config(app, log_level="error", ws="none", lifespan="off")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(config)
        begin(server)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            time.sleep(0.02)
        yield f"http://{name}:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join()
