"""Services out of what a running page asked for, and where reading says that a page should be run."""

from __future__ import annotations

import asyncio

import pytest
import webapps
from books import BOOK

from geohound.mining import application, browser_traffic
from geohound.model.crawl.browsed import BrowsedPage, PageRequest, PageState
from geohound.model.visit import LinkPlace

PAGE = "https://p.test/viewer/"
CLICK = "click on button “Layers”"


def told(*asked: PageRequest) -> list[tuple[str, str | None]]:
    return [
        (e.endpoint, e.kind)
        for e in browser_traffic.endpoints(BrowsedPage(PAGE, asked), BOOK)
    ]


def test_a_request_for_a_picture_tells_the_service_and_the_event() -> None:
    url = "https://w.test/ows?SERVICE=WMS&REQUEST=GetMap&LAYERS=a&BBOX=0,0,1,1"
    (found,) = browser_traffic.endpoints(
        BrowsedPage(PAGE, (PageRequest(url, what="image", event=CLICK),)), BOOK
    )
    assert (found.endpoint, found.kind, found.how, found.source) == (
        "https://w.test/ows",
        "wms",
        "browser",
        PAGE,
    )
    assert found.call == f"{CLICK}: GET image"


def test_many_pictures_of_one_service_are_one_service() -> None:
    asked = [
        PageRequest(f"https://w.test/ows?SERVICE=WMS&REQUEST=GetMap&LAYERS={n}")
        for n in range(9)
    ]
    assert told(*asked) == [("https://w.test/ows", "wms")]


def test_a_tile_by_its_numbers_leads_to_its_wmts_and_plain_tiles_to_nothing() -> None:
    tile = PageRequest(
        "https://w.test/wmts/1.0.0/soil/default/EPSG3857/12/1343/2200.png"
    )
    assert told(tile) == [("https://w.test/wmts", "wmts")]
    assert told(PageRequest("https://tile.test/12/2200/1343.png")) == []


def test_what_a_page_would_have_posted_tells_the_kind() -> None:
    body = '<wfs:GetFeature service="WFS" version="1.1.0" xmlns:wfs="http://www.opengis.net/wfs"/>'
    assert told(PageRequest("https://w.test/geo/endpoint", "POST", body)) == [
        ("https://w.test/geo/endpoint", "wfs")
    ]


def test_the_service_behind_a_proxy_counts_and_ordinary_requests_do_not() -> None:
    inner = "https%3A%2F%2Fw.test%2Fwms%3FSERVICE%3DWMS%26REQUEST%3DGetCapabilities"
    assert told(PageRequest(f"{PAGE}proxy?url={inner}")) == [
        ("https://w.test/wms", "wms")
    ]
    assert (
        told(
            PageRequest(f"{PAGE}app.js"),
            PageRequest("https://stats.test/collect?v=1"),
            PageRequest(f"{PAGE}logo.png"),
        )
        == []
    )


def test_what_was_read_keeps_its_script_and_line() -> None:
    read = application.Mined(
        PAGE,
        (
            browser_traffic.Endpoint(
                "https://w.test/ows",
                "https://w.test/ows",
                "wms",
                "call",
                "a.js",
                3,
                "x",
                0.95,
            ),
        ),
    )
    seen = BrowsedPage(
        PAGE,
        (
            PageRequest("http://w.test/ows/?SERVICE=WMS&REQUEST=GetMap"),
            PageRequest("https://v.test/wfs?SERVICE=WFS"),
        ),
    )
    both = browser_traffic.added(read, seen, {}, BOOK)
    assert [(e.endpoint, e.how) for e in both.endpoints] == [
        ("https://w.test/ows", "call"),
        ("https://v.test/wfs", "browser"),
    ]


def test_a_configuration_that_only_the_running_page_found_is_read_whole() -> None:
    config = '{"layers": [{"type": "wms", "url": "https://a.test/ows"}, {"type": "wms", "url": "https://b.test/ows"}]}'
    found = browser_traffic.added(
        application.Mined(PAGE),
        BrowsedPage(PAGE),
        {"https://p.test/x/77.json": config},
        BOOK,
    )
    assert {e.endpoint for e in found.endpoints} == {
        "https://a.test/ows",
        "https://b.test/ows",
    }


def test_a_crawl_gets_capabilities_to_test_and_the_links_of_new_states() -> None:
    asked = PageRequest(
        "https://w.test/ows?SERVICE=WMS&REQUEST=GetMap&LAYERS=a", event=CLICK
    )
    states = (
        PageState("load", "<a href='one'>1</a>"),
        PageState(CLICK, "<a href='one'>1</a><a href='two'>2</a>"),
    )
    links = browser_traffic.links(
        BrowsedPage(PAGE, (asked,), pages=("https://p.test/next",), states=states),
        {},
        BOOK,
    )
    assert [link.url for link in links] == [
        "https://w.test/ows?SERVICE=WMS&REQUEST=GetCapabilities", "https://p.test/next", "one", "two",
    ]  # fmt: skip
    assert {link.place for link in links} == {LinkPlace.BROWSER}
    assert CLICK in links[0].context


def test_a_service_that_only_a_new_state_names_is_found_in_it() -> None:
    """Alqaraleh, Ramadan & Salamah 2015, section 2.2, AJAX unit: the HTML of a new state is read like a page."""
    link = (
        "<a href='https://w.test/ows?service=WMS&amp;request=GetCapabilities'>map</a>"
    )
    states = (
        PageState("load", "<button>Layers</button>"),
        PageState(CLICK, f"<button>Layers</button>{link}"),
    )
    found = browser_traffic.added(
        application.Mined(PAGE), BrowsedPage(PAGE, states=states), {}, BOOK
    ).endpoints
    assert [(e.endpoint, e.kind, e.how, e.call) for e in found] == [
        ("https://w.test/ows", "wms", "browser", f"{CLICK}: link")
    ]


def mined(app: webapps.App) -> application.Mined:
    async def fetch(url: str) -> application.Fetched | None:
        text = app.get(url)
        return (
            application.Fetched(url, text, webapps.content_type(url))
            if text is not None
            else None
        )

    return asyncio.run(application.mine(app.page, fetch, BOOK))


@pytest.mark.parametrize(
    "app", [a for a in webapps.load() if a.needs_browser], ids=lambda app: app.name
)
def test_reading_says_of_pages_that_need_a_browser_that_it_cannot_know(
    app: webapps.App,
) -> None:
    assert mined(app).unsure


@pytest.mark.slow
@pytest.mark.parametrize(
    "app",
    [a for a in webapps.load() if a.group in ("literal", "decoy")],
    ids=lambda a: a.name,
)
def test_pages_that_can_be_read_are_not_run(app: webapps.App) -> None:
    assert not mined(app).unsure


def test_an_empty_shell_with_a_bundle_that_tells_nothing_is_to_be_run() -> None:
    html = '<html><body><div id="root"></div><script src="main.3f2.js"></script></body></html>'
    app = webapps.App(
        "shell",
        PAGE,
        "",
        (),
        True,
        (),
        {PAGE: html, f"{PAGE}main.3f2.js": "boot(window)"},
    )
    assert "nothing could be read" in mined(app).unsure
