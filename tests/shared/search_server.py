"""A search provider on loopback that answers as a test says, and remembers what it was asked."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from typing import NamedTuple
from unittest.mock import patch

from loopback import serving

from geohound import app
from geohound.contracts import Searcher
from geohound.model.crawl.web_search import SearchPage, SearchRequest
from geohound.model.visit import Failure, RequestRecord
from geohound.settings import Settings


class Said(NamedTuple):
    """One answer."""

    body: bytes = b""
    status: int = 200
    content_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()


class Asked(NamedTuple):
    """One request as it came over the wire."""

    target: str
    headers: Mapping[str, str]


Script = Callable[[str], Said]  # path and query


@contextmanager
def provider(script: Script) -> Iterator[tuple[str, list[Asked]]]:
    """Its origin, and the list of what it was asked."""
    asked: list[Asked] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(
                Asked(
                    self.path,
                    {name.lower(): value for name, value in self.headers.items()},
                )
            )
            said = script(self.path)
            self.send_response(said.status)
            for name, value in (("Content-Type", said.content_type), *said.headers):
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(said.body)))
            with suppress(BrokenPipeError, ConnectionResetError):
                self.end_headers()
                self.wfile.write(said.body)

        def log_message(self, *_: object) -> None: ...

    with serving(Handler) as origin:
        yield origin, asked


def ask(
    searcher: Searcher, request: SearchRequest, keys: Mapping[str, str] | None = None
) -> SearchPage | Failure:
    """One page, by the real fetcher."""
    return ask_recorded(searcher, request, keys)[0]


def ask_recorded(
    searcher: Searcher, request: SearchRequest, keys: Mapping[str, str] | None = None
) -> tuple[SearchPage | Failure, list[RequestRecord]]:
    """The same with the records of the requests that were made."""
    port = (
        request.address.split(":")[2].partition("/")[0]
        if request.address.count(":") > 1
        else "80"
    )
    settings = Settings(
        allow_nets=("127.0.0.0/8",),
        allow_ports=(port,),
        host_delay_s=0.0,
        obey_robots=False,
    )
    records: list[RequestRecord] = []

    async def one_page() -> SearchPage | Failure:
        fetcher = app.fetcher(settings, on_request=records.append)
        try:
            return await searcher.page(request, fetcher)
        finally:
            await fetcher.close()

    with patch.dict(os.environ, keys or {}):
        return asyncio.run(one_page()), records
