"""What a crawl is asked for, and the parts it works with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from geohound.document import Document
from geohound.model.bbox import BBox
from geohound.model.contracts import Catalogue, Clock, Fetcher, Frontier, Harvester, Kind, Order
from geohound.model.visit import Page

from .follow import Fence


@dataclass(frozen=True, slots=True)
class Plan:
    """What the user asked of this crawl."""

    task: int = 0
    max_pages: int = 100_000
    max_time_s: float = 0.0
    fetchers: int = 24
    testers: int = 8
    retry_after_s: float = 30.0
    max_retry_after_s: float = 600.0
    max_page_bytes: int = 5_000_000
    max_service_bytes: int = 80_000_000
    kinds: frozenset[str] = frozenset()
    bbox: BBox | None = None
    fence: Fence = field(default_factory=Fence)


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts a crawl works with; assembly chooses them."""

    fetcher: Fetcher
    frontier: Frontier
    catalogue: Catalogue
    kinds: Mapping[str, Kind]
    order: Order
    harvesters: Mapping[str, Harvester]
    mine: Callable[[Document], Page]
    clock: Clock
    sitemaps: Callable[[str], Awaitable[Sequence[str]]]
    next_at: Callable[[str], float]  # when a host may be asked again, on the clock's monotonic
