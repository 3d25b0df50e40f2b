"""Every socket of the house on one page: what a part must offer to be plugged in."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from .health import Check, Health
from .query import Query, Results
from .service import Refusal, Service, Sighting
from .visit import Candidate, Failure, FailureReason, Link, Outcome, Page, Response, Settlement, Visit

if TYPE_CHECKING:
    from geohound.document import Document


class StoreError(Exception):
    """The store cannot be used; the message is for people and says what to do."""


@runtime_checkable
class Kind(Protocol):
    """One kind of service: knows its addresses, and reads its answers without touching the network."""

    id: str
    title: str
    protocol: str  # Cat-Interop identifier, such as OGC:WMS

    def suspects(self, url: str) -> bool:
        """Does this address look like one of mine?"""

    def probe_urls(self, url: str) -> Sequence[str]:
        """The requests that would prove it, cheapest first; few, never brute force."""

    def read(self, document: Document) -> Service | Refusal | None:
        """The service that this answer is; a refusal if it is mine but refuses; None if it is not mine."""


@runtime_checkable
class Order(Protocol):
    """Which link next: higher scores are visited sooner, first come first among equals, minus infinity never.

    Addresses in links, pages and candidates are canonical; `page.url` is the address that was leased, `page.score`
    the score it was leased with. Decision 0010 tells when each method is called.
    """

    id: str
    title: str

    def fresh(self) -> Order:
        """The same order before it learned anything: each crawl has its own."""

    def seed(self, url: str, position: int) -> float:
        """How promising a seed is, by its place in the list from 0."""

    def score(self, link: Link, page: Page) -> float:
        """How promising a link on this page is; asked once for each new URL."""

    def seen_again(self, link: Link, page: Page) -> float | None:
        """Another link to a URL that is known: the score it deserves now, or None to leave it as it is."""

    def rescore(self, candidate: Candidate) -> float:
        """What a URL about to be leased is worth today; where it fell, it goes back and the next one is asked."""

    def host_bonus(self, host: str) -> float:
        """What is added to the best score of a host when hosts are compared."""

    def learn(self, outcome: Outcome) -> None:
        """A visit or a test is over: this is what it brought."""

    def explain(self, candidate: Candidate) -> list[tuple[str, float]]:
        """Why it has its score: features and what each adds, the weightiest first."""

    def state(self) -> bytes:
        """What has been learned, to be stored with the task and carried to others."""

    def restore(self, state: bytes) -> None:
        """Go on from a stored state; ValueError if it is none."""


class Harvester(Protocol):
    """One catalogue protocol: yields candidates, never services."""

    id: str
    title: str

    def accepts(self, url: str) -> bool: ...

    def harvest(self, url: str, fetcher: Fetcher) -> AsyncIterator[Candidate]: ...


class Searcher(Protocol):
    """One web-search provider: yields candidates."""

    id: str
    title: str

    def search(self, text: str, limit: int, fetcher: Fetcher) -> AsyncIterator[Candidate]: ...


class Exporter(Protocol):
    """One format: services in, bytes out, streamed."""

    id: str
    title: str
    media_type: str

    def write(self, services: Iterable[Service]) -> Iterable[bytes]: ...


class Clock(Protocol):
    """The time; tests bring their own."""

    def now(self) -> datetime: ...

    def monotonic(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


class Fetcher(Protocol):
    """One polite, guarded request; every trouble is a Failure, never an exception."""

    async def fetch(self, url: str, *, accept: str = "*/*", max_bytes: int | None = None) -> Visit: ...

    async def close(self) -> None: ...


class Frontier(Protocol):
    """The URLs still to visit: admits each once, leases by host and score, settles every lease, forgets nothing."""

    async def admit(self, candidates: Sequence[Candidate]) -> int:
        """Take in what is new and within bounds; how many were."""

    async def lease(self, limit: int, *, probe: bool) -> list[Candidate]:
        """The best candidates whose host is due, at most one per host; none if nothing is due now."""

    async def settle(
        self,
        candidate: Candidate,
        settlement: Settlement,
        reason: FailureReason | None,
        retry_at: float | None = None,
        *,
        outcome: Outcome | None = None,
        host_next_at: float | None = None,
    ) -> None:
        """End a lease: done, dropped with a reason, or to be tried again later."""

    async def remember(self, candidate: Candidate, outcome: Outcome | None = None) -> bool:
        """Note a URL that was visited without a lease, the target of a redirect; False if it was known."""

    def postpone(self, host: str, until: float) -> None:
        """Leave a host alone until then."""

    def seconds_until_due(self) -> float | None:
        """How long until a lease may be had; None if nothing is left."""

    @property
    def queued(self) -> int:
        """How many URLs wait."""

    @property
    def drops(self) -> Counter[FailureReason]:
        """What was refused or dropped, by reason, since the task began."""

    async def close(self) -> None:
        """Write what is left and let go; whatever was not settled waits for the next time."""


class Catalogue(Protocol):
    """What has been confirmed: services, where they were seen, how they fare; and search over it."""

    def put(self, service: Service, sighting: Sighting) -> bool:
        """Add or refresh a service and record the sighting; True if the service is new."""

    def get(self, service_id: str) -> Service | None: ...

    def find_endpoint(self, url: str) -> Sequence[Service]: ...

    def sightings(self, service_id: str) -> Sequence[Sighting]: ...

    def record_check(self, check: Check) -> None: ...

    def health(self, service_id: str) -> Health: ...

    def search(self, query: Query) -> Results: ...

    def count(self) -> tuple[int, int]:
        """Services and layers."""

    def close(self) -> None: ...


__all__ = [
    "Catalogue", "Clock", "Exporter", "Failure", "Fetcher", "Frontier", "Harvester", "Kind", "Order", "Response",
    "Searcher", "StoreError",
]  # fmt: skip
