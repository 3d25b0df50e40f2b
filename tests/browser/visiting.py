"""A site on loopback that counts who calls, and the real browser to visit it with."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

from polite import behaving, bounded

from geohound.browser import BrowserPool, PageBudget
from geohound.model.crawl.browsed import BrowsedPage, EventRow
from geohound.net.address_guard import Guard
from geohound.net.fetcher import CurlFetcher

BUDGET = PageBudget(
    time_s=40.0,
    requests=60,
    bytes=5_000_000,
    memory_bytes=500_000_000,
    events=20,
    patience_s=6.0,
)


@dataclass
class Site:
    """Answers by path; what begins with a brace or bracket is JSON, with a slash a redirect, with a letter a script."""

    files: dict[str, str] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    origin: str = ""

    def paths(self) -> set[str]:
        return {request.partition("?")[0] for request in self.requests}


_TYPES = {
    "<": "text/html",
    "{": "application/json",
    "[": "application/json",
    "U": "text/plain",
}


def handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def _answer(self) -> None:
            site.requests.append(self.path)
            site.heads.append(f"{self.command} {self.path}\n{self.headers}")
            text = site.files.get(
                self.path, site.files.get(self.path.partition("?")[0])
            )
            if text is not None and text.startswith(("/", "http://")):
                self.send_response(302)
                self.send_header("Location", text)
                text = ""
            else:
                self.send_response(404 if text is None else 200)
                self.send_header(
                    "Content-Type", _TYPES.get((text or "U")[0], "text/javascript")
                )
                self.send_header("Set-Cookie", "visitor=1; Path=/")
            body = (text or "").encode()
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


@dataclass
class Trap:
    """A place that nobody may go to; it counts who comes."""

    port: int
    visitors: int = 0


class Visitor:
    """Runs pages in one browser for a whole file of tests."""

    def __init__(self, budget: PageBudget) -> None:
        self._runner = asyncio.Runner()
        self.pool = self._runner.run(self._make(budget))

    async def _make(self, budget: PageBudget) -> BrowserPool:
        return BrowserPool("", 2, budget)

    def run(
        self,
        *urls: str,
        words: tuple[str, ...] = (),
        budget: PageBudget | None = None,
        reported: Sequence[EventRow] = (),
    ) -> list[BrowsedPage]:
        usual, self.pool._budget = self.pool._budget, budget or self.pool._budget
        try:
            return self._runner.run(self._visit(urls, words, reported))
        finally:
            self.pool._budget = usual

    async def _visit(
        self,
        urls: tuple[str, ...],
        words: tuple[str, ...],
        reported: Sequence[EventRow],
    ) -> list[BrowsedPage]:
        fetcher = CurlFetcher(
            behaving(), Guard.opening(["127.0.0.1/32"]), bounded(total_s=15.0)
        )
        try:
            return await asyncio.gather(
                *(self.pool.run(url, fetcher, words, reported) for url in urls)
            )
        finally:
            await fetcher.close()

    def close(self) -> None:
        self._runner.run(self.pool.close())
        self._runner.close()
