"""What a report brings: services for the catalogue, links for the frontier, and the end of the lease."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from geohound import urls
from geohound.model.crawl.data_file import FileHead
from geohound.model.crawl.frontier import Settled
from geohound.model.crawl.harvest import HarvestPage
from geohound.model.crawl.job import PageRead, Redirected, Report
from geohound.model.crawl.watched import WatcherReport
from geohound.model.failure import NOT_READ, FailureReason
from geohound.model.visit import (
    UNRANKED,
    Candidate,
    Failure,
    Link,
    LinkPlace,
    Outcome,
    Page,
    Purpose,
    Settlement,
    Via,
    order_score,
)
from geohound.politeness import retry_in_s

from .catalogue_writer import CatalogueWriter
from .crawl_plan import CrawlParts, Plan
from .duplicates import MAX_SEEN_BEFORE, NearDuplicateDetector, Novelty
from .file_lister import FileLister, listed_as
from .harvesting import harvests_behind, harvests_of, named_by, next_page
from .likely_addresses import MAX_LEARNED, LikelyAddresses
from .link_scoring import admit, candidate_of, listed, ordered_candidates
from .observer import CrawlObserver
from .watched_sites import WatchedSites

MEMOS_EVERY_S = 5.0  # that outlive a kill
MANY_LINKS = 500  # are weighed at a time; then others have their turn
RANK_WEIGHT = 1e-3  # of a watcher's rank beside the score of the order
_NOT_ASKED = Report(PageRead())


class ReportHandler:
    """Takes in the reports of one crawl, in whatever order they come."""

    def __init__(self, plan: Plan, parts: CrawlParts, observer: CrawlObserver) -> None:
        self._plan = plan
        self._parts = parts
        self._observer = observer
        self._writer = CatalogueWriter(plan, parts, observer)
        self._files = (
            FileLister(parts.files, plan, parts, observer)
            if parts.files is not None
            else None
        )
        self._duplicates = NearDuplicateDetector(
            *parts.frontier.contents(MAX_SEEN_BEFORE)
        )
        self._memos_at = 0.0
        met = parts.catalogue.met_at(MAX_LEARNED) if plan.likely_addresses else ()
        self._likely = LikelyAddresses.of(met) if plan.likely_addresses else None
        # such orders run as published
        is_published = parts.order.decides_tests or parts.order.has_stages
        self.watched = WatchedSites(
            plan.watchers,
            None if is_published else parts.watched_sites,
            parts.clock,
            plan.task,
        )

    async def spares(self, candidate: Candidate) -> bool:
        """Settle what needs no request: a URL of a trap, another spelling of a known service, an unchanged page."""
        if self._is_watched(candidate):
            return True
        if self._duplicates.is_trap(candidate.url, is_probe=not candidate.is_page):
            self.drop(candidate, FailureReason.TRAP)
            return True
        known = (
            self._writer.known(candidate.url)
            if candidate.purpose is Purpose.PROBE
            else None
        )
        if known is None:
            return False
        await self._writer.put(known, candidate)
        self._observer.on_skipped(candidate)
        self._done(Outcome(candidate, services=1), _NOT_ASKED)
        return True

    async def take(self, candidate: Candidate, report: Report) -> None:
        """Keep what a report brings: services, candidates, and the end of the lease, in this order."""
        if candidate.purpose is Purpose.WATCHER:
            self._watcher_answered(candidate, report)
            return
        if self._likely is not None:
            proved = (
                report.result.services if isinstance(report.result, PageRead) else ()
            )
            admit(
                self._likely.taken(candidate, report.asked, proved),
                self._plan.scope,
                self._parts.frontier,
            )
        if _has_no_page(candidate, report):
            self._duplicates.found_nothing(candidate.url)
        if report.failed_checks and self._is_final(candidate, report):
            await self._writer.keep_failed(report)
        match report.result:
            case Failure() as failure:
                self._admit_listed(candidate, report)
                self._failed(candidate, report, failure)
            case Redirected(target):
                self._redirected(candidate, report, target)
            case HarvestPage() as page:
                self._harvested(candidate, report, page)
            case FileHead() as head:
                self._file_answered(candidate, report, head)
            case PageRead() as read:
                await self._keep(candidate, report, read)

    def _is_watched(self, candidate: Candidate) -> bool:
        """Ask the watcher of a page's site first, and settle the page where it says that it need not be read."""
        request = self.watched.ask_first(candidate)
        if request is not None and not self._parts.frontier.admit([request]).count:
            self.watched.failed(candidate)  # nobody will ask: pages must not wait
        objection = self.watched.objection(candidate)
        if isinstance(objection, FailureReason):
            self.drop(candidate, objection)
        elif objection is not None:
            self.settle(Outcome(candidate), Settlement.POSTPONED, _NOT_ASKED, objection)
        return objection is not None

    def _watcher_answered(self, candidate: Candidate, report: Report) -> None:
        if not isinstance(report.result, WatcherReport):
            self.watched.failed(candidate)
            if (
                report.failure is not None
                and report.failure.reason is FailureReason.HTTP_ERROR
            ):
                # most sites have no watcher
                self._done(Outcome(candidate, status=report.status), report)
                return
            self.drop(
                candidate,
                report.failure.reason if report.failure else FailureReason.BAD_ANSWER,
                report,
            )
            return
        news = self.watched.take(candidate, report.result)
        found = [self._scored(each) for each in news.candidates]
        admit(
            [each for each in found if each.score > -math.inf],
            self._plan.scope,
            self._parts.frontier,
        )
        if news.pause_s:
            self._parts.frontier.pause(urls.host(candidate.url), news.pause_s)
        if news.again_in_s is None:
            self._done(
                Outcome(candidate, links=len(found), status=report.status), report
            )
        else:
            self.settle(
                Outcome(candidate, status=report.status),
                Settlement.POSTPONED,
                report,
                news.again_in_s,
            )

    def _scored(self, candidate: Candidate) -> Candidate:
        """A page of a report is worth what the order thinks of it; of pages alike the better ranked comes first."""
        if not candidate.is_page:
            return candidate
        link = Link(candidate.url, candidate.clue, place=LinkPlace.SITEMAP)
        worth = self._parts.order.score(link, Page(candidate.found_on))
        return replace(candidate, score=worth + RANK_WEIGHT * candidate.score)

    def _is_final(self, candidate: Candidate, report: Report) -> bool:
        """A visit that is made again soon is no check yet: it may still succeed."""
        is_passing = (
            report.failure is not None and report.failure.reason.means.is_passing
        )
        return not is_passing or (
            _is_attempt(report) and self._parts.frontier.is_last_attempt(candidate)
        )

    async def _keep(self, candidate: Candidate, report: Report, read: PageRead) -> None:
        novelty = self._judge(candidate, read)
        if read.final and read.final != candidate.url:
            depth, purpose = candidate.depth, candidate.purpose
            target = Candidate(
                read.final, Via.REDIRECT, candidate.url, depth=depth, purpose=purpose
            )
            if not self._parts.frontier.remember(target):
                await self._writer.keep(read, candidate, report)
                # nobody reports its links again for the page itself
                await self._propose(candidate, read)
                self.drop(candidate, FailureReason.DUPLICATE_CONTENT, report)
                return
        for file in read.files:
            self._parts.frontier.remember(
                Candidate(file, Via.SCRIPT, candidate.url, depth=candidate.depth + 1)
            )
        new = await self._writer.keep(read, candidate, report)
        self._admit_listed(candidate, report)
        if read.objection is not None:
            self.drop(candidate, read.objection, report)
            return
        if novelty is not None and self._is_duplicate(candidate, read, novelty):
            if read.is_cached:
                # nobody would report these links again
                await self._propose(candidate, read)
            self.drop(candidate, FailureReason.DUPLICATE_CONTENT, report)
            return
        self._begin_harvests(candidate, read)
        links = await self._propose(candidate, read)
        ogc_links = sum(
            self._parts.book.classify(link.url)[0] is urls.ServiceHint.CERTAIN
            for link in read.links
        )
        brought = Outcome(
            candidate,
            len(read.services),
            new,
            links,
            report.status,
            read.in_vain,
            ogc_links,
        )
        self._done(brought, report)

    def _begin_harvests(self, candidate: Candidate, read: PageRead) -> None:
        """Of seeds those that their addresses name have begun with the crawl."""
        plan, harvesters = self._plan, self._parts.harvesters
        found = harvests_behind(candidate, read.catalogues, plan, harvesters)
        if candidate.via is not Via.SEED:
            found += harvests_of(candidate, plan, harvesters)
        admit(found, plan.scope, self._parts.frontier)

    def _judge(self, candidate: Candidate, read: PageRead) -> Novelty | None:
        """What a page adds to those of its family; None where there is no page."""
        if read.sketch is None:
            return None
        links = [link.url for link in read.links]
        found = self._duplicates.judge(
            candidate.url, candidate.found_on, links, read.sketch, len(read.services)
        )
        was_run = any(link.place is LinkPlace.BROWSER for link in read.links)
        return found._replace(is_dull=False) if was_run else found

    def _is_duplicate(
        self, candidate: Candidate, read: PageRead, novelty: Novelty
    ) -> bool:
        sketch = read.sketch
        if sketch is None:
            return False
        promises = novelty.is_promising
        repeats = self._duplicates.repeats(
            candidate.url, sketch.body, sketch.words, promises=promises
        )
        if repeats and not read.services:
            return True
        self._duplicates.note(candidate.url, is_dull=novelty.is_dull)
        return False

    def _admit_listed(self, candidate: Candidate, report: Report) -> None:
        """A map context is no service, but it names some."""
        if not report.listed:
            return
        named = [
            c for c in (urls.canonical(u, candidate.url) for u in report.listed) if c
        ]
        found = [
            listed(u, candidate, (candidate.url, report.listed_as), Via.SERVICE)
            for u in named
        ]
        admit(found, self._plan.scope, self._parts.frontier)

    def _harvested(
        self, candidate: Candidate, report: Report, page: HarvestPage
    ) -> None:
        """What a page of a catalogue names, and the next page, reach the disk together: a kill costs one page.

        A catalogue that repeats a page, or whose cursor stands still, would go on for ever.
        """
        if self._duplicates.is_repeated(page.fingerprint):
            self.drop(candidate, FailureReason.DUPLICATE_CONTENT, report)
            return
        start = self._parts.harvesters[candidate.harvester].start(self._plan.since)
        found, left_out = named_by(candidate, page, self._parts.book, start)
        onward = next_page(candidate, page)
        if isinstance(onward, Candidate):
            found.append(onward)
        admit(found, self._plan.scope, self._parts.frontier, left_out)
        if isinstance(onward, FailureReason):
            self.drop(candidate, onward, report)
        else:
            self._done(
                Outcome(candidate, links=len(found), status=report.status), report
            )

    def _file_answered(
        self, candidate: Candidate, report: Report, head: FileHead
    ) -> None:
        if self._files is not None:
            self._files.answered(candidate, report, head)
        if report.status >= 400:
            self.drop(candidate, FailureReason.HTTP_ERROR, report)
        else:
            self._done(Outcome(candidate, status=report.status), report)

    def _redirected(self, candidate: Candidate, report: Report, url: str) -> None:
        """Another page is meant. The first redirect is free, further ones cost depth: chains must end."""
        depth = candidate.depth + (candidate.via is Via.REDIRECT)
        if candidate.purpose is Purpose.FILE:
            target = replace(
                candidate,
                url=url,
                via=Via.REDIRECT,
                found_on=listed_as(candidate),
                depth=depth,
            )
        else:
            is_page = candidate.is_page and not self._parts.book.looks_like_service(url)
            purpose = Purpose.PAGE if is_page else Purpose.PROBE
            score = order_score(candidate.score)
            target = Candidate(
                url, Via.REDIRECT, candidate.url, candidate.clue, score, depth, purpose
            )
        admit([target], self._plan.scope, self._parts.frontier)
        self._done(Outcome(candidate, links=1, status=report.status), report)

    async def _propose(self, candidate: Candidate, read: PageRead) -> int:
        """Score the links of a page and offer them to the frontier."""
        if read.page is None:
            return 0
        if self._files is not None:
            self._files.list(read.data_files, candidate)
        links = read.links if self._plan.counts_links else ()
        page = replace(read.page, score=order_score(candidate.score), links=links)
        proposed = 0
        for start in range(0, len(read.links), MANY_LINKS):
            if start:
                await asyncio.sleep(0)
            proposed += self._propose_some(
                candidate, page, read.links[start : start + MANY_LINKS]
            )
        return proposed

    def _propose_some(
        self, candidate: Candidate, page: Page, links: Sequence[Link]
    ) -> int:
        knows, order = self._parts.frontier.knows, self._parts.order
        depth = candidate.depth + 1
        if self._plan.counts_links:
            # each link is counted: what waits changes by its score alone
            depth = depth if order.has_stages else 255
            for link in links:
                if (
                    knows(link.url)
                    and (again := order.seen_again(link, page)) is not None
                ):
                    self._rescore([(link.url, again)])
        scored = [
            (link, order.score(link, page))
            for link in links
            if not knows(link.url, depth)
        ]
        taken = [(link, score) for link, score in scored if score > -math.inf]
        found = self._candidates(taken, candidate)
        left_out = len(scored) - len(taken)
        if found or left_out:
            refused = {FailureReason.ORDER: left_out} if left_out else None
            self._parts.frontier.admit(found, refused=refused)
        return len(taken)

    def _candidates(
        self, scored: Sequence[tuple[Link, float]], found_on: Candidate
    ) -> list[Candidate]:
        order, book = self._parts.order, self._parts.book
        if not order.decides_tests:
            return [candidate_of(link, score, found_on, book) for link, score in scored]
        found: list[Candidate] = []
        for link, score in scored:
            found += ordered_candidates(
                link, score, found_on, book, is_tested=order.is_tested(link.url)
            )
        return found

    def _rescore(self, scores: Iterable[tuple[str, float]]) -> None:
        """Report better scores of pages to the frontier; services are tested at once, whatever their score."""
        is_service = self._parts.book.looks_like_service
        self._parts.frontier.rescore(
            [(url, score) for url, score in scores if not is_service(url)]
        )

    def _done(self, outcome: Outcome, report: Report) -> None:
        self.settle(outcome, Settlement.DONE, report)

    def _failed(self, candidate: Candidate, report: Report, failure: Failure) -> None:
        if not failure.reason.means.is_passing:
            self.drop(candidate, failure.reason, report)
            return
        again_s = retry_in_s(failure, self._parts.politeness)
        ending = Settlement.RETRY if _is_attempt(report) else Settlement.POSTPONED
        self.settle(Outcome(candidate, reason=failure.reason), ending, report, again_s)

    def drop(
        self, candidate: Candidate, reason: FailureReason, report: Report = _NOT_ASKED
    ) -> None:
        self.settle(
            Outcome(candidate, status=report.status, reason=reason),
            Settlement.DROPPED,
            report,
        )

    def settle(
        self,
        outcome: Outcome,
        settlement: Settlement,
        report: Report,
        again_s: float = 0.0,
    ) -> None:
        """End the lease, let the order learn, and leave the host alone for as long as it needs."""
        if outcome.candidate.purpose not in UNRANKED:
            self._parts.order.learn(outcome)
        is_over = (
            settlement in (Settlement.DONE, Settlement.DROPPED)
            and outcome.reason not in NOT_READ
        )
        if is_over and outcome.candidate.is_page:
            self.watched.note_read(outcome.candidate)
        self._rescore(self._parts.order.revised())
        reason = outcome.reason
        if report.is_copy and reason is None:
            settlement, reason = Settlement.DROPPED, FailureReason.READ_LATELY
        end = Settled(
            settlement,
            reason,
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
    is_forbidden = (
        report.failure is not None and report.failure.reason is FailureReason.ROBOTS
    )
    has_page = isinstance(report.result, PageRead) and report.result.page is not None
    return candidate.is_page and not has_page and (bool(report.status) or is_forbidden)


def _is_attempt(report: Report) -> bool:
    """Not where our own pace turned it away before anything was asked."""
    failure = report.failure
    return (
        failure is None
        or failure.reason.means.is_attempt
        or bool(report.status)
        or failure.elapsed_s > 0
    )


def _marks(report: Report) -> tuple[int, int] | None:
    if isinstance(report.result, HarvestPage):
        return (report.result.fingerprint, 0) if report.result.fingerprint else None
    sketch = report.result.sketch if isinstance(report.result, PageRead) else None
    return (sketch.body, sketch.words) if sketch else None
