"""Layers on the maps of the demo: compared, over a base layer of one's own, through the proxy, previewed, checked."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Page, Request, Route, expect
from real_browser import chromium

TILES = "https://tiles.example/{z}/{x}/{y}.svg"
RED = '<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256"><rect width="256" height="256" fill="red"/></svg>'
pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def portal() -> Iterator[str]:
    command = [sys.executable, "-m", "geohound", "demo", "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as demo:
        assert demo.stdout is not None
        events = (json.loads(line) for line in demo.stdout)
        yield next(
            event["address"] for event in events if event.get("event") == "serving"
        )
        demo.terminate()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(
        viewport={"width": 1280, "height": 900}, reduced_motion="reduce"
    ) as context:
        yield context.new_page()


def found(portal: str, query: str) -> list[dict[str, Any]]:
    with urlopen(f"{portal}api/v1/search?{query}") as answer:
        hits: list[dict[str, Any]] = json.load(answer)["hits"]
    return hits


def params(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def add_two_maps(page: Page, portal: str) -> None:
    page.goto(f"{portal}?kind=wms&state=alive")
    for _ in range(2):
        page.get_by_role("button", name="Add to map").first.click()
    expect(page.locator("[data-layer-panel] [data-layer]")).to_have_count(2)


def test_what_is_compared_stands_in_the_address_and_a_shared_address_shows_the_same(
    page: Page, portal: str
) -> None:
    add_two_maps(page, portal)
    page.get_by_label("Compare the top layer with").select_option("base")
    expect(page.locator(".swipe")).to_be_visible()
    assert params(page)["swipe"] == ["base"]
    other = params(page)["map"][0].rpartition("~")[0]
    page.get_by_label("Compare the top layer with").select_option(other)
    assert params(page)["swipe"] == [other]
    page.reload()
    expect(page.get_by_label("Compare the top layer with")).to_have_value(other)
    expect(page.locator(".swipe")).to_be_visible()


def test_a_base_layer_of_ones_own_lies_under_the_layers_and_stays_while_searching(
    page: Page, portal: str
) -> None:
    page.route(
        "https://tiles.example/**",
        lambda route: route.fulfill(body=RED, content_type="image/svg+xml"),
    )
    page.goto(f"{portal}?q=rivers&base={quote(TILES, safe='')}")
    expect(
        page.locator("[data-layer-panel] summary", has_text="tiles.example")
    ).to_be_visible()
    # Pictures of another site cannot be read back, so what is looked at is a picture of the page.
    page.wait_for_timeout(800)
    shot = page.locator("[data-map]").screenshot()
    assert reds(page, shot) > 0.5
    page.get_by_label("Words, or the address of a service").fill("elevation")
    page.get_by_role("button", name="Search", exact=True).click()
    page.wait_for_url("**/?*q=elevation*")
    assert params(page)["base"] == [TILES]


def reds(page: Page, shot: bytes) -> float:
    """The share of a picture that is red."""
    script = """async (bytes) => {
      const picture = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
      const canvas = new OffscreenCanvas(picture.width, picture.height), context = canvas.getContext('2d');
      context.drawImage(picture, 0, 0);
      const data = context.getImageData(0, 0, picture.width, picture.height).data;
      let red = 0;
      for (let at = 0; at < data.length; at += 4) if (data[at] > 200 && data[at + 1] < 80 && data[at + 2] < 80) red++;
      return red / (data.length / 4);
    }"""
    share: float = page.evaluate(script, list(shot))
    return share


def test_a_service_that_pages_may_not_read_is_read_through_the_portal_and_that_is_said(
    page: Page, portal: str
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.route(re.compile(r"\.test\.localhost:.*GetFeature", re.IGNORECASE), refuse)
    service = next(
        hit
        for hit in found(portal, "kind=wfs&state=alive")
        if hit["layers"] or hit["layer_count"]
    )
    page.goto(f"{portal}services/{service['id']}?show=1")
    message = page.locator(".stack-message", has_text="Read through this portal")
    message.wait_for(timeout=20_000)
    assert re.search(r"[1-9]\d* features", message.inner_text())
    assert any("/proxy/" in url for url in asked)


def test_vector_tiles_are_drawn_and_the_list_says_how_they_came(
    page: Page, portal: str
) -> None:
    page.goto(f"{portal}?kind=arcgis-vectortileserver")
    card = page.locator("[data-hit]").first
    bare = page.locator("[data-map]").screenshot()
    card.get_by_role("button", name="Add to map").click()
    message = page.locator(".stack-message", has_text="Read through this portal")
    message.wait_for(timeout=20_000)
    page.wait_for_timeout(800)
    # The map is at the tiles now, so that only their own colour tells that they were drawn.
    assert oranges(page, page.locator("[data-map]").screenshot()) > 500
    assert oranges(page, bare) == 0


def test_tiles_that_nobody_may_read_are_said_to_be_so(page: Page, portal: str) -> None:
    page.route(re.compile(r"VectorTileServer/tile|/proxy/"), refuse)
    page.goto(f"{portal}?kind=arcgis-vectortileserver")
    page.get_by_role("button", name="Add to map").first.click()
    page.locator(".stack-message.is-trouble", has_text="(CORS)").wait_for()


def oranges(page: Page, shot: bytes) -> int:
    """How many pixels of a picture have the first colour of features on a map, #b4430b."""
    script = """async (bytes) => {
      const picture = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
      const canvas = new OffscreenCanvas(picture.width, picture.height), context = canvas.getContext('2d');
      context.drawImage(picture, 0, 0);
      const data = context.getImageData(0, 0, picture.width, picture.height).data;
      let count = 0;
      for (let at = 0; at < data.length; at += 4)
        if (data[at] === 180 && data[at + 1] === 67 && data[at + 2] === 11) count++;
      return count;
    }"""
    count: int = page.evaluate(script, list(shot))
    return count


def refuse(route: Route) -> None:
    """As a server without CORS: the browser has the answer and may not give it to the page."""
    route.abort("accessdenied")


def test_previews_are_asked_of_other_servers_only_once_the_visitor_says_so(
    page: Page, portal: str
) -> None:
    elsewhere: list[Request] = []
    page.on("request", lambda r: elsewhere.append(r) if ".test/" in r.url else None)
    page.goto(f"{portal}?kind=wms&state=alive")
    page.wait_for_load_state("networkidle")
    assert elsewhere == []
    page.get_by_role("button", name="Show previews").click()
    picture = page.locator(".hit-preview").first
    picture.wait_for()
    expect(picture).not_to_have_js_property("naturalWidth", 0)
    assert elsewhere
    assert all(not request.headers.get("referer") for request in elsewhere)
    page.get_by_role("button", name="Show previews").click()
    expect(page.locator(".hit-preview")).to_have_count(0)


def test_a_service_is_checked_now_and_the_page_shows_how(
    page: Page, portal: str
) -> None:
    service = found(portal, "kind=wms&state=alive")[-1]["id"]
    page.goto(f"{portal}services/{service}")
    button = page.get_by_role("button", name="Check now")
    expect(button).to_be_enabled(timeout=40_000)
    button.click()
    page.get_by_text("It works.").wait_for(timeout=20_000)
    assert page.locator("[data-check-events] code").count() >= 1
    page.get_by_role("link", name="Show the new state").click()
    expect(page.get_by_text("The last 2 checks")).to_be_visible()


def test_the_tab_of_a_program_shows_its_code_and_no_button_covers_it(
    page: Page, portal: str
) -> None:
    service = found(portal, "kind=wms&state=alive")[0]["id"]
    page.goto(f"{portal}services/{service}")
    page.locator(".tab-set label", has_text="curl").click()
    panel = page.locator(".tab-panel:visible")
    expect(panel).to_have_count(1)
    assert "curl" in panel.inner_text()
    code = panel.locator("pre").bounding_box()
    button = panel.get_by_role("button").bounding_box()
    assert code is not None
    assert button is not None
    assert button["y"] >= code["y"] + code["height"]


def test_the_map_goes_to_a_place_by_its_name_and_its_address_keeps_where_it_looks(
    page: Page, portal: str
) -> None:
    page.goto(f"{portal}map")
    page.locator("[data-clusters-shown]").wait_for()
    page.get_by_label("Words, or the address of a service").press_sequentially(
        "Lisbon", delay=20
    )
    page.get_by_role("option", name=re.compile("Lisbon.*Portugal")).first.click()
    page.wait_for_url(re.compile(r"/map\?at="))
    zoom, latitude, longitude = map(float, params(page)["at"][0].split("/"))
    assert (latitude, longitude) == pytest.approx((38.7, -9.1), abs=0.5)
    assert zoom > 5
    page.reload()
    page.locator("[data-clusters-shown]").wait_for()
    assert page.locator(".ol-scale-line-inner").inner_text().endswith("km")
    page.get_by_role("button", name="Whole world").click()
    page.wait_for_url(
        lambda url: float(parse_qs(urlsplit(url).query)["at"][0].split("/")[0]) < 3
    )


def test_the_page_of_the_map_says_how_many_were_found_also_none(
    page: Page, portal: str
) -> None:
    note = page.locator("[data-map-note]")
    page.goto(f"{portal}map?kind=wms")
    total = len(found(portal, "kind=wms&limit=100"))
    expect(note).to_contain_text(f"Services: {total}")
    page.goto(f"{portal}map?q=nothingiscalledthis")
    expect(note).to_have_text("No results")


def test_a_click_on_a_box_lights_its_card_up(page: Page, portal: str) -> None:
    hits = [hit for hit in found(portal, "kind=wms&state=alive") if hit["bbox"]]
    west, south, east, north = hits[0]["bbox"]
    page.goto(f"{portal}?bbox={west},{south},{east},{north}&relation=within&kind=wms")
    page.locator(".map canvas").first.wait_for()
    page.wait_for_timeout(600)
    frame = page.locator("[data-map]").bounding_box()
    assert frame is not None
    page.mouse.click(
        frame["x"] + frame["width"] * 0.47, frame["y"] + frame["height"] * 0.47
    )
    expect(page.locator(".hit.is-selected")).to_have_count(1)


def test_on_a_phone_results_stand_on_the_first_screen_and_a_layer_leads_to_the_map(
    browser: Browser, portal: str
) -> None:
    with browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce"
    ) as context:
        page = context.new_page()
        page.goto(f"{portal}?q=elevation&kind=wms")
        # the page of before its script has fields for the box, and no map
        expect(page.locator("details.box-fields:not([open])")).to_have_count(1)
        heading = page.locator(".hit h3").first.bounding_box()
        assert heading is not None
        assert heading["y"] + heading["height"] <= 844
        menu = page.locator("details.menu")
        menu.locator("summary").click()
        expect(menu.get_by_role("link", name="GeoJSON")).to_be_in_viewport()
        page.keyboard.press("Escape")
        expect(menu.get_by_role("link", name="GeoJSON")).to_be_hidden()
        menu.locator("summary").click()
        with page.expect_download():
            menu.get_by_role("link", name="GeoJSON").click()
        expect(menu.get_by_role("link", name="GeoJSON")).to_be_hidden()
        page.get_by_role("button", name="Add to map").last.click()
        expect(page.locator("[data-map]")).to_be_in_viewport(ratio=0.9)


def test_on_a_phone_the_layers_are_a_sheet_that_is_folded_at_first(
    browser: Browser, portal: str
) -> None:
    with browser.new_context(
        viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True
    ) as context:
        page = context.new_page()
        page.goto(f"{portal}?kind=wms&state=alive")
        page.get_by_role("button", name="Add to map").first.click()
        sheet = page.locator("[data-layer-panel] > details")
        sheet.wait_for()
        assert sheet.get_attribute("open") is None
        frame = page.locator("[data-layer-panel]").bounding_box()
        map_ = page.locator("[data-map]").bounding_box()
        assert frame is not None
        assert map_ is not None
        assert frame["height"] < map_["height"] / 4
        sections = page.locator(".sections a").last.bounding_box()
        assert sections is not None
        assert sections["x"] + sections["width"] <= 390
        # The map has grown for its list, and still looks at the layer.
        scale = page.locator(".ol-scale-line-inner").text_content() or ""
        assert re.fullmatch(r"\d{1,2} km|\d+ m", scale), scale
