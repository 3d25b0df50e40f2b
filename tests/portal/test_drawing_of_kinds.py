"""Tiles, footprints and files go onto the map of the search: read by the kinds, drawn by a real browser."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler

import pytest
from loopback import serving
from playwright.sync_api import Browser
from portal_people import tasks_in
from real_browser import chromium, served
from red_picture import has_red, red_picture

from geohound import app as wiring
from geohound import probe
from geohound.model.catalogue import Observation
from geohound.model.service import Service, Sighting
from geohound.model.visit import Via
from geohound.portal.app import create_app
from geohound.search.index import CatalogueIndex
from geohound.settings import Settings

pytestmark = pytest.mark.slow
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
TILES = "http://www.opengis.net/spec/ogcapi-tiles-1/1.0/conf"
MAPS = "http://www.opengis.net/def/rel/ogc/1.0/tilesets-map"
SQUARE = [[[-60, -30], [60, -30], [60, 30], [-60, 30], [-60, -30]]]
EXTENT = {"spatial": {"bbox": [[-60, -30, 60, 30]]}, "temporal": {"interval": [[None, None]]}}  # fmt: skip
POINTS = "".join(
    f"<Placemark><Point><coordinates>{x},{y}</coordinates></Point></Placemark>"
    for x, y in ((-40, -20), (0, 0), (40, 20))
)
KML = '<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>Wells</name>{}</Document></kml>'


def _link(rel: str, href: str) -> dict[str, str]:
    return {"rel": rel, "href": href, "type": "application/json"}


def _network_link(href: str) -> str:
    return f"<NetworkLink><name>{href}</name><Link><href>{href}</href></Link></NetworkLink>"


def answer(path: str, origin: str) -> tuple[str, bytes]:
    """Media type and body, as such servers answer."""
    if path.startswith("/tiles/") or "/map/tiles/WebMercatorQuad/" in path:
        return "image/png", red_picture()
    documents = {
        "/tilejson.json": {
            "tilejson": "3.0.0", "name": "Soils", "tiles": [f"{origin}/tiles/{{z}}/{{x}}/{{y}}.png"],
            "bounds": [-180, -80, 180, 80], "minzoom": 0, "maxzoom": 14,
        },
        "/ogc": {"title": "Soils", "links": [
            _link("conformance", f"{origin}/ogc/conformance"), _link("data", f"{origin}/ogc/collections"),
            _link("service-desc", f"{origin}/ogc/api")]},
        "/ogc/conformance": {"conformsTo": [f"{TILES}/core", f"{TILES}/tileset", f"{TILES}/tilesets-list"]},
        "/ogc/collections": {"links": [_link("self", f"{origin}/ogc/collections")], "collections": [
            {"id": "soil", "title": "Soil", "extent": EXTENT,
             "links": [_link(MAPS, f"{origin}/ogc/collections/soil/map/tiles")]}]},
        "/stac": {
            "type": "Catalog", "id": "scenes", "title": "Scenes", "stac_version": "1.0.0", "description": "Scenes.",
            "conformsTo": ["https://api.stacspec.org/v1.0.0/core", "https://api.stacspec.org/v1.0.0/item-search"],
            "links": [_link("self", f"{origin}/stac"), _link("search", f"{origin}/stac/search"),
                      _link("data", f"{origin}/stac/collections")]},
        "/stac/collections": {"links": [], "collections": [
            {"type": "Collection", "id": "radar", "title": "Radar", "stac_version": "1.0.0", "description": "Radar.",
             "license": "CC0-1.0", "extent": EXTENT, "links": [_link("items", f"{origin}/stac/collections/radar/items")]}]},
    }  # fmt: skip
    scenes = {"type": "FeatureCollection", "features": [{
        "type": "Feature", "stac_version": "1.0.0", "id": "one", "properties": {"datetime": "2026-05-04T00:00:00Z"},
        "geometry": {"type": "Polygon", "coordinates": SQUARE}, "links": [], "assets": {}}]}  # fmt: skip
    documents |= {
        "/stac/search": scenes, "/stac/collections/radar/items": scenes,
    }  # fmt: skip
    files = {
        "/wells.kml": KML.format(_network_link("list.kml")),
        "/list.kml": KML.format(_network_link("a.kml") + _network_link("b.kml")),
        "/a.kml": KML.format(POINTS),
        "/b.kml": KML.format(POINTS + _network_link("list.kml")),
    }
    if path in files:
        return "application/vnd.google-earth.kml+xml", files[path].encode()
    found = documents.get(path)
    return "application/json", json.dumps(found).encode() if found else b""


class _Kinds(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        origin = f"http://{self.headers['Host']}"
        media, body = answer(self.path.partition("?")[0].rstrip("/"), origin)
        self.send_response(200 if body else 404)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Content-Type", media)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


async def service_at(url: str) -> Service:
    settings = Settings(allow_nets=("127.0.0.0/8",), host_delay_s=0.0)
    fetcher = wiring.fetcher(settings, None)
    try:
        verdict = await probe.identify(url, fetcher, wiring.kinds())
    finally:
        await fetcher.close()
    assert verdict.services, verdict
    return verdict.services[0]


@pytest.mark.parametrize(
    ("kind", "path", "said", "is_filled"),
    [
        ("xyz", "/tiles/3/4/2.png", "Drawn by the service itself.", True),
        ("tilejson", "/tilejson.json", "Drawn by the service itself.", True),
        ("ogcapi-tiles", "/ogc", "Drawn by the service itself.", True),
        ("stac-api", "/stac", "1 features, read from the service itself.", False),
        ("kml", "/wells.kml", "6 features, read from the service itself.", False),
    ],
)
def test_what_a_kind_has_read_is_seen_on_the_map_of_the_search(
    store, browser: Browser, kind: str, path: str, said: str, is_filled: bool
) -> None:
    with serving(_Kinds) as there:
        with ThreadPoolExecutor() as beside:  # Playwright's loop is in this thread
            service = beside.submit(asyncio.run, service_at(f"{there}{path}")).result()
        assert service.kind == kind
        sighting = Sighting(service.id, service.endpoint, "", Via.SEED, "", NOON)
        store.catalogue.record_now([Observation(service, sighting)])
        index = CatalogueIndex(store.catalogue, store.segments)
        app = create_app(
            store.catalogue, index, wiring.kinds(), tasks=tasks_in(store), relay=None
        )
        with served(app) as origin, browser.new_context() as context:
            page = context.new_page()
            page.goto(f"{origin}/?all=1&types=service")
            before = page.locator("[data-map]").screenshot()
            page.locator(".hit [data-add]").first.click()
            message = page.locator(".stack-message").first
            message.filter(has_text=said).wait_for(timeout=30_000)
            page.wait_for_timeout(800)
            assert has_red(page) == is_filled
            assert page.locator("[data-map]").screenshot() != before
