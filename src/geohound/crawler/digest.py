"""What a report brings: services for the catalogue, links for the frontier, and the end of the lease."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import replace

from geohound import urls
from geohound.model.frontier import Settled
from geohound.model.job import PageRead, Redirected, Report
from geohound.model.visit import (
    Candidate,
    Failure,
    FailureReason,
    Link,
    Outcome,
    Page,
    Place,
    Purpose,
    Settlement,
    Via,
)
from geohound.politeness import retry_in_s
from geohound.urls.clue import looks_like_service

from .answers import PASSING
from .duplicates import MAX_SEEN_BEFORE, Duplicates, Novelty
from .keeping import Keeper
from .observing import Observer
from .plan import Parts, Plan
from .proposing import PROBE_BONUS, admit, candidate_of, listed, score_as_page

MEMOS_EVERY_S = 5.0  # that outlive a kill
MANY_LINKS = 500  # are weighed at a time; then others have their turn
_NOT_ASKED = Report(PageRead())


class Digest:
    """Takes in the reports of one crawl, in whatever order they come."""

    def __init__(self, plan: Plan, parts: Parts, observer: Observer) -> None:
        self._plan = plan
        self._parts = parts
        self._observer = observer
        self._keeper = Keeper(plan, parts, observer)
        self._duplicates = Duplicates(*parts.frontier.contents(MAX_SEEN_BEFORE))
        self._memos_at = 0.0

    async def spares(self, candidate: Candidate) -> bool:
        """Settle what needs no request: a URL of a trap, or another spelling of a service that is known."""
        if self._duplicates.is_trap(candidate.url, is_probe=not candidate.is_page):
            self.drop(candidate, FailureReason.TRAP)
            return True
        known = self._keeper.known(candidate.url) if candidate.purpose is Purpose.PROBE else None
        if known is None:
            return False
        await self._keeper.put(known, candidate)
        self._observer.on_spared(candidate)
        self._done(Outcome(candidate, services=1, status=200), _NOT_ASKED)
        return True

    async def take(self, candidate: Candidate, report: Report) -> None:
        """Keep what a report brings: services, candidates, and the end of the lease, in this order."""
        if _has_no_page(candidate, report):
            self._duplicates.found_nothing(candidate.url)
        match report.result:
            case Failure() as failure:
                self._admit_listed(candidate, report)
                self._failed(candidate, report, failure)
            case Redirected(target):
                self._redirected(candidate, report, target)
            case PageRead() as read:
                await self._keep(candidate, report, read)

    async def _keep(self, candidate: Candidate, report: Report, read: PageRead) -> None:
        novelty = self._judge(candidate, read)
        if read.final and read.final != candidate.url:
            depth, purpose = candidate.depth, candidate.purpose
            target = Candidate(read.final, Via.REDIRECT, candidate.url, depth=depth, purpose=purpose)
            if not self._parts.frontier.remember(target):
                await self._keeper.keep(read, candidate, report.elapsed_s)
                await self._propose(candidate, read)  # nobody reports its links again for the page itself
                self.drop(candidate, FailureReason.DUPLICATE_CONTENT, report)
                return
        for file in read.files:
            self._parts.frontier.remember(Candidate(file, Via.SCRIPT, candidate.url, depth=candidate.depth + 1))
        new = await self._keeper.keep(read, candidate, report.elapsed_s)
        self._admit_listed(candidate, report)
        if read.objection is not None:
            self.drop(candidate, read.objection, report)
            return
        if novelty is not None and self._is_duplicate(candidate, read, novelty):
            if read.is_cached:
                await self._propose(candidate, read)  # nobody would report these links again
            self.drop(candidate, FailureReason.DUPLICATE_CONTENT, report)
            return
        links = await self._propose(candidate, read)
        self._done(Outcome(candidate, len(read.services), new, links, report.status), report)

    def _judge(self, candidate: Candidate, read: PageRead) -> Novelty | None:
        """What a page adds to those of its family; None where there is no page."""
        if read.sketch is None:
            return None
        links = [link.url for link in read.links]
        found = self._duplicates.judge(candidate.url, candidate.found_on, links, read.sketch, len(read.services))
        was_run = any(link.place is Place.BROWSER for link in read.links)
        return found._replace(is_dull=False) if was_run else found

    def _is_duplicate(self, candidate: Candidate, read: PageRead, novelty: Novelty) -> bool:
        sketch = read.sketch
        if sketch is None:
            return False
        promises = novelty.is_promising
        repeats = self._duplicates.repeats(candidate.url, sketch.body, sketch.words, promises=promises)
        if repeats and not read.services:
            return True
        self._duplicates.note(candidate.url, is_dull=novelty.is_dull)
        return False

    def _admit_listed(self, candidate: Candidate, report: Report) -> None:
        """A map context is no service, but it names some; so do the records of a catalogue."""
        if not report.listed:
            return
        is_harvest = candidate.purpose is Purpose.HARVEST
        via, clue = (Via.HARVEST, candidate.clue) if is_harvest else (Via.SERVICE, report.listed_as)
        named = [c for c in (urls.canonical(u, candidate.url) for u in report.listed) if c]
        found = [listed(u, candidate, (candidate.url, clue), via) for u in named]
        admit(found, self._plan.fence, self._parts.frontier)

    def _redirected(self, candidate: Candidate, report: Report, url: str) -> None:
        """Another page is meant. The first redirect is free, further ones cost depth: chains must end."""
        depth = candidate.depth + (candidate.via is Via.REDIRECT)
        is_page = candidate.is_page and not looks_like_service(url)
        score = candidate.score + PROBE_BONUS if candidate.is_page and not is_page else candidate.score
        purpose = Purpose.PAGE if is_page else Purpose.PROBE
        target = Candidate(url, Via.REDIRECT, candidate.url, candidate.clue, score, depth, purpose)
        admit([target], self._plan.fence, self._parts.frontier)
        self._done(Outcome(candidate, links=1, status=report.status), report)

    async def _propose(self, candidate: Candidate, read: PageRead) -> int:
        """Score the links of a page and offer them to the frontier."""
        if read.page is None:
            return 0
        links = read.links if self._plan.counts_links else ()
        page = replace(read.page, score=score_as_page(candidate), links=links)
        proposed = 0
        for start in range(0, len(read.links), MANY_LINKS):
            if start:
                await asyncio.sleep(0)
            proposed += self._propose_some(candidate, page, read.links[start : start + MANY_LINKS])
        return proposed

    def _propose_some(self, candidate: Candidate, page: Page, links: Sequence[Link]) -> int:
        knows, order = self._parts.frontier.knows, self._parts.order
        depth = candidate.depth + 1
        if self._plan.counts_links:
            depth = 255  # each link is counted: what waits is told of it by its score alone
            for link in links:
                if knows(link.url) and (again := order.seen_again(link, page)) is not None:
                    self._parts.frontier.rescore([(link.url, again)])
        scored = [(link, order.score(link, page)) for link in links if not knows(link.url, depth)]
        found = [candidate_of(link, score, candidate) for link, score in scored if score > -math.inf]
        left_out = len(scored) - len(found)
        self._parts.frontier.admit(found, refused={FailureReason.ORDER: left_out} if left_out else None)
        return len(found)

    def _done(self, outcome: Outcome, report: Report) -> None:
        self.settle(outcome, Settlement.DONE, report)

    def _failed(self, candidate: Candidate, report: Report, failure: Failure) -> None:
        if failure.reason not in PASSING:
            self.drop(candidate, failure.reason, report)
            return
        again_s = retry_in_s(failure, self._parts.politeness)
        # Turned away by our own pace, before anything was asked: that is no attempt.
        was_asked = failure.reason is not FailureReason.RATE_LIMITED or report.status or failure.elapsed_s > 0
        ending = Settlement.RETRY if was_asked else Settlement.POSTPONED
        self.settle(Outcome(candidate, reason=failure.reason), ending, report, again_s)

    def drop(self, candidate: Candidate, reason: FailureReason, report: Report = _NOT_ASKED) -> None:
        self.settle(Outcome(candidate, status=report.status, reason=reason), Settlement.DROPPED, report)

    def settle(self, outcome: Outcome, settlement: Settlement, report: Report, again_s: float = 0.0) -> None:
        """End the lease, let the order learn, and leave the host alone for as long as it needs."""
        self._parts.order.learn(outcome)
        self._parts.frontier.rescore(self._parts.order.revised())
        end = Settled(
            settlement,
            outcome.reason,
            again_s,
            outcome.status,
            outcome.services,
            report.address,
            _marks(report),
        )
        self._parts.frontier.settle(outcome.candidate, end)
        now = self._parts.clock.monotonic()
        if now >= self._memos_at:
            self.keep_memos()
            self._memos_at = now + MEMOS_EVERY_S

    def keep_memos(self) -> None:
        """What was learned of near-duplicates and traps, for a run that goes on with this crawl."""
        self._parts.frontier.keep_memos(self._duplicates.take_memos())


def _has_no_page(candidate: Candidate, report: Report) -> bool:
    """Is there nothing to be read at the address of a page, or nothing for us?"""
    is_forbidden = report.failure is not None and report.failure.reason is FailureReason.ROBOTS
    has_page = isinstance(report.result, PageRead) and report.result.page is not None
    return candidate.is_page and not has_page and (bool(report.status) or is_forbidden)


def _marks(report: Report) -> tuple[int, int] | None:
    sketch = report.result.sketch if isinstance(report.result, PageRead) else None
    return (sketch.body, sketch.words) if sketch else None
