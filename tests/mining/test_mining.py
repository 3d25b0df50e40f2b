"""What pages hold, as people write them: hyperlinks and common text (Li, Yang & Yang 2010, step 4 of figure 9)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from books import BOOK
from hypothesis import given
from hypothesis import strategies as st

from geohound import jsflow
from geohound.document import Document
from geohound.mining import charset, html, mine, script_text, text
from geohound.model.visit import LinkPlace, Page, Response


def mined(
    body: bytes | str,
    content_type: str = "text/html",
    url: str = "http://a.test/x/page.html",
) -> Page:
    raw = body if isinstance(body, bytes) else body.encode()
    return mine(
        Document(
            Response(
                url, url, 200, {"content-type": content_type}, raw, datetime.now(UTC)
            )
        ),
        BOOK,
    )


def found(page: Page, place: LinkPlace) -> list[str]:
    return [link.url for link in page.links if link.place is place]


def test_anchors_areas_frames_and_alternates_are_links() -> None:
    """LI-5: addresses "that exist on the web page as hyperlinks" (figure 9, step 4)."""
    page = mined(
        "<html><head><link rel=alternate href=/alt.json><link rel=stylesheet href=s.css></head><body>"
        "<a href='one.html'>One <b>bold</b></a><map><area href=two.html alt='Two'></map>"
        "<iframe src=three.html></iframe>"
    )
    assert found(page, LinkPlace.ANCHOR) == ["one.html"]
    assert [link.text for link in page.links if link.place is LinkPlace.ANCHOR] == [
        "One bold"
    ]
    assert found(page, LinkPlace.AREA) == ["two.html"]
    assert found(page, LinkPlace.FRAME) == ["three.html"]
    assert found(page, LinkPlace.META) == ["/alt.json"]


def test_addresses_in_running_text_are_found_without_the_sentence_around_them() -> None:
    """LI-5: addresses that exist "as common text" (figure 9, step 4)."""
    page = mined(
        "<p>Our WMS (see http://b.test/wms?map=x.map&amp;service=WMS). Or HTTPS://C.test/ows!</p>"
    )
    assert found(page, LinkPlace.TEXT) == [
        "http://b.test/wms?map=x.map&service=WMS",
        "HTTPS://C.test/ows",
    ]


def test_addresses_in_code_samples_and_form_fields_are_found() -> None:
    page = mined(
        '<pre>gdalinfo "WMS:http://b.test/wms?"</pre><input readonly value="http://c.test/wfs">'
    )
    assert found(page, LinkPlace.CODE) == ["http://b.test/wms", "http://c.test/wfs"]


def test_a_form_that_spells_a_request_becomes_that_request() -> None:
    page = mined(
        "<form action='/cgi/wms'><input type=hidden name=SERVICE value=WMS>"
        "<input type=hidden name=REQUEST value=GetCapabilities><input type=submit></form>"
    )
    assert found(page, LinkPlace.FORM) == [
        "/cgi/wms?SERVICE=WMS&REQUEST=GetCapabilities"
    ]


def test_a_log_in_form_is_left_alone() -> None:
    assert not found(
        mined(
            "<form action=/login><input name=u value=x><input type=password name=p></form>"
        ),
        LinkPlace.FORM,
    )


def test_inline_scripts_give_service_addresses_but_not_every_address() -> None:
    page = mined(
        "<script>// new L.WMS('http://old.test/wms')\n"
        "var a = L.tileLayer.wms('http://b.test/geoserver/wms', {layers: 'x'});"
        "var doc = 'http://docs.test/manual.html', ns = 'http://www.opengis.net/gml';"
        "fetch('../config/layers.json'); var r = '/geoserver/ows';</script>"
    )
    assert found(page, LinkPlace.SCRIPT) == [
        "http://b.test/geoserver/wms",
        "/geoserver/ows",
    ]
    assert found(page, LinkPlace.CONFIG) == ["../config/layers.json"]


def test_script_files_are_named_but_libraries_are_not() -> None:
    page = mined(
        "<script src=js/jquery-3.6.0.min.js></script><script src=/lib/ol.js></script><script src=js/map.js></script>"
    )
    assert page.script_files == ("js/map.js",)


@pytest.mark.parametrize(
    "name",
    [
        "ol.js",
        "leaflet-src.js",
        "jquery-1.2.min.js",
        "OpenLayers.js",
        "bootstrap.bundle.min.js",
    ],
)
def test_libraries_are_known_by_their_names(name: str) -> None:
    assert jsflow.is_well_known_library(f"/static/{name}")


@pytest.mark.parametrize(
    "name", ["app.js", "console.js", "mapviewer.js", "control.js", "cold.js"]
)
def test_other_scripts_are_not_taken_for_libraries(name: str) -> None:
    assert not jsflow.is_well_known_library(f"/static/{name}")


def test_configuration_named_in_data_attributes_is_followed() -> None:
    page = mined(
        "<div data-config='/config/map-3.json' data-wms='http://b.test/wms?a=1&amp;b=2' data-x='hello'></div>"
    )
    assert found(page, LinkPlace.CONFIG) == ["/config/map-3.json"]
    assert found(page, LinkPlace.SCRIPT) == ["http://b.test/wms?a=1&b=2"]


def test_a_viewer_configuration_gives_its_services() -> None:
    body = '{"layers": [{"type": "wms", "url": "https:\\/\\/b.test\\/wms?", "x": "https://docs.test/index.html"}]}'
    assert found(mined(body, "application/json"), LinkPlace.SCRIPT) == [
        "https://b.test/wms"
    ]


def test_a_sitemap_gives_its_locations() -> None:
    body = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc> http://a.test/p1 </loc></url></urlset>"
    assert found(mined(body, "application/xml"), LinkPlace.SITEMAP) == [
        "http://a.test/p1"
    ]


def test_meta_robots_is_seen() -> None:
    assert mined("<meta name=ROBOTS content='NOINDEX, NOFOLLOW'>").nofollow
    assert mined("<meta name=robots content=none>").nofollow
    assert not mined("<meta name=robots content=all>").nofollow


def test_nofollow_links_are_marked() -> None:
    assert [
        link.nofollow
        for link in mined(
            "<a rel='external nofollow' href=x>x</a><a href=y>y</a>"
        ).links
    ] == [
        True,
        False,
    ]


def test_base_moves_relative_links() -> None:
    assert (
        mined("<base href='http://c.test/d/'><a href=e>e</a>").url == "http://c.test/d/"
    )


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        ("Straße".encode("iso-8859-1"), "text/html; charset=ISO-8859-1", "Straße"),
        (
            b"<meta charset=windows-1251>" + "Карта".encode("windows-1251"),
            "text/html",
            "Карта",
        ),
        (
            b"<meta charset=gb2312>" + "地图服务".encode("gb2312"),
            "text/html",
            "地图服务",
        ),
        ("地図".encode("shift_jis"), "text/html; charset=Shift_JIS", "地図"),
        ("\ufeffKarte".encode("utf-16"), "text/html; charset=utf-8", "Karte"),
        ("Straße".encode(), "text/html; charset=iso-8859-99", "Straße"),
        ("“dash”".encode("windows-1252"), "text/html; charset=latin-1", "“dash”"),
        (b"plain", "text/html; charset=rot13", "plain"),
    ],
)
def test_text_is_decoded_as_declared_or_as_meant(
    body: bytes, content_type: str, expected: str
) -> None:
    assert expected in charset.decode(body, content_type)


@given(
    st.binary(max_size=2000),
    st.sampled_from(
        ["", "text/html", "text/javascript", "application/json", "text/xml"]
    ),
)
def test_no_bytes_whatever_break_mining(body: bytes, content_type: str) -> None:
    mined(body, content_type)


@given(st.text(max_size=500))
def test_no_text_whatever_breaks_the_readers_of_text_and_script(words: str) -> None:
    script_text.links(words, BOOK)
    for link in text.links(words, LinkPlace.TEXT):
        assert link.url.lower().startswith("http")


def test_hostile_markup_costs_little() -> None:
    mined("<div>" * 100_000)
    mined("<a href='x" + "'" * 1_000_000)
    mined("<script>" + "/*" * 500_000)
    mined("<script>" + "'http://" * 100_000)


def test_a_comment_that_never_ends_costs_one_pass() -> None:
    mined("<script>" + "/* " * 600_000)
    mined("<script>" + "'/* " * 400_000)


def test_links_that_were_told_of_other_pages_are_left_out_but_for_those_of_this_page_alone() -> (
    None
):
    asked: list[tuple[str, str]] = []

    def is_known(place: str, address: str) -> bool:
        asked.append((place, address))
        return address in ("b.html", "/c", "http://d.test/")

    source = '<a href="b.html">1</a><a href="/c">2</a><a href="http://d.test/">3</a><a href="?e=1">4</a><a href="f">5</a>'
    page = html.read(source, "http://a.test/x/y.html", BOOK, is_known=is_known)
    assert [link.url for link in page.links] == ["?e=1", "f"]
    here = "http://a.test/x/"
    assert asked == [
        (here, "b.html"),
        ("http://a.test", "/c"),
        ("", "http://d.test/"),
        (here, "f"),
    ]


def test_a_page_that_is_not_to_be_followed_leaves_its_links_to_others() -> None:
    source = '<meta name=robots content=nofollow><a href="b">1</a>'
    assert [
        link.url
        for link in html.read(
            source, "http://a.test/", BOOK, is_known=lambda *_: True
        ).links
    ] == ["b"]


def test_an_anchor_that_is_not_to_be_followed_leaves_its_address_to_others() -> None:
    page = html.read(
        '<a rel=nofollow href="b">1</a>',
        "http://a.test/",
        BOOK,
        is_known=lambda *_: True,
    )
    assert [(link.url, link.nofollow) for link in page.links] == [("b", True)]


def test_names_of_namespaces_schemas_and_doctypes_are_no_addresses() -> None:
    source = (
        '<!DOCTYPE a SYSTEM "http://s.test/a.dtd" [<!ENTITY b "c">]>'
        '<a xmlns="http://n.test/1" xmlns:b=\'http://n.test/2\' b:schemaLocation="http://n.test/1 http://n.test/1.xsd"'
        ' href="http://x.test/y">See http://z.test/wms</a>'
    )
    assert [link.url for link in text.links(source, LinkPlace.XML)] == [
        "http://x.test/y",
        "http://z.test/wms",
    ]
