"""A browser on this machine can walk through the geoweb by names below localhost."""

from __future__ import annotations

import pytest

from geoweb.protocol import Reply, Request
from geoweb.visitors import for_visitor, local_address, name_of_visitor


def test_a_name_below_localhost_is_the_name_of_the_web() -> None:
    request, suffix = name_of_visitor(
        Request("GET", "maps.water.test.localhost:8123", "/wms")
    )
    assert (request.host, suffix) == ("maps.water.test", ".localhost:8123")


@pytest.mark.parametrize(
    "host",
    [
        "maps.water.test",
        "localhost:8123",
        "evil.example",
        "a.test.localhost.example",
        "",
    ],
)
def test_other_names_stay_as_they_are(host: str) -> None:
    request = Request("GET", host, "/")
    assert name_of_visitor(request) == (request, "")


def test_addresses_in_texts_and_headers_are_written_for_the_visitor() -> None:
    body = b'<a href="https://b.water.test/x?y=1">b</a> http://c.test:80/ http://d.testing/ see.test'
    reply = for_visitor(
        Reply(302, "text/html", body, (("Location", "http://b.test/"),)),
        ".localhost:81",
    )
    assert reply.body == (
        b'<a href="http://b.water.test.localhost:81/x?y=1">b</a> http://c.test.localhost:81/ http://d.testing/ see.test'
    )
    assert reply.headers == (("Location", "http://b.test.localhost:81/"),)


def test_pictures_are_left_alone() -> None:
    reply = Reply(200, "image/png", b"\x89PNG http://a.test/")
    assert for_visitor(reply, ".localhost:81").body == reply.body


@pytest.mark.parametrize(
    ("address", "local"),
    [
        (
            "http://a.b.test/wms?x=http://c.test/",
            "http://a.b.test.localhost:81/wms?x=http://c.test/",
        ),
        ("https://a.test", "http://a.test.localhost:81"),
        ("https://a.example/", "https://a.example/"),
    ],
)
def test_an_address_is_turned_into_one_that_a_browser_reaches(
    address: str, local: str
) -> None:
    assert local_address(address, 81) == local
