"""Words of addresses and texts."""

from __future__ import annotations

from geohound.agent.words import MAX_WORDS, text_words, url_words


def test_the_parts_of_an_address_are_words_and_a_plain_parameter_is_one() -> None:
    """Sidsten 2012 searches for request=getcapabilities, service=wms and 4326."""
    url = "http://maps.test/geoserver/topp/ows?SERVICE=WMS&request=GetCapabilities&srs=EPSG:4326"
    assert url_words(url) == [
        "geoserver", "topp", "ows", "service=wms", "request=getcapabilities", "epsg", "4326",
    ]  # fmt: skip


def test_encoded_parts_are_read_as_they_are_meant_and_none_comes_twice() -> None:
    assert url_words("http://a.test/land%20cover/land_cover/?map=/srv/land.map") == [
        "land",
        "cover",
        "srv",
        "map",
    ]


def test_short_words_numbers_and_stop_words_of_any_language_are_no_words() -> None:
    assert text_words("The map of 2010, und die Karte: x 12345 Bäume 地图") == [
        "map",
        "2010",
        "karte",
        "baume",
        "地图",
    ]


def test_no_text_is_too_long_or_too_broken() -> None:
    assert len(text_words(" ".join(f"word{n}x" for n in range(10_000)))) == MAX_WORDS
    assert url_words("http://[broken/ows?service=wms") == []
    assert len("".join(url_words("http://a.test/" + "x" * 100_000))) < 100
