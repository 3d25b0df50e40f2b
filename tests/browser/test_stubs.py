"""What is answered here, and what is worth a fetch."""

from __future__ import annotations

import pytest

from geohound.browser.stubs import PNG, stub_for


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("http://h.test/any", "image"),
        ("http://h.test/wms?SERVICE=WMS&REQUEST=GetMap&LAYERS=a", "fetch"),
        ("http://h.test/wmts/1.0.0/a/default/g/3/2/1.png", "xhr"),
        ("http://h.test/tiles/12/2200/1343", "fetch"),
        ("http://h.test/rest/services/A/MapServer/export?bbox=1", "fetch"),
    ],
)
def test_pictures_and_tiles_are_answered_by_one_point(url: str, what: str) -> None:
    stub = stub_for(url, what, "GET")
    assert stub is not None
    assert stub.body == PNG


@pytest.mark.parametrize(
    "kind", ["stylesheet", "font", "media", "manifest", "ping", "eventsource"]
)
def test_styles_fonts_and_media_are_never_fetched(kind: str) -> None:
    assert stub_for("http://h.test/x", kind, "GET") is not None


def test_features_are_not_fetched_and_there_are_none() -> None:
    as_json = stub_for(
        "http://h.test/wfs?request=GetFeature&outputFormat=application/json",
        "fetch",
        "GET",
    )
    as_xml = stub_for("http://h.test/wfs?request=GetFeature&typeName=a", "fetch", "GET")
    posted = stub_for("http://h.test/geoserver/wfs", "xhr", "POST")
    assert as_json is not None and b'"features":[]' in as_json.body
    assert as_xml is not None and as_xml.content_type == "text/xml"
    assert posted is not None


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("http://h.test/wms?SERVICE=WMS&REQUEST=GetCapabilities", "fetch"),
        ("http://h.test/config.json", "fetch"),
        ("http://h.test/app.js", "script"),
        ("http://h.test/rest/services/A/MapServer?f=json", "xhr"),
        ("http://h.test/frame.html", "document"),
    ],
)
def test_scripts_configuration_and_capabilities_are_fetched(
    url: str, what: str
) -> None:
    assert stub_for(url, what, "GET") is None
