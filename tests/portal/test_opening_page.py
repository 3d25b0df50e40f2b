"""Facets on the search page, and the ways into a layer on the page of its service."""

from __future__ import annotations

import struct
import threading
import zlib
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
import uvicorn
from playwright.sync_api import sync_playwright
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient

from geohound import app as wiring
from geohound.model.bbox import BBox
from geohound.model.catalogue import Observation
from geohound.model.service import Extent, Layer, Service, Sighting
from geohound.model.visit import Via
from geohound.net.clock import SystemClock
from geohound.portal.app import create_app
from geohound.portal.listener import listen
from geohound.portal.middleware.policy import POLICY, policy_for
from geohound.search.index import CatalogueIndex
from geohound.stores.sqlite import open_store
from geohound.topics import TOPICS, Classifier


@pytest.fixture(scope="module")
def sorted_client(tmp_path_factory, samples) -> Iterator[TestClient]:
    classifier = Classifier(TOPICS)
    store = open_store(tmp_path_factory.mktemp("open") / "c.db", SystemClock())
    for service in (samples.rivers, samples.fiji):
        put(store.catalogue, service, classifier.classify(service))
    with TestClient(
        create_app(
            store.catalogue,
            CatalogueIndex(store.catalogue, store.segments),
            wiring.kinds(),
            classifier=classifier,
            snippets=wiring.snippets(),
        )
    ) as client:
        yield client
    store.close()


def put(catalogue, service: Service, topics=()) -> None:
    sighting = Sighting(
        service.id, service.endpoint, "", Via.SEED, "", SystemClock().now()
    )
    catalogue.record_now([Observation(service, sighting, topics=tuple(topics))])


def test_facets_are_offered_with_their_counts_and_titles(sorted_client):
    tree = LexborHTMLParser(sorted_client.get("/").text)
    groups = {g.css_first("legend").text(): g for g in tree.css(".groups fieldset")}
    words = [" ".join(chip.text().split()) for chip in groups["Topic"].css(".chip")]
    assert "Hydrography 1" in words
    assert groups["Topic"].css_first("input[value=hy]").attributes["name"] == "class"


def test_a_chosen_facet_filters_and_stays_chosen_over_pages(sorted_client, samples):
    tree = LexborHTMLParser(sorted_client.get("/?class=hy").text)
    assert [a.attributes["href"] for a in tree.css(".hit h3 a")] == [
        f"/services/{samples.rivers.id}"
    ]
    assert "checked" in tree.css_first("input[name=class][value=hy]").attributes
    assert tree.css_first(".more-filters").attributes.get("open", "no") != "no"


def test_a_misspelt_word_is_answered_with_a_better_one(sorted_client):
    tree = LexborHTMLParser(sorted_client.get("/?q=catchmnets").text)
    assert tree.css_first(".suggestion a").text() == "catchments"
    assert tree.css_first(".suggestion a").attributes["href"] == "/?q=catchments"


def test_a_service_page_opens_the_layer_asked_for(sorted_client, samples):
    page = sorted_client.get(
        f"/services/{samples.rivers.id}?layer=hy:lakes&bbox=20,60,25,65"
    )
    tree = LexborHTMLParser(page.text)
    requests = [" ".join(code.text().split()) for code in tree.css(".requests code")]
    assert any("REQUEST=GetMap" in url and "LAYERS=hy:lakes" in url for url in requests)
    tools = [summary.text() for summary in tree.css(".tab-set > label")]
    assert tools == [
        "QGIS",
        "ArcGIS Pro",
        "Python",
        "R",
        "GDAL",
        "curl",
        "OpenLayers",
        "Leaflet",
        "MapLibre",
    ]
    assert "BBOX=60,20,65,25" in page.text.replace("&amp;", "&")


def test_a_service_page_says_why_nothing_but_a_description_can_be_asked_for(
    tmp_path: Path,
) -> None:
    store = open_store(tmp_path / "c.db", SystemClock())
    planning = Service(
        "sps", "https://sensors.example/sps", title="Tasking", fingerprint="x"
    )
    put(store.catalogue, planning)
    index = CatalogueIndex(store.catalogue, store.segments)
    with TestClient(
        create_app(store.catalogue, index, wiring.kinds(), snippets=wiring.snippets())
    ) as client:
        tree = LexborHTMLParser(client.get(f"/services/{planning.id}").text)
    store.close()
    assert (
        tree.css_first("#open .muted").text()
        == "Nothing but its description can be asked for by a simple request."
    )


def test_only_the_page_of_a_service_may_load_from_that_service(sorted_client, samples):
    page = sorted_client.get(f"/services/{samples.rivers.id}")
    policy = page.headers["content-security-policy"]
    assert policy.startswith(POLICY)
    assert "img-src 'self' https://maps.water.example;" in policy
    front = sorted_client.get("/")
    assert front.headers["content-security-policy"] == POLICY
    assert 'href="/?map=' in front.text, "a layer is added by another page"


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "https://a.example; script-src *",
        "https://a'b.example/",
        "data:text/html,x",
        "",
    ],
)
def test_a_hostile_address_opens_no_policy(url):
    told = policy_for(url)
    assert "script-src" not in told
    assert told == POLICY or told.count("'") == POLICY.count("'") + 4


def png() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    rows = b"".join(b"\0" + b"\xc0\x40\x10" * 8 for _ in range(8))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


class MapServer(ThreadingHTTPServer):
    """Answers every request with one small picture and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, list[str]]] = []
        asked = self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(parse_qs(urlparse(self.path).query))
                self.send_response(200)
                self.send_header("Content-Type", "image/png")
                self.end_headers()
                self.wfile.write(png())

            def log_message(self, *_: object) -> None: ...

        super().__init__(("127.0.0.1", 0), Handler)


@pytest.mark.slow
def test_add_to_map_asks_the_service_itself_for_a_picture(tmp_path: Path) -> None:
    maps = MapServer()
    serving = threading.Thread(target=maps.serve_forever)
    serving.start()
    box = BBox(10.0, 50.0, 20.0, 60.0)
    layer = Layer("lakes", "Lakes", extent=Extent(box), crs=("EPSG:4326",))
    endpoint = f"http://127.0.0.1:{maps.server_address[1]}/wms"
    service = Service(
        "wms",
        endpoint,
        version="1.3.0",
        title="Lakes",
        extent=Extent(box),
        layers=(layer,),
    )
    store = open_store(tmp_path / "c.db", SystemClock())
    put(store.catalogue, replace(service, fingerprint="x"))
    listener = listen("127.0.0.1", 0)
    index = CatalogueIndex(store.catalogue, store.segments)
    app = create_app(store.catalogue, index, wiring.kinds())
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off"))
    portal = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    portal.start()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path="/usr/bin/chromium",
                args=["--no-sandbox", "--disable-gpu"],
            )
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            troubles: list[str] = []
            page.on(
                "console",
                lambda m: troubles.append(m.text) if m.type == "error" else None,
            )
            page.goto(
                f"http://127.0.0.1:{listener.getsockname()[1]}/services/{service.id}"
            )
            assert maps.asked == []  # nothing is asked before the visitor says so
            page.get_by_role("button", name="Add to map").click()
            page.get_by_text("Drawn by the service itself.").wait_for()
            browser.close()
        assert troubles == []
        request = maps.asked[0]
        assert (request["REQUEST"], request["LAYERS"], request["CRS"]) == (
            ["GetMap"],
            ["lakes"],
            ["EPSG:4326"],
        )
        south, west, _, _ = (float(v) for v in request["BBOX"][0].split(","))
        assert south > 40  # latitude first, as this version wants it
        assert west < 20
    finally:
        server.should_exit = True
        portal.join()
        maps.shutdown()
        serving.join()
        maps.server_close()
        store.close()
