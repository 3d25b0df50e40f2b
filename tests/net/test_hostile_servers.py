"""Servers that are slow, endless, broken or greedy: bounded in time and memory, never an exception."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time

import pytest
from polite import bounded

from geohound.model.failure import FailureReason
from geohound.model.visit import Failure, Response

QUICK = bounded(connect_s=1, first_byte_s=0.4, stall_s=0.4, total_s=1.2)


async def hang(reader, writer):
    await reader.read()


def sends(*pieces, pause_s=0.0, closes=True):
    """A handler that sends these pieces, and then hangs up or hangs."""

    async def handler(reader, writer):
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause_s)
        if not closes:
            await reader.read()

    return handler


def repeats(head, piece, pause_s=0.0):
    """A handler that never stops sending the same piece."""

    async def handler(reader, writer):
        writer.write(head)
        while True:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause_s)

    return handler


OK = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("handler", "reason"),
    [
        pytest.param(hang, FailureReason.FIRST_BYTE_TIMEOUT, id="never answers"),
        pytest.param(
            repeats(b"", b"H", 0.1), FailureReason.BAD_ANSWER, id="status line of H"
        ),
        pytest.param(
            repeats(b"HTTP/1.1 200 ", b"O", 0.1),
            FailureReason.FIRST_BYTE_TIMEOUT,
            id="drips status",
        ),
        pytest.param(
            sends(OK, closes=False), FailureReason.STALLED, id="stops in headers"
        ),
        pytest.param(
            repeats(OK, b"X-A: b\r\n", 0.1), FailureReason.STALLED, id="drips headers"
        ),
        pytest.param(
            repeats(OK + b"\r\n", b".", 0.05), FailureReason.STALLED, id="drips body"
        ),
        pytest.param(
            sends(OK + b"Content-Length: 9\r\n\r\nabc", closes=False),
            FailureReason.STALLED,
            id="stops in body",
        ),
        pytest.param(
            repeats(OK + b"\r\n", b"." * 200, 0.05),
            FailureReason.TOTAL_TIMEOUT,
            id="just fast enough",
        ),
    ],
)
def test_slow_servers_are_left_in_time(web, handler, reason):
    began = time.monotonic()
    (visit,), _ = web.ask({"/": handler}, "http://a.test/", limits=QUICK)
    assert isinstance(visit, Failure)
    assert visit.reason is reason, visit
    assert time.monotonic() - began < 2.5


def test_a_slow_thinker_within_the_first_byte_time_is_not_stalled(web):
    limits = bounded(first_byte_s=2, stall_s=0.1, total_s=5)

    async def thinks(reader, writer):
        await asyncio.sleep(0.5)
        writer.write(web.http(b"thought"))
        await writer.drain()

    (visit,), _ = web.ask({"/": thinks}, "http://a.test/", limits=limits)
    assert visit.body == b"thought"


@pytest.mark.slow
def test_a_server_that_stops_to_think_in_the_middle_is_no_drip(web):
    """Headers at once, then the first words, then a pause longer than drips get: some map servers answer like this."""
    limits = bounded(stall_s=3, drip_s=0.3, total_s=5)

    async def thinks(reader, writer):
        writer.write(OK + b"Content-Length: 12\r\n\r\n")
        await asyncio.sleep(0.3)
        writer.write(b"<?xml")
        await asyncio.sleep(1)
        writer.write(b"thought")
        await writer.drain()

    (visit,), _ = web.ask({"/": thinks}, "http://a.test/", limits=limits)
    assert visit.body == b"<?xmlthought"


@pytest.mark.parametrize(
    ("handler", "reason"),
    [
        pytest.param(
            repeats(OK, b"X-A: " + b"b" * 1000 + b"\r\n"),
            FailureReason.TOO_LARGE,
            id="endless headers",
        ),
        pytest.param(
            repeats(OK, b"b" * 1000), FailureReason.TOO_LARGE, id="endless header line"
        ),
        pytest.param(
            sends(OK + b"A: 1\r\n" * 300 + b"Content-Length: 1\r\n\r\nx"),
            FailureReason.TOO_LARGE,
            id="300 headers",
        ),
        pytest.param(
            sends(OK + b"A: 1\r\n" * 300 + b"Content-Length: 0\r\n\r\n"),
            FailureReason.TOO_LARGE,
            id="300, no body",
        ),
        pytest.param(
            sends(OK + b"A: " + b"x" * 70_000 + b"\r\n\r\n"),
            FailureReason.TOO_LARGE,
            id="70 kB header",
        ),
        pytest.param(
            repeats(b"", b"HTTP/1.1 103 Early\r\nA: b\r\n\r\n"),
            FailureReason.TOO_LARGE,
            id="endless hints",
        ),
        pytest.param(
            repeats(OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"T: x\r\n"),
            FailureReason.TOO_LARGE,
            id="endless trailers",
        ),
    ],
)
def test_headers_are_bounded(web, handler, reason):
    (visit,), _ = web.ask({"/": handler}, "http://a.test/", limits=bounded(total_s=5))
    assert isinstance(visit, Failure)
    assert visit.reason is reason, visit


@pytest.mark.parametrize(
    "head",
    [
        b"\r\n",
        b"Content-Length: 99999999999\r\n\r\n",
        b"Content-Type: text/html\r\n\r\n",
    ],
)
def test_an_endless_body_is_cut_at_the_limit(web, head):
    handler = repeats(OK + head, b"x" * 60_000)
    (visit,), _ = web.ask({"/": handler}, "http://a.test/", max_bytes=1_000_000)
    assert isinstance(visit, Response)
    assert visit.truncated
    assert len(visit.body) == 1_000_000


def test_a_body_of_exactly_the_limit_is_whole(web):
    (visit,), _ = web.ask(
        {"/": web.http(b"x" * 5000)}, "http://a.test/", max_bytes=5000
    )
    assert (len(visit.body), visit.truncated) == (5000, False)


def test_the_body_of_a_redirect_is_not_read_to_the_end(web):
    handler = repeats(b"HTTP/1.1 302 F\r\nLocation: /b\r\n\r\n", b"x" * 60_000)
    (visit,), _ = web.ask({"/": handler, "/b": web.http(b"b")}, "http://a.test/")
    assert visit.body == b"b"


def test_a_stream_that_unpacks_to_nothing_is_stopped_by_its_size_on_the_wire(web):
    head = OK + b"Content-Encoding: deflate\r\n\r\n" + b"\x78\x9c"
    handler = repeats(head, b"\x00\x00\x00\xff\xff" * 10_000)
    limits = bounded(max_wire_bytes=1_000_000, total_s=10)
    (visit,), _ = web.ask({"/": handler}, "http://a.test/", limits=limits)
    assert visit.reason is FailureReason.TOO_LARGE


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        pytest.param(b"", FailureReason.RESET, id="nothing"),
        pytest.param(b"\r\n\r\n", FailureReason.BAD_ANSWER, id="blank lines"),
        pytest.param(
            b"<html>no headers</html>", FailureReason.BAD_ANSWER, id="HTTP/0.9"
        ),
        pytest.param(b"SSH-2.0-OpenSSH_9\r\n", FailureReason.BAD_ANSWER, id="SSH"),
        pytest.param(b"220 mail.test ESMTP\r\n", FailureReason.BAD_ANSWER, id="SMTP"),
        pytest.param(
            b"\x15\x03\x01\x00\x02\x02\x16", FailureReason.BAD_ANSWER, id="TLS alert"
        ),
        pytest.param(
            b"HTTP/1.1 abc OK\r\n\r\n", FailureReason.BAD_ANSWER, id="status abc"
        ),
        pytest.param(
            b"HTTP/9.9 200 OK\r\n\r\n", FailureReason.BAD_ANSWER, id="HTTP/9.9"
        ),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nContent-Le", FailureReason.RESET, id="lost in headers"
        ),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf",
            FailureReason.RESET,
            id="lost in body",
        ),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nx",
            FailureReason.BAD_ANSWER,
            id="length -5",
        ),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx",
            FailureReason.BAD_ANSWER,
            id="chunk zz",
        ),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
            FailureReason.RESET,
            id="lost in chunk",
        ),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
            FailureReason.BAD_ANSWER,
            id="chunk too long",
        ),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08broken",
            FailureReason.BAD_ANSWER,
            id="broken gzip",
        ),
        pytest.param(
            b"HTTP/1.1 103 Early\r\n\r\n", FailureReason.RESET, id="hint only"
        ),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nA\x00B: c\r\n\r\n",
            FailureReason.BAD_ANSWER,
            id="NUL in header",
        ),
    ],
)
def test_broken_answers_are_failures_with_a_reason(web, raw, reason):
    (visit,), _ = web.ask({"/": sends(raw)}, "http://a.test/", limits=QUICK)
    assert isinstance(visit, Failure)
    assert visit.reason is reason, visit
    assert visit.detail


def test_after_every_kind_of_trouble_the_fetcher_still_works(web):
    answers = {
        "/hang": hang,
        "/endless": repeats(OK + b"\r\n", b"x" * 10_000),
        "/broken": sends(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx"
        ),
        "/ok": web.http(b"fine"),
    }
    urls = [
        f"http://a.test/{name}"
        for name in ("hang", "ok", "endless", "ok", "broken", "ok")
    ]
    visits, _ = web.ask(answers, *urls, limits=QUICK, max_bytes=10_000)
    assert [v.body for v in visits[1::2]] == [b"fine"] * 3


def test_a_host_that_takes_no_connection_is_left_in_time_while_others_are_served(web):
    """A full queue of a listening socket: the kernel drops further attempts, as a silent firewall does."""

    async def run(full_port):
        limits = bounded(connect_s=0.5, first_byte_s=5, total_s=5)
        async with (
            web.serving({"/": web.http(b"x")}) as server,
            web.fetching(server, limits) as fetcher,
        ):
            stuck = asyncio.create_task(fetcher.fetch(f"http://127.0.0.1:{full_port}/"))
            served = [await fetcher.fetch(f"http://h{n}.test/") for n in range(20)]
            return await stuck, served

    with (
        socket.create_server(("127.0.0.1", 0), backlog=0) as full,
        contextlib.ExitStack() as callers,
    ):
        for _ in range(8):
            caller = callers.enter_context(socket.socket())
            caller.setblocking(False)
            caller.connect_ex(full.getsockname())
        stuck, served = asyncio.run(run(full.getsockname()[1]))
    assert [v.status for v in served] == [200] * 20
    assert stuck.reason is FailureReason.CONNECT_TIMEOUT
    assert 0.4 < stuck.elapsed_s < 2
