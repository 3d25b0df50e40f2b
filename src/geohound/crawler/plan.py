"""What a crawl is asked for, and the parts it works with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from geohound.contracts import Catalogue, Clock, Examiner, Order, RequestLog, RobotsCache
from geohound.frontier import Frontier
from geohound.model.bbox import BBox
from geohound.model.service import Service
from geohound.politeness import PolitenessPolicy

from .follow import Fence


@dataclass(frozen=True, slots=True)
class Plan:
    """What the user asked of this crawl."""

    task: int = 0
    max_pages: int = 100_000
    max_time_s: float = 0.0
    fetchers: int = 0  # 0: as many as pay
    testers: int = 0
    max_page_bytes: int = 5_000_000
    max_service_bytes: int = 80_000_000
    max_harvested: int = 20_000
    kinds: frozenset[str] = frozenset()
    bbox: BBox | None = None
    fence: Fence = field(default_factory=Fence)
    counts_links: bool = False  # the order wants to hear of every link, not only of the first to a URL


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts a crawl works with; assembly chooses them."""

    examiner: Examiner
    frontier: Frontier
    requests: RequestLog
    catalogue: Catalogue
    order: Order
    clock: Clock
    politeness: PolitenessPolicy
    harvested: AbstractSet[str] = frozenset()  # kinds of services that list others and can be asked for the list
    topics_of: Callable[[Service], Sequence[tuple[str, str]]] = lambda _: ()
    robots: RobotsCache | None = None  # None where robots.txt is not asked for
