"""One request and what becomes of it: answers, redirects, headers, policy, cancellation."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from datetime import UTC

import brotli
import pycurl
import pytest
import uvloop
from polite import USER_AGENT, behaving, bounded

from geohound import app
from geohound.contracts import Fetcher
from geohound.model.failure import FailureReason
from geohound.model.visit import Failure, Response
from geohound.net.address_guard import Guard
from geohound.net.fetcher import CurlFetcher
from geohound.net.keyed_semaphore import KeyedSemaphore
from geohound.settings import Settings


def test_an_answer_comes_back_with_everything_that_was_sent(web):
    answers = {
        "/page": web.http(
            b"hello", "Content-Type: text/html", "X-Twice: a", "X-Twice: b"
        )
    }
    (visit,), server = web.ask(answers, "http://a.test/page#part")
    assert isinstance(visit, Response)
    assert (visit.status, visit.body, visit.truncated, visit.chain) == (
        200,
        b"hello",
        False,
        (),
    )
    assert (visit.url, visit.final_url) == (
        "http://a.test/page#part",
        "http://a.test/page",
    )
    assert visit.headers["content-type"] == "text/html"
    assert visit.headers["x-twice"] == "a, b"
    assert visit.address == "127.0.0.1"
    assert visit.at.tzinfo is UTC
    assert 0 < visit.elapsed_s < 5
    assert server.requests == ["/page"]


def test_several_robots_tags_stay_apart(web):
    """Joined by a comma, what the second says to everybody would be said to the crawler that the first names."""
    answer = web.http(b"", "X-Robots-Tag: otherbot: noindex", "X-Robots-Tag: nofollow")
    (visit,), _ = web.ask({"/": answer}, "http://a.test/")
    assert visit.headers["x-robots-tag"] == "otherbot: noindex\nnofollow"


def test_the_request_names_us_and_says_what_we_accept(web):
    async def run():
        async with (
            web.serving({"/": web.http()}) as server,
            web.fetching(server) as fetcher,
        ):
            await fetcher.fetch("http://a.test/", accept="text/xml\r\nX-Evil: 1")
            await fetcher.fetch("http://a.test/", accept="image/png")
        return server.heads

    first, second = asyncio.run(run())
    assert f"User-Agent: {USER_AGENT}\r\n" in first
    assert "Accept: text/xml X-Evil: 1\r\n" in first
    assert "\r\nX-Evil" not in first
    assert "Accept: image/png\r\n" in second
    assert "br" in first.partition("Accept-Encoding:")[2].partition("\r\n")[0]
    assert "Host: a.test\r\n" in first


def test_the_fetcher_satisfies_the_contract():
    async def run():
        fetcher: Fetcher = CurlFetcher(behaving(), Guard(), bounded())
        await fetcher.close()
        return await fetcher.fetch("http://a.test/")

    visit = asyncio.run(run())
    assert isinstance(visit, Failure)


@pytest.mark.parametrize("runner", [asyncio.run, uvloop.run])
def test_many_hosts_are_asked_at_once_on_either_event_loop(web, runner):
    async def run():
        answers = {"/robots.txt": web.http(), "/": web.http(b"x" * 100_000)}
        async with (
            web.serving(answers) as server,
            web.fetching(server, policy=behaving()) as fetcher,
        ):
            urls = [f"http://h{n % 20}.test/" for n in range(200)]
            visits = await asyncio.gather(*(fetcher.fetch(url) for url in urls))
            return visits, server, fetcher.metrics

    visits, server, metrics = runner(run())
    assert all(isinstance(v, Response) and len(v.body) == 100_000 for v in visits)
    assert server.requests.count("/") == 200
    assert server.requests.count("/robots.txt") == 20
    assert server.connections == 20
    assert (metrics.requests, metrics.by_status_class["2xx"], metrics.connections) == (
        220,
        220,
        20,
    )
    assert metrics.body_bytes == 200 * 100_000


def test_one_host_is_asked_one_thing_at_a_time(web):
    at_once = []

    async def run():
        async def slow(reader, writer):
            at_once.append(server.open_connections)
            await asyncio.sleep(0.03)
            writer.write(web.http(b"done", "Connection: close"))
            await writer.drain()

        async with web.serving({"/": slow}) as server, web.fetching(server) as fetcher:
            return await asyncio.gather(
                *(fetcher.fetch("http://a.test/") for _ in range(5))
            )

    visits = asyncio.run(run())
    assert [v.body for v in visits] == [b"done"] * 5
    assert max(at_once) == 1


def test_a_connection_is_kept_for_the_next_request(web):
    visits, server = web.ask({"/": web.http(b"x")}, *["http://a.test/"] * 5)
    assert [v.status for v in visits] == [200] * 5
    assert server.connections == 1


def test_the_address_of_a_name_is_looked_up_once(web, monkeypatch):
    """WBC-6; Alqaraleh, Ramadan & Salamah 2015, section 2.2: the controller unit keeps "the WBC DNS caches"."""
    said: list[str] = []
    new_handle = pycurl.Curl

    def talkative() -> pycurl.Curl:
        curl = new_handle()
        curl.setopt(pycurl.VERBOSE, 1)
        curl.setopt(pycurl.DEBUGFUNCTION, lambda _, text: said.append(text.decode()))
        return curl

    monkeypatch.setattr("geohound.net.transfer.pycurl.Curl", talkative)
    answers = {"/": web.http(b"x", "Connection: close")}
    visits, server = web.ask(answers, *["http://a.test/"] * 3)
    assert [v.status for v in visits] == [200] * 3
    assert server.connections == 3
    assert sum("was found in DNS cache" in line for line in said) == 2


@pytest.mark.parametrize(
    ("coding", "pack"),
    [
        ("gzip", gzip.compress),
        ("br", brotli.compress),
        ("x-gzip", gzip.compress),
        ("deflate", zlib.compress),
    ],
)
def test_packed_bodies_are_unpacked(web, coding, pack):
    (visit,), _ = web.ask(
        {"/": web.http(pack(b"map " * 1000), f"Content-Encoding: {coding}")},
        "http://a.test/",
    )
    assert visit.body == b"map " * 1000


@pytest.mark.parametrize("coding", ["utf-8", "zstd", "gzip", "gzip, " * 9 + "gzip"])
def test_a_body_in_a_coding_that_is_none_is_taken_as_it_comes(web, coding):
    (visit,), server = web.ask(
        {"/": web.http(b"<WMS/>", f"Content-Encoding: {coding}")}, "http://a.test/"
    )
    assert visit.body == b"<WMS/>"
    assert len(server.requests) == 2
    assert "Accept-Encoding: identity" in server.heads[1]


@pytest.mark.parametrize(
    "status",
    ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"],
)
def test_redirects_are_followed_and_remembered(web, status):
    answers = {
        "/a": web.http(b"go", "Location: /b?x=1#f", status=status),
        "/b": web.http(b"", "Location: http://other.test/c", status=status),
        "/c": web.http(b"here"),
    }
    (visit,), server = web.ask(answers, "http://a.test/a")
    assert (visit.status, visit.body) == (200, b"here")
    assert visit.final_url == "http://other.test/c"
    assert visit.chain == ("http://a.test/a", "http://a.test/b?x=1")
    assert server.requests == ["/a", "/b?x=1", "/c"]


def test_a_redirect_in_utf8_is_understood(web):
    location = "Location: /größe".encode().decode("latin-1")
    answers = {
        "/": web.http(b"", location, status="302 Found"),
        "/gr%C3%B6%C3%9Fe": web.http(b"big"),
    }
    (visit,), _ = web.ask(answers, "http://a.test/")
    assert visit.body == b"big"


def test_a_redirect_without_a_place_is_an_answer(web):
    (visit,), _ = web.ask(
        {"/": web.http(b"lost", status="302 Found")}, "http://a.test/"
    )
    assert (visit.status, visit.body) == (302, b"lost")


def test_redirect_loops_and_endless_redirects_are_told_apart(web):
    answers = {
        "/loop": web.http(b"", "Location: /pool", status="302 F"),
        "/pool": web.http(b"", "Location: /loop", status="302 F"),
    }
    answers |= {
        f"/{n}": web.http(b"", f"Location: /{n + 1}", status="302 F") for n in range(20)
    }
    (loop, endless), server = web.ask(answers, "http://a.test/loop", "http://a.test/0")
    assert loop.reason is FailureReason.REDIRECT_LOOP
    assert endless.reason is FailureReason.TOO_MANY_REDIRECTS
    assert server.requests == ["/loop", "/pool", "/0", "/1", "/2", "/3", "/4", "/5"]


def test_five_redirects_are_not_too_many(web):
    answers = {
        f"/{n}": web.http(b"", f"Location: /{n + 1}", status="302 F") for n in range(5)
    } | {"/5": web.http(b"end")}
    (visit,), _ = web.ask(answers, "http://a.test/0")
    assert visit.body == b"end"


def test_how_many_redirects_are_followed_is_a_setting(web):
    """Sidsten 2012, appendix A.4: maxRedirects, "Set to 4 by default"; here 5, as RFC 9309 asks for robots.txt."""
    answers = {
        f"/{n}": web.http(b"", f"Location: /{n + 1}", status="302 F") for n in range(9)
    }
    limits = app.fetcher(Settings(max_redirects=4)).limits
    (visit,), server = web.ask(answers, "http://a.test/0", limits=limits)
    assert visit.reason is FailureReason.TOO_MANY_REDIRECTS
    assert server.requests == ["/0", "/1", "/2", "/3", "/4"], (
        "the first request and four redirects"
    )
    assert Settings().max_redirects == 5


def test_how_long_a_server_may_think_is_a_setting_with_the_published_30_s(web):
    """OSS-2; Sidsten 2012, appendix A.4: mtdTimeoutSeconds, "Default is 30 seconds"."""
    assert Settings().first_byte_timeout_s == 30

    async def thinks(reader, writer):
        await asyncio.sleep(5)

    limits = app.fetcher(Settings(first_byte_timeout_s=0.2)).limits
    (visit,), _ = web.ask({"/": thinks}, "http://a.test/", limits=limits)
    assert visit.reason is FailureReason.FIRST_BYTE_TIMEOUT


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        (
            "http://127.0.0.2:1/",
            FailureReason.REFUSED,
        ),  # inside the opened net: only the connection fails
        ("http://10.0.0.1/", FailureReason.FORBIDDEN_NET),
        ("http://169.254.169.254/latest/meta-data/", FailureReason.FORBIDDEN_NET),
        ("http://[::1]/", FailureReason.FORBIDDEN_NET),
        ("http://2130706433.1/", FailureReason.BAD_URL),
        ("file:///etc/passwd", FailureReason.BAD_URL),
        ("gopher://a.test/1", FailureReason.BAD_URL),
        ("http://user:secret@a.test/", FailureReason.BAD_URL),
        ("javascript:alert(1)", FailureReason.BAD_URL),
        ("http://", FailureReason.BAD_URL),
        ("//[", FailureReason.BAD_URL),
    ],
)
def test_each_redirect_is_checked_like_a_first_request(web, location, reason):
    (visit,), server = web.ask(
        {"/": web.http(b"", f"Location: {location}", status="302 F")}, "http://a.test/"
    )
    assert visit.reason is reason
    assert server.requests == ["/"]


@pytest.mark.parametrize(
    "status",
    [
        "204 No Content",
        "404 Not Found",
        "429 Slow Down",
        "500 Oops",
        "503 Busy",
        "999 Odd",
    ],
)
def test_every_status_is_an_answer(web, status):
    (visit,), _ = web.ask(
        {"/": web.http(b"", "Retry-After: 7", status=status)}, "http://a.test/"
    )
    assert visit.status == int(status[:3])
    assert visit.headers["retry-after"] == "7"


def test_interim_answers_and_trailers_are_not_headers(web):
    raw = (
        b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\nX-Early: 1\r\n\r\n"
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Real: 2\r\n\r\n"
        b"4\r\nbody\r\n0\r\nX-Trailer: 3\r\n\r\n"
    )
    (visit,), _ = web.ask({"/": raw}, "http://a.test/")
    assert visit.body == b"body"
    assert visit.headers == {"transfer-encoding": "chunked", "x-real": "2"}


def test_two_different_locations_are_no_answer(web):
    header = "Location: /b\r\nLocation: http://127.0.0.9/"
    answers = {"/": web.http(b"", header, status="302 F"), "/b": web.http(b"b")}
    (visit,), server = web.ask(answers, "http://a.test/")
    assert visit.reason is FailureReason.BAD_ANSWER
    assert server.requests == ["/"]


def test_the_same_location_twice_is_one_location(web):
    answers = {
        "/": web.http(b"", "Location: /b\r\nLocation: /b", status="302 F"),
        "/b": web.http(b"b"),
    }
    (visit,), _ = web.ask(answers, "http://a.test/")
    assert visit.body == b"b"


@pytest.mark.parametrize(
    "url",
    ["", " ", "nonsense", "http://", "http:///", "ftp://a.test/", "file:///etc/passwd", "data:text/html,x",
     "http://a b/", "http://user@a.test/", "http://:pw@a.test/", "http://[::1", "http://a.test:99999/", "ws://a.test/",
     "http://a.test/" + "x" * 9000, "http://%00/", "http://a\x00b/", "about:blank", "http://."],
)  # fmt: skip
def test_what_is_no_web_address_is_a_bad_url(web, url):
    (visit,), server = web.ask({}, url)
    assert visit.reason is FailureReason.BAD_URL
    assert server.connections == 0


def test_nobody_there_and_no_such_name_are_told_apart():
    async def run():
        fetcher = CurlFetcher(
            behaving(obey_robots=False), Guard.opening(["127.0.0.0/8"]), bounded()
        )
        refused = await fetcher.fetch("http://127.0.0.1:1/")
        nowhere = await fetcher.fetch("http://no-such-name.invalid/")
        await fetcher.close()
        return refused, nowhere

    refused, nowhere = asyncio.run(run())
    assert refused.reason is FailureReason.REFUSED
    assert nowhere.reason is FailureReason.DNS


def test_an_address_to_which_no_way_leads_is_unreachable():
    """TCP knows no broadcast: the kernel refuses this address by itself, in every network."""

    async def run():
        fetcher = CurlFetcher(
            behaving(obey_robots=False),
            Guard.opening(["255.255.255.255/32"]),
            bounded(),
        )
        visit = await fetcher.fetch("http://255.255.255.255/")
        await fetcher.close()
        return visit

    assert asyncio.run(run()).reason is FailureReason.UNREACHABLE


def test_a_cancelled_fetch_lets_go_of_its_connection_and_its_slot(web):
    async def run():
        async def hang(reader, writer):
            await reader.read()

        answers = {"/hang": hang, "/": web.http(b"x")}
        async with web.serving(answers) as server, web.fetching(server) as fetcher:
            task = asyncio.create_task(fetcher.fetch("http://a.test/hang"))
            while not server.requests:
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.sleep(0.05)
            still_open = server.open_connections
            return still_open, await fetcher.fetch("http://a.test/")

    still_open, after = asyncio.run(run())
    assert still_open == 0
    assert after.body == b"x"


def test_closing_ends_what_is_under_way(web):
    async def run():
        async def hang(reader, writer):
            await reader.read()

        async with (
            web.serving({"/hang": hang}) as server,
            web.fetching(server) as fetcher,
        ):
            task = asyncio.create_task(fetcher.fetch("http://a.test/hang"))
            while not server.requests:
                await asyncio.sleep(0.01)
            await fetcher.close()
            return await asyncio.wait_for(
                asyncio.gather(task, return_exceptions=True), 2
            )

    (result,) = asyncio.run(run())
    assert isinstance(result, Failure)
    assert result.reason is FailureReason.UNAVAILABLE


def test_routes_do_not_stick_to_a_reused_handle(web):
    async def run():
        async with (
            web.serving({"/": web.http(b"x")}) as server,
            web.fetching(server) as fetcher,
        ):
            routed = await fetcher.fetch("http://a.test/")
            straight = await fetcher.fetch("http://127.0.0.3:1/")
            return routed, straight, server

    routed, straight, server = asyncio.run(run())
    assert routed.status == 200
    assert straight.reason is FailureReason.REFUSED
    assert server.connections == 1


def test_the_environment_brings_no_proxy(web, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    (visit,), _ = web.ask({"/": web.http(b"direct")}, "http://a.test/")
    assert visit.body == b"direct"


@pytest.mark.slow
def test_waiting_in_line_does_not_count_as_time_of_the_server(web):
    async def run():
        async def slow(reader, writer):
            await asyncio.sleep(0.3)
            writer.write(web.http(b"", "Connection: close"))
            await writer.drain()

        limits = bounded(total_s=0.7)
        async with (
            web.serving({"/": slow}) as server,
            web.fetching(server, limits) as fetcher,
        ):
            return await asyncio.gather(
                *(fetcher.fetch("http://a.test/") for _ in range(4))
            )

    visits = asyncio.run(run())
    assert [v.status for v in visits] == [200] * 4
    assert all(0.29 < v.elapsed_s < 0.65 for v in visits)


def test_a_slot_handed_to_a_cancelled_waiter_goes_to_the_next():
    async def run():
        slots = KeyedSemaphore(1)
        await slots.acquire("k")
        first = asyncio.create_task(slots.acquire("k"))
        second = asyncio.create_task(slots.acquire("k"))
        await asyncio.sleep(0)
        slots.release("k")  # handed to the first …
        first.cancel()  # … who leaves before noticing
        await asyncio.wait_for(second, 1)
        slots.release("k")
        await asyncio.wait_for(slots.acquire("k"), 1)
        return first.cancelled()

    assert asyncio.run(run())
