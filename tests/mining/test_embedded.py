"""Services that markup shows without a link are candidates too."""

from __future__ import annotations

import time

import pytest
from books import BOOK

from geohound.mining import embedded, html
from geohound.model.visit import LinkPlace

MAP = "https://ows.test/maps?SERVICE=WMS&REQUEST=GetMap&LAYERS=a&BBOX=1,2,3,4"


@pytest.mark.parametrize(
    "markup",
    [
        f'<img src="{MAP}">',
        f"<img alt='' src='{MAP.replace('&', '&amp;')}'>",
        f'<picture><source srcset="{MAP} 2x, small.png 1x"></picture>',
        f'<object data="{MAP}" type="image/png"></object>',
        f'<embed src="{MAP}">',
        f'<div style="width: 3em; background: url({MAP}) no-repeat"></div>',
        f'<style>.map {{ background-image: url("{MAP}") }}</style>',
        f'<td background="{MAP}">',
        f'<div data-url="{MAP}"></div>',
        f'<noscript><img src="{MAP}"></noscript>',
        f'<iframe src="{MAP}"></iframe>',
    ],
)
def test_a_map_that_a_page_shows_is_a_candidate(markup: str) -> None:
    page = html.read(f"<html><body>{markup}</body></html>", "https://h.test/", BOOK)
    assert MAP in {link.url for link in page.links}


@pytest.mark.parametrize(
    "markup",
    [
        """<a href="javascript:show('https://ows.test/wms')">show</a>""",
        """<button onclick="addLayer('https://ows.test/wms', 'roads')">add</button>""",
        '<select><option value="https://ows.test/wms">roads</option></select>',
        '<meta name="wms" content="https://ows.test/wms">',
        '<a href="wms:https://ows.test/wms">in your GIS</a>',
        '<link rel="service" href="https://ows.test/wms">',
        '<form action="https://ows.test/wms" method="post"><textarea name="xml"></textarea></form>',
    ],
)
def test_a_service_that_a_page_holds_for_its_scripts_and_forms_is_a_candidate(
    markup: str,
) -> None:
    page = html.read(f"<html><body>{markup}</body></html>", "https://h.test/", BOOK)
    assert "https://ows.test/wms" in {link.url for link in page.links}


def test_what_is_linked_or_thrown_away_is_not_held() -> None:
    source = """<a href="https://ows.test/wms">linked</a><a href="about/wms.html">read</a>
        <a onclick="track('wms')" href="javascript:void(0)">WMS</a><option value="wms">WMS</option>"""
    assert embedded.links(source, html.scan(source, BOOK).words, BOOK) == []


def test_layers_written_as_json_into_a_data_attribute_are_candidates() -> None:
    layers = '[{"name": "a", "url": "https://ows.test/geoserver/wms"}, {"url": "/cgi-bin/mapserv?map=/m.map"}]'
    escaped = layers.replace("ows", "two").replace('"', "&quot;")
    source = f"<div data-layers='{layers}'></div><div data-more=\"{escaped}\"></div>"
    found = {
        link.url for link in embedded.links(source, html.scan(source, BOOK).words, BOOK)
    }
    assert found == {
        "https://ows.test/geoserver/wms", "https://two.test/geoserver/wms", "/cgi-bin/mapserv?map=/m.map",
    }  # fmt: skip


def test_plain_pictures_and_scripts_are_not_taken_for_services() -> None:
    source = (
        '<img src="logo.png"><img src="/wms/logo.png"><img src="https://h.test/news/wms-is-here.jpg">'
        f"<!-- <img src='{MAP}'> --><script>var x = \"<img src='{MAP}'>\";</script>"
        '<div data-id="wms" data-text="Our WMS has moved"></div>'
    )
    assert embedded.links(source, html.scan(source, BOOK).words, BOOK) == []


def test_a_relative_address_is_told_as_it_stands() -> None:
    source = '<img src="../cgi-bin/mapserv?map=/m.map&mode=map">'
    (found,) = embedded.links(source, html.scan(source, BOOK).words, BOOK)
    assert (found.url, found.place) == (
        "../cgi-bin/mapserv?map=/m.map&mode=map",
        LinkPlace.EMBED,
    )


@pytest.mark.parametrize(
    "hostile",
    [
        "<img src='wms" * 100_000,
        ' data-a="{wms' * 100_000,
        "<style>" * 100_000 + "wms",
        "<!--" * 300_000 + "wms",
        "wms style=" + "url(" * 300_000,
        '<img srcset="' + "wms, " * 200_000 + '">',
        "<a onclick=\"'wms" * 100_000,
        '<a href="javascript:' + "'/wms'+" * 100_000 + '">',
        "<option value='/wms'>" * 100_000,
    ],
)
def test_hostile_markup_costs_a_bounded_time(hostile: str) -> None:
    began = time.thread_time()
    embedded.links(hostile, html.scan(hostile, BOOK).words, BOOK)
    assert time.thread_time() - began < 2.0
