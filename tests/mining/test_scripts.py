"""What the scripts of a page name becomes links that ask the right question."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from books import BOOK

from geohound import jsflow
from geohound.document import Document
from geohound.mining import script_links
from geohound.mining.map_page import Explorer
from geohound.model.visit import Response

PAGE = "http://maps.test/"


def asked(code: str) -> set[str]:
    return {
        link.url
        for link in script_links.links(
            [jsflow.Script(PAGE, code, is_inline=True)], PAGE, BOOK
        )
    }


def test_one_address_that_is_two_services_is_asked_for_both() -> None:
    found = asked(
        """
        const base = 'http://gis.test/geo';
        L.tileLayer.wms(base, {layers: 'a'}).addTo(map);
        fetch(base + '?service=WFS&request=GetFeature&typeNames=a').then(show);
        """
    )
    assert {"http://gis.test/geo?SERVICE=WMS&REQUEST=GetCapabilities"} <= found
    assert any("WFS" in address for address in found)


def test_an_address_that_says_itself_what_it_is_is_left_as_it_stands() -> None:
    assert asked(
        "L.tileLayer.wms('http://gis.test/geoserver/wms', {layers: 'a'}).addTo(map);"
    ) == {"http://gis.test/geoserver/wms"}


def test_an_address_under_a_name_for_examples_counts_where_a_map_is_made_of_it() -> (
    None
):
    assert asked(
        "L.tileLayer.wms('https://ows.example.org/geoserver/wms', {layers: 'a'}).addTo(map);"
    ) == {"https://ows.example.org/geoserver/wms"}


def test_a_link_says_how_sure_it_is_that_a_service_stands_there() -> None:
    code = """
        L.tileLayer.wms('http://gis.test/geoserver/wms', {layers: 'a'}).addTo(map);
        var texts = {more: 'http://other.test/cgi-bin/mapserv.exe'};
    """
    script = jsflow.Script(PAGE, code, is_inline=True)
    found = {
        link.url: link.confidence for link in script_links.links([script], PAGE, BOOK)
    }
    assert found["http://gis.test/geoserver/wms"] == 0.95
    assert all(sure < 0.95 for url, sure in found.items() if "other.test" in url)


PLAIN = "function stack(x) { return x.getCap ? x.getCap() : x + 1; }"
CALLS = "L.tileLayer.wms('ows', {layers: 'a'}).addTo(map);"


@pytest.mark.parametrize(
    ("code", "is_barren"),
    [
        (PLAIN, True),
        (CALLS, False),
        ("fetch(location.origin + '/stac').then(show)", False),
        ("import {wms} from './layers.js'; show(wms)", False),
        ("fetch('config/stac.json').then(show)", False),
    ],
)
def test_only_a_script_without_any_address_is_barren_wherever_it_lies(
    code: str, is_barren: bool
) -> None:
    found = jsflow.analyse(PAGE, [jsflow.Script(f"{PAGE}a.js", code)], BOOK)
    assert found.is_barren is is_barren


def test_a_library_that_is_known_by_its_name_is_not_barren_under_another() -> None:
    found = jsflow.analyse(PAGE, [jsflow.Script(f"{PAGE}jquery.min.js", CALLS)], BOOK)
    assert not found.is_barren


def read_at(addresses: list[str], code: str) -> list[set[str]]:
    """What the same script holds at one address after the other."""
    explorer, at = Explorer(BOOK), datetime(2026, 1, 1, tzinfo=UTC)

    async def no_file(_: str) -> None:
        return None

    async def read(url: str) -> set[str]:
        kind = {"content-type": "text/javascript"}
        script = Document(Response(url, url, 200, kind, code.encode(), at))
        return {link.url for link in (await explorer.explore(script, no_file)).links}

    async def read_all() -> list[set[str]]:
        return [await read(url) for url in addresses]

    return asyncio.run(read_all())


def test_the_same_script_is_read_for_each_place_where_it_may_mean_another_address() -> (
    None
):
    found = read_at(["http://a.test/geoserver/x.js", "http://b.test/maps/x.js"], CALLS)
    assert [len(links) for links in found] == [1, 1]
    assert found[0] != found[1]


def test_a_script_that_holds_nothing_holds_nothing_elsewhere() -> None:
    assert read_at(["http://a.test/x.js", "http://b.test/x.js"], PLAIN) == [
        set(),
        set(),
    ]
