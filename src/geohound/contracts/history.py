"""The past of services, for reading; `CatalogueStore.record` and `CheckQueue.settle` write it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # types only: who needs a contract need not load these
    from collections.abc import Awaitable, Iterator, Sequence
    from datetime import datetime

    from geohound.model.biography import CheckTotals, LifeEvent
    from geohound.model.monitoring.layer_check import LayerCheck


class HistoryStore(Protocol):
    """The history of services: events, weekly sums of old checks, and the last check of each layer."""

    def events(self, service_id: str) -> Sequence[LifeEvent]:
        """The events of a service, oldest first; "found" always comes first, even where a check has an earlier time."""

    def since(self, at: datetime) -> Iterator[LifeEvent]:
        """What happened to any service at this time or later, oldest first."""

    def newest(self) -> int:
        """The number of the event that was written last; 0 where there is none."""

    def after(self, number: int, limit: int) -> Sequence[tuple[int, LifeEvent]]:
        """The next events after this number, each with its number, in the order in which they were written."""

    def totals(self, service_id: str) -> Sequence[CheckTotals]:
        """Weekly sums of the checks that are no longer kept one by one, oldest first."""

    def layers(self, service_id: str) -> Sequence[LayerCheck]:
        """The last check of each layer, by name."""

    def thin(self, before: datetime) -> Awaitable[int]:
        """Replace the checks before this time by weekly sums, but for those since the last good one; returns how many."""
