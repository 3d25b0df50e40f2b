"""What a crawl is asked for, and the parts it works with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from geohound.contracts import (
    CatalogueStore,
    Clock,
    DataFileStore,
    Examiner,
    Harvester,
    KeptPages,
    Order,
    RequestLog,
    RobotsCache,
    WatchedSiteStore,
)
from geohound.frontier import Frontier
from geohound.model.bbox import BBox
from geohound.model.crawl.kept_page import NO_ROOM, PageRoom
from geohound.model.crawl.watched import NO_WATCHERS, WatcherPolicy
from geohound.model.location import HostLocation
from geohound.model.service import Service
from geohound.politeness import PolitenessPolicy
from geohound.urls.address_book import AddressBook

from .link_filter import ScopeFilter


@dataclass(frozen=True, slots=True)
class FileLimits:
    """How many data files a crawl lists, and of how many it asks for the headers."""

    listed: int = 10_000
    asked: int = 1_000
    asked_per_host: int = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the user asked of this crawl; the settings have the defaults."""

    task: int = 0
    max_pages: int
    max_time_s: float  # 0: no limit
    fetchers: int  # 0: as many as pay
    testers: int
    max_page_bytes: int
    max_service_bytes: int
    kinds: frozenset[str] = frozenset()
    bbox: BBox | None = None
    topic: str = ""  # only services of it are kept; empty: all
    scope: ScopeFilter = field(default_factory=ScopeFilter)
    since: date | None = None  # of catalogues only what has changed since then
    main_pages_only: bool = False  # links lead to the main pages of their sites
    is_harvest: bool = False  # only the catalogues of the seeds are harvested
    files: FileLimits = FileLimits()
    # are addresses asked that nobody names, on hosts that have services?
    likely_addresses: bool = False
    page_room: PageRoom = NO_ROOM  # for copies of pages
    revisit_after_s: float = 0.0  # copies that are younger are read instead of the page
    watchers: WatcherPolicy = NO_WATCHERS
    # the order wants to hear of every link, not only of the first to a URL
    counts_links: bool = False
    counts_depths: bool = False  # only so many pages of each depth are read


@dataclass(frozen=True, slots=True)
class CrawlParts:
    """The parts a crawl works with; app.py chooses them."""

    examiner: Examiner
    frontier: Frontier
    requests: RequestLog
    catalogue: CatalogueStore
    order: Order
    book: AddressBook
    clock: Clock
    politeness: PolitenessPolicy
    # asked what they can harvest
    harvesters: Mapping[str, Harvester] = field(default_factory=dict)
    topics_of: Callable[[Service], Sequence[tuple[str, str]]] = lambda _: ()
    robots: RobotsCache | None = None  # None where robots.txt is not asked for
    files: DataFileStore | None = None  # None where data files are not listed
    kept_pages: KeptPages | None = None  # None where no pages are kept
    # where a host stands
    locate: Callable[[str, str], HostLocation | None] = lambda _host, _address: None
    watched_sites: WatchedSiteStore | None = None  # None where no watcher is asked
