"""A crawl started and followed in a real browser: its forms are taken for ours, and its page moves by itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import uvicorn
from playwright.sync_api import Page, expect
from real_browser import chromium, served

from geohound.model.crawl.event import Progressed, ServiceFound, VisitEnded
from geohound.model.crawl.task import Claim, CrawlGoal, Ending, TaskSpec, TaskState
from geohound.portal.app import PortalTasks, TaskEvents, create_app
from geohound.search.index import CatalogueIndex
from geohound.stores.sqlite import Store
from geohound.tasks.claiming import this_process
from geohound.tasks.control import TaskControl

pytestmark = pytest.mark.slow
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def origin(store: Store, kinds) -> Iterator[str]:
    control = TaskControl(store.tasks)
    events = TaskEvents(control)
    tasks = PortalTasks(control, events, ("adaptive", "fifo"), may_write=True)
    app = create_app(
        store.catalogue,
        CatalogueIndex(store.catalogue, store.segments),
        kinds,
        tasks=tasks,
        names=(),
    )

    def begin(server: uvicorn.Server) -> None:
        events.is_closing = lambda: server.should_exit

    with served(app, "localhost", begin=begin) as address:
        yield address


@pytest.fixture
def page(origin: str) -> Iterator[Page]:
    """A page whose complaints fail the test. It closes before its server does: a live page would complain of that."""
    complaints: list[str] = []
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.on(
            "console",
            lambda m: (
                complaints.append(m.text) if m.type in ("error", "warning") else None
            ),
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        yield page
    assert complaints == []


def claimed(store: Store) -> Claim:
    claim = store.tasks.claim(1, str(this_process()), 60.0)
    assert claim is not None
    return claim


def test_a_crawl_is_started_and_its_page_follows_it(
    page: Page, origin: str, store: Store
) -> None:
    page.goto(f"{origin}/tasks")
    page.get_by_role("radio", name="Seed URLs").check()
    page.get_by_label("Seed URLs, one per line").fill("a.example/maps")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/tasks/1")
    expect(page.locator("[data-state]")).to_have_text("queued")

    claim = claimed(store)
    expect(page.locator("[data-state]")).to_have_text("running")
    found = ServiceFound(
        "0" * 16,
        "http://a.example/ows",
        "ogcapi-features",
        HOSTILE,
        1,
        2,
        0.5,
        False,
        81.2,
        -12.05,
        -77.04,
        "PE",
    )
    visit = VisitEnded("http://a.example/first", "page", 200, "", 1, 0.25)
    numbers = Progressed(
        1_234,
        0,
        9,
        0,
        1,
        4,
        2,
        0,
        7,
        3,
        0,
        0,
        75.0,
        2.5,
        0.0,
        0.0,
        0.0,
        0.0,
        "hosts",
        {"trap": 7},
        fetching=(
            ("http://a.example/second", "its host has services; the page it stands on"),
        ),
        known=42,
    )
    store.tasks.emit(claim, [found, visit, numbers])
    expect(page.locator("[data-services] tr")).to_have_count(1)
    expect(page.locator("[data-services] .score-badge")).to_have_text("81")
    expect(page.locator("[data-placed]")).to_have_text("1 service has a known place")
    expect(page.locator("[data-fetching] li")).to_contain_text(
        "its host has services; the page it stands on"
    )
    expect(page.locator("[data-drops] .drop")).to_contain_text("trap")
    expect(page.locator("[data-curve=quickness] polyline")).to_have_count(1)
    expect(page.locator("[data-services] a")).to_have_text(HOSTILE)
    expect(page.locator("[data-services] .badge")).to_have_text("OGC API – Features")
    expect(page.locator("[data-visits] li")).to_contain_text("a.example/first")
    expect(page.locator("[data-count=pages]")).to_have_text("1,234")
    expect(page.locator("[data-count=met]")).to_have_text("43")
    expect(page.locator("[data-new]")).to_have_text("1 new")
    expect(page.locator("[data-count=elapsed_s]")).to_have_text("1 min 15 s")
    expect(page.locator("[data-waiting]")).to_have_text(
        "all queued hosts are rate-limited"
    )

    page.get_by_role("button", name="Pause").click()
    expect(page.locator("[data-state]")).to_have_text("pausing")
    store.tasks.release(claim, TaskState.PAUSED, Ending.PAUSED)
    expect(page.locator("[data-state]")).to_have_text("paused")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator("[data-state]")).to_have_text("stopped")
    page.get_by_role("link", name="Delete").click()
    page.get_by_role("link", name="Keep it").click()
    assert len(store.tasks.list()) == 1, "asked first, and kept"
    page.get_by_role("link", name="Delete").click()
    page.get_by_role("button", name="Delete").click()
    page.wait_for_url("**/tasks")
    assert store.tasks.list() == []


def test_a_page_that_may_not_follow_asks_for_events_instead(
    page: Page, origin: str, store: Store
) -> None:
    """As the two hundred and first viewer is answered: the browser does not come again by itself."""
    task = store.tasks.create(TaskSpec(CrawlGoal(("http://late.example/",)))).id
    browser = page.context.browser
    assert browser is not None
    live = browser.new_page()  # a refusal is a complaint of the browser
    live.route(
        "**/events?after=*",
        lambda route: (
            route.fallback()
            if "wait=0" in route.request.url
            else route.fulfill(status=503)
        ),
    )
    live.goto(f"{origin}/tasks/{task}")
    expect(live.locator("[data-state]")).to_have_text("queued")
    assert store.tasks.claim(task, str(this_process()), 60.0) is not None
    expect(live.locator("[data-state]")).to_have_text("running", timeout=15_000)


def test_what_is_waited_for_comes_and_goes_without_moving_the_page(
    page: Page, origin: str, store: Store
) -> None:
    task = store.tasks.create(TaskSpec(CrawlGoal(("http://late.example/",)))).id
    claim = store.tasks.claim(task, str(this_process()), 60.0)
    assert claim is not None
    page.set_viewport_size({"width": 700, "height": 900})
    page.goto(f"{origin}/tasks/{task}")
    expect(page.locator("[data-state]")).to_have_text("running")
    tiles = page.locator(".tiles")
    before = tiles.bounding_box()
    hosts = tuple(f"maps-{n}.of-a-long-name.example" for n in range(4))
    still = Progressed(
        1, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0,
        "hosts", {}, waiting_hosts=hosts,
    )  # fmt: skip
    silent = VisitEnded("http://a.example/x", "page", 0, "no first byte in time", 0, 0)
    store.tasks.emit(claim, [silent, still])
    expect(page.locator("[data-waiting]")).to_contain_text("maps-3.of-a-long-name")
    assert tiles.bounding_box() == before
    expect(page.locator("[data-visits] li span")).to_have_text("no first byte in time")


def test_a_phone_is_wide_enough(page: Page, origin: str, store: Store) -> None:
    long = "http://a.example/" + "very-long-" * 30
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{origin}/tasks")
    page.get_by_role("radio", name="Seed URLs").check()
    page.get_by_label("Seed URLs, one per line").fill(long)
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/tasks/1")
    for path in ("/tasks", "/tasks/1"):
        page.goto(f"{origin}{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
