"""Looks at pages that named services, and at candidates that were none: what is new there enters the catalogue."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Final

from geohound import urls
from geohound.model.catalogue import Observation
from geohound.model.crawl.event import ServiceFound
from geohound.model.crawl.job import Job, PageRead, Report
from geohound.model.health import Check
from geohound.model.monitoring.revisit import DueLook, EndedLook, PageProof
from geohound.model.service import Sighting
from geohound.model.visit import Link, Purpose, Validators, Via

from .ended import LookedAt, PutOff
from .parts import MonitorParts
from .schedule import CANDIDATE_AGAIN_S, PAGE_AGAIN_S, rarer_s

UNCHANGED: Final = 304
MAX_TESTS: Final = 10  # of new addresses on one page
_AGAIN_S: Final = {Purpose.PAGE: PAGE_AGAIN_S, Purpose.PROBE: CANDIDATE_AGAIN_S}
# So long a page may answer that it has not changed; then it is read whole, since some servers say so to everything.
TRUST: Final = timedelta(days=100)
Examine = Callable[[Job], Awaitable[Report]]


class PageLooks:
    """Carries out looks at pages and candidates, with the examiner of crawls."""

    def __init__(self, parts: MonitorParts, examine: Examine) -> None:
        self._parts = parts
        self._examine = examine

    async def look(self, due: DueLook) -> LookedAt | PutOff:
        now = self._parts.clock.now()
        past = _past(due, now) if due.purpose is Purpose.PAGE else None
        report = await self._examine(Job(due.target, due.purpose, past=past))
        if report.failure is not None and not report.failure.reason.means.is_attempt:
            return PutOff(report.failure.retry_after_s or 60.0)
        found, requests = self._proved(report, due, due.target), report.asked
        links = self._new_addresses(report) if due.purpose is Purpose.PAGE else []
        proof = _proof(report, due, now) if len(links) <= MAX_TESTS else None
        for link in links[:MAX_TESTS]:
            tested = await self._examine(Job(link.url, Purpose.PROBE))
            requests += tested.asked
            proof = None if tested.failure else proof
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
        ended = replace(self._end(due, met, self._parts.clock.now()), proof=proof)
        return LookedAt(ended, requests=requests)

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

    def _new_addresses(self, report: Report) -> list[Link]:
        """Links that look like services which the catalogue does not have; one more than are tested."""
        links: Sequence[Link] = (
            report.result.links if isinstance(report.result, PageRead) else ()
        )
        wanted = (
            link
            for link in links
            if self._parts.book.classify(link.url)[0] is urls.ServiceHint.CERTAIN
        )
        fresh = (link for link in wanted if not self._parts.catalogue.at(link.url))
        return list(islice(fresh, MAX_TESTS + 1))

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


def _past(due: DueLook, now: datetime) -> Validators:
    """With what a page is asked whether it has changed; nothing where it has to be read whole."""
    is_trusted = due.proof is not None and now - due.proof.read_at <= TRUST
    return (
        due.proof.validators if due.proof is not None and is_trusted else Validators()
    )


def _proof(report: Report, due: DueLook, now: datetime) -> PageProof | None:
    """By what the page is recognised the next time; a page with scripts of its own can change without changing."""
    if report.failure is not None or report.status == UNCHANGED:
        return due.proof
    read = report.result if isinstance(report.result, PageRead) else PageRead()
    if read.validators is None or read.files:
        return None
    return PageProof(read.validators, now)
