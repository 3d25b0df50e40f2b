"""Looks at pages that named services, and at candidates that were none: what is new there enters the catalogue."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from geohound import urls
from geohound.model.catalogue import Observation
from geohound.model.health import Check
from geohound.model.monitoring.revisit import DueLook, EndedLook
from geohound.model.service import Sighting
from geohound.model.visit import Link, Purpose, Via
from geohound.model.work.event import ServiceFound
from geohound.model.work.job import Job, PageRead, Report

from .ended import LookedAt, PutOff
from .parts import MonitorParts
from .schedule import CANDIDATE_AGAIN_S, PAGE_AGAIN_S, rarer_s

MAX_TESTS: Final = 10  # of new addresses on one page
_AGAIN_S: Final = {Purpose.PAGE: PAGE_AGAIN_S, Purpose.PROBE: CANDIDATE_AGAIN_S}
Examine = Callable[[Job], Awaitable[Report]]


class PageLooks:
    """Carries out looks at pages and candidates, with the examiner of crawls."""

    def __init__(self, parts: MonitorParts, examine: Examine) -> None:
        self._parts = parts
        self._examine = examine

    async def look(self, due: DueLook) -> LookedAt | PutOff:
        report = await self._examine(Job(due.target, due.purpose))
        if report.failure is not None and not report.failure.reason.means.is_attempt:
            return PutOff(report.failure.retry_after_s or 60.0)
        found, requests = self._proved(report, due, due.target), report.asked
        for link in self._new_addresses(report) if due.purpose is Purpose.PAGE else ():
            tested = await self._examine(Job(link.url, Purpose.PROBE))
            requests += tested.asked
            found += self._proved(tested, due, link.url)
        new = [
            met for met in found if self._parts.catalogue.get(met.service.id) is None
        ]
        met = tuple([await self._with_topics(each) for each in new])
        for each in new:
            service = each.service
            event = ServiceFound(
                service.id,
                service.endpoint,
                service.kind,
                service.title,
                0,
                requests,
                0.0,
            )
            self._parts.on_event(event)
        return LookedAt(self._end(due, met, self._parts.clock.now()), requests=requests)

    def _proved(self, report: Report, due: DueLook, url: str) -> list[Observation]:
        now = self._parts.clock.now()
        found_on = due.target if due.purpose is Purpose.PAGE else ""
        return [
            Observation(
                service,
                Sighting(
                    service.id,
                    url,
                    found_on,
                    Via.LINK,
                    "found again",
                    now,
                    self._parts.claim.task,
                    due.depth,
                ),
                Check(
                    service.id,
                    now,
                    True,
                    service.tls_fault,
                    report.elapsed_s,
                    service.fingerprint,
                ),
            )
            for service in report.services
        ]

    def _new_addresses(self, report: Report) -> Iterator[Link]:
        """Links that look like services which the catalogue does not have."""
        links: Sequence[Link] = (
            report.result.links if isinstance(report.result, PageRead) else ()
        )
        wanted = (
            link
            for link in links
            if self._parts.book.classify(link.url)[0] is urls.ServiceHint.CERTAIN
        )
        fresh = (link for link in wanted if not self._parts.catalogue.at(link.url))
        for _, link in zip(range(MAX_TESTS), fresh, strict=False):
            yield link

    async def _with_topics(self, met: Observation) -> Observation:
        topics = await asyncio.to_thread(self._parts.topics_of, met.service)
        return replace(met, topics=tuple(topics))

    def _end(
        self, due: DueLook, met: tuple[Observation, ...], now: datetime
    ) -> EndedLook:
        """Where something new was found, soon again; otherwise ever more rarely."""
        in_vain = 0 if met else due.stats.failures + 1
        stats = replace(
            due.stats,
            looks=due.stats.looks + 1,
            changes=due.stats.changes + bool(met),
            failures=in_vain,
        )
        next_at = now + timedelta(seconds=rarer_s(_AGAIN_S[due.purpose], in_vain - 1))
        return EndedLook(
            due.purpose,
            due.target,
            next_at,
            now,
            stats,
            met,
            looks_before=due.stats.looks,
        )
