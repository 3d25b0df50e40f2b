"""The page of numbers that Prometheus scrapes."""

from __future__ import annotations

import asyncio

import pytest

from geohound.net.metrics_endpoint import offer


def ask(request: bytes) -> bytes:
    async def story() -> bytes:
        server = await offer(lambda: b"geohound_pages_total 7\n", 0)
        port = server.sockets[0].getsockname()[1]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request)
        if not request.endswith(b"\r\n\r\n"):
            writer.write_eof()
        answer = await asyncio.wait_for(reader.read(), 10)
        writer.close()
        server.close()
        return answer

    return asyncio.run(story())


def test_numbers_are_told_at_metrics() -> None:
    head, _, body = ask(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").partition(
        b"\r\n\r\n"
    )
    assert head.startswith(b"HTTP/1.1 200 ")
    assert b"Content-Type: text/plain; version=0.0.4" in head
    assert body == b"geohound_pages_total 7\n"


def test_other_pages_are_not_there() -> None:
    assert ask(b"GET /etc/passwd HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 404 ")


@pytest.mark.parametrize("nonsense", [b"", b"\xff\xfe", b"GET\r\n\r\n", b"x" * 100_000])
def test_nonsense_ends_the_line_and_nothing_else(nonsense: bytes) -> None:
    assert b" 200 " not in ask(nonsense)
    assert b" 200 " in ask(b"GET /metrics HTTP/1.1\r\n\r\n")
