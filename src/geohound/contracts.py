"""Every socket of the house on one page: what a part must offer to be plugged in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from geohound.model.catalogue import ALL, Changes, Counts, Discovered, Entry, Filter, Observation, Recorded, Revision
from geohound.model.event import Event, EventPage
from geohound.model.frontier import (
    FrontierBatch,
    FrontierState,
    LoggedUrl,
    Memo,
    QueuedUrl,
    RequestCounts,
    VisitCounts,
    VisitRecord,
)
from geohound.model.health import Check
from geohound.model.host_claim import ClaimedHosts
from geohound.model.job import CachedRobots, Job, Report
from geohound.model.query import LayerResults, Query, Results
from geohound.model.segment import Manifest
from geohound.model.service import Known, Refusal, Service, Sighting
from geohound.model.task import (
    ALL_TASKS,
    Checkpoint,
    Claim,
    Ending,
    Task,
    TaskFilter,
    TaskId,
    TaskSpec,
    TaskState,
    Wanted,
)
from geohound.model.visit import Candidate, Failure, Link, Outcome, Page, RequestRecord, Response, Validators, Visit

if TYPE_CHECKING:
    from geohound.document import Document


class StoreError(Exception):
    """The store cannot be used; the message is for people and says what to do."""


class FencedError(StoreError):
    """Another has claimed the task since: whoever holds the older claim may write nothing more."""


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

    counts_links: bool  # does it want to hear of every link to a URL, not only of the first?

    has_stages: bool  # is one stage to be over before the next begins?

    def fresh(self) -> Order:
        """The same order before it learned anything: each crawl has its own."""

    def seed(self, url: str, position: int) -> float:
        """How promising a seed is, by its place in the list from 0."""

    def score(self, link: Link, page: Page) -> float:
        """How promising a link on this page is; asked once for each new URL."""

    def seen_again(self, link: Link, page: Page) -> float | None:
        """Another link to a URL that is known: the score it deserves now, or None to leave it as it is."""

    def revised(self) -> Iterable[tuple[str, float]]:
        """URLs that have become worth more since they were scored, and what; asked after every page."""

    def rescore(self, candidate: Candidate) -> float:
        """What a URL about to be leased is worth today; where it fell, it goes back and the next one is asked."""

    def stage(self, score: float) -> int:
        """The stage of a URL with this score; asked only where there are stages, whose numbers rise as scores fall."""

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


Follows = Callable[[str, str], bool]


class Fetcher(Protocol):
    """One polite, guarded request; every trouble is a Failure, never an exception."""

    async def fetch(
        self,
        url: str,
        *,
        accept: str = "*/*",
        max_bytes: int | None = None,
        follows: Follows | None = None,
        known: Validators | None = None,
    ) -> Visit:
        """The answer, redirects followed. With `known` it may be a 304 without body.

        `follows` is asked about each redirect, from where and to where; one that it refuses is the answer: a 3xx
        with its absolute, canonical `location`, for whoever keeps that host's pace or has been there before.
        """

    async def close(self) -> None: ...


class Examiner(Protocol):
    """Whoever visits, reads and reports: this process, or a pool of others."""

    @property
    def restarts(self) -> int:
        """How often a process was replaced by another, which has to learn again what the first one knew."""

    async def examine(self, job: Job) -> Report: ...

    async def refresh(self) -> None:
        """Forget which hosts could not be reached: the network was away."""

    async def close(self) -> None: ...


class FrontierLog(Protocol):
    """What was admitted to the frontier of each task and how it ended, in order: persistence, and nothing else."""

    def replay(self, task: TaskId) -> Iterator[LoggedUrl]:
        """All URLs of a task in the order of their numbers, in one pass."""

    def load(self, task: TaskId, numbers: Sequence[int]) -> Sequence[QueuedUrl]:
        """URLs that were appended, by their numbers, in the order asked for."""

    def append(self, claim: Claim, batch: FrontierBatch) -> Awaitable[None]:
        """Write all of it or nothing; on disk when awaited. FencedError, and nothing written, if the claim is stale."""

    def visits(self, task: TaskId, after: int = 0, limit: int = 1000) -> Sequence[VisitRecord]:
        """What became of URLs that do not wait, by number, those greater than `after`."""

    def memos(self, task: TaskId) -> Iterator[Memo]:
        """What the crawl has noted, as it noted it last, in that order; of very many the latest MAX_MEMOS."""

    def links(self, task: TaskId, limit: int) -> Iterator[str]:
        """URLs that were found on pages, the latest first."""

    def marks(self, task: TaskId) -> Iterator[tuple[int, int]]:
        """What stands for the contents of the pages visited so far: body and words."""

    def state(self, task: TaskId) -> FrontierState:
        """What outlives a restart beside the URLs."""

    def counts(self, task: TaskId) -> VisitCounts:
        """The visits that are on disk, whoever was killed before he could save his own count."""


class RequestLog(Protocol):
    """Every request that was made, for the owners of the hosts."""

    def record(self, task: TaskId, requests: Sequence[RequestRecord]) -> Awaitable[None]:
        """Keep them, soon and whether somebody awaits it or not."""

    def to_host(self, host: str, limit: int = 0) -> Sequence[RequestRecord]:
        """What was asked of a host, the latest first; 0 for all."""

    def hosts(self, task: TaskId) -> AbstractSet[str]:
        """The hosts that have answered a task."""

    def counts(self, task: TaskId) -> RequestCounts:
        """How much of it was for a task."""


class RobotsCache(Protocol):
    """The robots.txt that were read of late, by this crawl or an earlier one."""

    def keep(self, read: Sequence[CachedRobots]) -> Awaitable[None]:
        """Soon on disk, whether somebody awaits it or not."""

    def cached(self, origins: Sequence[str]) -> Sequence[CachedRobots]:
        """Those of these origins, as far as they were ever read."""


class Catalogue(Protocol):
    """What has been confirmed: services, where they were seen, how they fare."""

    def record(self, met: Sequence[Observation | Check]) -> Awaitable[Sequence[Recorded]]:
        """Add or refresh services with where they were met and how they fared; on disk when awaited, all or none.

        A check alone is a look at a service that is known; of one that is not, it is not kept.
        """

    def get(self, service_id: str) -> Service | None:
        """By its id, or by the id that it would have at another of its addresses."""

    def at(self, url: str) -> Sequence[Service]:
        """The services behind an address: an endpoint, another address of one, or any request to one of them."""

    def entries(self, which: Filter = ALL) -> Iterator[Entry]:
        """All services, or some, in the order in which they were found."""

    def sightings(self, service_id: str) -> Sequence[Sighting]:
        """Where a service was met, in the order in which it was."""

    def checks(self, service_id: str, since: datetime | None = None) -> Sequence[Check]:
        """The looks at a service, oldest first."""

    def known_at(self, url: str) -> Known:
        """What is known of the services behind an address, so that less has to be asked of them."""

    def excerpts(self, wanted: Mapping[int, Sequence[int]]) -> Mapping[int, Service]:
        """Services by number, each with those layers alone that are at the places asked for, in that order."""

    def changes(self, since: Revision, limit: int) -> Changes:
        """What has changed after a revision, oldest first: all of it, whoever wrote it, each service as it is now."""

    def discovered(self, task: TaskId) -> Sequence[Discovered]:
        """What a task was the first to find."""

    def count(self) -> Counts: ...


class TaskStore(Protocol):
    """Every long-running piece of work: what was asked, what is wanted, who runs it, what has happened.

    Whatever changes the state of a task adds the event that says so. Methods that take a claim raise FencedError, and
    change nothing, where another has claimed the task since, or it was released or deleted.
    """

    def create(self, spec: TaskSpec, state: TaskState = TaskState.QUEUED) -> Task:
        """A new task; in another state than QUEUED nobody takes it up by himself."""

    def get(self, task: TaskId) -> Task | None: ...

    def list(self, which: TaskFilter = ALL_TASKS) -> Sequence[Task]:
        """The tasks, the latest first."""

    def want(self, task: TaskId, wanted: Wanted) -> Task | None:
        """Say what is wanted; where nobody runs it, its state changes at once. None where there is no such task."""

    def claim(self, task: TaskId, holder: str, ttl_s: float) -> Claim | None:
        """The right to run it, for this long unless renewed; its epoch grows. None where another holds it."""

    def expire(self, claim: Claim) -> None:
        """The holder of this claim is known to be gone: others need not wait for its claim to run out."""

    def renew(self, claim: Claim, ttl_s: float) -> Wanted:
        """Hold it for this long from now; what is wanted of it."""

    def save(self, claim: Claim, checkpoint: Checkpoint) -> None: ...

    def checkpoint(self, task: TaskId) -> Checkpoint:
        """What was saved last."""

    def release(self, claim: Claim, state: TaskState, ending: Ending) -> None:
        """The run is over; anybody may claim the task again."""

    def delete(self, task: TaskId) -> bool:
        """Forget a task that nobody runs, with its log and events; its services stay. False where somebody runs it."""

    def emit(self, claim: Claim, events: Sequence[Event]) -> None:
        """Number them without gaps and keep them; beyond a bound the oldest go."""

    def events(self, task: TaskId, after: int = 0, limit: int = 1000) -> EventPage:
        """Events with greater numbers than `after`, in order."""


class HostClaims(Protocol):
    """Which process may ask a host now: one rate for each host, however many processes ask.

    A claim is for some seconds; whoever has one need ask nobody when it may ask the host again. Pauses are seconds
    from now, and kept as times of the day.
    """

    def claim(self, pauses: Mapping[str, float], holder: str, ttl_s: float) -> ClaimedHosts:
        """Take or renew these hosts for so long, where no other holder has them.

        Each comes with the pause that it needs as far as the holder knows; whoever has the host next keeps to it.
        Of those that are refused it is noted that they are wanted.
        """

    def wanted(self, holder: str) -> Sequence[str]:
        """The hosts of this holder that others have asked for."""

    def release(self, pauses: Mapping[str, float], holder: str) -> None:
        """Let go of these hosts, as far as they are still this holder's."""


class SegmentGoneError(LookupError):
    """A segment that a newer manifest has left behind: read the manifest again."""


class SegmentStore(Protocol):
    """Where a search index is kept: immutable blobs, and one manifest that says which of them count."""

    def manifest(self) -> Manifest: ...

    def read(self, segment: str, part: str) -> memoryview:
        """One part of a segment; SegmentGoneError where the manifest no longer names the segment."""

    def publish(self, manifest: Manifest, parts: Mapping[str, Mapping[str, bytes]]) -> bool:
        """Make this the manifest, with the parts of its new segments by id; what it no longer names is deleted.

        Compare and swap: False, and nothing is changed, unless its version is the next one. All or nothing.
        """


class SearchIndex(Protocol):
    """Search over a catalogue, whose changes it follows."""

    def search(self, query: Query) -> Results:
        """The services that match, best first."""

    def layers(self, query: Query) -> LayerResults:
        """The layers that match, each for itself."""

    def refresh(self, least: int | None = None) -> Revision:
        """Read what has changed, and publish it for others where it has so many entries. How far the index is."""


__all__ = [
    "Catalogue", "Clock", "Exporter", "Failure", "FencedError", "Fetcher", "FrontierLog", "Harvester", "HostClaims",
    "Kind", "Order", "RequestLog", "Response", "RobotsCache", "Searcher", "StoreError", "TaskStore",
]  # fmt: skip
