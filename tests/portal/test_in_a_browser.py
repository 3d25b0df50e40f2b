"""A visit with a real browser: search, draw a rectangle, open a service, with a silent console."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Browser, Page, Route
from real_browser import chromium, served

from geohound.model.catalogue import Observation
from geohound.model.service import Access, Layer, Provider, Service, Sighting
from geohound.model.visit import Via
from geohound.portal.app import create_app
from geohound.search.index import CatalogueIndex

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def origin(app) -> Iterator[str]:
    with served(app) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(browser: Browser, origin: str) -> Iterator[Page]:
    """A page that may load from our own origin only, and whose complaints fail the test."""
    complaints: list[str] = []
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.on(
        "console",
        lambda message: (
            complaints.append(message.text)
            if message.type in ("error", "warning")
            else None
        ),
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "request",
        lambda r: (
            complaints.append(r.url)
            if not r.url.startswith((origin, "blob:"))
            else None
        ),
    )
    yield page
    page.close()
    assert complaints == []


def shown_titles(page: Page) -> list[str]:
    return [
        " ".join(text.split()) for text in page.locator(".hit h3").all_inner_texts()
    ]


def test_a_visitor_searches_draws_a_rectangle_and_opens_a_service(
    page: Page, origin: str
):
    page.goto(origin)
    page.locator(".map canvas").first.wait_for()
    page.get_by_role("button", name="Draw a box").click()
    frame = page.locator(".map").bounding_box()
    assert frame is not None
    # The front page shows the world once across the map; this drags from the Atlantic to central Asia.
    x = [
        frame["x"] + frame["width"] * (180 + longitude) / 360 for longitude in (-20, 60)
    ]
    y = [frame["y"] + 10, frame["y"] + frame["height"] * 0.5]
    page.mouse.move(x[0], y[0])
    page.mouse.down()
    page.mouse.move(x[1], y[1], steps=6)
    page.mouse.up()
    page.wait_for_url("**/?*west=*")
    asked = {
        name: values[0] for name, values in parse_qs(urlparse(page.url).query).items()
    }
    assert float(asked["west"]) == pytest.approx(-20, abs=3)
    assert float(asked["east"]) == pytest.approx(60, abs=3)
    assert float(asked["north"]) <= 90
    assert "q" not in asked
    assert "relation" not in asked
    assert sorted(shown_titles(page)) == [
        "City registers",
        "Rivers and lakes of Finland",
    ]

    page.get_by_label("Words, or the address of a service").fill("rivers")
    page.get_by_role("button", name="Search", exact=True).click()
    page.wait_for_url("**/?*q=rivers*")
    assert shown_titles(page) == ["Rivers and lakes of Finland"]
    page.get_by_role("link", name="Rivers and lakes of Finland").click()
    page.get_by_role("heading", level=1, name="Rivers and lakes of Finland").wait_for()
    page.locator(".map canvas").first.wait_for()


def test_a_filter_answers_at_once_and_clearing_the_box_searches_the_world(
    page: Page, origin: str
):
    page.goto(f"{origin}/?bbox=19,59,32,71")
    assert page.get_by_label("West").input_value() == "19"
    page.locator("label.chip", has_text="WFS").click()
    page.wait_for_url("**/?*kind=wfs*")
    assert shown_titles(page) == ["City registers"]
    page.get_by_role("button", name="Clear").click()
    page.wait_for_url(lambda url: "west" not in url)
    assert "kind=wfs" in page.url


def test_a_filter_ticked_before_the_script_is_there_answers_too(
    page: Page, origin: str
):
    held: list[Route] = []
    page.route("**/form-*.js", lambda route: held.append(route), times=1)  # noqa: PLW0108 - no builtin will do
    page.goto(f"{origin}/?bbox=19,59,32,71", wait_until="commit")
    page.locator("label.chip", has_text="WFS").click()
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    page.wait_for_url("**/?*kind=wfs*")
    assert shown_titles(page) == ["City registers"]


def test_hostile_titles_run_no_script(page: Page, origin: str, samples):
    page.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    page.goto(f"{origin}/services/{samples.hostile.id}")
    page.locator(".map canvas").first.wait_for()
    assert page.locator("main script, main img").count() == 0


def test_a_phone_is_wide_enough(page: Page, origin: str, samples):
    page.set_viewport_size({"width": 360, "height": 740})
    for path in (
        "/",
        "/?q=rivers",
        f"/services/{samples.rivers.id}",
        f"/services/{samples.hostile.id}",
        "/about-the-crawler",
    ):
        page.goto(f"{origin}{path}")
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 360, path


def test_words_without_end_make_no_page_wide_or_endless(
    browser: Browser, store, kinds
) -> None:
    endless = "A" * 20_000
    service = Service(
        "wms",
        "http://a.example/wms",
        title=endless,
        abstract=endless,
        keywords=(endless,),
        provider=Provider(endless),
        access=Access(licence=endless),
        layers=(Layer(endless, endless),),
    )
    sighting = Sighting(service.id, service.endpoint, "", Via.LINK, endless, NOON)
    store.catalogue.record_now([Observation(service, sighting)])
    index = CatalogueIndex(store.catalogue, store.segments)
    app = create_app(store.catalogue, index, kinds)
    with served(app) as origin, browser.new_context() as context:
        page = context.new_page()
        for path in ("/", "/?kind=wms", "/health", f"/services/{service.id}"):
            page.goto(f"{origin}{path}")
            size = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
            assert page.evaluate(size), path
        page.goto(origin)
        assert page.locator(".hit").first.bounding_box()["height"] < 600


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("query", ["q=rivers", "bbox=19,59,32,71"])
def test_nothing_jumps_when_the_script_of_the_results_comes(
    browser: Browser, origin: str, width: int, query: str
) -> None:
    with browser.new_context(viewport={"width": width, "height": 900}) as context:
        page = context.new_page()
        held: list[Route] = []
        may_come: list[bool] = []

        def hold(route: Route) -> None:
            if may_come:
                route.continue_()
            else:
                held.append(route)

        page.route("**/assets/*.js", hold)
        page.goto(f"{origin}/?{query}", wait_until="commit")
        page.locator("#results").wait_for()
        page.wait_for_timeout(200)
        places = [page.locator(each) for each in ("#results", ".hits", ".box-fields")]
        before = [place.bounding_box() for place in places]
        may_come.append(True)
        for route in held:
            route.continue_()
        page.locator(".map canvas").first.wait_for()
        page.locator("html.has-script").wait_for()
        assert [place.bounding_box() for place in places] == before


def test_without_scripts_the_form_still_searches_by_box(browser: Browser, origin: str):
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(origin)
        for side, value in (
            ("West", "170"),
            ("South", "-30"),
            ("East", "-170"),
            ("North", "0"),
        ):
            page.get_by_label(side).fill(value)
        page.get_by_role("button", name="Search", exact=True).click()
        assert shown_titles(page) == ["Reefs of Fiji"]
        assert page.get_by_role("button", name="Apply filters").is_visible()
