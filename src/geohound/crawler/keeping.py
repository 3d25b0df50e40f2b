"""What was proved goes into the catalogue: with where it was met, how it fared, and whom else it names."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from geohound import urls
from geohound.model.bbox import overlaps
from geohound.model.catalogue import Observation
from geohound.model.compact import HashSet
from geohound.model.health import Check
from geohound.model.job import PageRead
from geohound.model.service import Service, Sighting
from geohound.model.visit import Candidate, Purpose, Via
from geohound.urls.ogc import Claim, classify_ogc

from .observing import Observer
from .plan import Parts, Plan
from .proposing import admit, listed


class Keeper:
    """Puts the services of one crawl into the catalogue and tells who listens of the new ones."""

    def __init__(self, plan: Plan, parts: Parts, observer: Observer) -> None:
        self._plan = plan
        self._parts = parts
        self._observer = observer
        self._proved = HashSet()

    async def keep(self, read: PageRead, candidate: Candidate, elapsed_s: float) -> int:
        """Put what was proved into the catalogue; follow what it lists. How many were new."""
        wanted = [service for service in self._whole(read.services) if self._is_wanted(service)]
        kept = [self.put(service, candidate, self._check(service, read, wanted, elapsed_s)) for service in wanted]
        new = 0
        for service, is_new in zip(wanted, await asyncio.gather(*kept), strict=True):
            self._proved.add(hash((service.kind, service.endpoint)))
            if is_new:
                new += 1
                self._observer.on_service(service, candidate)
            self._follow_service(service, candidate)
        return new

    def _check(self, service: Service, read: PageRead, wanted: Sequence[Service], elapsed_s: float) -> Check:
        """An answer that proves more than is wanted must not stand for all that it proves the next time."""
        proof = next((proof for proof in read.proofs if proof.service_id == service.id), None)
        asked = proof.url if proof else ""
        ids = {other.id for other in wanted}
        is_whole = all(other.service_id in ids for other in read.proofs if other.url == asked)
        validators = proof.validators if proof and is_whole else None
        now = self._parts.clock.now()
        return Check(service.id, now, True, "", elapsed_s, service.fingerprint, asked, validators)

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
            harvest = listed(service.endpoint, candidate, (service.endpoint, clue), Via.HARVEST)
            found.append(replace(harvest, purpose=Purpose.HARVEST, harvester=service.kind))
        admit(found, self._plan.fence, self._parts.frontier)
