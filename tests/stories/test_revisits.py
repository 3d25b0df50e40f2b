"""A second crawl asks the services that it knows whether anything has changed, and believes what they answer."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from loopback import serving

from geohound import app, crawl
from geohound.model.visit import Response
from geohound.net.clock import SystemClock
from geohound.probe import identify
from geohound.settings import Settings
from geohound.stores.sqlite import open_store

CAPABILITIES = """<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms"><Service><Name>WMS</Name>
<Title>Roads {0}</Title></Service><Capability><Request><GetMap><Format>image/png</Format></GetMap></Request>
<Layer><Title>All</Title><Layer><Name>roads</Name><Title>Roads</Title></Layer></Layer></Capability>
</WMS_Capabilities>"""


COVERAGES = """<wcs:Capabilities version="2.0.1" xmlns:wcs="http://www.opengis.net/wcs/2.0"
xmlns:ows="http://www.opengis.net/ows/2.0"><ows:ServiceIdentification><ows:Title>Heights {0}</ows:Title>
<ows:ServiceType>OGC WCS</ows:ServiceType></ows:ServiceIdentification><ows:OperationsMetadata>
<ows:Operation name="GetCoverage"/><ows:Operation name="ProcessCoverages"/></ows:OperationsMetadata><wcs:Contents>
<wcs:CoverageSummary><wcs:CoverageId>dem</wcs:CoverageId></wcs:CoverageSummary></wcs:Contents></wcs:Capabilities>"""


class Site:
    """One page with one service, whose document changes as often as a test wants."""

    def __init__(self) -> None:
        self.edition = 1
        self.has_tags = True
        self.document = CAPABILITIES
        self.answers: list[int] = []  # status of each answer of the service
        self.origin = ""

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        is_service = request.path.startswith("/ows")
        tag = f'"{self.edition}"'
        status = 200
        if is_service and self.has_tags and request.headers.get("If-None-Match") == tag:
            status = 304
        elif request.path == "/robots.txt":
            status = 404
        if is_service:
            self.answers.append(status)
        body = (
            self.document.format(self.edition)
            if is_service
            else '<a href="/ows?service=WMS">maps</a>'
        )
        request.send_response(status)
        if is_service and self.has_tags:
            request.send_header("ETag", tag)
        if status != 304:
            request.send_header(
                "Content-Type", "text/xml" if is_service else "text/html"
            )
            request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        if status != 304:
            request.wfile.write(body.encode())

    @contextmanager
    def open(self) -> Iterator[None]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.answer(self)

            def log_message(self, *_: object) -> None: ...

        with serving(Handler) as self.origin:
            yield


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    with site.open():
        yield site


def visit(site: Site, path: Path, processes: int = 1) -> tuple[str, list[int], int]:
    """Crawl once more: the title that is kept, how the service answered, and how often it was found alive."""
    site.answers.clear()
    options = {
        "catalogue": str(path),
        "allow_nets": "127.0.0.0/8",
        "host_delay_s": 0.0,
        "processes": processes,
    }
    crawl(f"{site.origin}/", max_time_s=20.0, **options)
    with app.open_catalogue(Settings(catalogue=str(path))) as opened:
        kept = opened.catalogue
        (service,) = (entry.service for entry in kept.entries())
        return (
            service.title,
            list(site.answers),
            sum(bool(check.ok) for check in kept.checks(service.id)),
        )


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_a_service_that_has_not_changed_is_not_sent_again(
    site: Site, tmp_path: Path, processes: int
) -> None:
    path = tmp_path / "c.db"
    assert visit(site, path, processes) == ("Roads 1", [200], 1)
    assert visit(site, path, processes) == ("Roads 1", [304], 2)
    site.edition = 2
    assert visit(site, path, processes) == ("Roads 2", [200], 3)
    assert visit(site, path, processes) == ("Roads 2", [304], 4)


@pytest.mark.slow
def test_who_no_longer_gives_a_tag_is_asked_without(site: Site, tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    visit(site, path)
    site.has_tags, site.edition = False, 2
    assert visit(site, path)[0] == "Roads 2"
    site.has_tags = True  # the tag of the second edition was never given to us
    assert visit(site, path) == ("Roads 2", [200], 3)


@pytest.mark.slow
def test_what_one_crawl_did_not_want_is_found_by_the_next(
    site: Site, tmp_path: Path
) -> None:
    """A document that is a WCS and a WCPS; the first and the third crawl look for one of the two only."""
    path = tmp_path / "c.db"
    site.document = COVERAGES
    options = {
        "catalogue": str(path),
        "allow_nets": "127.0.0.0/8",
        "host_delay_s": 0.0,
        "processes": 1,
    }
    for kinds in (("wcs",), (), ("wcs",), ()):
        crawl(f"{site.origin}/", max_time_s=20.0, kinds=kinds, **options)
    with app.open_catalogue(Settings(catalogue=str(path))) as opened:
        kept = opened.catalogue
        assert {
            entry.service.kind: len(kept.checks(entry.service.id))
            for entry in kept.entries()
        } == {
            "wcs": 4,
            "wcps": 2,
        }


class Recorded:
    """Answers a GeoServer would give at its bare address: versions of one service, each with a tag of its own."""

    async def fetch(self, url: str, **_: object) -> Response:
        version = "1.1.1" if "VERSION=1.1.1" in url else "1.3.0"
        body = (
            CAPABILITIES.format(1).replace("1.3.0", version).encode()
            if "SERVICE=WMS" in url
            else b""
        )
        headers = {"content-type": "text/xml", "etag": f'"{version}"'}
        return Response(
            url, url, 200 if body else 404, headers, body, datetime.now(UTC)
        )

    async def close(self) -> None: ...


def test_what_has_proved_a_service_is_not_asked_for_in_a_lower_version() -> None:
    verdict = asyncio.run(
        identify("http://maps.test/geoserver/ows", Recorded(), app.kinds())
    )
    assert [service.version for service in verdict.services] == ["1.3.0"]
    assert not any("VERSION=1.1.1" in url for url in verdict.tried)
    assert [proof.validators.etag for proof in verdict.proofs] == ['"1.3.0"']


@pytest.mark.slow
def test_a_second_crawl_tells_of_what_it_met_again(site: Site, tmp_path: Path) -> None:
    options = {
        "catalogue": str(tmp_path / "c.db"),
        "allow_nets": "127.0.0.0/8",
        "host_delay_s": 0.0,
    }
    for _ in range(2):
        assert [
            service.title
            for service in crawl(f"{site.origin}/", max_time_s=20.0, **options)
        ] == ["Roads 1"]


@pytest.mark.slow
def test_a_second_crawl_announces_what_the_catalogue_knew(
    site: Site, tmp_path: Path
) -> None:
    """Two tasks over one page with one service: each announces it once, the second as known (PH-5)."""
    options = {
        "catalogue": str(tmp_path / "c.db"),
        "allow_nets": "127.0.0.0/8",
        "host_delay_s": 0.0,
    }
    for _ in range(2):
        crawl(f"{site.origin}/", max_time_s=20.0, **options)
    store = open_store(options["catalogue"], SystemClock())
    tasks = [store.tasks.get(number) for number in (1, 2)]
    events = [
        [numbered.event for numbered in store.tasks.events(number).events]
        for number in (1, 2)
    ]
    store.close()
    assert [
        [event.known for event in task if event.type == "service"] for task in events
    ] == [[False], [True]]
    assert [(task.counters["services"], task.counters["known"]) for task in tasks] == [
        (1, 0),
        (0, 1),
    ]
