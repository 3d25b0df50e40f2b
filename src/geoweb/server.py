"""The geoweb on loopback: every name on one port, one process or several."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from http import HTTPStatus
from multiprocessing import resource_tracker
from typing import cast

from geoweb.protocol import Reply, Request
from geoweb.respond import Moods, respond
from geoweb.search_engine import HOST as SEARCH_HOST
from geoweb.search_engine import SearchEngine
from geoweb.visitors import for_visitor, visitor_of
from geoweb.world import World

LOOPBACK = "127.0.0.1"
_MAX_HEAD_BYTES = 65_536
_MAX_BODY_BYTES = 4_000_000
_CLOSING_ROUNDS = 10  # turns of the loop in which accepted connections arrive
_DRIP_EVERY_S = 0.25
_REASONS = {status.value: status.phrase for status in HTTPStatus}


class _Refused(Exception):  # noqa: N818
    """A request that is no HTTP; its one argument is the status to answer."""


class _Connection(asyncio.Protocol):
    """Reads requests one after another and answers each before it reads the next."""

    def __init__(
        self,
        world: World,
        moods: Moods,
        engine: SearchEngine,
        observe: Callable[[Request], None] | None = None,
    ) -> None:
        self._world = world
        self._engine = engine
        self._observe = observe
        self._moods = moods
        self._buffer = b""
        self._is_busy = False
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports do not inherit asyncio's classes
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if self._is_busy and len(self._buffer) > _MAX_BODY_BYTES + _MAX_HEAD_BYTES:
            self._transport.close()
        self._answer_all()

    def _answer_all(self) -> None:
        while not self._is_busy and self._buffer and not self._transport.is_closing():
            try:
                taken = take_request(self._buffer)
            except _Refused as refused:
                self._send(
                    Reply(int(refused.args[0]), "text/plain", b"bad request\n"),
                    "GET",
                    keep=False,
                )
                return
            if taken is None:
                return
            request, size, keep = taken
            self._buffer = self._buffer[size:]
            self._answer(request, keep)

    def _answer(self, request: Request, keep: bool) -> None:
        if self._observe is not None:
            self._observe(request)
        request, visitor = visitor_of(request)
        is_search = request.host.partition(":")[0].lower() == SEARCH_HOST
        reply = (
            self._engine.answer(request)
            if is_search
            else respond(self._world, request, self._moods)
        )
        if visitor is not None:
            reply = for_visitor(reply, visitor)
        if reply.hang:
            self._is_busy = True
        elif reply.delay_s > 0:
            self._is_busy = True
            loop = asyncio.get_running_loop()
            loop.call_later(reply.delay_s, self._send, reply, request.method, keep)
        else:
            self._send(reply, request.method, keep)

    def _send(self, reply: Reply, method: str, keep: bool) -> None:
        if self._transport.is_closing():
            return
        head = _write_head(reply, keep)
        body = b"" if method == "HEAD" else reply.body
        if reply.drip_bytes_per_s > 0:
            self._transport.write(head)
            self._drip(body, max(1, int(reply.drip_bytes_per_s * _DRIP_EVERY_S)), keep)
            return
        self._transport.write(head + body)
        self._finish(keep)

    def _drip(self, body: bytes, step: int, keep: bool) -> None:
        if self._transport.is_closing():
            return
        self._is_busy = True
        self._transport.write(body[:step])
        if len(body) > step:
            asyncio.get_running_loop().call_later(
                _DRIP_EVERY_S, self._drip, body[step:], step, keep
            )
        else:
            self._finish(keep)

    def _finish(self, keep: bool) -> None:
        if not keep:
            self._transport.close()
        elif self._is_busy:
            self._is_busy = False
            self._answer_all()


def _write_head(reply: Reply, keep: bool) -> bytes:
    lines = [
        f"HTTP/1.1 {reply.status} {_REASONS.get(reply.status, '')}",
        f"Content-Type: {reply.content_type}",
        f"Content-Length: {len(reply.body)}",
        *(f"{name}: {value}" for name, value in reply.headers),
        "" if keep else "Connection: close\r\n",
    ]
    text = "\r\n".join(lines)
    return f"{text}\r\n".encode("latin-1", "replace")


def take_request(buffer: bytes) -> tuple[Request, int, bool] | None:
    """The first request in the buffer, its length, and whether the connection stays; None: not all there."""
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        if len(buffer) > _MAX_HEAD_BYTES:
            raise _Refused(431)
        return None
    first, *rest = buffer[:end].decode("latin-1").split("\r\n")
    parts = first.split(" ")
    if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
        raise _Refused(400)
    headers = {
        name.lower(): value.strip()
        for name, _, value in (line.partition(":") for line in rest)
    }
    if "transfer-encoding" in headers:
        raise _Refused(411)
    length = headers.get("content-length", "0")
    if not length.isascii() or not length.isdigit() or len(length) > 9:
        raise _Refused(400)
    if int(length) > _MAX_BODY_BYTES:
        raise _Refused(413)
    size = end + 4 + int(length)
    if len(buffer) < size:
        return None
    asked = headers.get("connection", "").lower()
    keep = asked != "close" and (parts[2] != "HTTP/1.0" or asked == "keep-alive")
    return _read_target(parts[0], parts[1], headers, buffer[end + 4 : size]), size, keep


def _read_target(
    method: str, target: str, headers: dict[str, str], body: bytes
) -> Request:
    """Origin form, or the absolute form that clients send to a proxy."""
    host = headers.get("host", "")
    if target.startswith("http://"):
        host, _, rest = target[len("http://") :].partition("/")
        target = f"/{rest}"
    path, _, query = target.partition("?")
    return Request(
        method, host, path if path.startswith("/") else "/", query, headers, body
    )


@asynccontextmanager
async def running(
    world: World, port: int = 0, observe: Callable[[Request], None] | None = None
) -> AsyncIterator[tuple[str, int]]:
    """Serve the world inside the running loop; gives the address, and stops at the end. `observe` sees each request."""
    connections: set[asyncio.Transport] = set()
    server = await _start(world, _bind(port), connections, observe)
    try:
        address = server.sockets[0].getsockname()
        yield str(address[0]), int(address[1])
    finally:
        await _end(server, connections)


async def _start(
    world: World,
    sock: socket.socket,
    connections: set[asyncio.Transport],
    observe: Callable[[Request], None] | None = None,
) -> asyncio.Server:
    moods, engine = Moods(), SearchEngine(world)

    class Kept(_Connection):
        """Remembers itself, so that hanging connections can be closed at the end."""

        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            super().connection_made(transport)
            connections.add(self._transport)

        def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
            connections.discard(self._transport)

    return await asyncio.get_running_loop().create_server(
        lambda: Kept(world, moods, engine, observe), sock=sock, backlog=4096
    )


def _bind(port: int, alone: bool = False) -> socket.socket:
    """A socket that our own processes may share; `alone` refuses a port on which somebody listens already."""
    if alone and port:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind((LOOPBACK, port))
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "SO_REUSEPORT"):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    sock.bind((LOOPBACK, port))
    return sock


def serve(
    world: World,
    port: int = 0,
    processes: int = 1,
    on_ready: Callable[[tuple[str, int]], None] | None = None,
) -> None:
    """Serve until interrupted or terminated; `on_ready` is called with the address."""
    reserved = _bind(port, alone=True)
    address = (LOOPBACK, int(reserved.getsockname()[1]))
    context = multiprocessing.get_context("spawn")
    others = [
        context.Process(
            target=_serve_beside, args=(world, address[1], os.getpid()), daemon=True
        )
        for _ in range(processes - 1)
    ]
    with holding_back_ctrl_c():
        for process in others:
            process.start()
    try:
        _run(
            _serve_here(
                world, reserved, None, lambda: on_ready(address) if on_ready else None
            )
        )
    finally:
        for process in others:
            process.terminate()
            process.join(5)


@contextmanager
def holding_back_ctrl_c() -> Iterator[None]:
    """Processes started meanwhile never get Ctrl+C, not even while they load: whoever started them ends them.

    This process gets it afterwards.
    """
    resource_tracker.ensure_running()  # or the first start would run it, and let Ctrl+C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve_beside(world: World, port: int, parent: int) -> None:
    _run(_serve_here(world, _bind(port), parent, lambda: None))


async def _serve_here(
    world: World, sock: socket.socket, parent: int | None, on_ready: Callable[[], None]
) -> None:
    """Until a signal comes, or the parent is gone: nobody would end this process then."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    connections: set[asyncio.Transport] = set()
    server = await _start(world, sock, connections)
    on_ready()
    while not stop.is_set() and (parent is None or os.getppid() == parent):
        try:
            await asyncio.wait_for(stop.wait(), 1.0)
        except TimeoutError:
            continue
    await _end(server, connections)


async def _end(server: asyncio.Server, connections: set[asyncio.Transport]) -> None:
    """End every connection, also those that are accepted while the server closes: a loop with open ones cannot end."""
    server.close()
    for _ in range(_CLOSING_ROUNDS):
        for transport in list(connections):
            transport.abort()
        await asyncio.sleep(0)
    await server.wait_closed()


def _run(main: asyncio.Future[None] | object) -> None:
    if sys.platform == "win32":
        asyncio.run(main)  # type: ignore[arg-type]
        return
    import uvloop  # noqa: PLC0415

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main)  # type: ignore[arg-type]
