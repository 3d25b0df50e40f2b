"""Which pages of a crawl are read together with their scripts."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from books import BOOK

from geohound.document import Document
from geohound.mining.map_page import Explorer
from geohound.model.visit import Response

PAGE = "http://maps.test/"
# more than the shell of an application, which is read with its scripts in any case
WORDS = "<p>" + "of rivers and roads " * 1_500


def asked_with(body: str) -> list[str]:
    """The files that are asked for with the page."""
    asked: list[str] = []

    async def fetch(url: str) -> Response | None:
        asked.append(url)
        return None

    html = f"<!DOCTYPE html><script src='app.js'></script>{body}{WORDS}"
    kind, at = {"content-type": "text/html"}, datetime(2026, 1, 1, tzinfo=UTC)
    page = Document(Response(PAGE, PAGE, 200, kind, html.encode(), at))
    asyncio.run(Explorer(BOOK).explore(page, fetch))
    return asked


@pytest.mark.parametrize("holder", ['<div id="map">', '<div class="karte">'])
def test_a_page_with_an_element_for_a_map_is_read_with_its_scripts(holder: str) -> None:
    assert asked_with(holder) == [f"{PAGE}app.js"]


def test_a_picture_with_links_is_no_map() -> None:
    picture = '<img usemap="#graph_map"><map id="graph_map" name="graph_map"></map>'
    assert asked_with(picture) == []
    assert asked_with(f'{picture}<div id="map">') == [f"{PAGE}app.js"]
