"""axe-core finds nothing serious on any page, light or dark; at 390 pixels nothing is cut off; scripts stay small."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from portal_people import PASSWORD, tasks_in
from real_browser import chromium, served

from geohound.model.crawl.event import Event, Progressed, ServiceFound, VisitEnded
from geohound.model.crawl.task import CrawlGoal, Ending, TaskSpec, TaskState
from geohound.model.notes import SavedSearch
from geohound.net.clock import SystemClock
from geohound.plugins import discover
from geohound.portal.app import PortalTasks, TaskEvents, create_app
from geohound.search.index import CatalogueIndex
from geohound.stores.sqlite import open_store
from geohound.tasks.claiming import this_process
from geohound.tasks.control import TaskControl
from geohound.topics import TOPICS, Classifier

AXE = (
    Path(__file__).parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
)
pytestmark = pytest.mark.slow
PAGES = (
    "/", "/?q=rivers", "/?q=rivers&what=layers", "/map", "/health", "/statistics", "/api", "/about-the-crawler",
    "/log-in", "/nowhere",
)  # fmt: skip
FIGURES = (
    "/statistics?part=contents",
    "/statistics?part=life",
    "/statistics?part=crawls",
    "/statistics?q=rivers",
)
TASKS = ("/tasks", "/tasks/1", "/tasks/2", "/tasks/2/delete")


@pytest.fixture(scope="module")
def app(catalogue, index, kinds, tmp_path_factory: pytest.TempPathFactory):
    """The portal with a crawl that runs and one that has ended."""
    with closing(
        open_store(tmp_path_factory.mktemp("tasks") / "tasks.db", SystemClock())
    ) as store:
        for _ in range(2):
            store.tasks.create(
                TaskSpec(CrawlGoal(("http://a.example/maps", "http://b.example/")))
            )
        for task in (1, 2):
            claim = store.tasks.claim(task, str(this_process()), 3600.0)
            assert claim is not None
            store.tasks.emit(claim, happened())
        store.tasks.release(claim, TaskState.DONE, Ending.FINISHED)
        control = TaskControl(store.tasks)
        tasks = PortalTasks(
            control, TaskEvents(control), ("adaptive", "fifo"), may_write=True
        )
        yield create_app(
            catalogue,
            index,
            kinds,
            tasks=tasks,
            snippets=discover("snippets"),
            names=(),
        )


def happened() -> list[Event]:
    found = [
        ServiceFound(
            f"{n:016}",
            f"http://a.example/{n}",
            "wms",
            f"S{n}",
            1,
            2,
            0.5,
            n > 6,
            60.0 + n,
            60.2,
            24.9,
            "FI",
        )
        for n in range(12)
    ]
    visit = VisitEnded(
        "http://a.example/" + "long-" * 40, "page", 0, "name not found", 0, 1.5
    )
    numbers = (
        90,
        0,
        9,
        0,
        7,
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
        {"trap": 7, "nofollow": 1},
    )
    fetching = (
        ("http://a.example/second", "its host has services; the page it stands on"),
    )
    return [*found, visit, Progressed(*numbers, fetching=fetching, known=5)]


@pytest.fixture(scope="module")
def origin(app) -> Iterator[str]:
    with served(app) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


def settle(page: Page) -> None:
    """A live page follows its events and is never idle: there the map is enough."""
    if page.locator("[data-task]").count():
        page.locator("[data-live-map] canvas").first.wait_for()
        return
    page.wait_for_load_state("networkidle")


def serious(page: Page, addresses: Iterable[str]) -> list[str]:
    """What axe-core finds on these pages that is serious."""
    if not AXE.is_file():
        pytest.fail("axe-core is missing: run make frontend")
    wrong = []
    for address in addresses:
        page.goto(address)
        settle(page)
        page.add_script_tag(path=str(AXE))
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        for violation in found["violations"]:
            if violation["impact"] in ("serious", "critical"):
                nodes = [node["html"][:160] for node in violation["nodes"][:3]]
                wrong.append(f"{address}: {violation['id']}: {nodes}")
    return wrong


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser: Browser, origin: str, samples, scheme: str):
    pages = [
        origin + address
        for address in (*PAGES, *FIGURES, *TASKS, f"/services/{samples.rivers.id}")
    ]
    with browser.new_context(
        color_scheme=scheme, bypass_csp=True, reduced_motion="reduce"
    ) as context:  # type: ignore[arg-type]
        assert serious(context.new_page(), pages) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_on_the_pages_of_accounts(
    browser: Browser, store, people, kinds, scheme: str
):
    index = CatalogueIndex(store.catalogue, store.segments)
    app = create_app(
        store.catalogue,
        index,
        kinds,
        tasks=tasks_in(store),
        accounts=people,
        notes=store.notes,
        classifier=Classifier(TOPICS),
    )
    now = store.clock.now()
    store.notes.keep_search(SavedSearch("ada", "Rivers of Lapland", "q=a", now, now))
    with (
        served(app) as origin,
        browser.new_context(color_scheme=scheme, bypass_csp=True) as context,
    ):  # type: ignore[arg-type]
        page = context.new_page()
        assert serious(page, [f"{origin}/log-in"]) == []
        page.get_by_label("Name").fill("ada")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("main").get_by_role("button", name="Log in").click()
        page.wait_for_url(f"{origin}/")
        own = ("/account", "/users", "/saved", "/compare", "/judge")
        assert serious(page, [origin + path for path in own]) == []
        page.set_viewport_size({"width": 390, "height": 844})
        for path in own:
            page.goto(origin + path)
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, path


def test_no_page_is_wider_than_a_phone(browser: Browser, origin: str, samples):
    wide = []
    with browser.new_context(
        viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True
    ) as context:
        page = context.new_page()
        for address in (*PAGES, *FIGURES, *TASKS, f"/services/{samples.rivers.id}"):
            page.goto(origin + address)
            settle(page)
            width = page.evaluate("document.documentElement.scrollWidth")
            if width > 390:
                wide.append((address, width))
    assert wide == []


def test_the_first_page_loads_less_than_300_kb_of_script(browser: Browser, origin: str):
    sizes: list[int] = []
    with browser.new_context() as context:
        page = context.new_page()
        page.on(
            "response",
            lambda r: (
                sizes.append(len(gzip.compress(r.body())))
                if r.url.endswith(".js")
                else None
            ),
        )
        page.goto(origin)
        page.wait_for_load_state("networkidle")
    assert sizes
    assert sum(sizes) < 300_000
