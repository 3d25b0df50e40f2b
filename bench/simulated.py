"""Webs mined once by the real miner, so that crawls of them need neither a network nor a reader."""

from __future__ import annotations

import hashlib
import pickle
import sys
import tempfile
import zlib
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from webs import Web

from geohound import app, urls
from geohound.document import Document
from geohound.mining import mine
from geohound.model.visit import LinkPlace, Page, Response

CACHE = Path(tempfile.gettempdir()) / "geohound-order-webs"
VERSION = 4
MAX_SAME_WORDS, MAX_DULL = 3, 8  # as the crawl treats pages that say the same again
_NO_DIGITS = str.maketrans("", "", "0123456789")
_NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class Node:
    """One address of a mined web; links are (node, text, context, place, way)."""

    url: str
    host: str
    title: str = ""
    text: str = ""
    language: str = ""
    software: str = ""
    links: tuple[tuple[int, str, str, LinkPlace, str], ...] = ()
    services: frozenset[str] = frozenset()
    free: bool = False  # looks like a service: tested at once, no page visit


@dataclass(slots=True)
class MinedWeb:
    """A whole web, ready to be crawled."""

    name: str
    pages: int
    seeds: list[int]
    nodes: list[Node]
    services: frozenset[str] = frozenset()  # all that a crawl can find


def mined(name: str, make: Callable[[], Web]) -> MinedWeb:
    """The web of this name, from the cache or mined now."""
    CACHE.mkdir(exist_ok=True)
    file = CACHE / f"{name}.{VERSION}.pickle"
    if file.exists():
        loaded: MinedWeb = pickle.loads(zlib.decompress(file.read_bytes()))
        return loaded
    web = _Miner(make()).run(name)
    file.write_bytes(zlib.compress(pickle.dumps(web, 5), 1))
    return web


class _Miner:
    """Walks a web breadth first and keeps what an order may see."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self._numbers: dict[str, int] = {}
        self._nodes: list[Node] = []
        self._queue: deque[int] = deque()
        self._wordings: Counter[bytes] = Counter()
        self._dull: Counter[str] = Counter()

    def run(self, name: str) -> MinedWeb:
        seeds = [self._number(urls.canonical(u) or u) for u in self._web.seeds()]
        found: set[str] = set()
        limit = self._web.pages * 2
        while self._queue and len(self._nodes) < limit:
            node = self._nodes[self._queue.popleft()]
            self._read(node)
            found |= node.services
        return MinedWeb(
            name,
            self._web.pages,
            [s for s in seeds if s >= 0],
            self._nodes,
            frozenset(found),
        )

    def _number(self, url: str) -> int:
        number = self._numbers.get(url)
        if number is None:
            number = self._numbers[url] = self._enter(url)
        return number

    def _enter(self, url: str) -> int:
        """A new node, or -1 for what is tested at once and is no page, and for traps."""
        free = app.address_book().looks_like_service(url)
        if (free and self._web.page(url) is None) or self._dull[
            urls.shape(url)
        ] >= MAX_DULL:
            return -1
        self._nodes.append(Node(url, urls.host(url), free=free))
        self._queue.append(len(self._nodes) - 1)
        return len(self._nodes) - 1

    def _read(self, node: Node) -> None:
        body = self._web.page(node.url)
        if body is None:
            return
        response = Response(
            node.url,
            node.url,
            200,
            {"content-type": "text/html; charset=utf-8"},
            body,
            _NOW,
        )
        page = mine(Document(response), app.address_book())
        node.services = frozenset(self._web.services(node.url))
        if self._repeats(node, page) and not node.services:
            return
        node.title = page.title
        node.text = page.text
        node.language = page.language
        node.software = page.software
        node.links = tuple(self._links(page))

    def _repeats(self, node: Node, page: Page) -> bool:
        words = f"{node.host} {page.text.translate(_NO_DIGITS)}".encode(
            "utf-8", "replace"
        )
        digest = hashlib.blake2b(words, digest_size=8).digest()
        self._wordings[digest] += 1
        same = self._wordings[digest] > MAX_SAME_WORDS
        shape = urls.shape(node.url)
        self._dull[shape] = self._dull[shape] + 1 if same else 0
        return same

    def _links(self, page: Page) -> Iterator[tuple[int, str, str, LinkPlace, str]]:
        """Each address once; scripts and configurations belong to the page and are no visits of their own."""
        seen: set[str] = set()
        for link in page.links:
            address = urls.canonical(link.url, page.url)
            if (
                not address
                or address in seen
                or link.nofollow
                or page.nofollow
                or link.place is LinkPlace.CONFIG
            ):
                continue
            seen.add(address)
            if (
                urls.looks_like_media(address)
                or urls.repeats_path(address)
                or len(address) > 2000
            ):
                continue
            number = self._number(address)
            if number >= 0:
                yield (
                    number,
                    link.text,
                    link.context,
                    link.place,
                    sys.intern(link.dom_path),
                )
