"""The lives of services, in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from geohound.model.biography import CheckTotals, LifeChange, LifeEvent
from geohound.model.health import Check
from geohound.model.monitoring.layer_check import LayerCheck

from .catalogue import MemoryCatalogue

_WEEK_S = 604800.0


class MemoryHistory:
    """Over a catalogue in memory; `layer_looks` are those of a check queue in memory."""

    def __init__(
        self,
        catalogue: MemoryCatalogue,
        layer_looks: dict[str, dict[str, LayerCheck]] | None = None,
    ) -> None:
        self._catalogue = catalogue
        self._layers = {} if layer_looks is None else layer_looks

    def events(self, service_id: str) -> Sequence[LifeEvent]:
        found = self._catalogue.get(service_id)
        rows = [
            row
            for row in self._catalogue.rows.values()
            if found and row.service.id == found.id
        ]
        events = (event for row in rows for event in row.events)
        return sorted(
            events, key=lambda event: (event.change is not LifeChange.FOUND, event.at)
        )

    def since(self, at: datetime) -> Iterator[LifeEvent]:
        found = (
            event
            for row in self._catalogue.rows.values()
            for event in row.events
            if event.at >= at
        )
        return iter(sorted(found, key=lambda event: event.at))

    def newest(self) -> int:
        return max((number for number, _ in self._numbered()), default=0)

    def after(self, number: int, limit: int) -> Sequence[tuple[int, LifeEvent]]:
        return [(own, event) for own, event in self._numbered() if own > number][:limit]

    def _numbered(self) -> list[tuple[int, LifeEvent]]:
        rows = self._catalogue.rows.values()
        return sorted(
            pair
            for row in rows
            for pair in zip(row.event_numbers, row.events, strict=True)
        )

    def totals(self, service_id: str) -> Sequence[CheckTotals]:
        rows = (
            row for row in self._catalogue.rows.values() if row.service.id == service_id
        )
        return next((row.totals for row in rows), ())

    def layers(self, service_id: str) -> Sequence[LayerCheck]:
        return [check for _, check in sorted(self._layers.get(service_id, {}).items())]

    async def thin(self, before: datetime) -> int:
        gone = 0
        for number, row in list(self._catalogue.rows.items()):
            good = [check.at for check in row.checks if check.ok]
            old = [
                check
                for check in row.checks
                if good and check.at < min(before, max(good))
            ]
            kept = tuple(check for check in row.checks if check not in old)
            self._catalogue.rows[number] = replace(
                row, checks=kept, totals=_summed(row.totals, old)
            )
            gone += len(old)
        return gone


def _summed(
    totals: Sequence[CheckTotals], old: Sequence[Check]
) -> tuple[CheckTotals, ...]:
    good: Counter[int] = Counter({each.week: each.good for each in totals})
    failed: Counter[int] = Counter({each.week: each.failed for each in totals})
    unclear: Counter[int] = Counter({each.week: each.unclear for each in totals})
    elapsed_s = {each.week: each.elapsed_s for each in totals}
    for check in old:
        week = int(check.at.timestamp() / _WEEK_S)
        counter = good if check.ok else unclear if check.ok is None else failed
        counter[week] += 1
        elapsed_s[week] = elapsed_s.get(week, 0.0) + (
            check.elapsed_s if check.ok else 0.0
        )
    weeks = sorted({*good, *failed, *unclear})
    return tuple(
        CheckTotals(w, good[w], failed[w], unclear[w], elapsed_s.get(w, 0.0))
        for w in weeks
    )
