"""Layers of services that the visitor's browser does not reach are drawn through the portal, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit

import pytest
from loopback import serving
from playwright.sync_api import Browser, Page
from portal_people import tasks_in
from real_browser import chromium, served
from red_picture import has_red, red_picture

from geohound import app as wiring
from geohound.model.bbox import BBox
from geohound.model.catalogue import Observation
from geohound.model.service import Extent, Layer, Service, Sighting
from geohound.model.visit import Via
from geohound.portal.app import create_app
from geohound.search.index import CatalogueIndex
from geohound.settings import Settings

pytestmark = pytest.mark.slow
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


class _Pictures(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/robots.txt":
            self.send_error(404)
            return
        body = red_picture()
        self.send_response(200)
        self.send_header("Content-Type", "image/png")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@contextmanager
def visited(
    store, browser: Browser, service: Service, *connect_to: str, has_proxy: bool = True
) -> Iterator[Page]:
    """The page of this one service, its layer put on the map."""
    sighting = Sighting(service.id, service.endpoint, "", Via.SEED, "", NOON)
    store.catalogue.record_now([Observation(service, sighting)])
    index = CatalogueIndex(store.catalogue, store.segments)
    settings = Settings(
        allow_nets=("127.0.0.0/8",), host_delay_s=0.0, connect_to=connect_to,
        total_timeout_s=5.0,
    )  # fmt: skip
    app = create_app(
        store.catalogue, index, wiring.kinds(), tasks=tasks_in(store),
        relay=wiring.Relay(settings) if has_proxy else None,
    )  # fmt: skip
    with served(app) as origin, browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{origin}/services/{service.id}")
        page.get_by_role("button", name="Add to map").click()
        yield page


WORLD = Extent(BBox(-170, -80, 170, 80))
WMS = Layer("soil", "Soil", extent=WORLD, crs=("EPSG:4326", "EPSG:3857", "CRS:84"))


def wms(endpoint: str) -> Service:
    return Service(
        "wms", endpoint, title="Soils", version="1.3.0", extent=WORLD, layers=(WMS,)
    )


def tiles(endpoint: str) -> Service:
    layer = Layer(
        "soil", "Soil", extent=WORLD, links=(f"{endpoint}/{{z}}/{{x}}/{{y}}.png",)
    )
    return Service("xyz", endpoint, title="Soils", extent=WORLD, layers=(layer,))


@pytest.mark.parametrize("make", [wms, tiles])
def test_a_layer_whose_host_the_browser_does_not_find_is_drawn_through_the_portal(
    store, browser: Browser, make
) -> None:
    with serving(_Pictures) as origin:
        port = urlsplit(origin).port
        service = make(f"http://soil.test:{port}/wms")
        with visited(store, browser, service, f"*.test=127.0.0.1:{port}") as page:
            said = page.locator(".stack-message", has_text="Read through this portal")
            said.wait_for(timeout=15_000)
            page.wait_for_timeout(800)
            assert has_red(page)
            assert "your browser gets no answer" in said.inner_text()
            assert page.locator(".stack-message.is-trouble").count() == 0


@pytest.mark.parametrize("make", [wms, tiles])
def test_what_the_portal_met_is_said_where_it_gets_no_answer_either(
    store, browser: Browser, make
) -> None:
    service = make("http://nowhere.test/wms")
    with visited(store, browser, service) as page:
        said = page.locator(".stack-message.is-trouble")
        said.filter(has_text=re.compile("name not found")).wait_for(timeout=15_000)
        assert "CORS" not in said.inner_text()


def test_features_say_what_the_portal_met_too(store, browser: Browser) -> None:
    layer = Layer("soil", "Soil", extent=WORLD)
    service = Service(
        "wfs", "http://nowhere.test/wfs", version="2.0.0", extent=WORLD, layers=(layer,)
    )
    with visited(store, browser, service) as page:
        said = page.locator(".stack-message.is-trouble", has_text="name not found")
        said.wait_for(timeout=15_000)


def test_without_a_proxy_silence_and_a_refusal_are_both_named(
    store, browser: Browser
) -> None:
    layer = Layer("soil", "Soil", extent=WORLD)
    service = Service(
        "wfs", "http://nowhere.test/wfs", version="2.0.0", extent=WORLD, layers=(layer,)
    )
    with visited(store, browser, service, has_proxy=False) as page:
        said = page.locator(".stack-message.is-trouble")
        said.wait_for(timeout=15_000)
        assert "does not answer, or does not let web pages" in said.inner_text()


LINKED = (
    b'<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document><NetworkLink>'
    b"<Link><href>http://soil.test/more.kml</href></Link></NetworkLink></Document></kml>"
)


class _Links(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/robots.txt":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/vnd.google-earth.kml+xml")
        self.send_header("Content-Length", str(len(LINKED)))
        self.end_headers()
        self.wfile.write(LINKED)

    def log_message(self, *_: object) -> None:
        pass


def test_a_file_that_only_links_to_others_is_said_to_do_so(
    store, browser: Browser
) -> None:
    """It had "0 features" in the list, as if the map showed all there is."""
    layer = Layer("soil", "Soil", extent=WORLD)
    with serving(_Links) as origin:
        port = urlsplit(origin).port
        service = Service(
            "kml", f"http://soil.test:{port}/doc.kml", title="Soils", extent=WORLD,
            layers=(layer,),
        )  # fmt: skip
        with visited(store, browser, service, f"*.test=127.0.0.1:{port}") as page:
            said = page.locator(".stack-message.is-trouble", has_text="links to others")
            said.wait_for(timeout=15_000)
