"""What was proved goes into the catalogue: with where it was met, how it fared, and whom else it names."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence

from geohound import urls
from geohound.model.bbox import overlaps
from geohound.model.catalogue import Observation
from geohound.model.compact import HashSet
from geohound.model.health import Check
from geohound.model.service import Service, Sighting
from geohound.model.visit import Candidate, Via
from geohound.urls.ogc import Claim, classify_ogc

from .plan import Parts, Plan
from .progress import Listener, Progress
from .proposing import admit, listed
from .report import HARVEST_MARK, Report


class Keeper:
    """Puts the services of one crawl into the catalogue and tells who listens of the new ones."""

    def __init__(self, plan: Plan, parts: Parts, progress: Progress, listener: Listener | None = None) -> None:
        self._plan = plan
        self._parts = parts
        self._progress = progress
        self._listener = listener
        self._proved = HashSet()

    async def keep(self, services: Sequence[Service], candidate: Candidate, report: Report) -> int:
        """Put what was proved into the catalogue; follow what it lists. How many were new."""
        wanted = [service for service in self._whole(services) if self._is_wanted(service)]
        ids = {service.id for service in wanted}
        told_more = {proof.url for proof in report.proofs if proof.service_id not in ids}
        kept = [self.put(service, candidate, self._look(service, report, told_more)) for service in wanted]
        new = 0
        for service, is_new in zip(wanted, await asyncio.gather(*kept), strict=True):
            self._proved.add(hash((service.kind, service.endpoint)))
            if is_new:
                new += 1
                self._progress.found(service, candidate)
                if self._listener:
                    self._listener(self._progress.event(service, self._parts.clock.monotonic()))
            self._follow_service(service, candidate)
        return new

    def _look(self, service: Service, report: Report, told_more: Collection[str]) -> Check:
        """An answer that told more than is kept must not stand for all that it told the next time."""
        proof = next((proof for proof in report.proofs if proof.service_id == service.id), None)
        asked = proof.url if proof else ""
        validators = proof.validators if proof and asked not in told_more else None
        now = self._parts.clock.now()
        return Check(service.id, now, True, "", report.elapsed_s, service.fingerprint, asked, validators)

    async def put(self, service: Service, candidate: Candidate, check: Check | None = None) -> bool:
        """Keep the service, where it was met and how it fared; True if it is new."""
        now = self._parts.clock.now()
        sighting = Sighting(
            service.id, candidate.url, candidate.found_on, candidate.via, candidate.clue, now, self._plan.task,
            candidate.depth,
        )  # fmt: skip
        topics = await asyncio.to_thread(self._parts.topics_of, service)  # of thousands of layers that takes a while
        (recorded,) = await self._parts.catalogue.record([Observation(service, sighting, check, tuple(topics))])
        return recorded.is_new

    def known(self, url: str) -> Service | None:
        """The service, proved in this crawl, that this request for its capabilities would prove once more."""
        claim, kind = classify_ogc(url)
        place = urls.endpoint(url)
        if claim is not Claim.CERTAIN or hash((kind, place)) not in self._proved:
            return None
        return next((s for s in self._parts.catalogue.at(place) if s.kind == kind), None)

    def _whole(self, services: Sequence[Service]) -> Sequence[Service]:
        """One page of an API tells less than what is known: another door to it must not overwrite the whole."""
        if not any(service.companions for service in services):
            return services
        return self._parts.catalogue.at(services[0].endpoint) or services

    def _is_wanted(self, service: Service) -> bool:
        """Does it pass the user's filters? A service without a box passes: nobody knows where it is."""
        plan = self._plan
        if plan.kinds and service.kind not in plan.kinds:
            return False
        box = service.extent.box if service.extent else None
        return plan.bbox is None or box is None or overlaps(plan.bbox, box)

    def _follow_service(self, service: Service, candidate: Candidate) -> None:
        """Services name other services; catalogues of them are harvested, which is a lease of its own."""
        clue = f"listed by {service.title}"[:200]
        named = [c for c in (urls.canonical(u, service.endpoint) for u in service.links) if c]
        found = [listed(u, candidate, (service.endpoint, clue), Via.SERVICE) for u in named]
        if service.kind in self._parts.harvested:
            address = f"{service.endpoint}{HARVEST_MARK}{service.kind}"
            found.append(listed(address, candidate, (service.endpoint, clue), Via.HARVEST))
        admit(found, self._plan.fence, self._parts.frontier)
