"""Programs on this machine reach the geoweb by names below localhost, or by paths at its address."""

from __future__ import annotations

import pytest

from geoweb.protocol import Reply, Request
from geoweb.visitors import (
    Visitor,
    for_visitor,
    page_address,
    program_address,
    visitor_of,
)

BY_NAME = Visitor(r"http://\1.localhost:81")
BY_PATH = Visitor(r"http://127.0.0.1:81/\1", "http://127.0.0.1:81/a.test")


def test_a_name_below_localhost_is_the_name_of_the_web() -> None:
    request, visitor = visitor_of(
        Request("GET", "maps.water.test.localhost:8123", "/wms")
    )
    assert (request.host, request.path) == ("maps.water.test", "/wms")
    assert visitor == Visitor(r"http://\1.localhost:8123")


@pytest.mark.parametrize("host", ["127.0.0.1:81", "localhost:81"])
def test_a_path_that_begins_with_a_name_is_an_address_of_that_name(host: str) -> None:
    request, visitor = visitor_of(Request("GET", host, "/a.test/ows/wms", "x=1"))
    assert (request.host, request.path, request.query) == ("a.test", "/ows/wms", "x=1")
    assert visitor == Visitor(rf"http://{host}/\1", f"http://{host}/a.test")
    request, _ = visitor_of(Request("GET", host, "/a.test"))
    assert request.path == "/"


@pytest.mark.parametrize(
    ("host", "path"),
    [
        ("maps.water.test", "/a.test/"),
        ("localhost:8123", "/"),
        ("127.0.0.1:8123", "/wms/a.test/"),
        ("127.0.0.1:8123", "/a.testing/"),
        ("evil.example", "/a.test/"),
        ("a.test.localhost.example", "/"),
        ("", "/"),
    ],
)
def test_other_requests_stay_as_they_are(host: str, path: str) -> None:
    request = Request("GET", host, path)
    assert visitor_of(request) == (request, None)


def test_addresses_in_texts_and_headers_are_written_for_the_visitor() -> None:
    body = b'<a href="https://b.water.test/x?y=1">b</a> http://c.test:80/ http://d.testing/ see.test'
    redirect = Reply(302, "text/html", body, (("Location", "http://b.test/"),))
    reply = for_visitor(redirect, BY_NAME)
    assert reply.body == (
        b'<a href="http://b.water.test.localhost:81/x?y=1">b</a> http://c.test.localhost:81/ http://d.testing/ see.test'
    )
    assert reply.headers == (("Location", "http://b.test.localhost:81/"),)
    reply = for_visitor(redirect, BY_PATH)
    assert reply.body == (
        b'<a href="http://127.0.0.1:81/b.water.test/x?y=1">b</a> http://127.0.0.1:81/c.test/ http://d.testing/ see.test'
    )
    assert reply.headers == (("Location", "http://127.0.0.1:81/b.test/"),)


def test_what_begins_at_the_root_of_a_site_stays_on_it() -> None:
    body = b'<a href="/maps/">m</a> <img src=\'/i.png\'> <a href="//cdn.test/x"> <a href="b">'
    page = Reply(200, "text/html", body, (("Location", "/there"),))
    reply = for_visitor(page, BY_PATH)
    assert reply.body == (
        b"<a href=\"http://127.0.0.1:81/a.test/maps/\">m</a> <img src='http://127.0.0.1:81/a.test/i.png'>"
        b' <a href="//cdn.test/x"> <a href="b">'
    )
    assert reply.headers == (("Location", "http://127.0.0.1:81/a.test/there"),)
    by_name = for_visitor(page, BY_NAME)
    assert (by_name.body, by_name.headers) == (body, page.headers)


def test_pictures_are_left_alone() -> None:
    reply = Reply(200, "image/png", b"\x89PNG http://a.test/")
    assert for_visitor(reply, BY_PATH).body == reply.body


@pytest.mark.parametrize(
    ("address", "of_page", "of_program"),
    [
        (
            "http://a.b.test/wms?x=http://c.test/",
            "http://a.b.test.localhost:81/wms?x=http://c.test/",
            "http://127.0.0.1:81/a.b.test/wms?x=http://c.test/",
        ),
        ("https://a.test", "http://a.test.localhost:81", "http://127.0.0.1:81/a.test"),
        ("https://a.example/", "https://a.example/", "https://a.example/"),
    ],
)
def test_an_address_is_turned_into_one_that_is_reached_without_knowing_its_name(
    address: str, of_page: str, of_program: str
) -> None:
    assert page_address(address, 81) == of_page
    assert program_address(address, 81) == of_program
