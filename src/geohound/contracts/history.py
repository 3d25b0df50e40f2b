"""What a store must offer of the past of services; it is written by `CatalogueStore.record` and `CheckQueue.settle`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if (
    TYPE_CHECKING
):  # all that is spoken of here: whoever needs a contract need not load it
    from collections.abc import Awaitable, Iterator, Sequence
    from datetime import datetime

    from geohound.model.biography import CheckTotals, LifeEvent
    from geohound.model.monitoring.layer_check import LayerCheck


class HistoryStore(Protocol):
    """The lives of services: events, checks of long ago summed up by week, and the last look at each layer."""

    def events(self, service_id: str) -> Sequence[LifeEvent]:
        """What happened to a service, oldest first; being found comes first, though the check was a moment before."""

    def since(self, at: datetime) -> Iterator[LifeEvent]:
        """What happened to any service at this time or later, oldest first."""

    def newest(self) -> int:
        """The number of the event that was written last; 0 where there is none."""

    def after(self, number: int, limit: int) -> Sequence[tuple[int, LifeEvent]]:
        """The events written after this one with their numbers, in the order in which they were written; the first."""

    def totals(self, service_id: str) -> Sequence[CheckTotals]:
        """The checks that are no longer kept one by one, by week, oldest first."""

    def layers(self, service_id: str) -> Sequence[LayerCheck]:
        """The last look at each layer, by name."""

    def thin(self, before: datetime) -> Awaitable[int]:
        """Sum up the checks before this time by week; those since the last good one stay. How many went."""
