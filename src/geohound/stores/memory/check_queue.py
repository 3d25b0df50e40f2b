"""When each service and page is looked at again, in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from datetime import datetime, timedelta
from functools import reduce
from operator import add

from geohound.contracts import CatalogueStore, FencedError, TaskStore
from geohound.model.crawl.shard import Shard
from geohound.model.crawl.task import Claim
from geohound.model.health import HealthState, assess
from geohound.model.monitoring.layer_check import LayerCheck
from geohound.model.monitoring.revisit import (
    NO_LOOKS,
    DueLook,
    EndedLook,
    LookStats,
    StateStep,
)
from geohound.model.visit import Purpose
from geohound.stores.divisions import part_of, parts_of
from geohound.urls import host

_Key = tuple[Purpose, str]


class MemoryCheckQueue:
    """Over a catalogue in memory. It knows no log of a frontier, so no candidates either."""

    def __init__(self, catalogue: CatalogueStore, tasks: TaskStore) -> None:
        self._catalogue = catalogue
        self._tasks = tasks
        self._rows: dict[_Key, DueLook] = {}
        self._parts = parts_of(None)
        self.layer_looks: dict[str, dict[str, LayerCheck]] = {}

    def of(self, shard: Shard | None) -> MemoryCheckQueue:
        same = copy(self)
        same._parts = parts_of(shard)
        return same

    def _seen(self) -> list[DueLook]:
        first, last = self._parts
        return [
            row for row in self._rows.values() if first <= part_of(row.host) <= last
        ]

    def enrol(self, first_s: Mapping[Purpose, float]) -> int:
        before = len(self._rows)
        for found, met_at in self._found():
            if found.purpose in first_s:
                is_new = found.purpose is Purpose.CHECK and not self._catalogue.checks(
                    found.target
                )
                due_at = met_at + timedelta(
                    seconds=0.0 if is_new else first_s[found.purpose]
                )
                self._rows.setdefault(
                    (found.purpose, found.target), replace(found, due_at=due_at)
                )
        return len(self._rows) - before

    def _found(self) -> Iterator[tuple[DueLook, datetime]]:
        for entry in self._catalogue.entries():
            service, seen = entry.service, self._catalogue.sightings(entry.service.id)
            depth = min((each.depth for each in seen), default=0)
            met_at = entry.last_seen
            row = DueLook(
                Purpose.CHECK,
                service.id,
                host(service.endpoint),
                met_at,
                rank=max(1, len(seen)),
                depth=depth,
            )
            yield row, met_at
            for page in seen:
                if page.found_on.startswith("http"):
                    met = DueLook(
                        Purpose.PAGE,
                        page.found_on,
                        host(page.found_on),
                        page.at,
                        depth=page.depth,
                    )
                    yield met, page.at

    def hasten(self, since: datetime) -> None:
        for key, row in self._rows.items():
            is_old = row.looked_at is None or row.looked_at < since
            if row.purpose is Purpose.CHECK and is_old:
                self._rows[key] = replace(row, due_at=min(row.due_at, since))

    def hosts(self, now: datetime, limit: int) -> Sequence[str]:
        return list(dict.fromkeys(row.host for row in self._sorted(now)))[:limit]

    def due(self, host: str, now: datetime, limit: int) -> Sequence[DueLook]:
        return [row for row in self._sorted(now) if row.host == host][:limit]

    def _sorted(self, now: datetime) -> list[DueLook]:
        found = [row for row in self._seen() if row.due_at <= now]
        return sorted(found, key=lambda row: (row.due_at, row.target))

    def count_due(self, now: datetime) -> int:
        return sum(row.due_at <= now for row in self.services())

    def next_due(self) -> datetime | None:
        return min((row.due_at for row in self._seen()), default=None)

    def when(self, service_id: str) -> datetime | None:
        row = self._rows.get((Purpose.CHECK, service_id))
        return row.due_at if row else None

    def of_host(self, host: str) -> LookStats:
        return reduce(
            add, (row.stats for row in self.services() if row.host == host), NO_LOOKS
        )

    def services(self) -> Iterator[DueLook]:
        found = [row for row in self._seen() if row.purpose is Purpose.CHECK]
        return iter(sorted(found, key=lambda row: row.target))

    async def settle(
        self, claim: Claim, ended: Sequence[EndedLook]
    ) -> Sequence[StateStep | None]:
        task = self._tasks.get(claim.task)
        if task is None or task.claim != claim:
            raise FencedError(f"Task {claim.task} is run by another by now.")
        steps: list[StateStep | None] = []
        for each in ended:
            row = self._rows[each.purpose, each.target]
            if each.looks_before not in (None, row.stats.looks):
                steps.append(None)
                continue
            was = self._state(each.target)
            await self._catalogue.record(each.met)
            for check in each.layers:
                self.layer_looks.setdefault(each.target, {})[check.layer] = check
            key = (each.purpose, each.target)
            looked = (
                row
                if each.at is None
                else replace(row, looked_at=each.at, stats=each.stats, proof=each.proof)
            )
            self._rows[key] = replace(looked, due_at=each.next_at)
            steps.append(StateStep(was, self._state(each.target)))
        return steps

    def _state(self, service_id: str) -> HealthState:
        return assess(self._catalogue.checks(service_id)).state
