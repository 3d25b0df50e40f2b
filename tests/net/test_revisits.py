"""Asking again what was read before, and redirects that lead to somebody else's site."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from polite import behaving

from geohound import urls
from geohound.model.failure import FailureReason
from geohound.model.visit import Response, Validators


def same_site(url, target):
    return urls.site(url) == urls.site(target)


DATE = "Tue, 05 May 2026 10:00:00 GMT"


def run(web, answers, work):
    async def go():
        async with web.serving(answers) as server, web.fetching(server) as fetcher:
            return await work(fetcher), server

    return asyncio.run(go())


def response(status=200, chain=(), **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response("u", "u", status, named, b"", datetime.now(UTC), chain=chain)


@pytest.mark.parametrize(
    ("answer", "validators"),
    [
        (response(etag='"a"', last_modified=DATE), Validators('"a"', DATE)),
        (response(etag='W/"a"'), Validators('W/"a"')),
        (response(last_modified=DATE), Validators("", DATE)),
        (response(), None),
        (response(404, etag='"a"'), None),
        (response(etag='"a"', chain=("http://a.test/",)), None),
        (response(etag='"' + "a" * 600 + '"'), None),
        (response(etag='"ä"', last_modified=DATE), Validators("", DATE)),
        (response(etag='"a"\r\nX-Evil: 1'), None),
    ],
)
def test_validators_are_what_the_answer_gave_and_can_be_sent_back(answer, validators):
    assert Validators.of(answer) == validators


def test_a_server_that_recognises_our_copy_answers_304_without_a_body(web):
    fresh = web.http(
        b"map", 'ETag: "v1"', f"Last-Modified: {DATE}", "Connection: close"
    )
    same = b'HTTP/1.1 304 Not Modified\r\nETag: "v1"\r\nConnection: close\r\n\r\n'

    async def go():
        async def by_tag(reader, writer):
            writer.write(same if 'If-None-Match: "v1"' in server.heads[-1] else fresh)
            await writer.drain()

        async with (
            web.serving({"/": by_tag}) as server,
            web.fetching(server) as fetcher,
        ):
            first = await fetcher.fetch("http://a.test/")
            again = await fetcher.fetch("http://a.test/", known=Validators.of(first))
            return first, again, await fetcher.fetch("http://a.test/"), server

    first, again, after, server = asyncio.run(go())
    assert (first.status, first.body) == (200, b"map")
    assert (again.status, again.body) == (304, b"")
    assert (after.status, after.body) == (200, b"map")
    assert f"If-Modified-Since: {DATE}\r\n" in server.heads[1]
    assert "If-" not in server.heads[0]
    assert "If-" not in server.heads[2]  # nothing sticks to a handle that is used again


def test_validators_are_not_sent_to_where_a_redirect_leads(web):
    """If-Modified-Since of one page would have another, older one answer 304 though it was never read."""
    answers = {
        "/": web.http(b"", "Location: /b", status="302 Found"),
        "/b": web.http(b"b"),
    }

    async def work(fetcher):
        return await fetcher.fetch("http://a.test/", known=Validators('"v1"', DATE))

    visit, server = run(web, answers, work)
    assert visit.body == b"b"
    assert "If-None-Match" in server.heads[0]
    assert "If-" not in server.heads[1]


def test_a_validator_brings_no_header_of_its_own_along(web):
    async def work(fetcher):
        return await fetcher.fetch(
            "http://a.test/", known=Validators('"a"\r\nX-Evil: 1', "x\nX-Evil: 2")
        )

    _, server = run(web, {"/": web.http()}, work)
    assert "\nX-Evil" not in server.heads[0]


@pytest.mark.parametrize(
    ("start", "location", "destination"),
    [
        ("http://a.test/", "http://b.test/x", "http://b.test/x"),
        ("http://a.test/", "//b.test/./x/../y?q=1#frag", "http://b.test/y?q=1"),
        ("http://a.test/", "HTTPS://B.TEST:443/%7ejoe", "https://b.test/~joe"),
        ("http://a.test/", "http://127.0.0.1/", "http://127.0.0.1/"),
        ("http://one.a.test/", "http://b.test?sid=1", "http://b.test/"),
    ],
)
def test_who_stays_gets_a_redirect_to_another_site_as_the_answer(
    web, start, location, destination
):
    answers = {
        "/": web.http(b"moved", f"Location: {location}", status="301 Moved"),
        "/x": web.http(b"x"),
    }

    async def work(fetcher):
        return await fetcher.fetch(start, follows=same_site)

    visit, server = run(web, answers, work)
    assert isinstance(visit, Response)
    assert (visit.status, visit.headers["location"], visit.chain) == (
        301,
        destination,
        (),
    )
    assert (visit.url, visit.final_url) == (start, start)
    assert server.requests == ["/"]


def test_who_stays_still_follows_redirects_within_the_site(web):
    answers = {
        "/": web.http(b"", "Location: http://www.a.test/2", status="301 Moved"),
        "/2": web.http(b"", "Location: http://geo.a.test:8080/3", status="302 Found"),
        "/3": web.http(b"", "Location: http://elsewhere.test/4", status="302 Found"),
    }

    async def work(fetcher):
        return await fetcher.fetch(
            "http://a.test/", follows=same_site
        ), await fetcher.fetch("http://a.test/")

    (staying, leaving), server = run(web, answers, work)
    assert staying.chain == ("http://a.test/", "http://www.a.test/2")
    assert staying.final_url == "http://geo.a.test:8080/3"
    assert staying.headers["location"] == "http://elsewhere.test/4"
    assert leaving.final_url == "http://elsewhere.test/4"
    assert server.requests == ["/", "/2", "/3", "/", "/2", "/3", "/4"]


@pytest.mark.parametrize(
    "location", ["ftp://b.test/", "http://u@b.test/", "javascript:alert(1)"]
)
def test_a_redirect_to_no_web_address_is_a_bad_url_for_those_who_stay_too(
    web, location
):
    async def work(fetcher):
        return await fetcher.fetch("http://a.test/", follows=same_site)

    visit, _ = run(
        web, {"/": web.http(b"", f"Location: {location}", status="302 F")}, work
    )
    assert visit.reason is FailureReason.BAD_URL


def test_robots_txt_is_read_where_it_was_moved_to_even_by_those_who_stay(web):
    answers = {
        "/robots.txt": web.http(
            b"", "Location: http://b.test/rules", status="301 Moved"
        ),
        "/rules": web.http(b"User-agent: *\nDisallow: /"),
    }

    async def go():
        async with (
            web.serving(answers) as server,
            web.fetching(server, policy=behaving()) as fetcher,
        ):
            return await fetcher.fetch("http://a.test/", follows=same_site)

    assert asyncio.run(go()).reason is FailureReason.ROBOTS
