"""How far a task may go."""

from __future__ import annotations

from dataclasses import dataclass

from geohound.contracts import Clock
from geohound.model.visit import Via

from .thrift import ActiveLimit, Thrift

# How deep a page may be is for the user to say; what a page within that depth names is tested, be it by way of a script
# that has to be read, or of a catalogue that lists it.
HANGS_ON_PAGE = frozenset(
    {Via.SCRIPT, Via.CONFIG, Via.SERVICE, Via.HARVEST, Via.BROWSER}
)
REACH = 3


@dataclass(frozen=True, slots=True)
class FrontierLimits:
    """Limits of one task; None means no limit.

    Pages are visits of the page fetchers; the budget of a host counts the testers' visits too.
    """

    max_depth: int | None = None
    max_pages: int | None = None
    max_pages_per_depth: int | None = None
    max_pages_per_host: int | None = None
    max_pages_per_pattern: int | None = None
    max_probes_per_pattern: int | None = None
    max_harvest_pages: int | None = None  # of one catalogue, by one harvester
    max_queue_per_host: int | None = 100_000
    max_hosts_per_domain: int | None = None
    max_attempts: int = 1  # at one URL
    holds_links: bool = False  # only seeds are leased until somebody releases the rest
    thrift: Thrift | None = None  # None: every host that is due is asked

    def active_limit(self, clock: Clock) -> ActiveLimit | None:
        """How many hosts are asked for pages at a time; None where all are."""
        limit = ActiveLimit(self.thrift, clock) if self.thrift else None
        return limit if limit and limit.is_needed else None
