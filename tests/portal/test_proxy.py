"""The proxy under attack: it asks catalogued services alone, passes on pictures and features alone, and no header."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from urllib.parse import quote

import pytest
from loopback import serving
from portal_people import Person, tasks_in
from starlette.testclient import TestClient

from geohound import app as wiring
from geohound.model.catalogue import Observation
from geohound.model.service import Service, Sighting
from geohound.model.visit import Via
from geohound.portal.app import create_app
from geohound.portal.maps.proxy import is_own
from geohound.search.index import CatalogueIndex
from geohound.settings import Settings

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
ANSWERS: dict[str, tuple[str, bytes]] = {
    "png": ("image/png", PNG),
    "geojson": (
        "application/geo+json; charset=utf-8",
        b'{"type":"FeatureCollection","features":[]}',
    ),
    "gml": (
        "text/xml; subtype=gml/3.1.1",
        b'<?xml version="1.0"?><wfs:FeatureCollection xmlns:wfs="w"/>',
    ),
    "info": ("text/plain", b"soil = clay"),
    "tile": ("application/x-protobuf", b"\x1a\x02\x78\x02"),
    "empty-tile": ("application/vnd.mapbox-vector-tile", b""),
    "unsaid-png": ("application/octet-stream", PNG),
    "unsaid-geojson": ("application/octet-stream", b'{"type":"FeatureCollection"}'),
    "unsaid-gml": ("binary/octet-stream", b'<wfs:FeatureCollection xmlns:wfs="w"/>'),
    "unsaid-svg": ("application/octet-stream", SVG),
    "html-as-tile": ("application/octet-stream", b"<script>alert(1)</script>"),
    "html": ("text/html", b"<html><script>alert(1)</script></html>"),
    "svg": ("image/svg+xml", SVG),
    "svg-as-xml": ("application/xml", b'<?xml version="1.0"?>\n' + SVG),
    "svg-as-png": ("image/png", SVG),
    "html-as-xml": (
        "text/xml",
        b'<!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"/>',
    ),
    "html-as-text": ("text/plain", b"<script>alert(1)</script>"),
    "html-as-json": ("application/json", b"<html></html>"),
    "styled": (
        "text/xml",
        b'<?xml version="1.0"?><?xml-stylesheet href="http://evil/x.xsl"?><a/>',
    ),
    "script": ("application/javascript", b"alert(1)"),
    "huge": ("image/png", PNG + b"\0" * 300_000),
}


class _Service(BaseHTTPRequestHandler):
    asked: list[tuple[str, dict[str, str]]]
    private = ""

    def do_GET(self) -> None:
        type(self).asked.append((self.path, dict(self.headers)))
        name = self.path.partition("?")[0].rpartition("/")[2]
        if name == "robots.txt":
            return self.send_error(404)
        if name.startswith("to-"):
            places = {
                "to-private": f"{self.private}/wms",
                "to-admin": "/admin",
                "to-metadata": "http://169.254.169.254/",
            }
            return self._send(302, "text/html", b"", {"Location": places[name]})
        if name == "endless":
            return self._drip()
        if name == "headers":
            more = {
                "Set-Cookie": "a=b",
                "Access-Control-Allow-Origin": "*",
                "X-Evil": "1",
                "Location": "http://evil/",
            }
            return self._send(200, "image/png", PNG, more)
        type_, body = ANSWERS.get(name, ("image/png", PNG))
        return self._send(200, type_, body, {})

    def _send(self, status: int, type_: str, body: bytes, more: dict[str, str]) -> None:
        self.send_response(status)
        for key, value in {
            "Content-Type": type_,
            "Content-Length": str(len(body)),
            **more,
        }.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(body)

    def _drip(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "image/png")
        self.end_headers()
        try:
            self.wfile.write(PNG)
            for _ in range(200):
                self.wfile.write(b"\0")
                self.wfile.flush()
                time.sleep(0.1)
        except OSError:
            pass  # whoever asked has hung up

    def log_message(self, *_: object) -> None:
        pass


@dataclass
class Proxied:
    """The portal, the service of its catalogue, and what that one was asked."""

    client: TestClient
    service: Service
    asked: list[tuple[str, dict[str, str]]]

    def get(self, url: str, **more):
        return self.client.get(
            f"/proxy/{self.service.id}?url={quote(url, safe='')}", **more
        )

    def ask(self, name: str, **more):
        return self.get(f"{self.service.endpoint}/{name}", **more)


@contextmanager
def proxied(
    store,
    *,
    nets: tuple[str, ...] = ("127.0.0.0/8",),
    guests: bool = False,
    accounts=None,
):
    handler = type("_Own", (_Service,), {"asked": []})
    settings = Settings(
        allow_nets=nets, host_delay_s=0.0, proxy_max_bytes=200_000, total_timeout_s=2.0
    )
    with serving(handler) as origin:
        service = Service("wms", f"{origin}/wms", title="Soils")
        sighting = Sighting(service.id, service.endpoint, "", Via.SEED, "", NOON)
        store.catalogue.record_now([Observation(service, sighting)])
        index = CatalogueIndex(store.catalogue, store.segments)
        app = create_app(
            store.catalogue, index, wiring.kinds(), tasks=tasks_in(store), accounts=accounts,
            relay=wiring.Relay(settings), is_relay_for_guests=guests,
        )  # fmt: skip
        with TestClient(app, follow_redirects=False) as client:
            yield Proxied(client, service, handler.asked)


@pytest.fixture
def proxy(store) -> Iterator[Proxied]:
    with proxied(store) as made:
        yield made


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "type_"),
    [("png", "image/png"), ("geojson", "application/json"), ("gml", "application/xml"),
     ("info", "text/plain; charset=utf-8"), ("tile", "application/vnd.mapbox-vector-tile"),
     ("empty-tile", "application/vnd.mapbox-vector-tile"), ("unsaid-png", "image/png"),
     ("unsaid-geojson", "application/json"), ("unsaid-gml", "application/xml")],
)  # fmt: skip
def test_pictures_and_features_of_a_catalogued_service_pass(
    proxy: Proxied, name: str, type_: str
) -> None:
    answer = proxy.ask(name)
    assert (answer.status_code, answer.headers["content-type"]) == (200, type_)
    assert answer.content == ANSWERS[name][1]
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-disposition"] == "attachment"


@pytest.mark.parametrize(
    "name",
    [
        "html",
        "svg",
        "svg-as-xml",
        "svg-as-png",
        "html-as-xml",
        "html-as-text",
        "html-as-json",
        "html-as-tile",
        "unsaid-svg",
        "styled",
        "script",
    ],
)
def test_whatever_a_browser_might_run_does_not_pass(proxy: Proxied, name: str) -> None:
    answer = proxy.ask(name)
    assert answer.status_code == 502
    assert b"alert(1)" not in answer.content


def test_no_header_of_the_service_passes(proxy: Proxied) -> None:
    answer = proxy.ask("headers")
    assert answer.status_code == 200
    assert not {
        "set-cookie",
        "x-evil",
        "location",
        "access-control-allow-origin",
    } & set(answer.headers)


def test_no_header_or_cookie_of_the_visitor_is_sent_on(proxy: Proxied) -> None:
    proxy.client.cookies.set("geohound_session", "secret")
    proxy.ask(
        "png",
        headers={
            "Authorization": "Basic c2VjcmV0",
            "X-Forwarded-For": "1.2.3.4",
            "Range": "bytes=0-1",
        },
    )
    sent = next(headers for path, headers in proxy.asked if path.endswith("/png"))
    assert not {"cookie", "authorization", "x-forwarded-for", "range"} & {
        name.lower() for name in sent
    }


@pytest.mark.parametrize("name", ["to-private", "to-admin", "to-metadata"])
def test_redirects_lead_nowhere_but_to_the_service_itself(store, name: str) -> None:
    class _Private(_Service):
        asked: list[tuple[str, dict[str, str]]] = []  # noqa: RUF012 - of this test alone

    with serving(_Private) as private, proxied(store) as proxy:
        _Service.private = private
        assert proxy.ask(name).status_code == 502
    assert not _Private.asked
    assert not [path for path, _ in proxy.asked if path == "/admin"]


def test_a_huge_answer_is_cut_off(proxy: Proxied) -> None:
    answer = proxy.ask("huge")
    assert answer.status_code == 502
    assert "too large" in answer.json()["detail"]
    assert "access-control-allow-origin" not in answer.headers


def test_an_endless_answer_ends(proxy: Proxied) -> None:
    began = time.monotonic()
    assert proxy.ask("endless").status_code == 502
    assert time.monotonic() - began < 10


def test_an_address_that_is_private_is_refused_by_the_guard_of_every_request(
    store,
) -> None:
    with proxied(store, nets=()) as proxy:
        answer = proxy.ask("png")
    assert answer.status_code == 502
    assert proxy.asked == []


@pytest.mark.parametrize(
    "asked",
    ["", "png", "file:///etc/passwd", "http://127.0.0.1:1/wms", "http://169.254.169.254/latest/", "{origin}/admin",
     "{origin}/wms-secret", "{origin}/wms/../admin", "{origin}/wms/%2e%2e/admin", "{origin}/wms/..%2fadmin",
     "{origin}@evil.example/wms", "//evil.example/wms", "{origin}\\@evil.example/wms",
     "http://evil.example/wms?{origin}/wms", "{origin}/wms\r\nX-Evil: 1/../../admin"],
)  # fmt: skip
def test_what_is_no_address_of_the_service_is_not_asked_for(
    proxy: Proxied, asked: str
) -> None:
    origin = proxy.service.endpoint.removesuffix("/wms")
    assert proxy.get(asked.replace("{origin}", origin)).status_code == 403
    assert proxy.asked == []


def test_line_breaks_make_no_header(proxy: Proxied) -> None:
    proxy.get(f"{proxy.service.endpoint}/png?a=1\r\nX-Evil: 1")
    assert all(
        "x-evil" not in {name.lower() for name in headers} for _, headers in proxy.asked
    )


def test_a_service_that_is_not_in_the_catalogue_is_not_found(proxy: Proxied) -> None:
    other = replace(proxy.service, endpoint=f"{proxy.service.endpoint}/other")
    assert (
        proxy.client.get(f"/proxy/{other.id}?url={quote(other.endpoint)}").status_code
        == 404
    )
    assert proxy.asked == []


def test_parameters_that_are_part_of_the_endpoint_stay() -> None:
    service = Service("wms", "http://a.example/cgi-bin/mapserv?map=/srv/a.map")
    assert is_own(
        service, "http://a.example/cgi-bin/mapserv?map=/srv/a.map&REQUEST=GetMap"
    )
    assert not is_own(
        service, "http://a.example/cgi-bin/mapserv?map=/srv/secret.map&REQUEST=GetMap"
    )
    assert not is_own(service, "http://a.example/cgi-bin/mapserv")


def test_pages_of_other_sites_cannot_use_it(proxy: Proxied) -> None:
    assert proxy.ask("png", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert proxy.asked == []


def test_guests_may_not_use_it_and_users_may(store, people) -> None:
    with proxied(store, accounts=people) as proxy:
        assert proxy.ask("png").headers["location"].startswith("/log-in")
        assert proxy.asked == []
        path = f"/proxy/{proxy.service.id}?url={quote(proxy.service.endpoint, safe='')}/png"
        assert Person(proxy.client.app, "carla").ask("GET", path).status_code == 200


def test_guests_may_use_it_where_the_operator_says_so(store, people) -> None:
    with proxied(store, accounts=people, guests=True) as proxy:
        assert proxy.ask("png").status_code == 200
