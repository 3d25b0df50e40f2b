"""What was proved goes into the catalogue: with where it was met, how it fared, and whom else it names."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from geohound import urls
from geohound.model.bbox import overlaps
from geohound.model.catalogue import Observation, Recorded
from geohound.model.compact_sets import HashSet
from geohound.model.crawl.job import PageRead, Report
from geohound.model.failure import FailureReason
from geohound.model.health import Check
from geohound.model.score import score
from geohound.model.service import Service, Sighting, version_order
from geohound.model.visit import Candidate, Via

from .crawl_plan import CrawlParts, Plan
from .harvesting import harvests_of
from .link_scoring import admit, listed
from .observer import CrawlObserver


class CatalogueWriter:
    """Puts the services of one crawl into the catalogue and reports the new ones to the observer."""

    def __init__(self, plan: Plan, parts: CrawlParts, observer: CrawlObserver) -> None:
        self._plan = plan
        self._parts = parts
        self._observer = observer
        self._proved = HashSet()
        self._refused = HashSet()  # services that the user does not want
        self._announced = HashSet()  # ids of services of which the observer has heard
        self._checked = HashSet()  # ids of services that were checked in this crawl

    async def keep(self, read: PageRead, candidate: Candidate, report: Report) -> int:
        """Put what was proved into the catalogue; follow what it lists. How many were new."""
        wanted = [
            self._located(service, report)
            for service in await self._wanted(self._whole(read.services))
        ]
        kept = [
            self.put(
                service, candidate, self._check(service, read, wanted, report.elapsed_s)
            )
            for service in wanted
        ]
        new = 0
        for service, recorded in zip(wanted, await asyncio.gather(*kept), strict=True):
            self._proved.add(hash((service.kind, service.endpoint)))
            self._checked.add(hash(service.id))
            new += recorded.is_new
            self._announce(service, recorded, candidate)
            self._follow_service(service, candidate)
        return new

    def _located(self, service: Service, report: Report) -> Service:
        """With the place of the host that answered (PolarHub, section 5: the balloon on its map)."""
        host = urls.host(service.endpoint)
        asked = (
            request.address
            for request in report.requests
            if request.address and request.host == host
        )
        location = self._parts.locate(host, next(asked, report.address))
        return replace(service, location=location) if location else service

    def _check(
        self,
        service: Service,
        read: PageRead,
        wanted: Sequence[Service],
        elapsed_s: float,
    ) -> Check:
        """An answer that proves more than is wanted must not stand for all that it proves the next time."""
        proof = next(
            (proof for proof in read.proofs if proof.service_id == service.id), None
        )
        asked = proof.url if proof else ""
        ids = {other.id for other in wanted}
        is_whole = all(
            other.service_id in ids for other in read.proofs if other.url == asked
        )
        validators = proof.validators if proof and is_whole else None
        now = self._parts.clock.now()
        return Check(
            service.id,
            now,
            True,
            service.tls_fault,
            elapsed_s,
            service.fingerprint,
            asked,
            validators,
        )

    async def keep_failed(self, report: Report) -> None:
        """Services of the catalogue did not answer as such; a crawl that asks one in several ways checks it once."""
        now = self._parts.clock.now()
        first = [
            each
            for each in report.failed_checks
            if self._checked.add(hash(each.service_id))
        ]
        failed = [
            Check(each.service_id, now, each.ok, each.reason, report.elapsed_s)
            for each in first
        ]
        await self._parts.catalogue.record(failed)

    def _announce(
        self, service: Service, recorded: Recorded, candidate: Candidate
    ) -> None:
        """Each service once: those that the task has found, and those that were known before it (PH-5)."""
        is_first = self._announced.add(hash(recorded.service_id))
        if recorded.is_new:
            self._observer.on_service(
                service, candidate, self._score(recorded.service_id, service.kind)
            )
        elif is_first and not self._is_own(recorded.service_id):
            self._observer.on_known(
                service, self._score(recorded.service_id, service.kind)
            )

    def _score(self, service_id: str, kind: str) -> float | None:
        """Provisional where there were few looks (PH-18)."""
        checks = self._parts.catalogue.checks(service_id)
        found = score(checks, self._parts.book.response_limit_s(kind))
        return round(found.value, 1) if found else None

    def _is_own(self, service_id: str) -> bool:
        """Was an earlier run of this task the first to find it?"""
        first = next(iter(self._parts.catalogue.sightings(service_id)), None)
        return first is not None and first.task == self._plan.task

    async def put(
        self, service: Service, candidate: Candidate, check: Check | None = None
    ) -> Recorded:
        """Keep the service, where it was met and how it fared."""
        now = self._parts.clock.now()
        sighting = Sighting(
            service.id, candidate.url, candidate.found_on, candidate.via, candidate.clue, now, self._plan.task,
            candidate.depth,
        )  # fmt: skip
        # of thousands of layers that takes a while
        topics = await asyncio.to_thread(self._parts.topics_of, service)
        (recorded,) = await self._parts.catalogue.record(
            [Observation(service, sighting, check, tuple(topics))]
        )
        return recorded

    def known(self, url: str) -> Service | None:
        """The service, proved in this crawl, that this request for its capabilities would prove once more.

        A request for a higher version than was read is another matter: of two that differ in the version alone, the
        higher one counts (OSS-9, R1).
        """
        claim, kind = self._parts.book.classify(url)
        place = urls.endpoint(url)
        if (
            claim is not urls.ServiceHint.CERTAIN
            or hash((kind, place)) not in self._proved
        ):
            return None
        service = next(
            (s for s in self._parts.catalogue.at(place) if s.kind == kind), None
        )
        is_higher = service is not None and version_order(
            _version_asked(url)
        ) > version_order(service.version)
        return None if is_higher else service

    def _whole(self, services: Sequence[Service]) -> Sequence[Service]:
        """One page of an API says less than what is known: another address of it must not overwrite the whole."""
        if not any(service.companions for service in services):
            return services
        return self._parts.catalogue.at(services[0].endpoint) or services

    async def _wanted(self, services: Sequence[Service]) -> list[Service]:
        """Those that pass the user's filters; each of the others is counted once."""
        objections = [(service, await self._objection(service)) for service in services]
        refused = Counter(
            objection
            for service, objection in objections
            if objection is not None
            and self._refused.add(hash((service.kind, service.endpoint)))
        )
        if refused:
            self._parts.frontier.admit((), refused=refused)
        return [service for service, objection in objections if objection is None]

    async def _objection(self, service: Service) -> FailureReason | None:
        """Why the user does not want it. A service without a box passes: nobody knows where it is."""
        plan = self._plan
        if plan.kinds and service.kind not in plan.kinds:
            return FailureReason.OTHER_KIND
        box = service.extent.box if service.extent else None
        if plan.bbox is not None and box is not None and not overlaps(plan.bbox, box):
            return FailureReason.OTHER_AREA
        is_about_it = not plan.topic or plan.topic in await self._topics(service)
        return None if is_about_it else FailureReason.OTHER_TOPIC

    async def _topics(self, service: Service) -> set[str]:
        found = await asyncio.to_thread(self._parts.topics_of, service)
        return {topic for topic, _ in found}

    def _follow_service(self, service: Service, candidate: Candidate) -> None:
        """Services name other services; catalogues of them are harvested, which is a lease of its own."""
        clue = f"listed by {service.title}"[:200]
        named = [
            c for c in (urls.canonical(u, service.endpoint) for u in service.links) if c
        ]
        found = [
            listed(u, candidate, (service.endpoint, clue), Via.SERVICE) for u in named
        ]
        found += harvests_of(candidate, self._plan, self._parts.harvesters, service)
        admit(found, self._plan.scope, self._parts.frontier)


def _version_asked(url: str) -> str:
    """The highest version that a request for capabilities asks for, under the names that this has had."""
    asked = urls.params_lower(url)
    named = [
        asked.get("version", ""),
        asked.get("wmtver", ""),
        *asked.get("acceptversions", "")[:100].split(","),
    ]
    return max(named, key=version_order)
