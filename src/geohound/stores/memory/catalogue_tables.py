"""The tables of a catalogue in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from geohound.model.biography import CheckTotals, Difference, LifeEvent
from geohound.model.catalogue import Revision, Topics
from geohound.model.health import Check
from geohound.model.service import Service, Sighting


@dataclass(frozen=True, slots=True)
class KeptService:
    """A service as it is kept; its other addresses stand with all addresses."""

    number: int
    service: Service
    topics: Topics
    first_seen: datetime
    last_seen: datetime
    sightings: tuple[tuple[int, Sighting], ...] = ()  # numbered as they came
    checks: tuple[Check, ...] = ()
    tasks: frozenset[int] = frozenset()
    proof: Check | None = None
    events: tuple[LifeEvent, ...] = ()
    # of these events, over all services as they came
    event_numbers: tuple[int, ...] = ()
    totals: tuple[CheckTotals, ...] = ()


@dataclass
class CatalogueTables:
    """All that is kept; rows are replaced, never changed, so that a copy of the dictionaries is a copy of it all."""

    kept: dict[int, KeptService]
    # address and service, by the id that a service at this address would have
    aliases: dict[str, tuple[str, int]]
    # by service, and whether it is the document that changed
    changes: dict[tuple[int, bool], Revision]
    revision: Revision = 0
    seen: int = 0
    happened: int = 0

    def copy(self) -> CatalogueTables:
        return replace(
            self,
            kept=dict(self.kept),
            aliases=dict(self.aliases),
            changes=dict(self.changes),
        )

    def change(self, row: KeptService, *, is_document: bool) -> None:
        self.revision += 1
        self.changes[row.number, is_document] = self.revision

    def happen(
        self, number: int, at: datetime, changes: Sequence[Difference]
    ) -> KeptService:
        row = self.kept[number]
        events = tuple(
            LifeEvent(row.service.id, at, change, detail) for change, detail in changes
        )
        numbers = range(self.happened + 1, self.happened + 1 + len(events))
        self.happened += len(events)
        self.kept[number] = replace(
            row,
            events=(*row.events, *events),
            event_numbers=(*row.event_numbers, *numbers),
        )
        return self.kept[number]

    def addresses(self, number: int) -> list[str]:
        return [address for address, owner in self.aliases.values() if owner == number]

    def whole(self, number: int) -> Service:
        service = self.kept[number].service
        return replace(
            service,
            aliases=tuple(
                sorted(a for a in self.addresses(number) if a != service.endpoint)
            ),
        )
