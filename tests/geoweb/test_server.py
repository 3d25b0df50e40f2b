"""The web over real sockets: HTTP as clients speak it, and trouble as they feel it."""

from __future__ import annotations

import asyncio
import http.client
import socket
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geoweb import Request, Trouble, World, respond, running
from geoweb.addresses import url_of


@pytest.fixture(scope="module")
def small():
    return World(3, 60, 2000)


def host_with(world, trouble):
    return next(h for h in map(world.host, range(world.hosts)) if trouble in h.troubles)


def calm_host(world):
    return next(h for h in map(world.host, range(world.hosts)) if not h.troubles)


async def exchange(address, sent, seconds=5.0):
    """Send bytes and read until the server closes or falls silent."""
    reader, writer = await asyncio.open_connection(*address)
    writer.write(sent)
    received = b""
    try:
        while data := await asyncio.wait_for(reader.read(65536), seconds):
            received += data
    except TimeoutError:
        pass
    finally:
        writer.close()
    return received


def serving(world, talk):
    async def main():
        async with running(world) as address:
            return await talk(address)

    return asyncio.run(main())


def get(name, path="/", close=True, method="GET"):
    ending = "Connection: close\r\n" if close else ""
    return f"{method} {path} HTTP/1.1\r\nHost: {name}\r\n{ending}\r\n".encode()


def test_a_page_comes_over_a_socket_as_it_comes_without(small, ask):
    host = calm_host(small)
    received = serving(small, lambda address: exchange(address, get(host.name)))
    head, _, body = received.partition(b"\r\n\r\n")
    expected = ask(url_of(host, 0), web=small)
    assert head.startswith(b"HTTP/1.1 200 OK")
    assert body == expected.body
    assert f"Content-Length: {len(body)}".encode() in head
    assert f"Content-Type: {expected.content_type}".encode() in head


def test_one_connection_carries_many_requests_even_sent_at_once(small):
    host = calm_host(small)
    sent = get(host.name, close=False) * 4 + get(host.name)
    received = serving(small, lambda address: exchange(address, sent))
    assert received.count(b"HTTP/1.1 200 OK") == 5


def test_a_request_may_come_in_pieces(small):
    host = calm_host(small)

    async def talk(address):
        reader, writer = await asyncio.open_connection(*address)
        for piece in (get(host.name)[:9], get(host.name)[9:30], get(host.name)[30:]):
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.02)
        received = await reader.read()
        writer.close()
        return received

    assert serving(small, talk).startswith(b"HTTP/1.1 200 OK")


def test_a_head_request_gets_no_body(small):
    received = serving(
        small, lambda a: exchange(a, get(calm_host(small).name, method="HEAD"))
    )
    assert received.endswith(b"\r\n\r\n")
    assert b"Content-Length: 0" not in received


def test_a_proxy_style_address_names_the_host(small):
    host = calm_host(small)
    sent = f"GET http://{host.name}/ HTTP/1.1\r\nConnection: close\r\n\r\n".encode()
    assert serving(small, lambda a: exchange(a, sent)).startswith(b"HTTP/1.1 200 OK")


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"GET / SPDY/3\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n", 413),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        (b"GET / HTTP/1.1\r\nX: " + b"a" * 70_000, 431),
    ],
)
def test_bad_requests_are_refused_and_the_connection_closed(small, sent, status):
    received = serving(small, lambda address: exchange(address, sent))
    assert received.startswith(f"HTTP/1.1 {status} ".encode())


def test_a_hanging_host_never_answers_and_does_not_keep_the_server_from_stopping(small):
    name = host_with(small, Trouble.HANGING).name
    assert (
        serving(small, lambda address: exchange(address, get(name), seconds=0.3)) == b""
    )


@pytest.mark.slow
def test_a_slow_host_lets_one_wait_and_then_answers_in_full(small, ask):
    host = host_with(small, Trouble.SLOW)
    expected = ask(url_of(host, 0), web=small)
    began = time.monotonic()
    received = serving(
        small, lambda address: exchange(address, get(host.name), seconds=30)
    )
    assert time.monotonic() - began >= expected.delay_s
    assert received.endswith(expected.body)


SERVE = """
from geoweb import World, serve
serve(World(3, 60, 2000), processes=%d, on_ready=lambda address: print(address[1], flush=True))
"""


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_serving_ends_cleanly_when_terminated(small, processes):
    server = subprocess.Popen(
        [sys.executable, "-c", SERVE % processes], stdout=subprocess.PIPE, text=True
    )
    with server:
        try:
            port = int(server.stdout.readline())
            for _ in range(8):
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
                connection.request("GET", "/", headers={"Host": calm_host(small).name})
                assert connection.getresponse().status == 200
                connection.close()
        finally:
            server.terminate()
        assert server.wait(15) == 0
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), 1)


@given(
    host=st.sampled_from(range(60)),
    path=st.text(st.characters(max_codepoint=255), max_size=40),
    first=st.sampled_from(
        (
            "",
            "calendar",
            "go/on/",
            "go/loop/",
            "config/map-",
            "members",
            "search",
            "geoserver/",
            "cgi-bin/",
        )
    ),
    query=st.text(st.characters(max_codepoint=255), max_size=40),
)
def test_no_request_whatever_upsets_the_web(small, host, path, first, query):
    reply = respond(
        small, Request("GET", small.host(host).name, f"/{first}{path}", query)
    )
    assert 200 <= reply.status < 600
