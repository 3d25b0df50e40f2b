"""Documents of data that list thousands of services: catalogues of viewers, feeds of data portals."""

from __future__ import annotations

import asyncio
import json
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from books import BOOK

from geohound import urls
from geohound.document import Document
from geohound.mining import mine
from geohound.mining.application import Fetched, Mined
from geohound.mining.application import mine as mine_app
from geohound.model.visit import Page, Response

URL = "https://data.example.org/catalog.json"


def read(words: str) -> Mined:
    """As `geohound mine` reads it."""

    async def fetch(url: str) -> Fetched | None:
        return Fetched(url, words, "application/json") if url == URL else None

    return asyncio.run(mine_app(URL, fetch, BOOK))


def crawled(words: str, *, is_cut: bool = False) -> Page:
    """As a crawl reads it."""
    kind = {"content-type": "application/json"}
    body, now = words.encode(), datetime.now(UTC)
    answer = Response(URL, URL, 200, kind, body, now, truncated=is_cut)
    return mine(Document(answer), BOOK)


def catalogue(count: int) -> dict[str, Any]:
    """A catalogue as Terria writes them: groups of layers, each of a server of its own."""
    layers = [
        {"type": "wms", "name": f"Layer {n}", "url": f"https://gis{n}.a.test/ows"}
        for n in range(count)
    ]
    groups = [layers[at : at + 25] for at in range(0, count, 25)]
    return {"catalog": [{"type": "group", "members": group} for group in groups]}


def feed(count: int) -> dict[str, Any]:
    """A feed of the kind that data portals have at /data.json."""
    return {
        "dataset": [
            {
                "title": f"Récord {n}",
                "description": "What it is about, and whom to ask. " * 10,
                "distribution": [
                    {"format": "CSV", "downloadURL": f"https://h{n}.b.test/{n}.csv"},
                    {
                        "format": "OGC WMS",
                        "accessURL": f"https://h{n}.b.test/ows?service=WMS&map={n}",
                    },
                ],
            }
            for n in range(count)
        ]
    }


def hosts(page: Page) -> set[str]:
    return {
        urls.host(link.url) for link in page.links if BOOK.looks_like_service(link.url)
    }


@pytest.mark.slow
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("slash", ["/", "\\/"])
@pytest.mark.parametrize(
    ("document", "count"), [(catalogue(600), 600), (feed(4000), 4000)]
)
def test_every_service_of_a_long_list_is_found_however_it_is_written(
    document: dict[str, Any], count: int, slash: str, indent: int | None
) -> None:
    words = json.dumps(document, indent=indent).replace("/", slash)
    found = read(words)
    assert len({urls.host(e.endpoint) for e in found.endpoints}) == count
    assert not found.unsure
    assert found.missing == 0
    page = crawled(words)
    assert len(hosts(page)) == count
    assert not page.unsure


def test_lines_are_those_of_the_file_whatever_stands_for_a_slash() -> None:
    words = json.dumps(feed(3), indent=1).replace("/", "\\/").replace("&", "\\u0026")
    lines = words.splitlines()
    found = {e.line: urls.host(e.endpoint) for e in read(words).endpoints}
    assert len(found) == 3
    assert all(host in lines[line - 1] for line, host in found.items())


def test_what_is_whole_of_a_list_that_is_cut_off_is_read_and_the_rest_is_missed() -> (
    None
):
    words = json.dumps(feed(1000))
    half = words[: len(words) // 2]
    whole = half.count("}]}")
    found = read(half)
    assert whole > 400
    assert len(found.endpoints) >= whole
    assert "not read to its end" in found.unsure
    assert found.missing is None
    page = crawled(half, is_cut=True)
    assert len(hosts(page)) >= whole
    assert "not read to its end" in page.unsure


@pytest.mark.parametrize("end", [1, 10, 20, 40])
def test_a_plain_list_of_addresses_that_is_cut_off_is_read_too(end: int) -> None:
    words = json.dumps([f"https://h{n}.test/geoserver/wms" for n in range(100)])
    found = read(words[:-end])
    assert len(found.endpoints) >= 98
    assert found.unsure


@pytest.mark.slow
def test_more_services_than_there_is_room_for_are_said_to_be_missing() -> None:
    page = crawled(json.dumps([f"https://h.test/{n}/wms" for n in range(30_000)]))
    assert len(page.links) == 20_000
    assert page.unsure


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        "[" + "{}," * 1_500_000 + "{}]",
        "[" + "[]," * 1_500_000,
        '[{"a":' * 300_000,
        '{"url":"' + "\\/" * 2_000_000,
        "[" + '"https://h.test/ows?\\u00e9",' * 150_000 + '"x"]',
    ],
    ids=["objects", "lists", "depth", "string", "values written in another way"],
)
def test_hostile_lists_cost_little(words: str) -> None:
    began = time.process_time()
    read(words)
    crawled(words, is_cut=True)
    assert time.process_time() - began < 10
