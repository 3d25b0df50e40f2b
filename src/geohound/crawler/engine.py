"""The loop of a crawl: lease, examine, catalogue, score, settle, by two groups of workers over one frontier."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from geohound import urls
from geohound.contracts import StoreError
from geohound.model.frontier import Settled
from geohound.model.job import Job, PageRead, Redirected, Report
from geohound.model.visit import (
    Candidate,
    Failure,
    FailureReason,
    Lane,
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
from .crew import Crew
from .duplicates import Duplicates, Novelty
from .jobs import Jobs
from .keeping import Keeper
from .log_line import LogLine
from .observing import Observer
from .outage import Doubt, is_answer
from .plan import Parts, Plan
from .proposing import PROBE_BONUS, admit, candidate_of, listed, score_as_page

log = logging.getLogger(__name__)

_NOT_ASKED = Report(PageRead())

GRACE_S = 5.0  # for what is in flight when a crawl is stopped
OUTAGE_CHECK_S = 15.0
START_CHECK_S = 4.0
START_PATIENCE_S = 20  # where nobody has ever answered: an address with a mistake in it looks like a lost network
SECOND_LOOK_S = 2.0
MAX_OUTAGE_S = 1800
MANY_LINKS = 500  # are weighed at a time; then others have their turn


class Crawl:
    """One crawl from its seeds, or from where it was stopped, to the end of its budget."""

    def __init__(self, plan: Plan, parts: Parts, observer: Observer, visits: int = 0) -> None:
        """`visits` is how many tries at a page of its budget the task has spent in earlier runs."""
        self.plan = plan
        self.parts = parts
        self.observer = observer
        self.visits = visits
        self.ending = ""  # why this run ended, once it has
        self.is_cut_off = False  # no host answers: the network is waited for
        self._started = 0.0
        self.crews = {Lane.PAGES: Crew(plan.fetchers), Lane.PROBES: Crew(plan.testers, start=8, most=128)}
        self._keeper = Keeper(plan, parts, observer)
        self._jobs = Jobs(parts.catalogue, parts.robots, parts.examiner)
        self._stopping = False
        self._fatal: Exception | None = None
        self._wake = asyncio.Event()
        self._running: dict[Lane, set[asyncio.Task[None]]] = {lane: set() for lane in Lane}
        self._duplicates = Duplicates(parts.frontier.marks())
        self._cut_off_at = 0.0
        self._doubt = Doubt(parts.frontier.last_visited())

    def stop(self) -> None:
        """Finish what is in flight, lease nothing more."""
        self._stopping = True
        self._wake.set()

    async def run(self) -> str:
        """Work until nothing is left, the budget is spent, or `stop` is called; why it ended."""
        try:
            return await self._run()
        except asyncio.CancelledError:
            await self._wind_up(0.0)
            raise

    async def _run(self) -> str:
        self._started = self.parts.clock.monotonic()
        while not self._spent():
            if self._doubt.is_grave or (self._doubt and not self.in_flight):
                await self._end_doubt()
                continue
            self._hand_out()
            if self.in_flight:
                await self._until_woken()
                continue
            wait_s = self.parts.frontier.due_in()
            if wait_s is None and not self._doubt:
                break
            await self.parts.clock.sleep(min(max(wait_s or 0.0, 0.001), 1.0))
        self.ending = self._ending()
        await self._wind_up(GRACE_S)
        if self._fatal is not None:
            raise self._fatal
        return self.ending

    @property
    def in_flight(self) -> int:
        return sum(map(len, self._running.values()))

    async def _wind_up(self, grace_s: float) -> None:
        """Give what is in flight a moment; what takes longer is let go and waits for the next time."""
        under_way = [task for running in self._running.values() for task in running]
        if under_way:
            _, late = await asyncio.wait(under_way, timeout=grace_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _spent(self) -> bool:
        elapsed = self.parts.clock.monotonic() - self._started
        return self._stopping or self.visits >= self.plan.max_pages or 0 < self.plan.max_time_s <= elapsed

    def _ending(self) -> str:
        if self._stopping:
            return self.ending or "stopped"
        if self.visits >= self.plan.max_pages:
            return "page budget"
        return "time" if self._spent() else "finished"

    def _hand_out(self) -> None:
        """Give every idle worker of both groups its next candidate."""
        left = self.plan.max_pages - self.visits - len(self._running[Lane.PAGES])
        now = self.parts.clock.monotonic()
        for lane in (Lane.PROBES, Lane.PAGES):
            crew, running = self.crews[lane], self._running[lane]
            crew.look(now)
            idle = crew.size - len(running)
            allowed = left if lane is Lane.PAGES else idle
            wanted = min(idle, allowed)
            leased = self.parts.frontier.lease(wanted, lane) if wanted > 0 else []
            is_full = len(leased) == max(idle, 0)
            if is_full and allowed > len(leased) and self.parts.frontier.due_in(lane) == 0.0:
                crew.short()
            for candidate in leased:
                task = asyncio.create_task(self._guarded(candidate))
                running.add(task)
                task.add_done_callback(partial(self._note_done, lane))

    def _note_done(self, lane: Lane, task: asyncio.Task[None]) -> None:
        self._running[lane].discard(task)
        self.crews[lane].finished()
        self._wake.set()

    async def _until_woken(self) -> None:
        wait_s = self.parts.frontier.due_in()
        if not self._wake.is_set():
            with suppress(TimeoutError):
                timeout = 0.5 if wait_s is None else min(max(wait_s, 0.002), 0.5)
                await asyncio.wait_for(self._wake.wait(), timeout)
        self._wake.clear()

    async def _guarded(self, candidate: Candidate) -> None:
        """One step of the loop: a bug in it costs this URL, not the crawl."""
        try:
            await self._work(candidate)
        except (StoreError, BrokenPipeError) as error:
            # Nothing more can be kept, or nobody listens any longer: no other URL would fare better.
            self._fatal = self._fatal or error
            self.stop()
        except Exception:
            log.exception("a bug while visiting %s", candidate.url)
            self._drop(candidate, _NOT_ASKED, FailureReason.BUG)

    async def _work(self, candidate: Candidate) -> None:
        if self._duplicates.is_trap(candidate.url, is_probe=not candidate.is_page):
            self._drop(candidate, _NOT_ASKED, FailureReason.TRAP)
            return
        if candidate.purpose is Purpose.PROBE and (known := self._keeper.known(candidate.url)):
            # Another spelling of what is known: a sighting that costs no request.
            await self._keeper.put(known, candidate)
            self.observer.on_spared(candidate)
            self._done(Outcome(candidate, services=1, status=200), _NOT_ASKED)
            return
        asked_at = self.parts.clock.monotonic()
        report = await self.parts.examiner.examine(self._jobs.make(candidate))
        self._keep_record(report)
        log.info("%s", LogLine(candidate, report))
        if self._doubt.arises(candidate, report, self.parts.clock.monotonic()):
            return
        self.visits += candidate.purpose is Purpose.PAGE
        self.observer.on_report(candidate, report)
        self.parts.frontier.admit((), refused=report.drops)
        if self.is_cut_off and is_answer(report):
            self.is_cut_off = False
        if self._doubt and report.failure is None:
            await self._try_again(asked_at)
        await self._digest(candidate, report)

    def _keep_record(self, report: Report) -> None:
        """What was asked on the wire is kept whatever becomes of the visit."""
        if report.requests:
            self.parts.requests.record(self.plan.task, report.requests)
        if report.robots and self.parts.robots is not None:
            self.parts.robots.keep(report.robots)

    async def _digest(self, candidate: Candidate, report: Report) -> None:
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
            if not self.parts.frontier.remember(target):
                await self._keeper.keep(read, candidate, report.elapsed_s)
                await self._propose(candidate, read)  # nobody reports its links again for the page itself
                self._drop(candidate, report, FailureReason.DUPLICATE_CONTENT)
                return
        for file in read.files:
            self.parts.frontier.remember(Candidate(file, Via.SCRIPT, candidate.url, depth=candidate.depth + 1))
        new = await self._keeper.keep(read, candidate, report.elapsed_s)
        self._admit_listed(candidate, report)
        if read.objection is not None:
            self._drop(candidate, report, read.objection)
            return
        if novelty is not None and self._is_duplicate(candidate, read, novelty):
            if read.is_cached:
                await self._propose(candidate, read)  # nobody would report these links again
            self._drop(candidate, report, FailureReason.DUPLICATE_CONTENT)
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

    async def _end_doubt(self) -> None:
        """Hosts fail, and a lost network would look the same: does one still answer that did before?"""
        origin, now = self._doubt.witness, self.parts.clock.monotonic()
        if await self._is_network_there(origin):
            await self._try_again(now)
            return
        now = self.parts.clock.monotonic()
        patience_s, check_s = (MAX_OUTAGE_S, OUTAGE_CHECK_S) if origin else (START_PATIENCE_S, START_CHECK_S)
        if not self.is_cut_off:
            told = f", not even {origin}: the network seems lost" if origin else f" so far ({self._doubt.reasons()})"
            log.warning("No host answers%s. Waiting for it up to %d s.", told, patience_s)
            self._cut_off_at = now
        elif now - self._cut_off_at > patience_s:
            self.ending = "network lost"
            self.stop()
        self.is_cut_off = True
        self._doubt.ask_another()
        again_at = now + check_s
        for candidate, _ in self._doubt.give_up():
            self.parts.frontier.settle(candidate, Settled(Settlement.POSTPONED, retry_in_s=check_s))
        while not self._spent() and self.parts.clock.monotonic() < again_at:
            await self.parts.clock.sleep(0.2)

    async def _is_network_there(self, origin: str) -> bool:
        if not origin:
            await self.parts.examiner.refresh()
            return self._doubt.has_heard
        return is_answer(await self.parts.examiner.examine(Job(f"{origin}/robots.txt")))

    async def _try_again(self, since: float) -> None:
        """The network is there: what failed before may have failed while it was not, and is soon tried once more."""
        self.is_cut_off = False
        failed = self._doubt.settle(since)
        if failed:
            await self.parts.examiner.refresh()
        again_s = min(SECOND_LOOK_S, self.parts.politeness.retry_after_s)
        for candidate, report in failed:
            reason = report.failure.reason if report.failure else None
            self._settle(Outcome(candidate, reason=reason), Settlement.RETRY, report, again_s)

    def _admit_listed(self, candidate: Candidate, report: Report) -> None:
        """A map context is no service, but it names some; so do the records of a catalogue."""
        if not report.listed:
            return
        is_harvest = candidate.purpose is Purpose.HARVEST
        via, clue = (Via.HARVEST, candidate.clue) if is_harvest else (Via.SERVICE, report.listed_as)
        named = [c for c in (urls.canonical(u, candidate.url) for u in report.listed) if c]
        found = [listed(u, candidate, (candidate.url, clue), via) for u in named]
        admit(found, self.plan.fence, self.parts.frontier)

    def _redirected(self, candidate: Candidate, report: Report, url: str) -> None:
        """Another page is meant. The first redirect is free, further ones cost depth: chains must end."""
        depth = candidate.depth + (candidate.via is Via.REDIRECT)
        is_page = candidate.is_page and not looks_like_service(url)
        score = candidate.score + PROBE_BONUS if candidate.is_page and not is_page else candidate.score
        purpose = Purpose.PAGE if is_page else Purpose.PROBE
        target = Candidate(url, Via.REDIRECT, candidate.url, candidate.clue, score, depth, purpose)
        admit([target], self.plan.fence, self.parts.frontier)
        self._done(Outcome(candidate, links=1, status=report.status), report)

    async def _propose(self, candidate: Candidate, read: PageRead) -> int:
        """Score the links of a page and offer them to the frontier."""
        if read.page is None:
            return 0
        links = read.links if self.plan.counts_links else ()
        page = replace(read.page, score=score_as_page(candidate), links=links)
        proposed = 0
        for start in range(0, len(read.links), MANY_LINKS):
            if start:
                await asyncio.sleep(0)
            proposed += self._propose_some(candidate, page, read.links[start : start + MANY_LINKS])
        return proposed

    def _propose_some(self, candidate: Candidate, page: Page, links: Sequence[Link]) -> int:
        knows, order = self.parts.frontier.knows, self.parts.order
        depth = candidate.depth + 1
        if self.plan.counts_links:
            depth = 255  # each link is counted: what waits is told of it by its score alone
            for link in links:
                if knows(link.url) and (again := order.seen_again(link, page)) is not None:
                    self.parts.frontier.rescore([(link.url, again)])
        scored = [(link, order.score(link, page)) for link in links if not knows(link.url, depth)]
        found = [candidate_of(link, score, candidate) for link, score in scored if score > -math.inf]
        left_out = len(scored) - len(found)
        self.parts.frontier.admit(found, refused={FailureReason.ORDER: left_out} if left_out else None)
        return len(found)

    def _done(self, outcome: Outcome, report: Report) -> None:
        self._settle(outcome, Settlement.DONE, report)

    def _failed(self, candidate: Candidate, report: Report, failure: Failure) -> None:
        if failure.reason not in PASSING:
            self._drop(candidate, report, failure.reason)
            return
        again_s = retry_in_s(failure, self.parts.politeness)
        # Turned away by our own pace, before anything was asked: that is no attempt.
        was_asked = failure.reason is not FailureReason.RATE_LIMITED or report.status or failure.elapsed_s > 0
        ending = Settlement.RETRY if was_asked else Settlement.POSTPONED
        self._settle(Outcome(candidate, reason=failure.reason), ending, report, again_s)

    def _drop(self, candidate: Candidate, report: Report, reason: FailureReason) -> None:
        self._settle(Outcome(candidate, status=report.status, reason=reason), Settlement.DROPPED, report)

    def _settle(self, outcome: Outcome, settlement: Settlement, report: Report, again_s: float = 0.0) -> None:
        """End the lease, let the order learn, and leave the host alone for as long as it needs."""
        self.parts.order.learn(outcome)
        self.parts.frontier.rescore(self.parts.order.revised())
        end = Settled(
            settlement,
            outcome.reason,
            again_s,
            outcome.status,
            outcome.services,
            report.address,
            _marks(report),
        )
        self.parts.frontier.settle(outcome.candidate, end)


def _has_no_page(candidate: Candidate, report: Report) -> bool:
    """Is there nothing to be read at the address of a page, or nothing for us?"""
    is_forbidden = report.failure is not None and report.failure.reason is FailureReason.ROBOTS
    has_page = isinstance(report.result, PageRead) and report.result.page is not None
    return candidate.is_page and not has_page and (bool(report.status) or is_forbidden)


def _marks(report: Report) -> tuple[int, int] | None:
    sketch = report.result.sketch if isinstance(report.result, PageRead) else None
    return (sketch.body, sketch.words) if sketch else None
