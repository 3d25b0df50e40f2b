"""Which services web pages of other sites may read: seen in the answer, kept, filtered by, shown."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from loopback import serving
from starlette.testclient import TestClient

from geohound import Catalogue, app, crawl, identify
from geohound.model.search.query import Query
from geohound.portal.app import create_app
from geohound.settings import Settings

CAPABILITIES = """<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms"><Service><Name>WMS</Name>
<Title>Roads of {0}</Title></Service><Capability><Request><GetMap><Format>image/png</Format></GetMap></Request>
<Layer><Title>{0}</Title><Layer><Name>{0}</Name><Title>{0} roads</Title></Layer></Layer></Capability>
</WMS_Capabilities>"""
ALLOWED = {
    "open": "*",
    "closed": "",
    "nobody": "null",
    "friends": "https://viewer.example",
}


class Server(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        name = self.path.partition("?")[0].strip("/")
        body = CAPABILITIES.format(name) if name in ALLOWED else ""
        if name == "":
            body = "".join(
                f'<a href="/{each}?service=WMS&request=GetCapabilities">{each}</a>'
                for each in ALLOWED
            )
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html" if name == "" else "text/xml")
        if ALLOWED.get(name):
            self.send_header("Access-Control-Allow-Origin", ALLOWED[name])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None: ...


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    with serving(Server) as origin:
        yield origin


@pytest.mark.parametrize(
    ("name", "said"),
    [("open", "yes"), ("closed", ""), ("nobody", ""), ("friends", "some")],
)
def test_a_service_says_whose_pages_may_read_it(
    origin: str, name: str, said: str
) -> None:
    (service,) = identify(
        f"{origin}/{name}?service=WMS&request=GetCapabilities", allow_nets="127.0.0.0/8"
    )
    assert service.cors == said


@pytest.mark.slow
def test_what_pages_may_read_is_a_filter_and_a_facet_everywhere(
    origin: str, tmp_path: Path
) -> None:
    path = str(tmp_path / "cors.db")
    crawl(
        f"{origin}/",
        catalogue=path,
        allow_nets="127.0.0.0/8",
        host_delay_s=0.0,
        max_time_s=20.0,
    )
    with Catalogue(path) as catalogue:
        assert [hit.service.title for hit in catalogue.search(cors="yes")] == [
            "Roads of open"
        ]
        assert catalogue.search().facets["cors"] == {"some": 1, "yes": 1}
        assert catalogue.search().total == len(ALLOWED)
    with app.open_catalogue(Settings(catalogue=path)) as kept:
        found = kept.index.search(Query(where={"cors": ("yes",)})).hits[0].service
        with TestClient(create_app(kept.catalogue, kept.index, app.kinds())) as client:
            assert client.get("/api/v1/search?cors=yes").json()["total"] == 1
            assert client.get(f"/api/v1/services/{found.id}").json()["cors"] == "yes"
            page = client.get("/?q=open").text
            assert "CORS" not in page, "all that is found has it"
            page = client.get("/?q=roads").text
            assert "Usable in web pages (CORS)" in page
            assert "of any site" in client.get(f"/services/{found.id}").text
