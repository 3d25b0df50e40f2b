"""A crawl of a mined web in simulated time: the real frontier and the real politeness, with a clock that jumps.

Workers, latencies and the delay of each host are those of a crawl; only fetching is left out. What an order brings is
counted against pages, requests and seconds.
"""

from __future__ import annotations

import asyncio
import heapq
import math
import time
import zlib
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from simulated import MinedWeb, Node

from geohound import app, urls
from geohound.contracts import Order
from geohound.crawler.engine import LAST_TESTS_S
from geohound.crawler.link_scoring import GUESSED_KIND
from geohound.frontier import Frontier
from geohound.frontier.thrift import Thrift
from geohound.model.crawl.frontier import Settled
from geohound.model.crawl.task import CrawlGoal, TaskSpec
from geohound.model.visit import (
    Candidate,
    Lane,
    Link,
    LinkPlace,
    Outcome,
    Page,
    Purpose,
    Settlement,
    Via,
)
from geohound.politeness import Politeness, TaskPoliteness, VisitFacts
from geohound.settings import Settings
from geohound.stores.memory.frontier_log import MemoryFrontierLog
from geohound.stores.memory.tasks import MemoryTasks
from geohound.tasks.spec import bounds_of

PROBE_BONUS = 1000.0
_START = datetime(2026, 1, 1, tzinfo=UTC)
_VIA = {
    LinkPlace.TEXT: Via.TEXT,
    LinkPlace.CODE: Via.TEXT,
    LinkPlace.FORM: Via.FORM,
    LinkPlace.SCRIPT: Via.SCRIPT,
}


class SimulatedClock:
    """Time passes only when the simulation says so."""

    def __init__(self) -> None:
        self.passed_s = 0.0

    def now(self) -> datetime:
        return _START + timedelta(seconds=self.passed_s)

    def monotonic(self) -> float:
        return self.passed_s

    async def sleep(self, seconds: float) -> None:
        self.passed_s += seconds


@dataclass(frozen=True, slots=True)
class Conditions:
    """What the crawl may spend, and how fast the web answers."""

    max_pages: int
    max_time_s: float = math.inf
    host_delay_s: float = 1.0
    latency_s: float = 0.2
    fetchers: int = 64
    testers: int = 32
    thrift: Thrift | None = None


@dataclass(slots=True)
class Found:
    """When each service was confirmed, and what the whole crawl took."""

    at_pages: list[int] = field(default_factory=list)
    at_requests: list[int] = field(default_factory=list)
    at_s: list[float] = field(default_factory=list)
    pages: int = 0
    requests: int = 0
    elapsed_s: float = 0.0
    hosts: int = 0
    named: int = 0  # services on the pages that were read
    cpu_s: float = 0.0


class Simulation:
    """One crawl of one web by one order."""

    def __init__(self, web: MinedWeb, order: Order, conditions: Conditions) -> None:
        self._web = web
        self._order = order
        self._conditions = conditions
        self._clock = SimulatedClock()
        self._numbers = {node.url: number for number, node in enumerate(web.nodes)}
        self._services = {service for node in web.nodes for service in node.services}
        self._known: set[str] = set()
        self._named: set[str] = set()
        self._asked: set[str] = set()
        self._running: list[tuple[float, int, Candidate]] = []
        self._serial = 0
        self._in_lane: Counter[Lane] = Counter()
        self._is_pages_turn = False
        self._pages_ended: float | None = None
        self.found = Found()

    def run(self) -> Found:
        started = time.process_time()
        asyncio.run(self._crawl())
        self.found.cpu_s = time.process_time() - started
        self.found.elapsed_s = self._clock.passed_s
        self.found.hosts = len(self._asked)
        self.found.named = len(self._named)
        return self.found

    async def _crawl(self) -> None:
        settings = Settings(host_delay_s=self._conditions.host_delay_s)
        tasks = MemoryTasks(self._clock)
        task = tasks.create(TaskSpec(goal=CrawlGoal(seeds=("http://a.test/",))))
        claim = tasks.claim(task.id, "simulation", 1e9)
        assert claim is not None
        self._turns = TaskPoliteness(
            Politeness(self._clock), app.politeness_policy(settings), self._clock
        )
        bounds = replace(
            bounds_of(settings),
            max_pages=self._conditions.max_pages,
            max_depth=None,
            thrift=self._conditions.thrift,
        )
        log = MemoryFrontierLog(tasks)
        self._frontier = Frontier(
            log, claim, self._clock, bounds, self._turns, self._order
        )
        self._frontier.admit(list(self._seeds()))
        await self._frontier.flush()
        while not self._is_spent():
            self._lease()
            if not await self._advance():
                break

    def _is_spent(self) -> bool:
        """As the crawl has it: tests that are queued when the last page is read are still made, for a while."""
        now = self._clock.passed_s
        if now >= self._conditions.max_time_s:
            return True
        if self.found.pages < self._conditions.max_pages:
            return False
        self._pages_ended = ended = self._pages_ended or now
        return self._order.decides_tests or now - ended >= max(LAST_TESTS_S, ended)

    def _seeds(self) -> list[Candidate]:
        urls_ = [self._web.nodes[number].url for number in self._web.seeds]
        return [
            Candidate(url, Via.SEED, score=self._order.seed(url, i))
            for i, url in enumerate(urls_)
        ]

    def _lease(self) -> None:
        self._is_pages_turn = self._order.decides_tests and not self._is_pages_turn
        for lane, most in self._limits()[:: -1 if self._is_pages_turn else 1]:
            idle = most - self._in_lane[lane]
            for candidate in self._frontier.lease(idle, lane) if idle > 0 else ():
                self._serial += 1
                self._in_lane[lane] += 1
                heapq.heappush(
                    self._running,
                    (
                        self._clock.passed_s + self._latency_s(candidate),
                        self._serial,
                        candidate,
                    ),
                )

    def _latency_s(self, candidate: Candidate) -> float:
        """Half to one and a half of the mean; the first request of a host is preceded by that for robots.txt."""
        share = 0.5 + zlib.crc32(candidate.url.encode()) % 1000 / 1000
        first = 0 if urls.host(candidate.url) in self._asked else 1
        return self._conditions.latency_s * (share + first)

    async def _advance(self) -> bool:
        """Let time pass until something ends or may be leased; False where nothing is left."""
        due_s = self._frontier.due_in()
        if not self._running:
            if due_s is None:
                return False
            self._clock.passed_s += max(due_s, 0.001)
            return True
        ends_at = self._running[0][0]
        is_full = all(self._in_lane[lane] >= most for lane, most in self._limits())
        if (
            due_s is not None
            and not is_full
            and due_s > 0.0
            and self._clock.passed_s + due_s < ends_at
        ):
            self._clock.passed_s += due_s
            return True
        self._clock.passed_s, _, candidate = heapq.heappop(self._running)
        self._end(candidate)
        await self._frontier.flush()
        return True

    def _limits(self) -> tuple[tuple[Lane, int], ...]:
        return (Lane.PROBES, self._conditions.testers), (
            Lane.PAGES,
            self._conditions.fetchers,
        )

    def _end(self, candidate: Candidate) -> None:
        """A request is over: what it showed is scored, admitted and settled, as a crawl does it."""
        host = urls.host(candidate.url)
        self._in_lane[candidate.purpose.lane] -= 1
        self.found.requests += 1 + (host not in self._asked)
        self._asked.add(host)
        self._turns.record(host, VisitFacts(self._conditions.latency_s))
        number = self._numbers.get(candidate.url)
        node = self._web.nodes[number] if number is not None else None
        new = 0
        if candidate.url in self._services:
            new = int(candidate.url not in self._known)
            self._confirm(candidate.url)
        links = 0
        if node is not None:
            if candidate.is_page:
                self.found.pages += 1
            links = self._read(node, candidate)
        status = (
            200
            if new
            or candidate.url in self._services
            or (node and (node.text or node.links))
            else 404
        )
        services = int(candidate.url in self._services)
        self._order.learn(Outcome(candidate, services, new, links, status))
        self._frontier.rescore(
            [
                (u, s)
                for u, s in self._order.revised()
                if not self._web.nodes[self._numbers[u]].free
            ]
        )
        self._frontier.settle(
            candidate, Settled(Settlement.DONE, status=status, services=services)
        )

    def _confirm(self, service: str) -> None:
        if service in self._known:
            return
        self._known.add(service)
        self.found.at_pages.append(self.found.pages)
        self.found.at_requests.append(self.found.requests)
        self.found.at_s.append(self._clock.passed_s)

    def _read(self, node: Node, candidate: Candidate) -> int:
        """Score what is new on a page, and offer it to the frontier with the services that the page names."""
        nodes = self._web.nodes
        links = [
            Link(nodes[n].url, text, said, place, dom_path=path)
            for n, text, said, place, path in node.links
        ]
        is_bonus = (
            not candidate.is_page
            and not self._order.decides_tests
            and candidate.via is not Via.SEED
        )
        score = candidate.score - PROBE_BONUS if is_bonus else candidate.score
        page = Page(
            node.url, node.title, node.text, node.language, candidate.depth, score, 0, tuple(links),
            software=node.software,
        )  # fmt: skip
        self._named |= node.services
        found = [
            self._probe(service, page, candidate)
            for service in sorted(node.services - self._known)
        ]
        depth = 255 if self._order.counts_links else candidate.depth + 1
        for (number, text, context, place, _), link in zip(
            node.links, page.links, strict=True
        ):
            if self._frontier.knows(link.url, depth):
                again = (
                    self._order.seen_again(link, page)
                    if self._order.counts_links
                    else None
                )
                if again is not None and not nodes[number].free:
                    self._frontier.rescore([(link.url, again)])
                continue
            score = self._order.score(link, page)
            if score == -math.inf:
                continue
            via = _VIA.get(place, Via.LINK)
            clue = (text or context)[:200]
            wanted = Candidate(
                link.url, via, candidate.url, clue, score, candidate.depth + 1
            )
            found += self._wanted(wanted, is_free=nodes[number].free)
        return self._frontier.admit(found).count

    def _wanted(self, page: Candidate, *, is_free: bool) -> list[Candidate]:
        """What becomes of a link, as the crawl has it: a page to be read, a test, or both."""
        test = replace(page, purpose=Purpose.PROBE)
        if not self._order.decides_tests:
            return (
                [replace(test, score=page.score + PROBE_BONUS)] if is_free else [page]
            )
        if not self._order.is_tested(page.url):
            return [page]
        if is_free:
            return [test]
        request = app.address_book().capabilities(GUESSED_KIND, urls.endpoint(page.url))
        return [page, replace(test, url=request, via=Via.GUESS, found_on=page.url)]

    def _probe(self, service: str, page: Page, candidate: Candidate) -> Candidate:
        """A service that a page names is tested at once, unless the order decides when."""
        score = (
            self._order.score(Link(service), page)
            if self._order.decides_tests
            else PROBE_BONUS
        )
        return Candidate(
            service,
            Via.LINK,
            candidate.url,
            "",
            score,
            candidate.depth + 1,
            Purpose.PROBE,
        )
