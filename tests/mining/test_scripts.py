"""What the scripts of a page name becomes links that ask the right question."""

from __future__ import annotations

from books import BOOK

from geohound import jsflow
from geohound.mining import script_links

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
