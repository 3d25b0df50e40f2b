"""A web server on loopback that answers what a test tells it to, however wrong, and counts who calls."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest
from polite import behaving, bounded

from geohound.model.visit import Visit
from geohound.net.address_guard import Guard
from geohound.net.connect_to import Route
from geohound.net.fetcher import ClientPolicy, CurlFetcher
from geohound.net.limits import Limits

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
Answer = bytes | Handler


def http(body: bytes = b"", *headers: str, status: str = "200 OK") -> bytes:
    """A well-formed answer."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


@dataclass
class Server:
    """Answers by path; `/robots.txt` allows everything unless the test says otherwise."""

    answers: Mapping[str, Answer]
    connections: int = 0
    open_connections: int = 0
    requests: list[str] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    port: int = 0

    async def serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.connections += 1
        self.open_connections += 1
        try:
            with contextlib.suppress(
                OSError, EOFError, asyncio.LimitOverrunError, asyncio.CancelledError
            ):
                while await self._answer(reader, writer):
                    pass
        finally:
            self.open_connections -= 1
            writer.close()

    async def _answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        path = head.split(" ")[1]
        self.requests.append(path)
        self.heads.append(head)
        answer = self.answers.get(path.partition("?")[0])
        if answer is None:
            answer = http(status="404 Not Found")
        if isinstance(answer, bytes):
            writer.write(answer)
            await writer.drain()
            return True
        await answer(reader, writer)
        return False


@asynccontextmanager
async def serving(
    answers: Mapping[str, Answer],
    tls: ssl.SSLContext | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
) -> AsyncIterator[Server]:
    server = Server(answers)
    listener = await asyncio.start_server(server.serve, host, port, ssl=tls)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listener.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()


@asynccontextmanager
async def fetching(
    server: Server,
    limits: Limits | None = None,
    policy: ClientPolicy | None = None,
    nets: tuple[str, ...] = ("127.0.0.0/8",),
) -> AsyncIterator[CurlFetcher]:
    """A fetcher for which every host under .test is this server."""
    chosen = policy or behaving(obey_robots=False)
    routes = (Route("*.test", "127.0.0.1", server.port),)
    fetcher = CurlFetcher(
        replace(chosen, routes=routes), Guard.opening(nets), limits or bounded()
    )
    try:
        yield fetcher
    finally:
        await fetcher.close()


def ask(
    answers: Mapping[str, Answer],
    *urls: str,
    limits: Limits | None = None,
    policy: ClientPolicy | None = None,
    max_bytes: int | None = None,
) -> tuple[list[Visit], Server]:
    """Fetch the URLs one after the other from a server that answers like this."""

    async def run() -> tuple[list[Visit], Server]:
        async with (
            serving(answers) as server,
            fetching(server, limits, policy) as fetcher,
        ):
            return [
                await fetcher.fetch(url, max_bytes=max_bytes) for url in urls
            ], server

    return asyncio.run(run())


class FakeClock:
    """Time that passes when told to."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def monotonic(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds


class Web:
    """What the tests of this folder share."""

    http = staticmethod(http)
    serving = staticmethod(serving)
    fetching = staticmethod(fetching)
    ask = staticmethod(ask)


@pytest.fixture
def web() -> Web:
    return Web()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()
