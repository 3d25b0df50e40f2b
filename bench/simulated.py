"""A crawl without a network: webs mined once by the real miner, then walked by any order as fast as it can choose."""

from __future__ import annotations

import hashlib
import heapq
import pickle
import sys
import tempfile
import time
import zlib
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from webs import Web

from geohound import urls
from geohound.contracts import Order
from geohound.document import Document
from geohound.mining import mine
from geohound.model.visit import Candidate, Link, Outcome, Page, Place, Purpose, Response, Via
from geohound.urls.clue import looks_like_service

CACHE = Path(tempfile.gettempdir()) / "geohound-order-webs"
VERSION = 4
MAX_SAME_WORDS, MAX_DULL = 3, 8  # as the crawl treats pages that say the same again
MAX_TRIES = 64  # candidates asked anew for one lease
_NO_DIGITS = str.maketrans("", "", "0123456789")
_VIA = {Place.TEXT: Via.TEXT, Place.CODE: Via.TEXT, Place.FORM: Via.FORM, Place.SCRIPT: Via.SCRIPT}
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
    links: tuple[tuple[int, str, str, Place, str], ...] = ()
    services: frozenset[str] = frozenset()
    free: bool = False  # looks like a service: tested at once, no page visit


@dataclass(slots=True)
class MinedWeb:
    """A whole web, ready to be walked."""

    name: str
    pages: int
    seeds: list[int]
    nodes: list[Node]
    services: frozenset[str] = frozenset()  # all that a walk can find


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
        return MinedWeb(name, self._web.pages, [s for s in seeds if s >= 0], self._nodes, frozenset(found))

    def _number(self, url: str) -> int:
        number = self._numbers.get(url)
        if number is None:
            number = self._numbers[url] = self._enter(url)
        return number

    def _enter(self, url: str) -> int:
        """A new node, or -1 for what is tested at once and is no page, and for traps."""
        free = looks_like_service(url)
        if (free and self._web.page(url) is None) or self._dull[urls.shape(url)] >= MAX_DULL:
            return -1
        self._nodes.append(Node(url, urls.host(url), free=free))
        self._queue.append(len(self._nodes) - 1)
        return len(self._nodes) - 1

    def _read(self, node: Node) -> None:
        body = self._web.page(node.url)
        if body is None:
            return
        response = Response(node.url, node.url, 200, {"content-type": "text/html; charset=utf-8"}, body, _NOW)
        page = mine(Document(response))
        node.services = frozenset(self._web.services(node.url))
        if self._repeats(node, page) and not node.services:
            return
        node.title, node.text, node.language, node.software = page.title, page.text, page.language, page.software
        node.links = tuple(self._links(page))

    def _repeats(self, node: Node, page: Page) -> bool:
        words = f"{node.host} {page.text.translate(_NO_DIGITS)}".encode("utf-8", "replace")
        digest = hashlib.blake2b(words, digest_size=8).digest()
        self._wordings[digest] += 1
        same = self._wordings[digest] > MAX_SAME_WORDS
        shape = urls.shape(node.url)
        self._dull[shape] = self._dull[shape] + 1 if same else 0
        return same

    def _links(self, page: Page) -> Iterator[tuple[int, str, str, Place, str]]:
        """Each address once; scripts and configurations belong to the page and are no visits of their own."""
        seen: set[str] = set()
        for link in page.links:
            address = urls.canonical(link.url, page.url)
            if not address or address in seen or link.nofollow or page.nofollow or link.place is Place.CONFIG:
                continue
            seen.add(address)
            if urls.looks_like_media(address) or urls.repeats_path(address) or len(address) > 2000:
                continue
            number = self._number(address)
            if number >= 0:
                yield number, link.text, link.context, link.place, sys.intern(link.way)


@dataclass(slots=True)
class Run:
    """What a crawl brought: the page count at which each service was found."""

    found_at: list[int] = field(default_factory=list)
    visits: int = 0
    links: int = 0  # new links scored
    order_s: float = 0.0  # CPU spent in the order
    hosts: int = 0


class Walk:
    """One crawl over a mined web: per host a heap, hosts by their best, both lanes as the engine has them."""

    def __init__(self, web: MinedWeb, order: Order, budget: int) -> None:
        self._web = web
        self._order = order
        self._budget = budget
        self._admitted = bytearray(len(web.nodes))
        self._visited = bytearray(len(web.nodes))
        self._candidates: dict[int, Candidate] = {}
        self._heaps: dict[str, list[tuple[float, int, int]]] = {}
        self._best: list[tuple[float, int, str]] = []
        self._serial = 0
        self._tests: deque[int] = deque()
        self._known: set[str] = set()
        self._numbers = {node.url: number for number, node in enumerate(web.nodes)}
        self.run_ = Run()

    def run(self) -> Run:
        order = self._order
        for position, number in enumerate(self._web.seeds):
            if not self._admitted[number]:
                url = self._web.nodes[number].url
                self._admit(number, Candidate(url, Via.SEED, score=order.seed(url, position)))
        while self.run_.visits < self._budget:
            number = self._lease()
            if number is None:
                break
            self.run_.visits += 1
            self._visit(number)
            while self._tests:
                self._visit(self._tests.popleft())
            self._show(self._web.nodes[number].host)
        return self.run_

    def _admit(self, number: int, candidate: Candidate) -> None:
        self._admitted[number] = 1
        if candidate.score == float("-inf"):
            return
        self._candidates[number] = candidate
        if self._web.nodes[number].free:
            self._tests.append(number)
            return
        self._push(number, candidate.score)

    def _push(self, number: int, score: float) -> None:
        host = self._web.nodes[number].host
        heap = self._heaps.get(host)
        if heap is None:
            heap = self._heaps[host] = []
            self.run_.hosts += 1
        self._serial += 1
        heapq.heappush(heap, (-score, number, self._serial))
        if heap[0][1] == number:
            self._show(host)

    def _show(self, host: str) -> None:
        """Put a host where its best URL belongs."""
        heap = self._heaps.get(host)
        while heap and self._visited[heap[0][1]]:
            heapq.heappop(heap)
        if heap:
            started = time.thread_time()
            bonus = self._order.host_bonus(host)
            self.run_.order_s += time.thread_time() - started
            heapq.heappush(self._best, (heap[0][0] - bonus, heap[0][1], host))

    def _lease(self) -> int | None:
        """The best URL of all hosts; one that is worth less today than when it was queued goes back."""
        tries = 0
        while self._best:
            key, number, host = heapq.heappop(self._best)
            heap = self._heaps[host]
            if self._visited[number] or not heap or heap[0][1] != number:
                continue
            cost, _, _ = heapq.heappop(heap)
            candidate = self._candidates[number]
            started = time.thread_time()
            today = self._order.rescore(candidate)
            self.run_.order_s += time.thread_time() - started
            if today == float("-inf"):
                self._visited[number] = 1
                self._show(host)
                continue
            tries += 1
            worth = key + (-today - cost)
            if worth > key + 1e-6 and tries < MAX_TRIES and self._is_beaten(worth, -today, heap):
                heapq.heappush(heap, (-today, number, self._serial))
                self._show(host)
                continue
            self._visited[number] = 1
            return number
        return None

    def _is_beaten(self, worth: float, cost: float, heap: list[tuple[float, int, int]]) -> bool:
        return (bool(self._best) and self._best[0][0] < worth) or (bool(heap) and heap[0][0] < cost)

    def _visit(self, number: int) -> None:
        node, candidate = self._web.nodes[number], self._candidates.pop(number)
        self._visited[number] = 1
        nodes = self._web.nodes
        links = [Link(nodes[n].url, text, said, place, way=way) for n, text, said, place, way in node.links]
        page = Page(
            node.url, node.title, node.text, node.language, candidate.depth, candidate.score, 0, tuple(links),
            software=node.software,
        )  # fmt: skip
        started = time.thread_time()
        new = self._score(node, page, candidate)
        self._order.learn(Outcome(candidate, 0, 0, len(links), 200 if node.text or node.links else 404))
        for service in sorted(node.services):
            is_new = service not in self._known
            if is_new:
                self._known.add(service)
                self.run_.found_at.append(self.run_.visits)
            tested = Candidate(
                service, Via.LINK, node.url, "", candidate.score, candidate.depth + 1, purpose=Purpose.PROBE
            )
            self._order.learn(Outcome(tested, 1, int(is_new), 0, 200))
        raised = list(self._order.revised())
        self.run_.order_s += time.thread_time() - started
        for target, child in new:
            self._admit(target, child)
        for url, score in raised:
            target = self._numbers[url]
            if not self._visited[target] and target in self._candidates:
                self._push(target, score)

    def _score(self, node: Node, page: Page, candidate: Candidate) -> list[tuple[int, Candidate]]:
        new: list[tuple[int, Candidate]] = []
        order = self._order
        for (target, text, context, place, _), link in zip(node.links, page.links, strict=True):
            if self._admitted[target]:
                raised = order.seen_again(link, page)
                if raised is not None and not self._visited[target] and target in self._candidates:
                    self._push(target, raised)
                continue
            score = order.score(link, page)
            self.run_.links += 1
            clue = (text or context)[:200]
            via = _VIA.get(place, Via.LINK)
            new.append((target, Candidate(link.url, via, page.url, clue, score, candidate.depth + 1)))
        return new


class Recorder:
    """An order that writes down what it is asked, so that the same can be asked again against the clock."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self.calls: list[tuple[str, tuple[object, ...]]] = []

    def __getattr__(self, name: str) -> object:
        method = getattr(self._order, name)
        if not callable(method):
            return method

        def ask(*arguments: object) -> object:
            self.calls.append((name, arguments))
            return method(*arguments)

        return ask


def cost(web: MinedWeb, make: Callable[[], Order], visits: int = 3000, rounds: int = 3) -> tuple[float, float]:
    """CPU in µs per link on the pages, and per link that was new: the least of some rounds, without the walk itself."""
    recorder = Recorder(make())
    run = Walk(web, recorder, visits).run()  # type: ignore[arg-type]
    met = sum(name in {"score", "seen_again"} for name, _ in recorder.calls)
    least = float("inf")
    for _ in range(rounds):
        order = make()
        steps = [(getattr(order, name), arguments) for name, arguments in recorder.calls]
        started = time.process_time()
        for method, arguments in steps:
            method(*arguments)
        least = min(least, time.process_time() - started)
    return 1e6 * least / met, 1e6 * least / max(run.links, 1)


def omniscient(web: MinedWeb) -> Run:
    """Who knows the truth and needs no links: always the page with most services that are still missing."""
    pages = [n.services for n in web.nodes if n.services]
    run, known = Run(), set[str]()
    while pages:
        best = max(pages, key=lambda s: len(s - known))
        gain = best - known
        if not gain:
            break
        run.visits += 1
        run.found_at += [run.visits] * len(gain)
        known |= gain
        pages.remove(best)
    return run
