"""What elements themselves say."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

from geohound.mining import attributes


def said(html: str) -> attributes.Said:
    return attributes.read(
        LexborHTMLParser(f"<html><body>{html}</body></html>"), "https://h.test/a/", "https://h.test/a/"
    )


def test_a_web_component_with_an_address_names_a_service() -> None:
    (found,) = said('<ol-layer-wms url="https://o.test/b" layer-name="x"></ol-layer-wms>').endpoints
    assert (found.endpoint, found.kind, found.how) == ("https://o.test/b", "wms", "attribute")


def test_a_data_attribute_is_read_by_its_name_or_by_its_address() -> None:
    found = said(
        '<p data-wms-url="../ows" data-home="https://h.test/home" data-x="https://h.test/wfs?service=WFS"></p>'
    )
    assert [(e.endpoint, e.kind) for e in found.endpoints] == [
        ("https://h.test/ows", "wms"),
        ("https://h.test/wfs", "wfs"),
    ]


def test_ordinary_links_and_pictures_are_left_to_others() -> None:
    assert (
        said('<a href="https://h.test/wms">x</a><img src="/wms"><x-link href="https://h.test/wms"></x-link>').endpoints
        == ()
    )


def test_a_configuration_file_in_an_attribute_is_wanted() -> None:
    assert said('<div data-config="/conf/m.json" data-title="a.json"></div>').files == ("https://h.test/conf/m.json",)


def test_the_code_of_handlers_is_kept() -> None:
    assert said("""<a onclick="show('x')">x</a>""").handlers == ("show('x')",)
