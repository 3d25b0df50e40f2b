"""One due look carried out: the service is read, the check made, and the next look planned."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from geohound.model.catalogue import Observation
from geohound.model.health import Check, HealthState, states
from geohound.model.monitoring.revisit import DueLook, EndedLook
from geohound.model.service import Service, Sighting
from geohound.model.visit import Via

from .deep import check_layers, chosen_layers, deepened
from .ended import LookedAt, PutOff
from .looking import (
    Look,
    LookTarget,
    Postponed,
    look_at,
    read_where_met,
    same_document,
    target_of,
)
from .parts import MonitorParts, MonitorPlan
from .schedule import LONGEST_DEAD_S, Revisiting, after_look, next_check

_ROBOTS: Final = "robots.txt"
_ROBOTS_PAUSE_S: Final = 30.0


class ServiceLooks:
    """Carries out looks at services."""

    def __init__(self, plan: MonitorPlan, parts: MonitorParts) -> None:
        self._plan = plan
        self._parts = parts
        self._robots_waited: set[str] = set()  # hosts whose robots.txt was waited for

    async def look(self, due: DueLook, revisiting: Revisiting) -> LookedAt | PutOff:
        service = self._parts.catalogue.get(due.target)
        now = self._parts.clock.now()
        if service is None:
            never = now + timedelta(seconds=LONGEST_DEAD_S)
            return LookedAt(EndedLook(due.purpose, due.target, never, now, due.stats))
        known = target_of(service, self._parts.catalogue)
        target = replace(known, is_dead=due.stats.deaths > 0)
        found = await look_at(
            target, self._parts.fetcher, self._parts.kinds, self._plan.max_bytes, now
        )
        if isinstance(found, Postponed):
            return PutOff(found.wait_s)
        wait_s = self._robots_pause_s(due.host, found)
        if wait_s is not None:
            return PutOff(wait_s)
        if self._plan.deep and found.check.ok:
            found = await self._look_deeper(due, found.read or service, found)
        found = await self._compared(due, target, found)
        return await self._end(due, service, found, revisiting)

    async def _compared(self, due: DueLook, target: LookTarget, found: Look) -> Look:
        """Is what a first look reads another document than the crawl read, or was something changed?

        Like is compared with like: where the address at which it was met still says what is known, nothing was.
        """
        differs = found.read is not None and not same_document(
            found.read, target.service
        )
        if not differs or due.looked_at is not None:
            return found
        again, asked = await read_where_met(
            target, self._parts.fetcher, self._parts.kinds, self._plan.max_bytes
        )
        is_same = again is not None and same_document(again, target.service)
        return replace(found, is_other_document=is_same, asked=[*found.asked, *asked])

    def _robots_pause_s(self, host: str, found: Look) -> float | None:
        """A robots.txt that cannot be had at the moment keeps us out: come again once before that counts."""
        is_robots = found.check.ok is False and _ROBOTS in found.check.reason
        if not is_robots or host in self._robots_waited:
            return None
        self._robots_waited.add(host)
        return found.retry_after_s or _ROBOTS_PAUSE_S

    async def _look_deeper(self, due: DueLook, service: Service, found: Look) -> Look:
        """The same look with what some layers say: a service whose layers fail does not work."""
        layers = chosen_layers(service, self._plan.deep_layers, due.stats.looks)
        checks, asked = await check_layers(
            service,
            layers,
            self._parts.fetcher,
            self._parts.kinds,
            self._parts.clock.now(),
        )
        return replace(
            found,
            check=deepened(found.check, checks),
            asked=[*found.asked, *asked],
            layers=tuple(checks),
        )

    async def _end(
        self, due: DueLook, service: Service, found: Look, revisiting: Revisiting
    ) -> LookedAt:
        check, queue = found.check, self._parts.queue
        differs = found.read is not None and not same_document(found.read, service)
        changed = found.moved_to is not None or (
            differs and not found.is_other_document
        )
        state = self._state_after(service.id, check)
        stats = after_look(due, check.result, state, changed=changed, at=check.at)
        next_at = next_check(
            replace(due, stats=stats),
            check.result,
            state,
            queue.of_host(due.host),
            revisiting,
            check.at,
        )
        met = await self._met(service, found, is_new=changed or differs)
        ended = EndedLook(
            due.purpose,
            due.target,
            next_at,
            check.at,
            stats,
            met,
            found.layers,
            due.stats.looks,
        )
        requests = sum(each.is_sent for each in found.asked)
        return LookedAt(ended, check, service.endpoint, changed, requests)

    def _state_after(self, service_id: str, check: Check) -> HealthState:
        *_, state = states([*self._parts.catalogue.checks(service_id), check])
        return state

    async def _met(
        self, service: Service, found: Look, *, is_new: bool
    ) -> tuple[Observation | Check, ...]:
        """What goes into the catalogue: the check, with the service as it describes itself now where that is new."""
        read = found.moved_to or found.read
        if read is None or not is_new:
            return (found.check,)
        topics = tuple(await asyncio.to_thread(self._parts.topics_of, read))
        if found.moved_to is not None:
            moved = Sighting(
                read.id,
                read.endpoint,
                service.endpoint,
                Via.REDIRECT,
                "moved",
                found.check.at,
            )
            return found.check, Observation(
                read, moved, replace(found.check, service_id=read.id, reason=""), topics
            )
        sighting = self._sighting(service, found.check.at)
        return (
            Observation(
                read, sighting, found.check, topics, is_news=not found.is_other_document
            ),
        )

    def _sighting(self, service: Service, at: datetime) -> Sighting:
        """Where it was met first: a look is no new place."""
        first = next(iter(self._parts.catalogue.sightings(service.id)), None)
        if first is None:
            return Sighting(
                service.id,
                service.endpoint,
                "",
                Via.SEED,
                "",
                at,
                self._parts.claim.task,
            )
        return replace(first, at=at)
