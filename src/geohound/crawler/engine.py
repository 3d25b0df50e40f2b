"""The loop of a crawl: lease, examine, catalogue, score, settle, by two groups of workers over one frontier."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from functools import partial

from geohound.contracts import StoreError
from geohound.model.crawl.frontier import Settled
from geohound.model.crawl.job import Job, Report
from geohound.model.failure import FailureReason
from geohound.model.visit import Candidate, Lane, Outcome, Purpose, Settlement

from .autoscaled_pool import AutoscaledPool
from .connectivity import ConnectivityMonitor, is_answer
from .crawl_plan import CrawlParts, Plan
from .job_maker import Copies, Jobs
from .log_line import LogLine
from .observer import CrawlObserver
from .report_handler import ReportHandler

log = logging.getLogger(__name__)

GRACE_S = 5.0  # for what is in flight when a crawl is stopped
LAST_TESTS_S = 60.0  # for the tests that are queued when the page budget is spent, or as long as the pages took
MAX_TEST_WAIT_S = 5.0  # for the next of them
QUIET_S = 3.0  # without a visit that begins or ends: the crawl says whose answers it waits for
HANGING_S = 5.0  # for the last pages of a budget, after the last visit began or ended
# of the pages, at most, that are left for the next run because they hang
HANGING_SHARE = 0.02
OUTAGE_CHECK_S = 15.0
START_CHECK_S = 4.0
START_PATIENCE_S = 20  # where nobody has ever answered: an address with a mistake in it looks like a lost network
SECOND_LOOK_S = 2.0
MAX_OUTAGE_S = 1800
FED_S = 0.02  # between looks at a frontier that somebody feeds


class Crawl:
    """One crawl from its seeds, or from where it was stopped, to the end of its budget."""

    def __init__(
        self, plan: Plan, parts: CrawlParts, observer: CrawlObserver, visits: int = 0
    ) -> None:
        """`visits` is how many tries at a page of its budget the task has spent in earlier runs."""
        self.plan = plan
        self.parts = parts
        self.observer = observer
        self.visits = visits
        self.ending = ""  # why this run ended, once it has
        # visits of pages; that of a shard grows while others leave some
        self.allowance = plan.max_pages
        self.awaits_grants = False  # a spent allowance does not end the crawl
        # somebody brings more: an empty frontier does not end the crawl
        self.is_fed = False
        self.is_cut_off = False  # no host answers: the network is waited for
        self._started = 0.0
        self._pages_ended: float | None = None  # when the page budget was spent
        self._last_moved = 0.0  # when a visit began or ended last
        self.pools = {
            Lane.PAGES: AutoscaledPool(plan.fetchers),
            Lane.PROBES: AutoscaledPool(plan.testers, start=8, most=128),
        }
        self._reports = ReportHandler(plan, parts, observer)
        kept = parts.kept_pages
        copies = (
            Copies(kept, plan.revisit_after_s, plan.task) if kept is not None else None
        )
        self._jobs = Jobs(
            parts.catalogue,
            parts.robots,
            parts.examiner,
            copies,
            self._reports.watched,
        )
        self._stopping = False
        self._fatal: Exception | None = None
        self._wake = asyncio.Event()
        self._running: dict[Lane, dict[asyncio.Task[None], Candidate]] = {
            lane: {} for lane in Lane
        }
        self._cut_off_at = 0.0
        self._is_pages_turn = False
        self._connectivity = ConnectivityMonitor(parts.frontier.last_visited())

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
        self._started = self._last_moved = self.parts.clock.monotonic()
        self.parts.frontier.on_queued = self._wake.set
        while not self._spent():
            if self._connectivity.suspects_lost_network or (
                self._connectivity and not self.in_flight
            ):
                await self._check_network()
                continue
            self._hand_out()
            if self.in_flight:
                await self._until_woken()
                continue
            await self.parts.frontier.flush()
            wait_s = self.parts.frontier.due_in()
            if wait_s is None and not self._connectivity and not self.is_fed:
                break
            usual_s = FED_S if self.is_fed else 0.001
            await self.parts.clock.sleep(min(max(wait_s or 0.0, usual_s), 1.0))
        self.ending = self._ending()
        await self._wind_up(0.0 if self._is_hanging() else GRACE_S)
        if self._fatal is not None:
            raise self._fatal
        self._reports.keep_memos()
        return self.ending

    @property
    def in_flight(self) -> int:
        return sum(map(len, self._running.values()))

    @property
    def fetching(self) -> list[Candidate]:
        """What is being asked for now, those that were begun first before the others."""
        return [
            candidate
            for running in self._running.values()
            for candidate in running.values()
        ]

    @property
    def awaits_last_pages(self) -> bool:
        """Is every page of the allowance read or under way?"""
        under_way = len(self._running[Lane.PAGES])
        return (
            under_way > 0
            and self.visits + under_way >= self.allowance
            and not self.awaits_grants
        )

    @property
    def is_idle(self) -> bool:
        """Is nothing to be done with what is here, within the allowance?"""
        if self.in_flight or self._connectivity:
            return False
        return self._is_allowance_over() or self.parts.frontier.due_in() is None

    def allow(self, pages: int) -> None:
        """So many visits of pages, over all runs."""
        self.allowance = pages
        if pages > self.visits:
            self.renew_tests()

    def renew_tests(self) -> None:
        """Something new came in: the time for the last tests begins again."""
        self._pages_ended = None

    @property
    def asleep(self) -> list[Lane]:
        """Groups of workers that reached the end of the queue: they sleep until a URL is inserted for them."""
        return [lane for lane, running in self._running.items() if not running]

    async def _wind_up(self, grace_s: float) -> None:
        """Give what is in flight a moment; what takes longer is let go and waits for the next time."""
        under_way = [task for running in self._running.values() for task in running]
        if under_way:
            _, late = await asyncio.wait(under_way, timeout=grace_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    def _spent(self) -> bool:
        now = self.parts.clock.monotonic()
        if (
            self._stopping
            or 0 < self.plan.max_time_s <= now - self._started
            or self._is_hanging()
        ):
            return True
        return self._is_allowance_over() and not self.awaits_grants

    def _is_allowance_over(self) -> bool:
        """Are the pages spent, and the services tested that they name?"""
        return self.visits >= self.allowance and not self._has_tests_left(
            self.parts.clock.monotonic()
        )

    def _is_hanging(self) -> bool:
        """Do a few hosts alone keep the crawl from its end? Their pages are asked for again when it is resumed."""
        is_few = len(self._running[Lane.PAGES]) <= HANGING_SHARE * self.visits
        quiet_s = self.parts.clock.monotonic() - self._last_moved
        return self.awaits_last_pages and is_few and quiet_s >= HANGING_S

    @property
    def is_quiet(self) -> bool:
        """Has no visit begun or ended for a while?"""
        return self.parts.clock.monotonic() - self._last_moved >= QUIET_S

    def _has_tests_left(self, now: float) -> bool:
        """Services are tested after the last page, unless the order decides on tests."""
        if self.parts.order.decides_tests:
            return False
        self._pages_ended = ended = self._pages_ended or now
        wait_s = self.parts.frontier.due_in(Lane.PROBES)
        is_soon = wait_s is not None and wait_s <= MAX_TEST_WAIT_S
        return is_soon and now - ended < max(LAST_TESTS_S, ended - self._started)

    def _ending(self) -> str:
        if self._stopping:
            return self.ending or "stopped"
        if self.visits >= self.allowance or self._is_hanging():
            return "page budget"
        return "time" if self._spent() else "finished"

    def _hand_out(self) -> None:
        """Give every idle worker of both groups its next candidate."""
        if self._is_allowance_over():
            return
        left = self.allowance - self.visits - len(self._running[Lane.PAGES])
        now = self.parts.clock.monotonic()
        for lane in self._lanes():
            pool, running = self.pools[lane], self._running[lane]
            pool.look(now)
            idle = pool.size - len(running)
            allowed = left if lane is Lane.PAGES else idle
            wanted = min(idle, allowed)
            leased = self.parts.frontier.lease(wanted, lane) if wanted > 0 else []
            is_full = len(leased) == max(idle, 0)
            if (
                is_full
                and allowed > len(leased)
                and self.parts.frontier.due_in(lane) == 0.0
            ):
                pool.short()
            if leased:
                self._last_moved = now
            for candidate in leased:
                task = asyncio.create_task(self._guarded(candidate))
                running[task] = candidate
                task.add_done_callback(partial(self._note_done, lane))

    def _lanes(self) -> tuple[Lane, Lane]:
        """Tests come before pages; where the order decides on them, neither group has the first choice of hosts."""
        self._is_pages_turn = self.parts.order.decides_tests and not self._is_pages_turn
        return (
            (Lane.PAGES, Lane.PROBES)
            if self._is_pages_turn
            else (Lane.PROBES, Lane.PAGES)
        )

    def _note_done(self, lane: Lane, task: asyncio.Task[None]) -> None:
        self._running[lane].pop(task, None)
        self._last_moved = self.parts.clock.monotonic()
        self.pools[lane].finished()
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
            self._reports.drop(candidate, FailureReason.BUG)

    async def _work(self, candidate: Candidate) -> None:
        if await self._reports.spares(candidate):
            return
        asked_at = self.parts.clock.monotonic()
        report = await self.parts.examiner.examine(self._jobs.make(candidate))
        self._keep_record(report)
        log.info("%s", LogLine(candidate, report))
        if self._connectivity.hold_back(
            candidate, report, self.parts.clock.monotonic()
        ):
            return
        self.visits += candidate.purpose is Purpose.PAGE and not report.is_copy
        self.observer.on_report(candidate, report)
        if report.drops:
            self.parts.frontier.admit((), refused=report.drops)
        if self.is_cut_off and is_answer(report) and not report.is_copy:
            self.is_cut_off = False
        if self._connectivity and report.failure is None and not report.is_copy:
            await self._try_again(asked_at)
        await self._reports.take(candidate, report)

    def _keep_record(self, report: Report) -> None:
        """What was asked on the wire is kept whatever becomes of the visit."""
        if report.requests:
            self.parts.requests.record(self.plan.task, report.requests)
        if report.robots and self.parts.robots is not None:
            self.parts.robots.keep(report.robots)
        if report.kept and self.parts.kept_pages is not None:
            self.parts.kept_pages.keep(self.plan.task, report.kept, self.plan.page_room)

    async def _check_network(self) -> None:
        """Hosts fail, and a lost network would look the same: does one still answer that did before?"""
        origin, now = self._connectivity.reference, self.parts.clock.monotonic()
        if await self._is_network_there(origin):
            await self._try_again(now)
            return
        now = self.parts.clock.monotonic()
        patience_s, check_s = (
            (MAX_OUTAGE_S, OUTAGE_CHECK_S)
            if origin
            else (START_PATIENCE_S, START_CHECK_S)
        )
        if not self.is_cut_off:
            so_far = f" so far ({self._connectivity.reasons()})"
            detail = (
                f", not even {origin}: the network seems lost" if origin else so_far
            )
            log.warning(
                "No host answers%s. Waiting for it up to %d s.", detail, patience_s
            )
            self._cut_off_at = now
        elif now - self._cut_off_at > patience_s:
            self.ending = "network lost"
            self.stop()
        self.is_cut_off = True
        self._connectivity.ask_another()
        again_at = now + check_s
        for candidate, _ in self._connectivity.give_up():
            self.parts.frontier.settle(
                candidate, Settled(Settlement.POSTPONED, retry_in_s=check_s)
            )
        while not self._spent() and self.parts.clock.monotonic() < again_at:
            await self.parts.clock.sleep(0.2)

    async def _is_network_there(self, origin: str) -> bool:
        if not origin:
            await self.parts.examiner.refresh()
            return self._connectivity.has_any_answer
        return is_answer(await self.parts.examiner.examine(Job(f"{origin}/robots.txt")))

    async def _try_again(self, since: float) -> None:
        """The network is there: what failed before may have failed while it was not, and is soon tried once more."""
        self.is_cut_off = False
        failed = self._connectivity.release(since)
        if failed:
            await self.parts.examiner.refresh()
        again_s = min(SECOND_LOOK_S, self.parts.politeness.retry_after_s)
        for candidate, report in failed:
            reason = report.failure.reason if report.failure else None
            self._reports.settle(
                Outcome(candidate, reason=reason), Settlement.RETRY, report, again_s
            )
