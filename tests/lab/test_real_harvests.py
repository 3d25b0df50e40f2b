"""Catalogues of real servers are read whole, page by page, and name what they were filled with."""

from __future__ import annotations

import contextlib
import functools
import http.server
import json
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from lab_truth import MARKS
from loopback import serving

from geohound import plugins
from geohound.model.crawl.harvest import HarvestPage, Listed
from geohound.model.failure import FailureReason
from geohound.model.visit import Failure

if TYPE_CHECKING:
    from conftest import Net

pytestmark = MARKS
Address = Callable[[str], str]
CHARTS = range(1, 26)


class Read(NamedTuple):
    """All pages of a catalogue."""

    pages: int
    listed: set[Listed]


@pytest.fixture
def harvest(net: Net) -> Callable[..., Read]:
    """Read a source to its end, with the sources that it leads to; a page that comes twice fails the test."""

    def read(
        harvester: str, source: str, since: date | None = None, first: bytes = b""
    ) -> Read:
        part = plugins.discover("harvesters")[harvester]
        waiting, known = [(source, first or part.start(since))], {source}
        prints: set[int] = set()
        found: set[Listed] = set()
        pages = 0
        while waiting:
            at, cursor = waiting.pop()
            page = net.runner.run(part.page(at, cursor, net.fetcher))
            assert isinstance(page, HarvestPage), page
            assert not page.fingerprint or page.fingerprint not in prints
            prints.add(page.fingerprint)
            pages += 1
            found.update(page.listed)
            if page.next:
                waiting.append((at, page.next))
            new = [further for further in page.sources if further not in known]
            known.update(new)
            waiting += [(further, b"") for further in new]
        return Read(pages, found)

    return read


def wanted(address: Address) -> dict[str, str]:
    """What the records of pycsw name, by protocol."""
    charts = {address(f"mapserver/charts/{number}/wfs"): "OGC:WFS" for number in CHARTS}
    return {address("mapserver/cgi-bin/mapserv?map=BALTIC"): "OGC:WMS", **charts}


@pytest.mark.parametrize(
    ("harvester", "place"),
    [
        ("csw", "pycsw/csw"),
        ("oai-pmh", "pycsw/csw?mode=oaipmh"),
        (
            "opensearch",
            "pycsw/csw?mode=opensearch&service=CSW&version=3.0.0&request=GetCapabilities",
        ),
    ],
)
def test_pycsw_is_read_whole_by_each_of_its_protocols(
    harvest: Callable[..., Read], address: Address, harvester: str, place: str
) -> None:
    read = harvest(harvester, address(place))
    assert read.pages == 3, "ten records a page"
    assert {each.url: each.protocol for each in read.listed if each.protocol} == wanted(
        address
    )


def test_pycsw_is_read_by_version_3_where_it_refuses_version_2(
    address: Address, net: Net
) -> None:
    part = plugins.discover("harvesters")["csw"]
    first = b'{"version":"3.0.0","sort":"dc:identifier:A","position":1}'
    page = net.runner.run(part.page(address("pycsw/csw"), first, net.fetcher))
    assert isinstance(page, HarvestPage), page
    assert (page.records, len(page.listed)) == (10, 10)
    assert b'"position":11' in page.next


def test_pycsw_is_read_as_iso_records_too(
    harvest: Callable[..., Read], address: Address
) -> None:
    place = b'{"version":"2.0.2","position":1,"schema":"%s"}'
    first = place % b"http://www.isotc211.org/2005/gmd"
    read = harvest("csw", address("pycsw/csw"), first=first)
    assert {each.url for each in read.listed} >= set(wanted(address))


def test_pycsw_tells_only_what_has_changed_since(
    harvest: Callable[..., Read], address: Address
) -> None:
    read = harvest("csw", address("pycsw/csw"), date(2025, 7, 20))
    assert {each.url for each in read.listed} == {
        address(f"mapserver/charts/{n}/wfs") for n in range(20, 26)
    }


def test_the_records_of_pygeoapi_are_read(
    harvest: Callable[..., Read], address: Address
) -> None:
    read = harvest("ogcapi-records", address("pygeoapi/"))
    assert {(each.url, each.protocol) for each in read.listed} == {
        (address("mapserver/cgi-bin/mapserv?map=BALTIC"), "OGC:WMS")
    }


def test_the_collections_of_a_stac_api_are_read(
    harvest: Callable[..., Read], address: Address
) -> None:
    read = harvest("stac", address("stac/"))
    assert {(each.url, each.protocol) for each in read.listed} == {
        (address("mapserver/cgi-bin/mapserv?map=BALTIC"), "OGC:WMS")
    }


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[str]:
    """A folder below waf/ that Python's own web server lists."""
    write_folder(tmp_path)
    handler = functools.partial(
        http.server.SimpleHTTPRequestHandler, directory=str(tmp_path)
    )
    with serving(handler) as origin:
        yield f"{origin}/waf/"


def test_a_folder_that_a_web_server_lists_is_read(
    harvest: Callable[..., Read], folder: str
) -> None:
    read = harvest("waf", folder)
    assert {each.url for each in read.listed} == {
        "http://gis.test/waf/a.xml",
        "http://gis.test/waf/more/b.xml",
    }


def write_folder(root: Path) -> None:
    """A folder of metadata with another below it."""
    (root / "waf" / "more").mkdir(parents=True)
    for name in ("waf/a.xml", "waf/more/b.xml"):
        link = f"<CI_OnlineResource><URL>http://gis.test/{name}</URL><protocol>OGC:WMS</protocol></CI_OnlineResource>"
        (root / name).write_text(f"<MD_Metadata>{link}</MD_Metadata>", "utf-8")


NGINX = """
daemon off; master_process off; pid {root}/nginx.pid; error_log {root}/error.log;
events {{}}
http {{
  access_log off;
  client_body_temp_path {root}/1; proxy_temp_path {root}/2; fastcgi_temp_path {root}/3;
  uwsgi_temp_path {root}/4; scgi_temp_path {root}/5;
  server {{ listen 127.0.0.1:{port}; root {root}/served; autoindex on; }}
}}
"""


@pytest.fixture
def nginx(tmp_path: Path) -> Iterator[str]:
    """nginx as it lists folders."""
    write_folder(tmp_path / "served")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (tmp_path / "nginx.conf").write_text(
        NGINX.format(root=tmp_path, port=port), "utf-8"
    )
    command = [
        "/usr/sbin/nginx",
        "-p",
        str(tmp_path),
        "-c",
        str(tmp_path / "nginx.conf"),
        "-e",
        "stderr",
    ]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            _wait_for(port)
            yield f"http://127.0.0.1:{port}/waf/"
        finally:
            process.terminate()


def _wait_for(port: int) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with (
            contextlib.suppress(OSError),
            socket.create_connection(("127.0.0.1", port), 1),
        ):
            return
        time.sleep(0.05)
    pytest.fail("nginx did not start; install it: tests/install_system_packages")


def test_a_folder_that_nginx_lists_is_read(
    harvest: Callable[..., Read], nginx: str
) -> None:
    read = harvest("waf", nginx)
    assert {each.url for each in read.listed} == {
        "http://gis.test/waf/a.xml",
        "http://gis.test/waf/more/b.xml",
    }


@pytest.fixture
def static_stac(tmp_path: Path) -> Iterator[str]:
    """A catalogue of files: a collection below a catalogue, whose map is a WMS (web-map-links 1.2)."""
    wms = {"rel": "wms", "href": "http://gis.test/wms", "wms:layers": ["depth"]}
    child = {"rel": "child", "href": "./sea/collection.json"}
    item = {"rel": "item", "href": "./scene.json"}
    top = {
        "type": "Catalog",
        "stac_version": "1.0.0",
        "id": "baltic",
        "description": "-",
        "links": [child],
    }
    below = {
        "type": "Collection",
        "stac_version": "1.0.0",
        "id": "sea",
        "title": "Sea",
        "links": [wms, item],
    }
    (tmp_path / "sea").mkdir()
    (tmp_path / "catalog.json").write_text(json.dumps(top), "utf-8")
    (tmp_path / "sea" / "collection.json").write_text(json.dumps(below), "utf-8")
    handler = functools.partial(
        http.server.SimpleHTTPRequestHandler, directory=str(tmp_path)
    )
    with serving(handler) as origin:
        yield f"{origin}/catalog.json"


def test_a_stac_of_files_is_read_and_its_items_are_left_alone(
    harvest: Callable[..., Read], static_stac: str
) -> None:
    read = harvest("stac", static_stac)
    assert read == Read(2, {Listed("http://gis.test/wms", "Sea", "OGC:WMS")})


def test_koop_which_has_no_directory_of_its_services_is_a_reason(
    net: Net, address: Address
) -> None:
    part = plugins.discover("harvesters")["arcgis-directory"]
    page = net.runner.run(
        part.page(address("koop/file-geojson/rest/services"), b"", net.fetcher)
    )
    assert isinstance(page, Failure)
    assert page.reason is FailureReason.HTTP_ERROR
