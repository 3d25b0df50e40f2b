"""What only the server itself can promise, asked over real sockets."""

from __future__ import annotations

import http.client
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
import uvicorn

from geohound.cli.serve import server_config
from geohound.portal import write_access
from geohound.portal.app import About, create_app
from geohound.portal.middleware.slow_headers import HeadersInTime
from geohound.settings import Settings

pytestmark = pytest.mark.slow

USUAL = Settings()


@contextmanager
def serving(portal, settings: Settings = USUAL) -> Iterator[tuple[str, int]]:
    config = server_config(portal, settings)
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield listener.getsockname()
    finally:
        server.should_exit = True
        thread.join(20)


def get(
    address: tuple[str, int], path: str, **headers: str
) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(*address, timeout=20)
    connection.request(
        "GET",
        path,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )
    answer = connection.getresponse()
    answer.text = answer.read().decode()
    connection.close()
    return answer


@pytest.fixture
def portal(catalogue, index, kinds):
    return create_app(catalogue, index, kinds, requests_per_minute=3)


def is_closed_within(peer: socket.socket, seconds: float, *, drip: bytes = b"") -> bool:
    """Does the server close while a byte now and then keeps the connection from being idle?"""
    deadline = time.monotonic() + seconds
    peer.settimeout(0.05)
    while time.monotonic() < deadline:
        try:
            if drip:
                peer.sendall(drip)
            if peer.recv(1000) == b"":
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


@pytest.mark.parametrize(
    "first", [b"", b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "]
)
def test_headers_that_do_not_finish_are_cut_off(
    portal, monkeypatch, first: bytes
) -> None:
    monkeypatch.setattr(HeadersInTime, "headers_s", 0.4)
    with serving(portal) as address, socket.create_connection(address) as slow:
        slow.sendall(first)
        assert is_closed_within(slow, 20, drip=b"a" if first else b"")
        assert get(address, "/healthz").status == 200, "others are served"


def test_headers_that_do_not_finish_after_a_first_answer_are_cut_off_too(
    portal, monkeypatch
) -> None:
    monkeypatch.setattr(HeadersInTime, "headers_s", 0.4)
    with serving(portal) as address, socket.create_connection(address) as slow:
        slow.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert slow.recv(1000).startswith(b"HTTP/1.1 200")
        slow.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
        assert is_closed_within(slow, 20, drip=b"a")


SLOW_BODY = (
    b"POST /log-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n\r\nname=a"
)


def test_a_body_that_does_not_finish_is_refused_and_cut_off(
    catalogue, index, kinds, people, monkeypatch
) -> None:
    monkeypatch.setattr(HeadersInTime, "headers_s", 0.4)
    monkeypatch.setattr(write_access, "BODY_S", 0.4)
    portal = create_app(catalogue, index, kinds, accounts=people)
    with serving(portal) as address, socket.create_connection(address) as slow:
        slow.sendall(SLOW_BODY)
        slow.settimeout(20)
        assert slow.recv(1000).startswith(b"HTTP/1.1 408")
        assert is_closed_within(slow, 20, drip=b"a")
        assert get(address, "/healthz").status == 200, "others are served"


def test_whoever_goes_away_in_the_middle_of_a_body_fills_no_log(
    catalogue, index, kinds, people, capsys
) -> None:
    portal = create_app(catalogue, index, kinds, accounts=people)
    with serving(portal) as address:
        with socket.create_connection(address) as gone:
            gone.sendall(SLOW_BODY)
            assert get(address, "/healthz").status == 200
        time.sleep(0.5)
        assert get(address, "/healthz").status == 200
    assert "Traceback" not in capsys.readouterr().err


def statuses(address: tuple[str, int], path: str) -> list[int]:
    """Of four visits that name four visitors."""
    return [
        get(address, path, X_Forwarded_For=f"203.0.113.{n}").status for n in range(4)
    ]


@pytest.mark.parametrize("path", ["/?q=lakes", "/api/v1/search?q=lakes"])
def test_nobody_becomes_another_visitor_by_saying_so(portal, path: str) -> None:
    with serving(portal) as address:
        assert statuses(address, path) == [200, 200, 200, 429]


def test_a_configured_proxy_says_who_the_visitor_is(portal) -> None:
    with serving(portal, Settings(web_proxies=("127.0.0.1",))) as address:
        assert statuses(address, "/?q=lakes") == [200] * 4
        assert get(address, "/?q=lakes", X_Forwarded_For="203.0.113.1").status == 200


def test_the_opensearch_description_does_not_repeat_what_the_request_says(
    catalogue, index, kinds
) -> None:
    with serving(create_app(catalogue, index, kinds)) as address:
        text = get(
            address,
            "/opensearch.xml",
            Host="evil.example",
            X_Forwarded_Host="evil.example",
        ).text
        assert "evil.example" not in text
        assert f"http://127.0.0.1:{address[1]}/?q=" in text
    with serving(
        create_app(
            catalogue, index, kinds, about=About(url="https://maps.example.org/")
        )
    ) as address:
        assert "https://maps.example.org/?q=" in get(address, "/opensearch.xml").text


@pytest.mark.parametrize(
    ("begin", "more"),
    [
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ", b"a" * 100_000),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"X-A: aaaa\r\n" * 10_000),
        (b"GET /?q=", b"a" * 100_000),
    ],
    ids=["one header", "many headers", "an address"],
)
def test_headers_that_do_not_end_are_cut_off_before_they_fill_the_memory(
    portal, begin: bytes, more: bytes
) -> None:
    with serving(portal) as address, socket.create_connection(address) as peer:
        peer.settimeout(5)
        peer.sendall(begin)
        sent = 0
        with suppress(OSError):
            while sent < 50_000_000:
                sent += peer.send(more)
        assert sent < 20_000_000, "what the buffers of the system take, not more"


def test_long_headers_that_end_are_read(portal) -> None:
    with serving(portal) as address:
        answer = get(address, "/healthz?x=" + "a" * 20_000, X_A="b" * 20_000)
        assert answer.status == 200


CHUNKED = (
    b"POST /log-in HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n\r\n"
)
UNANSWERED = SLOW_BODY[: SLOW_BODY.index(b"900000")] + b"30\r\n"
UNANSWERED += b"Content-Type: application/x-www-form-urlencoded\r\n\r\n" + b"a" * 30


@pytest.mark.parametrize(
    ("begin", "more"),
    [
        (CHUNKED + b"0\r\n", b"x: y\r\n" * 20_000),
        (CHUNKED + b"0\r\nx: ", b"y" * 100_000),
        (CHUNKED + b"1;", b"y" * 100_000),
        (UNANSWERED + b"GET /a HTTP/1.1\r\n", b"x: y\r\n" * 20_000),
        (UNANSWERED, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 3_000),
        (
            UNANSWERED + b"POST /a HTTP/1.1\r\nContent-Length: 100000000\r\n\r\n",
            b"y" * 100_000,
        ),
    ],
    ids=["trailers", "a trailer", "a chunk", "headers", "requests", "a body behind"],
)
def test_what_comes_behind_a_request_is_cut_off_before_it_fills_the_memory(
    begin: bytes, more: bytes
) -> None:
    with serving(slow_answer) as address, socket.create_connection(address) as peer:
        peer.settimeout(3)
        peer.sendall(begin)
        sent = 0
        with suppress(OSError):
            while sent < 50_000_000:
                sent += peer.send(more)
        assert sent < 20_000_000, "what the buffers of the system take, not more"
        assert is_closed_within(peer, 5)


async def slow_answer(scope, receive, send) -> None:
    """Like a stream of events: it reads what comes and answers after a while."""
    if scope["type"] != "http":
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"begun", "more_body": True})
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if (await receive())["type"] == "http.disconnect":
            return


def test_headers_behind_a_request_that_is_answered_slowly_must_end_in_time(
    monkeypatch,
) -> None:
    monkeypatch.setattr(HeadersInTime, "headers_s", 0.4)
    with serving(slow_answer) as address, socket.create_connection(address) as peer:
        peer.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET /a HTTP/1.1\r\nX: ")
        assert is_closed_within(peer, 8, drip=b"a")


def test_requests_one_after_the_other_share_a_connection(portal) -> None:
    with serving(portal) as address:
        connection = http.client.HTTPConnection(*address, timeout=20)
        for _ in range(5):
            connection.request("GET", "/healthz", headers={"X-A": "b" * 20_000})
            assert connection.getresponse().read()
        kept = connection.sock
        connection.request("GET", "/healthz")
        assert connection.getresponse().status == 200
        assert connection.sock is kept
        connection.close()


def test_one_request_may_come_before_the_answer_is_complete(portal) -> None:
    asked = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    last = asked.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    with serving(portal) as address, socket.create_connection(address) as peer:
        peer.settimeout(20)
        peer.sendall(asked + last)
        answers = b"".join(iter(lambda: peer.recv(1000), b""))
        assert answers.count(b"HTTP/1.1 200") == 2


def test_trailers_are_no_headers() -> None:
    seen: list[list[tuple[bytes, bytes]]] = []

    async def note(scope, receive, send) -> None:
        if scope["type"] == "http":
            while (await receive())["more_body"]:
                pass
            seen.append(scope["headers"])
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body", "body": b""})

    with serving(note) as address, socket.create_connection(address) as peer:
        peer.settimeout(20)
        peer.sendall(CHUNKED + b"0\r\nCookie: theirs\r\n\r\n")
        assert peer.recv(1000).startswith(b"HTTP/1.1 204")
    assert not [value for _, value in seen[0] if value == b"theirs"]


def test_asking_for_another_protocol_fills_no_log(portal, caplog) -> None:
    with serving(portal) as address:
        asked = get(address, "/healthz", Connection="Upgrade", Upgrade="websocket")
        assert asked.status == 200
    assert "pgrade" not in caplog.text
    assert "WebSocket" not in caplog.text
