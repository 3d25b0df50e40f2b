"""Takes the pictures of the README from the demo, in the system's Chromium: make pictures.

python bench/pictures.py [name …]
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = "/usr/bin/chromium"
FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
LAPTOP, PHONE = (1280, 860), (390, 844)
ENOUGH, MOST_S = 20, 120  # services of a hunt, seconds
SETTLED_MS = 1_500  # maps have drawn by then


@contextmanager
def demo() -> Iterator[str]:
    """The address of a portal over what the demo has found."""
    command = [sys.executable, "-m", "geohound", "demo", "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        events = (json.loads(line) for line in process.stdout)
        try:
            yield next(e["address"] for e in events if e.get("event") == "serving")
        finally:
            process.terminate()


def services(portal: str, query: str) -> list[dict[str, Any]]:
    """Those that a machine without fonts for every script can write."""
    with urlopen(f"{portal}api/v1/search?{query}") as answer:
        hits: list[dict[str, Any]] = json.load(answer)["hits"]
    return [hit for hit in hits if hit["title"].isascii()] or hits


def open_page(path: str) -> Callable[[Page, str], None]:
    return lambda page, portal: go(page, portal + path)


def go(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_load_state("load")


def search_with_a_layer(page: Page, portal: str) -> None:
    go(page, f"{portal}?q=elevation&kind=wms&state=alive")
    page.get_by_role("button", name="Add to map").first.click()
    page.get_by_text("Drawn by the service itself.").first.wait_for()
    page.get_by_role("button", name="Show previews").click()


def one_service(page: Page, portal: str) -> None:
    service = services(portal, "kind=wms&state=alive&q=elevation")[0]["id"]
    go(page, f"{portal}services/{service}?show=1")
    page.get_by_text("Drawn by the service itself.").wait_for()


def a_hunt(page: Page, portal: str) -> None:
    """While it runs, once a good part of its services is on the map."""
    go(page, f"{portal}tasks")
    page.get_by_label("Keywords", exact=True).last.fill("elevation")
    page.get_by_role("button", name="Start").click()
    met = page.locator("[data-count=met]")
    for _ in range(MOST_S * 5):  # the page allows no script that is a text
        if int(met.inner_text().replace(",", "")) > ENOUGH:
            return
        page.wait_for_timeout(200)
    sys.exit(f"The hunt has not met {ENOUGH} services in {MOST_S} s.")


PICTURES: Mapping[str, Callable[[Page, str], None]] = {
    "home": open_page(""),
    "search": search_with_a_layer,
    "service": one_service,
    "health": open_page("health"),
    "statistics": open_page("statistics"),
    "map-dark": open_page("map"),
    "api": open_page("api"),
    "search-phone": open_page("?q=elevation&kind=wms"),
    "crawl": a_hunt,
}


def take(browser: Browser, portal: str, name: str) -> None:
    width, height = PHONE if name.endswith("-phone") else LAPTOP
    with browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if name.endswith("-dark") else "light",
        locale="en",
    ) as context:
        page = context.new_page()
        PICTURES[name](page, portal)
        page.mouse.move(0, 0)
        page.wait_for_timeout(0 if name == "crawl" else SETTLED_MS)
        page.screenshot(path=FOLDER / f"{name}.png")
        print(name, flush=True)


def main(names: list[str]) -> None:
    with demo() as portal, sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        for name in names or PICTURES:
            take(browser, portal, name)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
