"""An address that the catalogue does not have is tested on the spot, and each request is sent on as it is made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlencode

import pytest
from loopback import serving
from real_browser import chromium, served
from selectolax.lexbor import LexborHTMLParser
from starlette.applications import Starlette
from starlette.testclient import TestClient

from geohound import app as wiring
from geohound.portal.app import PortalTasks, TaskEvents, create_app
from geohound.search.index import CatalogueIndex
from geohound.settings import Settings
from geohound.tasks import observed
from geohound.tasks.control import TaskControl

CAPABILITIES = b"""<?xml version="1.0"?><WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms">
<Service><Name>WMS</Name><Title>Soils</Title></Service><Capability><Request><GetMap><Format>image/png</Format></GetMap>
</Request><Layer><Title>All</Title><Layer><Name>soil</Name><Title>Soil</Title></Layer></Layer></Capability>
</WMS_Capabilities>"""


class _Wms(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        is_wms = "getcapabilities" in self.path.lower()
        self.send_response(200 if is_wms else 404)
        self.send_header("Content-Type", "text/xml")
        self.end_headers()
        self.wfile.write(CAPABILITIES if is_wms else b"<none/>")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def portal(store) -> Starlette:
    settings = Settings(allow_nets=("127.0.0.0/8",), host_delay_s=0.0)
    control = TaskControl(store.tasks)
    return create_app(
        store.catalogue,
        CatalogueIndex(store.catalogue, store.segments),
        wiring.kinds(),
        tasks=PortalTasks(control, TaskEvents(control), ("fifo",), may_write=True),
        examine=partial(
            observed.examine, partial(wiring.fetcher, settings, None), wiring.kinds()
        ),
    )


@pytest.fixture
def visitor(portal) -> Iterator[TestClient]:
    with TestClient(portal) as client:
        yield client


def test_requests_and_the_result_are_sent_line_by_line(visitor):
    with serving(_Wms) as origin:
        answer = visitor.post(
            "/api/v1/identify",
            json={"url": f"{origin}/wms?service=WMS&request=GetCapabilities"},
        )
        events = [json.loads(line) for line in answer.text.splitlines()]
    assert answer.headers["content-type"] == "application/x-ndjson"
    *asked, result = events
    assert {event["event"] for event in asked} == {"request"}
    assert any(
        event["status"] == 200 and "GetCapabilities" in event["url"] for event in asked
    )
    assert (
        result["event"],
        result["kind"],
        result["title"],
        result["layer_count"],
    ) == ("result", "wms", "Soils", 1)


def test_what_is_no_service_is_said_with_its_reason(visitor):
    with serving(_Wms) as origin:
        answer = visitor.post("/api/v1/identify", json={"url": f"{origin}/page.html"})
    result = json.loads(answer.text.splitlines()[-1])
    assert result["kind"] is None
    assert result["refusal"]["reason"]


def test_private_addresses_are_refused_by_the_guard_of_every_request(visitor):
    answer = visitor.post("/api/v1/identify", json={"url": "http://10.0.0.1/wms"})
    result = json.loads(answer.text.splitlines()[-1])
    assert result["kind"] is None
    assert "10.0.0.1" not in [
        event.get("endpoint") for event in map(json.loads, answer.text.splitlines())
    ]


def test_where_nobody_may_ask_no_service_is_denied(portal):
    with served(portal) as origin, chromium() as browser:
        page = browser.new_page()
        page.goto(f"{origin}/?{urlencode({'q': 'http://10.1.2.3/wms'})}")
        page.get_by_role("button", name="Test this address now").click()
        result = page.locator(".test-result")
        result.filter(has_text="It could not be told").wait_for(timeout=60_000)
        assert "is private" in result.inner_text()


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"url": "ftp://x.example/"},
        {"url": "http://"},
        {"url": "https://x/", "more": 1},
    ],
)
def test_what_is_no_address_is_a_problem(visitor, body):
    assert visitor.post("/api/v1/identify", json=body).status_code == 400


def test_the_page_offers_the_test_for_an_address_that_nobody_knows(visitor, client):
    page = LexborHTMLParser(visitor.get("/?q=https://unknown.example/wms").text)
    assert (
        page.css_first("[data-test]").attributes["data-test"]
        == "https://unknown.example/wms"
    )
    # Who may start nothing gets the command alone.
    assert (
        LexborHTMLParser(client.get("/?q=https://unknown.example/wms").text).css_first(
            "[data-test]"
        )
        is None
    )
