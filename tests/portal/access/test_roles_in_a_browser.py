"""What a guest, a user and an administrator see in a real browser (PH-9)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect
from portal_people import FOREIGN, OWN, PASSWORD, SAMPLE
from real_browser import chromium, served

pytestmark = pytest.mark.slow


@pytest.fixture
def origin(app) -> Iterator[str]:
    with served(app, "localhost") as address:
        yield address


@pytest.fixture
def page(origin: str) -> Iterator[Page]:
    with chromium() as browser:
        yield browser.new_page(viewport={"width": 390, "height": 800})


def log_in(page: Page, name: str) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()


def tasks_seen(page: Page) -> list[int]:
    return [
        n
        for n in (OWN, FOREIGN, SAMPLE)
        if page.locator(f'a[href="/tasks/{n}"]').count()
    ]


def test_each_role_sees_what_it_may_and_a_telephone_is_wide_enough(
    page: Page, origin: str
) -> None:
    page.goto(f"{origin}/tasks")
    assert tasks_seen(page) == [SAMPLE]
    expect(page.get_by_role("button", name="Start")).to_have_count(0)
    page.goto(f"{origin}/users")
    page.wait_for_url("**/log-in?next=%2Fusers")
    log_in(page, "ada")
    page.wait_for_url("**/users")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.goto(f"{origin}/tasks")
    assert tasks_seen(page) == [OWN, FOREIGN, SAMPLE]
    page.goto(f"{origin}/tasks/{FOREIGN}")
    page.get_by_role("button", name="Show to guests").click()
    expect(page.get_by_role("button", name="Hide from guests")).to_be_visible()
    page.goto(f"{origin}/account")
    page.get_by_role("button", name="Log out").click()
    page.goto(f"{origin}/tasks")
    assert tasks_seen(page) == [FOREIGN, SAMPLE]

    page.goto(f"{origin}/log-in?next=/tasks")
    log_in(page, "carla")
    page.wait_for_url("**/tasks")
    assert tasks_seen(page) == [OWN, FOREIGN, SAMPLE]
    page.get_by_role("radio", name="Seed URLs").check()
    page.get_by_label("Seed URLs, one per line").fill("a.example/maps")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/tasks/4")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("[data-state]")).to_have_text("stopped")
    page.goto(f"{origin}/tasks/{SAMPLE}")
    expect(page.get_by_role("link", name="Delete")).to_have_count(0)
