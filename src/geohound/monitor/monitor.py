"""The loop of the monitor: what is due, host by host; each look is on disk before anybody hears of it."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable
from datetime import UTC, datetime, timedelta
from typing import Final

from geohound.model.biography import KEPT_DAYS
from geohound.model.crawl.event import CheckEnded, Warned
from geohound.model.crawl.task import Ending
from geohound.model.monitoring.maintenance import end_of_maintenance
from geohound.model.monitoring.revisit import DueLook, EndedLook
from geohound.model.visit import Purpose

from .ended import LookedAt, PutOff
from .page_look import PageLooks
from .parts import MonitorParts, MonitorPlan
from .rates import DAY_S
from .schedule import Revisiting, RevisitPolicy, first_waits, planned
from .service_look import ServiceLooks

MAX_HOSTS: Final = 256  # that are looked at side by side; most of them rest
HOSTS_AHEAD: Final = 1024  # listed at once: what is due may be the whole catalogue
LONGEST_SLEEP_S: Final = 30.0
WAIT_S: Final = 1.0  # for a look to end, before it is seen whether other hosts are due
ENROL_EVERY_S: Final = 600.0
PLAN_EVERY_S: Final = 3600.0
NOTICE_EVERY_S: Final = 30.0
NEVER: Final = datetime.max.replace(tzinfo=UTC)
GONE_HOSTS: Final = 8  # that fail in a row as they do without a network, before it is believed to be lost


class Monitor:
    """Looks again at what is due, until it is stopped or nothing is left to do."""

    def __init__(self, plan: MonitorPlan, parts: MonitorParts) -> None:
        self._plan = plan
        self._parts = parts
        self._stopping = asyncio.Event()
        self._slots = asyncio.Semaphore(plan.at_once)
        self._revisiting = plan.revisiting
        self._looks = ServiceLooks(plan, parts)
        self._page_looks = PageLooks(parts, parts.examine) if parts.examine else None
        self._next_hosts: deque[str] = deque()
        self._running: dict[str, asyncio.Task[None]] = {}
        self._due_until = NEVER  # what is due later than this is left to other runs
        # by host: failed as they would without a network
        self._held: dict[str, tuple[DueLook, LookedAt]] = {}
        self.counts: Counter[str] = Counter()
        self.in_flight = 0

    def stop(self) -> None:
        self._stopping.set()

    async def run(self, since: datetime) -> Ending:
        """`since` is when the task was made: with `everything`, what was looked at after it has been looked at."""
        self._enrol()
        if self._plan.everything:
            self._parts.queue.hasten(since)
        now = self._parts.clock.now()
        if self._plan.ends:
            self._due_until = now
        self.counts["due"] = self.counts["checked"] + self._parts.queue.count_due(now)
        try:
            return await self._loop()
        finally:
            for host in self._running.values():
                host.cancel()
            await asyncio.gather(*self._running.values(), return_exceptions=True)
            await self._parts.keep_requests()
            await self._notify()

    async def _loop(self) -> Ending:
        enrolled_at = planned_at = noticed_at = self._parts.clock.monotonic()
        await self._thin()
        while not self._stopping.is_set():
            if len(self._held) >= GONE_HOSTS:
                return self._lose_network()
            self._start_hosts()
            if not self._running and self._held:
                await self._settle_held()
            elif not self._running:
                if self._plan.ends:
                    return Ending.FINISHED
                await self._sleep()
            else:
                await self._wait_for_hosts()
            now = self._parts.clock.monotonic()
            if now - noticed_at >= NOTICE_EVERY_S:
                noticed_at = now
                await self._notify()
            if now - enrolled_at >= ENROL_EVERY_S:
                enrolled_at = now
                if self._plan.leads:
                    self._enrol()
            if now - planned_at >= PLAN_EVERY_S:
                planned_at = now
                self._spend_budget()
                await self._thin()
        await asyncio.gather(*self._running.values(), return_exceptions=True)
        return Ending.STOPPED

    def _enrol(self) -> None:
        waits = first_waits(self._plan.revisiting)
        has_pages = self._page_looks is not None and not self._plan.everything
        wanted = list(waits) if has_pages else [Purpose.CHECK]
        self._parts.queue.enrol({purpose: waits[purpose] for purpose in wanted})
        self._spend_budget()

    async def _notify(self) -> None:
        if self._plan.leads:
            await self._parts.notify()

    async def _thin(self) -> None:
        """What is older than it has to be is kept by the week."""
        if not self._plan.leads:
            return
        await self._parts.history.thin(
            self._parts.clock.now() - timedelta(days=KEPT_DAYS)
        )

    def _spend_budget(self) -> None:
        """Choose how much change to expect between two looks, so that the looks of a day are no more than allowed."""
        if self._plan.revisiting.policy is not RevisitPolicy.ADAPTIVE:
            return
        own = self._parts.queue.count_due(NEVER)
        share = own / max(1, own, self._parts.catalogue.count().services)
        self._revisiting = planned(
            self._parts.queue.services(),
            self._revisiting,
            share * self._plan.looks_per_day / DAY_S,
        )

    @property
    def revisiting(self) -> Revisiting:
        return self._revisiting

    def _start_hosts(self) -> None:
        while len(self._running) < MAX_HOSTS:
            self._next_hosts = self._next_hosts or self._idle_hosts()
            if not self._next_hosts:
                return
            host = self._next_hosts.popleft()
            if not self._is_under_way(host):
                self._running[host] = asyncio.create_task(self._host(host))

    def _idle_hosts(self) -> deque[str]:
        """Hosts at which something is due, and nobody looks yet."""
        most = len(self._running) + len(self._held) + HOSTS_AHEAD
        found = self._parts.queue.hosts(self._due_by_now(), most)
        return deque(host for host in found if not self._is_under_way(host))

    def _is_under_way(self, host: str) -> bool:
        return host in self._running or host in self._held

    def _due_by_now(self) -> datetime:
        return min(self._parts.clock.now(), self._due_until)

    async def _wait_for_hosts(self) -> None:
        await asyncio.wait(
            self._running.values(), return_when=asyncio.FIRST_COMPLETED, timeout=WAIT_S
        )
        for host, task in list(self._running.items()):
            if task.done():
                del self._running[host]
                task.result()  # a store that fails ends the run

    async def _sleep(self) -> None:
        """Until something is due, or a while: others may add services meanwhile."""
        due = self._parts.queue.next_due()
        now = self._parts.clock.now()
        left_s = (due - now).total_seconds() if due else LONGEST_SLEEP_S
        await self._rest(min(max(left_s, 0.1), LONGEST_SLEEP_S))

    async def _rest(self, wait_s: float) -> None:
        """Sleep, unless the run is to end."""
        await self._first_of(self._parts.clock.sleep(wait_s), self._stopping.wait())

    async def _first_of(self, *waits: Awaitable[object]) -> None:
        tasks = [asyncio.ensure_future(each) for each in waits]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in tasks:
                each.cancel()

    async def _host(self, host: str) -> None:
        """All that is due of one host, one look after the other."""
        while not self._stopping.is_set() and host not in self._held:
            # One: another monitor may take the others.
            due = self._parts.queue.due(host, self._due_by_now(), 1)
            if not due:
                return
            await self._look(due[0])

    async def _look(self, due: DueLook) -> None:
        """One look; while its host is to be left alone, it keeps nobody else waiting."""
        until = end_of_maintenance(
            self._plan.maintenance, due.host, self._parts.clock.now()
        )
        if until is not None:
            later = EndedLook(due.purpose, due.target, until)
            await self._parts.queue.settle(self._parts.claim, [later])
            self.counts["due"] -= due.purpose is Purpose.CHECK
            return
        async with self._slots:
            self.in_flight += 1
            try:
                ended = await self._carry_out(due)
            finally:
                self.in_flight -= 1
        if isinstance(ended, PutOff):
            await self._rest(ended.wait_s)
        elif ended.is_no_network:
            self._held[due.host] = (due, ended)
        else:
            await self._settle_held()
            await self._settle(due, ended)

    async def _carry_out(self, due: DueLook) -> LookedAt | PutOff:
        if due.purpose is Purpose.CHECK or self._page_looks is None:
            return await self._looks.look(due, self._revisiting)
        return await self._page_looks.look(due)

    async def _settle_held(self) -> None:
        """Somebody has answered, or too few have failed to blame the network: who failed has failed by itself."""
        held, self._held = self._held, {}
        for due, looked in held.values():
            await self._settle(due, looked)

    async def _settle(self, due: DueLook, looked: LookedAt) -> None:
        (step,) = await self._parts.queue.settle(self._parts.claim, [looked.ended])
        await self._parts.keep_requests()
        self.counts["requests"] += looked.requests
        # another monitor has looked at the same time: one check is enough
        if step is None:
            return
        if looked.check is None:
            self.counts["pages"] += due.purpose is Purpose.PAGE
            self.counts["candidates"] += due.purpose is Purpose.PROBE
            self.counts["found"] += len(looked.ended.met)
            return
        check = looked.check
        self.counts["checked"] += 1
        self.counts["ok"] += check.ok is True
        self.counts["failed"] += check.ok is False
        self.counts["changed"] += looked.changed or step.was is not step.state
        elapsed_ms = round(check.elapsed_s * 1000, 1)
        event = CheckEnded(
            due.target,
            looked.endpoint,
            check.ok,
            check.reason,
            elapsed_ms,
            str(step.state),
            str(step.was),
        )
        self._parts.on_event(event)

    def _lose_network(self) -> Ending:
        count = len(self._held)
        message = f"{count} hosts in a row could not be reached: the network seems to be lost. No check was written."
        self._parts.on_event(Warned(message))
        return Ending.NETWORK_LOST
