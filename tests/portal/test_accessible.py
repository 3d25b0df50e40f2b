"""axe-core finds nothing serious on any page, light or dark; at 390 pixels nothing is cut off; scripts stay small."""

from __future__ import annotations

import gzip
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, sync_playwright

AXE = Path(__file__).parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
pytestmark = pytest.mark.slow
PAGES = ("/", "/?q=rivers", "/?q=rivers&what=layers", "/map", "/health", "/statistics", "/api", "/about-the-crawler")


@pytest.fixture(scope="module")
def origin(app) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        while not server.started:
            time.sleep(0.02)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=arguments)
        yield browser
        browser.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser: Browser, origin: str, samples, scheme: str):
    if not AXE.is_file():
        pytest.fail("axe-core is missing: run make frontend")
    wrong = []
    with browser.new_context(color_scheme=scheme, bypass_csp=True, reduced_motion="reduce") as context:  # type: ignore[arg-type]
        page = context.new_page()
        for address in (*PAGES, f"/services/{samples.rivers.id}"):
            page.goto(origin + address)
            page.wait_for_load_state("networkidle")
            page.add_script_tag(path=str(AXE))
            found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
            for violation in found["violations"]:
                if violation["impact"] in ("serious", "critical"):
                    nodes = [node["html"][:160] for node in violation["nodes"][:3]]
                    wrong.append(f"{address}: {violation['id']}: {nodes}")
    assert wrong == []


def test_no_page_is_wider_than_a_phone(browser: Browser, origin: str, samples):
    wide = []
    with browser.new_context(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True) as context:
        page = context.new_page()
        for address in (*PAGES, f"/services/{samples.rivers.id}"):
            page.goto(origin + address)
            page.wait_for_load_state("networkidle")
            width = page.evaluate("document.documentElement.scrollWidth")
            if width > 390:
                wide.append((address, width))
    assert wide == []


def test_the_first_page_loads_less_than_300_kb_of_script(browser: Browser, origin: str):
    sizes: list[int] = []
    with browser.new_context() as context:
        page = context.new_page()
        page.on("response", lambda r: sizes.append(len(gzip.compress(r.body()))) if r.url.endswith(".js") else None)
        page.goto(origin)
        page.wait_for_load_state("networkidle")
    assert sizes
    assert sum(sizes) < 300_000
