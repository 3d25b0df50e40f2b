"""The loop of a crawl: lease, fetch, recognise, mine, score, settle, by two groups of workers over one frontier."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from geohound import probe
from geohound.document import Document
from geohound.model import url as urls
from geohound.model.bbox import overlaps
from geohound.model.contracts import Fetcher, StoreError
from geohound.model.health import Check
from geohound.model.service import Service, Sighting, Verdict
from geohound.model.visit import (
    Candidate,
    Failure,
    FailureReason,
    Outcome,
    Page,
    Response,
    Settlement,
    Via,
    Visit,
)

from .answers import BUSY, PASSING, busy, deserves_more, objection_to
from .follow import PROBE_BONUS, follow
from .plan import Parts, Plan
from .progress import Listener, Progress
from .repetition import Repetition

log = logging.getLogger(__name__)

GRACE_S = 5.0  # for what is in flight when a crawl is stopped
HARVEST_BATCH = 100


class Crawl:
    """One crawl from its seeds, or from where it was stopped, to the end of its budget."""

    def __init__(self, plan: Plan, parts: Parts, listener: Listener | None = None) -> None:
        self.plan = plan
        self.parts = parts
        self.progress = Progress()
        self._listener = listener
        self._stopping = False
        self._fatal: Exception | None = None
        self._wake = asyncio.Event()
        self._running: dict[bool, set[asyncio.Task[None]]] = {False: set(), True: set()}
        self._repetition = Repetition()
        self._sitemaps_asked: set[str] = set()

    def stop(self) -> None:
        """Finish what is in flight, lease nothing more."""
        self._stopping = True
        self._wake.set()

    async def run(self) -> Progress:
        """Work until nothing is left, the budget is spent, or `stop` is called."""
        self.progress.started = self.parts.clock.monotonic()
        while not self._spent():
            await self._hand_out()
            if not self._in_flight():
                wait_s = self.parts.frontier.seconds_until_due()
                if wait_s is None:
                    break
                await self.parts.clock.sleep(min(max(wait_s, 0.001), 1.0))
                continue
            await self._until_woken()
        await self._wind_up()
        if self._fatal is not None:
            raise self._fatal
        return self.progress

    async def _wind_up(self) -> None:
        """Give what is in flight a moment; what takes longer is let go and waits for the next time."""
        under_way = [*self._running[False], *self._running[True]]
        if under_way:
            _, late = await asyncio.wait(under_way, timeout=GRACE_S)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _spent(self) -> bool:
        plan, done = self.plan, self.progress
        elapsed = self.parts.clock.monotonic() - done.started
        return self._stopping or done.visits >= plan.max_pages or 0 < plan.max_time_s <= elapsed

    def _in_flight(self) -> int:
        return len(self._running[False]) + len(self._running[True])

    async def _hand_out(self) -> None:
        """Give every idle worker of both groups its next candidate."""
        left = self.plan.max_pages - self.progress.visits - len(self._running[False])
        for is_probe, size in ((True, self.plan.testers), (False, self.plan.fetchers)):
            idle = size - len(self._running[is_probe])
            if not is_probe:
                idle = min(idle, left)
            if idle <= 0:
                continue
            for candidate in await self.parts.frontier.lease(idle, probe=is_probe):
                work = self._test(candidate) if is_probe else self._visit(candidate)
                task = asyncio.create_task(self._guarded(candidate, work))
                self._running[is_probe].add(task)
                task.add_done_callback(self._running[is_probe].discard)
                task.add_done_callback(lambda _: self._wake.set())

    async def _until_woken(self) -> None:
        wait_s = self.parts.frontier.seconds_until_due()
        self._wake.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._wake.wait(), timeout=0.5 if wait_s is None else min(max(wait_s, 0.002), 0.5))

    async def _guarded(self, candidate: Candidate, work: Coroutine[Any, Any, None]) -> None:
        """One step of the loop: a bug in it costs this URL, not the crawl."""
        try:
            await work
        except (StoreError, BrokenPipeError) as error:
            # Nothing more can be kept, or nobody listens any longer: no other URL would fare better.
            self._fatal = self._fatal or error
            self.stop()
        except Exception:
            log.exception("a bug while visiting %s", candidate.url)
            await self._drop(candidate, FailureReason.BUG)

    async def _visit(self, candidate: Candidate) -> None:
        """A page: fetch, recognise, mine, propose."""
        if self._repetition.is_trap(candidate.url):
            await self._drop(candidate, FailureReason.TRAP)
            return
        visit = await self.parts.fetcher.fetch(candidate.url, max_bytes=self.plan.max_page_bytes)
        self._count(visit)
        self.progress.visits += 1
        if isinstance(visit, Failure):
            await self._failed(candidate, visit)
            return
        if visit.status in BUSY:
            await self._failed(candidate, busy(visit))
            return
        self.progress.pages += 1
        if await self._leads_to_known(candidate, visit):
            await self._drop(candidate, FailureReason.DUPLICATE_CONTENT, visit.status)
            return
        document = Document(visit)
        verdict = probe.recognise(document, self.parts.kinds)
        if deserves_more(verdict):
            asking = _Counting(self.parts.fetcher, self._count)
            verdict = await self._identify(candidate.url, asking, document)
        new = await self._catalogue(verdict.services, candidate, visit)
        await self._follow_list(verdict, candidate)
        if not verdict.services:
            objection = objection_to(verdict.refusal.reason if verdict.refusal else None, document)
            if objection:
                await self._drop(candidate, objection, visit.status)
                return
        page = self.parts.mine(document)
        if self._repetition.repeats(candidate.url, visit.body, page) and not verdict.services:
            await self._drop(candidate, FailureReason.DUPLICATE_CONTENT, visit.status)
            return
        links = await self._propose(page, candidate)
        await self._done(Outcome(candidate, len(verdict.services), new, links, visit.status))

    async def _leads_to_known(self, candidate: Candidate, visit: Response) -> bool:
        """Did redirects end at a page that was visited before, or waits for its own visit?"""
        target = urls.canonical(visit.final_url)
        if not visit.chain or target is None or target == candidate.url:
            return False
        return not await self.parts.frontier.remember(replace(candidate, url=target, via=Via.REDIRECT))

    async def _test(self, candidate: Candidate) -> None:
        """A candidate that looks like a service: ask it, catalogue what it proves."""
        counting = _Counting(self.parts.fetcher, self._count)
        verdict = await self._identify(candidate.url, counting)
        self.progress.tested += 1
        new = await self._catalogue(verdict.services, candidate, counting.last)
        await self._follow_list(verdict, candidate)
        if verdict.services:
            await self._done(Outcome(candidate, len(verdict.services), new, status=200))
            return
        last = counting.last
        if isinstance(last, Response) and last.status in BUSY:
            last = busy(last)
        if isinstance(last, Failure):
            await self._failed(candidate, last)
            return
        if isinstance(last, Response) and last.status < 400:
            await self._mine_after_all(candidate, last)
            return
        await self._drop(candidate, FailureReason.HTTP_ERROR, last.status if last else 0)

    async def _identify(self, url: str, fetcher: Fetcher, known: Document | None = None) -> Verdict:
        def is_complete(service: Service) -> bool:
            return bool(self.parts.catalogue.find_endpoint(service.endpoint))

        return await probe.identify(
            url, fetcher, self.parts.kinds, self.plan.max_service_bytes, known=known, is_complete=is_complete
        )

    async def _mine_after_all(self, candidate: Candidate, answer: Response) -> None:
        """The address only looked like a service: what answered is a page like any other."""
        document = Document(answer)
        refusal = probe.recognise(document, {}).refusal
        objection = objection_to(refusal.reason if refusal else None, document)
        if objection:
            await self._drop(candidate, objection, answer.status)
            return
        page = self.parts.mine(document)
        if self._repetition.repeats(candidate.url, answer.body, page):
            await self._drop(candidate, FailureReason.DUPLICATE_CONTENT, answer.status)
            return
        links = await self._propose(page, candidate)
        await self._done(Outcome(candidate, links=links, status=answer.status))

    async def _catalogue(self, services: Sequence[Service], candidate: Candidate, visit: Visit | None) -> int:
        """Put what was proved into the catalogue; follow what it lists. How many were new."""
        new = 0
        for service in self._whole(services):
            if not self._is_wanted(service):
                continue
            now = self.parts.clock.now()
            sighting = Sighting(
                service.id, candidate.url, candidate.found_on, candidate.via, candidate.clue, now, self.plan.task,
                candidate.depth,
            )  # fmt: skip
            is_new = self.parts.catalogue.put(service, sighting)
            if is_new:
                new += 1
                self.progress.found(service, candidate.via)
                self._announce(service)
            elapsed = visit.elapsed_s if visit else 0.0
            self.parts.catalogue.record_check(Check(service.id, now, True, "", elapsed, service.fingerprint))
            if is_new:
                await self._follow_service(service, candidate)
        return new

    def _whole(self, services: Sequence[Service]) -> Sequence[Service]:
        """One page of an API tells less than what is known: another door to it must not overwrite the whole."""
        if not any(service.companions for service in services):
            return services
        return self.parts.catalogue.find_endpoint(services[0].endpoint) or services

    def _is_wanted(self, service: Service) -> bool:
        """Does it pass the user's filters? A service without a box passes: nobody knows where it is."""
        plan = self.plan
        if plan.kinds and service.kind not in plan.kinds:
            return False
        box = service.extent.box if service.extent else None
        return plan.bbox is None or box is None or overlaps(plan.bbox, box)

    async def _follow_service(self, service: Service, candidate: Candidate) -> None:
        """Services name other services: contexts, directories and catalogues."""
        listed = [c for c in (urls.canonical(u, service.endpoint) for u in service.links) if c]
        clue = f"listed by {service.title}"
        await self._admit([_listed(u, candidate, (service.endpoint, clue), Via.SERVICE) for u in listed])
        harvester = self.parts.harvesters.get(service.kind)
        if harvester is None:
            return
        batch: list[Candidate] = []
        async for found in harvester.harvest(service.endpoint, _Counting(self.parts.fetcher, self._count)):
            batch.append(_listed(found.url, candidate, (service.endpoint, clue), Via.HARVEST))
            if len(batch) >= HARVEST_BATCH:
                await self._admit(batch)
                batch = []
            if self._spent():
                break
        await self._admit(batch)

    async def _follow_list(self, verdict: Verdict, candidate: Candidate) -> None:
        """A map context is no service, but it names some."""
        if verdict.refusal and verdict.refusal.lists:
            listed = [c for c in (urls.canonical(u, candidate.url) for u in verdict.refusal.lists) if c]
            clue = verdict.refusal.detail
            await self._admit([_listed(u, candidate, (candidate.url, clue), Via.SERVICE) for u in listed])

    async def _propose(self, page: Page, candidate: Candidate) -> int:
        """Score the links of a page and offer them to the frontier."""
        found = list(follow(page, candidate, self.parts.order, self.plan.fence, self.progress.drops))
        found += await self._sitemap_candidates(candidate)
        await self._admit(found)
        return len(found)

    async def _sitemap_candidates(self, candidate: Candidate) -> list[Candidate]:
        """The sitemaps that the host's robots.txt names, once for each host."""
        host = urls.host(candidate.url)
        if host in self._sitemaps_asked or not host:
            return []
        self._sitemaps_asked.add(host)
        named = (urls.canonical(u, candidate.url) for u in await self.parts.sitemaps(candidate.url))
        depth = candidate.depth + 1
        return [Candidate(u, Via.SITEMAP, candidate.url, "robots.txt", 0.0, depth) for u in named if u]

    async def _admit(self, found: list[Candidate]) -> None:
        inside = [c for c in found if self.plan.fence.holds(c.url)]
        self.progress.drops[FailureReason.OUT_OF_SCOPE] += len(found) - len(inside)
        if inside:
            await self.parts.frontier.admit(inside)

    async def _done(self, outcome: Outcome) -> None:
        await self._settle(outcome, Settlement.DONE)

    async def _failed(self, candidate: Candidate, failure: Failure) -> None:
        if failure.reason not in PASSING:
            await self._drop(candidate, failure.reason)
            return
        wait_s = min(max(failure.retry_after_s or 0.0, self.plan.retry_after_s), self.plan.max_retry_after_s)
        retry_at = self.parts.clock.monotonic() + wait_s
        await self._settle(Outcome(candidate, reason=failure.reason), Settlement.RETRY, retry_at)

    async def _drop(self, candidate: Candidate, reason: FailureReason, status: int = 0) -> None:
        await self._settle(Outcome(candidate, status=status, reason=reason), Settlement.DROPPED)

    async def _settle(self, outcome: Outcome, settlement: Settlement, retry_at: float | None = None) -> None:
        """End the lease, let the order learn, and leave the host alone for as long as its pace says."""
        self.parts.order.learn(outcome)
        candidate = outcome.candidate
        due = self.parts.next_at(urls.host(candidate.url))
        await self.parts.frontier.settle(
            candidate, settlement, outcome.reason, retry_at, outcome=outcome, host_next_at=due
        )

    def _count(self, visit: Visit) -> None:
        self.progress.requests += 1
        if isinstance(visit, Response):
            self.progress.bytes += len(visit.body)
            self.progress.hosts.add(urls.host(visit.final_url))

    def _announce(self, service: Service) -> None:
        if self._listener:
            self._listener(
                {
                    "event": "service",
                    "id": service.id,
                    "endpoint": service.endpoint,
                    "kind": service.kind,
                    "title": service.title,
                    "pages": self.progress.pages,
                    "requests": self.progress.requests,
                    "elapsed_s": round(self.parts.clock.monotonic() - self.progress.started, 3),
                }
            )


class _Counting:
    """A fetcher that reports every visit and remembers the last."""

    def __init__(self, fetcher: Fetcher, count: Callable[[Visit], None]) -> None:
        self._fetcher = fetcher
        self._count = count
        self.last: Visit | None = None

    async def fetch(self, url: str, *, accept: str = "*/*", max_bytes: int | None = None) -> Visit:
        self.last = await self._fetcher.fetch(url, accept=accept, max_bytes=max_bytes)
        self._count(self.last)
        return self.last

    async def close(self) -> None:
        """The inner fetcher belongs to somebody else."""


def _listed(url: str, candidate: Candidate, where: tuple[str, str], via: Via) -> Candidate:
    """An address that a document gives as a service; `where` is the document and what it says."""
    found_on, clue = where
    return Candidate(url, via, found_on, clue[:200], PROBE_BONUS, candidate.depth + 1, probe=True)
