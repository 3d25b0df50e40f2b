"""A hunt by keywords in a real browser: started in the page, services appear without reload, it survives a kill (PH-8).

"Once created, the user can start the task on PolarHub and monitor the crawling status in real time. … as a new service
is identified, a balloon will be popped up in the map … The service link will at the same time appear in the service
table" (Li, Wang & Bhatia 2016, section 5)
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from real_browser import chromium

from geohound.cli.demo import geoweb_running, write_places
from geoweb import World

WAIT_MS = 60_000
pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]


@pytest.fixture
def config(tmp_path: Path) -> Iterator[Path]:
    world = World(7, 60, 2000, trouble=False)
    with geoweb_running(world) as port:
        file = tmp_path / "geohound.toml"
        file.write_text(
            f'connect_to = ["*.test=127.0.0.1:{port}"]\nallow_nets = ["127.0.0.0/8"]\nhost_delay_s = 0.3\n'
            f'slow_host_factor = 0.0\nweb_searchers = ["searxng=http://search.test/"]\n'
            f'host_places = "{write_places(world, tmp_path)}"\n'
        )
        yield file


@contextmanager
def serving(config: Path, port: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    words = [
        "serve",
        "--single-user",
        "--port",
        port,
        "--json",
        "--config",
        str(config),
    ]
    command = [
        sys.executable,
        "-m",
        "geohound",
        *words,
        "--catalogue",
        str(config.with_name("c.db")),
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())["address"], process
        finally:
            process.kill()


@pytest.fixture
def page() -> Iterator[Page]:
    with chromium() as browser:
        yield browser.new_page(viewport={"width": 1280, "height": 900})


def test_services_of_a_hunt_appear_by_themselves_and_the_hunt_outlives_its_server(
    page: Page, config: Path
) -> None:
    """PH-8: section 5."""
    with serving(config, "0") as (address, process):
        page.goto(f"{address}tasks")
        page.get_by_role("textbox", name="Keywords").fill("rivers")
        page.get_by_role("button", name="Start").click()
        page.wait_for_url("**/tasks/1")
        expect(page.locator("[data-state]")).to_have_text("running", timeout=WAIT_MS)
        page.wait_for_load_state()
        page.evaluate("window.isTheSamePage = true")
        rows = page.locator("[data-services] tr")
        expect(rows.nth(2)).to_be_visible(timeout=WAIT_MS)
        assert page.evaluate("window.isTheSamePage"), "nobody has loaded the page again"
        expect(page.locator("[data-services] .score-badge").first).to_be_visible()
        expect(page.locator("[data-placed]")).not_to_have_text(
            "0 services have a known place"
        )
        expect(page.locator("[data-curve=speed] polyline")).to_have_count(1)

        page.get_by_role("button", name="Pause").click()
        expect(page.locator("[data-state]")).to_have_text("paused", timeout=WAIT_MS)
        found = rows.count()
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

    with serving(config, "0") as (address, _):
        page.goto(f"{address}tasks/1")
        expect(page.locator("[data-state]")).to_have_text("paused")
        assert rows.count() == found, "what was found is still there"
        page.get_by_role("button", name="Resume").click()
        expect(rows.nth(found)).to_be_visible(timeout=WAIT_MS)
