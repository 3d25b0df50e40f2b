"""What a store must offer to the monitor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # types only: who needs a contract need not load these
    from collections.abc import Awaitable, Iterator, Mapping, Sequence
    from datetime import datetime

    from geohound.model.crawl.shard import Shard
    from geohound.model.crawl.task import Claim
    from geohound.model.monitoring.revisit import (
        DueLook,
        EndedLook,
        LookStats,
        StateStep,
    )
    from geohound.model.visit import Purpose


class CheckQueue(Protocol):
    """Stores when each service, page and candidate is due to be checked; the rules for this are in `monitor/`."""

    def of(self, shard: Shard | None) -> CheckQueue:
        """A view of this queue that shows only the hosts of a shard; without a shard, all hosts."""

    def enrol(self, first_s: Mapping[Purpose, float]) -> int:
        """Add what is in the catalogue and not yet in the queue, due so long after it was last met; returns how many.

        Entries of all shards are added, whichever shard asks.
        A service that was never checked, such as one from a list, is due at once.
        Services (CHECK), pages on which services were found (PAGE), candidates that were asked in vain (PROBE): those
        purposes alone that are named.
        """

    def hasten(self, since: datetime) -> None:
        """Make services that were not checked since the first time due at the second, if they were due later."""

    def hosts(self, now: datetime, limit: int) -> Sequence[str]:
        """Hosts of which something is due, the longest overdue first."""

    def due(self, host: str, now: datetime, limit: int) -> Sequence[DueLook]:
        """What is due of a host, the longest overdue first."""

    def count_due(self, now: datetime) -> int:
        """How many services are due."""

    def next_due(self) -> datetime | None:
        """When the next look is due; None where the queue is empty."""

    def when(self, service_id: str) -> datetime | None:
        """When a service is due; None where it is not in the queue."""

    def of_host(self, host: str) -> LookStats:
        """What is known of a host: sums over all of its services."""

    def services(self) -> Iterator[DueLook]:
        """Every service of the queue."""

    def settle(
        self, claim: Claim, ended: Sequence[EndedLook]
    ) -> Awaitable[Sequence[StateStep | None]]:
        """Write what was found and when each target is due again, in one transaction; on disk when awaited.

        For each look the health before and after (UNKNOWN where the target is no service); None, and nothing written
        of it, where another monitor has looked since (`looks_before`). FencedError, and nothing written at all, if the
        claim is stale.
        """
