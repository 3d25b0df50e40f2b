"""Services that a page names outside its scripts."""

from __future__ import annotations

import asyncio

import pytest
from books import BOOK

from geohound.mining import application
from geohound.mining.application import Fetched, Mined

PAGE = "https://www.agency.test/data/"


def mined(html: str, files: dict[str, str] | None = None) -> Mined:
    there = {PAGE: html, **(files or {})}

    async def fetch(url: str) -> Fetched | None:
        return Fetched(url, there[url], "text/html") if url in there else None

    return asyncio.run(application.mine(PAGE, fetch, BOOK))


def found(
    html: str, files: dict[str, str] | None = None
) -> set[tuple[str | None, str, str]]:
    return {(e.kind, e.endpoint, e.how) for e in mined(html, files).endpoints}


@pytest.mark.parametrize(
    ("html", "how"),
    [
        ('<a href="/ows?service=WMS&amp;request=GetCapabilities">Our maps</a>', "link"),
        (
            "<p>Use https://www.agency.test/ows?service=WMS&amp;request=GetCapabilities in your GIS.</p>",
            "text",
        ),
        (
            "<form action=/ows><input name=service value=WMS><input name=request value=GetCapabilities></form>",
            "form",
        ),
        ('<img src="/ows?service=WMS&amp;request=GetMap&amp;layers=a">', "picture"),
        (
            '<input readonly value="https://www.agency.test/ows?service=WMS&amp;request=GetCapabilities">',
            "picture",
        ),
        (
            '<option value="https://www.agency.test/ows?service=WMS&amp;request=GetCapabilities">',
            "picture",
        ),
    ],
)
def test_what_a_page_names_itself_is_told_with_how_it_was_found(
    html: str, how: str
) -> None:
    assert found(f"<html><body>{html}</body></html>") == {
        ("wms", "https://www.agency.test/ows", how)
    }


def test_the_line_and_the_words_of_a_link_are_kept() -> None:
    (endpoint,) = mined(
        "<html>\n<body>\n<a href='/geoserver/wms?request=GetCapabilities'>All maps</a></body></html>"
    ).endpoints
    assert (endpoint.line, endpoint.call, endpoint.source) == (3, "All maps", PAGE)


def test_a_link_to_a_page_about_a_service_is_no_candidate() -> None:
    assert (
        found(
            "<html><a href=/wms>WMS</a><a href=/help/wfs>WFS</a><a href=/tag/wms>more</a></html>"
        )
        == set()
    )


def test_what_a_script_uses_is_told_once_and_as_the_script_tells_it() -> None:
    html = """<html><a href="http://ows.agency.test/geoserver/wms?service=WMS&request=GetCapabilities">maps</a>
        <script>L.tileLayer.wms("https://ows.agency.test/geoserver/wms", {layers: "a"}).addTo(map)</script></html>"""
    assert found(html) == {("wms", "https://ows.agency.test/geoserver/wms", "call")}


def test_the_page_in_a_frame_is_read_with_its_scripts() -> None:
    frame = '<html><script>L.tileLayer.wms("/ows/roads", {layers: "a"}).addTo(map)</script></html>'
    files = {"https://maps.agency.test/embed": frame}
    html = '<html><iframe src="https://maps.agency.test/embed"></iframe></html>'
    assert found(html, files) == {("wms", "https://maps.agency.test/ows/roads", "call")}


def test_a_page_full_of_frames_costs_a_few_requests() -> None:
    files = {
        f"https://www.agency.test/data/{n}": "<html><p>empty</p></html>"
        for n in range(50)
    }
    html = (
        "<html>" + "".join(f"<iframe src={n}></iframe>" for n in range(50)) + "</html>"
    )
    assert mined(html, files).requests == 1 + application.MAX_FRAMES
