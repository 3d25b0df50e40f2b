"""What the monitor works with, and what it is asked for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from geohound.contracts import (
    CatalogueStore,
    CheckQueue,
    Clock,
    Fetcher,
    HistoryStore,
    Kind,
)
from geohound.model.crawl.event import Event
from geohound.model.crawl.job import Job, Report
from geohound.model.crawl.task import Claim
from geohound.model.monitoring.maintenance import Maintenance
from geohound.model.service import Service
from geohound.urls.address_book import AddressBook

from .schedule import Revisiting


@dataclass(frozen=True, slots=True)
class MonitorPlan:
    """What is asked of one run."""

    revisiting: Revisiting
    once: bool = False  # end when all is looked at that was due at the beginning
    everything: bool = False  # look at all services, due or not
    deep: bool = False  # look at layers too
    deep_layers: int = 5  # of a service, in one look
    at_once: int = 32  # looks under way
    max_bytes: int = 80_000_000
    maintenance: tuple[Maintenance, ...] = ()  # these hosts are not looked at during it
    looks_per_day: float = 0.0  # budget; 0: as many as the policy asks for
    # of several monitors that share the hosts, one enrols and notifies
    leads: bool = True

    @property
    def ends(self) -> bool:
        """Does it end by itself?"""
        return self.once or self.everything


@dataclass(frozen=True, slots=True)
class MonitorParts:
    """What the monitor is given; the app chooses it."""

    claim: Claim
    queue: CheckQueue
    catalogue: CatalogueStore
    fetcher: Fetcher
    kinds: Mapping[str, Kind]
    topics_of: Callable[[Service], Sequence[tuple[str, str]]]
    clock: Clock
    on_event: Callable[[Event], None]
    history: HistoryStore
    book: AddressBook
    # reads pages and tests candidates, as crawls do
    examine: Callable[[Job], Awaitable[Report]] | None
    notify: Callable[[], Awaitable[None]]  # whoever is to hear of what happened
    # writes to the log what was asked since it was last called
    keep_requests: Callable[[], Awaitable[None]]
