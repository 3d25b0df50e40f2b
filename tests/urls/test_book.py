"""A cheap guess about addresses, made for every link: it must be right often, and fast always."""

from __future__ import annotations

import time

import pytest
from books import BOOK
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    "url",
    [
        "http://a.test/geoserver/ows",
        "http://a.test/cgi-bin/mapserv?map=/data/x.map",
        "http://a.test/x?SERVICE=WFS&request=GetFeature",
        "http://a.test/arcgis/rest/services/A/MapServer",
        "http://a.test/wmts/1.0.0/WMTSCapabilities.xml",
        "http://a.test/saved/getcap_2020.xml",
        "http://a.test/thredds/catalog/x.html",
        "http://a.test/tiles/{z}/{x}/{y}.png",
        "http://a.test/stac/catalog.json",
    ],
)
def test_addresses_of_services_are_suspected(url: str) -> None:
    assert BOOK.looks_like_service(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://a.test/",
        "http://wms.test/about",
        "http://a.test/blog/what-is-wms",
        "http://a.test/maps",
        "x",
    ],
)
def test_pages_are_not(url: str) -> None:
    assert not BOOK.looks_like_service(url)


@given(st.text(max_size=300))
def test_no_text_breaks_it(text: str) -> None:
    BOOK.looks_like_service(text)


@pytest.mark.parametrize(
    "piece",
    [
        "getcap",
        "/geoserver/",
        "map=",
        "capabilities",
        "/v1.",
        "{z",
        "&map=a",
        "service=",
    ],
)
def test_hostile_addresses_cost_little(piece: str) -> None:
    url = "http://h.test/?" + piece * 5000
    began = time.process_time()
    for _ in range(20):
        BOOK.looks_like_service(url)
        BOOK.looks_like_service(url.replace("?", ""))
    assert time.process_time() - began < 1
