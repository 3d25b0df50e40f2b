"""`identify` of a service in the catalogue is a check of it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typer.testing import CliRunner

from geohound import app
from geohound.cli import program
from geohound.model.catalogue import Observation
from geohound.model.health import Check
from geohound.model.service import Service, Sighting
from geohound.model.visit import Via
from geohound.settings import Settings

CAPABILITIES = b"""<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms"><Service><Name>WMS</Name>
<Title>Roads</Title></Service><Capability><Layer><Title>All</Title></Layer></Capability></WMS_Capabilities>"""


REPORT = b"""<ServiceExceptionReport version="1.2.0"><ServiceException>WFS is switched off</ServiceException>
</ServiceExceptionReport>"""


class _Answers(BaseHTTPRequestHandler):
    status = 200

    def do_GET(self) -> None:
        is_wms = "wms" in self.path.lower() and self.status == 200
        body = (
            CAPABILITIES
            if is_wms
            else REPORT
            if "wfs" in self.path.lower()
            else b"nothing here"
        )
        self.send_response(self.status if is_wms or self.path != "/robots.txt" else 404)
        self.send_header("Content-Type", "text/xml" if is_wms else "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def site() -> Iterator[str]:
    _Answers.status = 200
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    threading.Thread(target=server.serve_forever).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def catalogue(site: str, tmp_path: Path) -> Path:
    """A catalogue with the WMS and a WFS at the same address."""
    path, now = tmp_path / "c.db", datetime(2026, 1, 1, tzinfo=UTC)
    with app.open_catalogue(Settings(catalogue=str(path)), make=True) as opened:
        for kind in ("wms", "wfs"):
            service = Service(kind, f"{site}/ows", title=kind)
            seen = Sighting(service.id, service.endpoint, "", Via.SEED, "", now)
            met = [Observation(service, seen, Check(service.id, now, True))]
            asyncio.run(_record(opened, met))
    return path


async def _record(opened: app.OpenCatalogue, met: list[Observation]) -> None:
    await opened.catalogue.record(met)


def run(*words: str) -> list[dict]:
    done = CliRunner().invoke(program(words[0]), [*words, "--json"])
    return [json.loads(line) for line in done.stdout.splitlines()]


def identify(
    site: str, catalogue: Path, query: str = "?service=WMS&request=GetCapabilities"
) -> dict[str, dict]:
    """The health of both services after another look at one of them."""
    port = site.rpartition(":")[2]
    network = ["--allow-net", "127.0.0.0/8", "--catalogue", str(catalogue)]
    url = f"{site}/ows{query}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GEOHOUND_ALLOW_PORTS", port)
        run("identify", url, *network)
    return {
        each["kind"]: each["health"]
        for each in run("show", f"{site}/ows", "--catalogue", str(catalogue))
    }


def test_a_good_answer_is_a_good_check_of_the_service_that_gave_it(
    site: str, catalogue: Path
) -> None:
    health = identify(site, catalogue)
    assert (health["wms"]["state"], health["wms"]["checks"]) == ("alive", 2)
    assert health["wfs"]["checks"] == 1, "nobody asked it"


def test_what_refuses_beside_a_service_that_answers_gets_its_failed_check(
    site: str, catalogue: Path
) -> None:
    """At a bare endpoint all services are asked for (PolarHub, Fig. 3, lines 12 to 14): each has its own answer."""
    health = identify(site, catalogue, query="")
    assert (health["wms"]["state"], health["wms"]["checks"]) == ("alive", 2)
    assert (health["wfs"]["state"], health["wfs"]["reason"]) == (
        "unsure",
        "exception report: WFS is switched off",
    )


def test_404_is_a_failed_check_and_three_are_death(site: str, catalogue: Path) -> None:
    _Answers.status = 404
    states = [identify(site, catalogue)["wms"] for _ in range(3)]
    assert [each["state"] for each in states] == ["unsure", "unsure", "dead"]
    assert {each["reason"] for each in states} == {"not found: HTTP 404"}
    assert (states[2]["score"], states[2]["provisional"]) == (0.0, True)


def test_a_log_in_is_never_death_and_concerns_all_at_the_address(
    site: str, catalogue: Path
) -> None:
    _Answers.status = 401
    health = [identify(site, catalogue) for _ in range(4)][-1]
    assert {(each["state"], each["reason"]) for each in health.values()} == {
        ("unsure", "log-in wall: HTTP 401")
    }


def test_silence_is_a_failed_check(catalogue: Path) -> None:
    with app.open_catalogue(Settings(catalogue=str(catalogue))) as opened:
        service = Service("wms", "http://127.0.0.1:9/ows", title="nobody")
        seen = Sighting(
            service.id,
            service.endpoint,
            "",
            Via.SEED,
            "",
            datetime(2026, 1, 1, tzinfo=UTC),
        )
        asyncio.run(_record(opened, [Observation(service, seen)]))
    identify("http://127.0.0.1:9", catalogue)
    (shown,) = run("show", "http://127.0.0.1:9/ows", "--catalogue", str(catalogue))
    assert shown["health"]["state"] == "unsure"
    assert shown["health"]["reason"].startswith("connection refused")


def test_identify_makes_no_catalogue(site: str, tmp_path: Path) -> None:
    identify(site, tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()
