"""robots.txt over the wire: fetched once, shared, remembered, and respected at every step.

Li, Yang & Yang 2010 name it in section 7 as what their crawler lacks.
"""

from __future__ import annotations

import asyncio

import pytest
from polite import behaving, bounded

from geohound.model.failure import FailureReason
from geohound.model.visit import Failure, Response
from geohound.net.address_guard import Guard
from geohound.net.fetcher import CurlFetcher
from geohound.net.robots import Robots

POLITE = behaving()


def test_a_disallowed_page_is_not_asked_for(web):
    """LI-10: section 7 names "a robots exclusion protocol"."""
    answers = {
        "/robots.txt": web.http(b"User-agent: *\nDisallow: /private"),
        "/": web.http(b"x"),
    }
    visits, server = web.ask(
        answers, "http://a.test/", "http://a.test/private/x", policy=POLITE
    )
    assert visits[0].status == 200
    assert visits[1].reason is FailureReason.ROBOTS
    assert server.requests == ["/robots.txt", "/"]


def test_a_redirect_into_a_disallowed_page_is_not_followed(web):
    answers = {
        "/robots.txt": web.http(b"User-agent: *\nDisallow: /private"),
        "/": web.http(b"", "Location: http://b.test/private", status="302 F"),
        "/private": web.http(b"secret"),
    }
    (visit,), server = web.ask(answers, "http://a.test/", policy=POLITE)
    assert visit.reason is FailureReason.ROBOTS
    assert server.requests == ["/robots.txt", "/", "/robots.txt"]


def test_questions_at_the_same_time_share_one_request(web):
    async def run():
        async def slow(reader, writer):
            await asyncio.sleep(0.1)
            writer.write(web.http(b"User-agent: *\nDisallow: /no", "Connection: close"))
            await writer.drain()

        async with (
            web.serving({"/robots.txt": slow}) as server,
            web.fetching(server, policy=POLITE) as fetcher,
        ):
            asked = [
                fetcher.robots.allowed(f"http://a.test/{name}")
                for name in ["yes", "no"] * 10
            ]
            tasks = [asyncio.create_task(each) for each in asked]
            await asyncio.sleep(0.02)
            # the one that began the request leaves; the others still get their answer
            tasks[0].cancel()
            verdicts = await asyncio.gather(*tasks, return_exceptions=True)
            return verdicts, server

    verdicts, server = asyncio.run(run())
    assert isinstance(verdicts[0], asyncio.CancelledError)
    assert verdicts[1:] == [False] + [True, False] * 9
    assert server.requests == ["/robots.txt"]


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        ("200 OK", None),
        ("204 No Content", None),
        ("401 Unauthorized", None),
        ("403 Forbidden", None),
        ("404 Not Found", None),
        ("410 Gone", None),
        ("304 Not Modified", None),
        ("429 Too Many", FailureReason.RATE_LIMITED),
        ("500 Error", FailureReason.UNAVAILABLE),
        ("503 Busy", FailureReason.UNAVAILABLE),
    ],
)
def test_a_missing_file_allows_all_and_a_broken_server_nothing(web, status, reason):
    answers = {"/robots.txt": web.http(b"", status=status), "/": web.http(b"x")}
    (visit,), server = web.ask(answers, "http://a.test/", policy=POLITE)
    if reason is None:
        assert isinstance(visit, Response)
    else:
        assert isinstance(visit, Failure)
        assert visit.reason is reason
        assert visit.retry_after_s == 600
        assert server.requests == ["/robots.txt"]


def test_an_unreachable_host_is_reported_as_such_and_not_as_forbidden_by_robots():
    async def run():
        fetcher = CurlFetcher(behaving(), Guard.opening(["127.0.0.0/8"]), bounded())
        visit = await fetcher.fetch("http://127.0.0.1:1/")
        allowed = await fetcher.robots.allowed("http://127.0.0.1:1/x")
        await fetcher.close()
        return visit, allowed

    visit, allowed = asyncio.run(run())
    assert visit.reason is FailureReason.REFUSED
    assert not allowed


def test_robots_txt_may_be_redirected_to_another_host_but_not_without_end(web):
    answers = {
        f"/r{n}": web.http(b"", f"Location: http://b.test/r{n + 1}", status="301 M")
        for n in range(4)
    }
    answers |= {
        "/robots.txt": web.http(b"", "Location: /r0", status="301 M"),
        "/r4": web.http(b"User-agent: *\nDisallow: /x"),
        "/x": web.http(b"x"),
    }
    (visit,), _ = web.ask(answers, "http://a.test/x", policy=POLITE)
    assert visit.reason is FailureReason.ROBOTS

    endless = {
        "/robots.txt": web.http(b"", "Location: /robots.txt", status="301 M"),
        "/x": web.http(b"x"),
    }
    (visit,), _ = web.ask(endless, "http://a.test/x", policy=POLITE)
    assert visit.status == 200


def test_the_file_is_read_up_to_500_kib(web):
    body = (
        b"User-agent: *\nDisallow: /early\n"
        + b"# filler\n" * 80_000
        + b"Disallow: /late\n"
    )
    answers = {"/robots.txt": web.http(body), "/late": web.http(b"x")}
    visits, _ = web.ask(
        answers, "http://a.test/early", "http://a.test/late", policy=POLITE
    )
    assert visits[0].reason is FailureReason.ROBOTS
    assert visits[1].status == 200


def test_origins_are_kept_apart(web):
    async def run():
        robots = web.http(
            b"User-agent: *\nDisallow: /no\nCrawl-delay: 4\nSitemap: /map.xml\nSitemap: ftp://x/y"
        )
        async with (
            web.serving({"/robots.txt": robots}) as server,
            web.fetching(server) as fetcher,
        ):
            before = fetcher.robots.delay_s("http://a.test/x")
            maps = await fetcher.robots.sitemaps("http://a.test")
            again = await fetcher.robots.sitemaps("http://a.test/deep/page")
            delays = [
                fetcher.robots.delay_s(url)
                for url in ("http://a.test/x", "http://b.test/", "nonsense")
            ]
            return before, maps, again, delays, server

    before, maps, again, delays, server = asyncio.run(run())
    assert before is None
    assert delays == [4.0, None, None]
    assert maps == again == ("http://a.test/map.xml",)
    assert server.requests == ["/robots.txt"]


@pytest.mark.parametrize(
    ("status", "fresh_s"),
    [("200 OK", 24 * 3600), ("404 Not Found", 24 * 3600), ("503 Busy", 600)],
)
def test_an_answer_is_remembered_for_its_time_and_then_asked_again(
    web, clock, status, fresh_s
):
    async def run():
        answers = {"/robots.txt": web.http(b"", status=status)}
        async with web.serving(answers) as server, web.fetching(server) as fetcher:

            async def fetch(url, max_bytes, known):
                return await fetcher.fetch(url, max_bytes=max_bytes)

            robots = Robots(fetch, clock, "Geohound")
            counts = []
            for pause_s in (0, fresh_s - 1, 2):
                clock.seconds += pause_s
                await robots.allowed("http://a.test/x")
                counts.append(len(server.requests))
            return counts

    assert asyncio.run(run()) == [1, 1, 2]


def test_what_was_read_before_a_restart_is_not_asked_for_again_while_it_is_fresh(
    web, clock
):
    async def run():
        answers = {"/robots.txt": web.http(b"User-agent: *\nDisallow: /no")}
        async with web.serving(answers) as server, web.fetching(server) as fetcher:

            async def fetch(url, max_bytes, known):
                return await fetcher.fetch(url, max_bytes=max_bytes)

            first = Robots(fetch, clock, "Geohound")
            await first.allowed("http://a.test/x")
            news = first.take_news()
            assert first.take_news() == []
            second = Robots(fetch, clock, "Geohound")
            second.recall(news)
            verdicts = [
                await second.allowed("http://a.test/x"),
                await second.allowed("http://a.test/no"),
            ]
            asked = len(server.requests)
            late = Robots(fetch, clock, "Geohound")
            late.recall([read._replace(age_s=25 * 3600) for read in news])
            await late.allowed("http://a.test/x")
            return verdicts, asked, len(server.requests)

    assert asyncio.run(run()) == ([True, False], 1, 2)


def test_rules_that_have_not_changed_are_kept_at_the_price_of_a_304(web, clock):
    """The second day the server recognises what we have; the third day it has something new."""

    async def run():
        states = iter(["first", "same", "new"])

        async def by_day(reader, writer):
            day = next(states)
            if day == "same":
                writer.write(
                    b'HTTP/1.1 304 Not Modified\r\nETag: "v1"\r\nConnection: close\r\n\r\n'
                )
            else:
                tag, rule = ("v1", b"/old") if day == "first" else ("v2", b"/new")
                writer.write(
                    web.http(
                        b"User-agent: *\nDisallow: " + rule,
                        f'ETag: "{tag}"',
                        "Connection: close",
                    )
                )
            await writer.drain()

        async with (
            web.serving({"/robots.txt": by_day}) as server,
            web.fetching(server) as fetcher,
        ):

            async def fetch(url, max_bytes, known):
                return await fetcher.fetch(url, max_bytes=max_bytes, known=known)

            robots = Robots(fetch, clock, "Geohound")
            verdicts = []
            for _ in range(3):
                verdicts.append(
                    [
                        await robots.allowed(f"http://a.test/{path}")
                        for path in ("old", "new")
                    ]
                )
                clock.seconds += 25 * 3600
            return verdicts, ['If-None-Match: "v1"' in head for head in server.heads]

    verdicts, asked_with_tag = asyncio.run(run())
    assert verdicts == [[False, True], [False, True], [True, False]]
    assert asked_with_tag == [False, True, True]
