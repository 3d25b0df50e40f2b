"""The way of a visitor without a mouse: search, results, a layer on the map, the page of its service."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect
from real_browser import chromium, served

PIXEL = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
OUTLINE = "getComputedStyle(document.activeElement).outlineStyle"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def origin(app) -> Iterator[str]:
    with served(app) as address:
        yield address


@pytest.fixture
def page() -> Iterator[Page]:
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.route(
            "https://maps.water.example/**",
            lambda route: route.fulfill(body=PIXEL, content_type="image/png"),
        )
        yield page


def tab_to(page: Page, name: str, most: int) -> None:
    """Press Tab until what has this name has the focus; all on the way show where one is."""
    for _ in range(most):
        page.keyboard.press("Tab")
        assert page.evaluate(OUTLINE) != "none", "one must see where one is"
        text = page.evaluate(
            "document.activeElement.ariaLabel || document.activeElement.textContent"
        )
        if str(text).strip().startswith(name):
            return
    pytest.fail(f"{name} was not reached within {most} steps")


def test_from_a_search_to_a_layer_on_the_map_and_the_page_of_its_service(
    page: Page, origin: str, samples
) -> None:
    page.goto(origin)
    page.locator(".map canvas").first.wait_for()
    page.locator("#q").focus()
    page.keyboard.type("lakes")
    expect(page.get_by_role("option").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("option")).to_have_count(0)
    expect(page.locator("#q")).to_have_value("lakes")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=lakes*")
    page.locator(".map canvas").first.wait_for()

    tab_to(page, "Skip to the results", 2)
    page.keyboard.press("Enter")
    tab_to(page, "Add to map", 14)
    page.keyboard.press("Enter")
    expect(page.locator("[data-layer-panel] [data-layer]")).to_have_count(1)
    expect(page.locator(":focus")).to_have_text("Take off the map")

    page.locator("[data-map]").focus()
    before = page.locator(".ol-scale-line-inner").inner_text()
    for _ in range(3):
        page.keyboard.press("+")
    expect(page.locator(".ol-scale-line-inner")).not_to_have_text(before)

    page.locator("[data-map]").focus()
    tab_to(page, samples.rivers.title, 60)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/services/{samples.rivers.id}**")
    first = page.locator(".tab-set input:checked")
    first.focus()
    shown = page.locator(".tab-panel:visible").inner_text()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".tab-panel:visible")).not_to_have_text(shown)
