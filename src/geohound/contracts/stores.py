"""What a store must offer: log of the frontier, catalogue, tasks, claims, segments of the index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from geohound.model.user_error import UserError

if TYPE_CHECKING:  # types only: who needs a contract need not load these
    from collections.abc import Awaitable, Collection, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from datetime import datetime

    from geohound.model.catalogue import (
        CandidateCounts,
        Changes,
        CheckCounts,
        Counts,
        Discovered,
        Entry,
        Filter,
        Observation,
        Recorded,
        Revision,
        ServiceSummary,
    )
    from geohound.model.crawl.data_file import (
        DataFile,
        FileCounts,
        FileFilter,
        FileHead,
        NumberedFile,
    )
    from geohound.model.crawl.event import Event, EventPage, Numbered
    from geohound.model.crawl.frontier import (
        FrontierBatch,
        FrontierState,
        LoggedUrl,
        Memo,
        RequestCounts,
        VisitCounts,
        VisitRecord,
    )
    from geohound.model.crawl.host_claim import ClaimedHosts
    from geohound.model.crawl.job import CachedRobots
    from geohound.model.crawl.kept_page import KeptPage, PageRoom
    from geohound.model.crawl.task import (
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
    from geohound.model.crawl.watched import WatchedSite
    from geohound.model.crawl.web_search import CachedSearch, KeptSearch, SearchPage
    from geohound.model.health import Check
    from geohound.model.search.query import LayerResults, PlacedServices, Query, Results
    from geohound.model.search.segment import Manifest
    from geohound.model.service import KnownProofs, Service, Sighting
    from geohound.model.visit import Candidate, RequestRecord


class StoreError(UserError):
    """The store cannot be used; the message is for people and says what to do."""


class FencedError(StoreError):
    """Another process has claimed the task since, so the holder of the older claim may no longer write."""


class FrontierLog(Protocol):
    """The URLs that the frontier of each task admitted, and how each ended, in order; only stored, nothing is decided."""

    def replay(self, task: TaskId) -> Iterator[LoggedUrl]:
        """All URLs of a task in the order of their numbers, in one pass."""

    def load(self, task: TaskId, numbers: Sequence[int]) -> Sequence[Candidate]:
        """URLs that were appended, by their numbers, in the order asked for."""

    def append(self, claim: Claim, batch: FrontierBatch) -> Awaitable[None]:
        """Write the batch in one transaction; on disk when awaited. FencedError, and no change, if the claim is stale."""

    def visits(
        self, task: TaskId, after: int = 0, limit: int = 1000
    ) -> Sequence[VisitRecord]:
        """URLs that are no longer waiting and what became of them, in order of their numbers, from after `after`."""

    def memos(self, task: TaskId) -> Iterator[Memo]:
        """The notes of the crawl about families of URLs, each as written last; the latest MAX_MEMOS."""

    def links(self, task: TaskId, limit: int) -> Iterator[str]:
        """URLs that were found on pages, the latest first."""

    def marks(self, task: TaskId) -> Iterator[tuple[int, int]]:
        """Hashes of the pages visited so far: of the body and of the words."""

    def state(self, task: TaskId) -> FrontierState:
        """The counters of the frontier, which are kept beside the URLs."""

    def counts(self, task: TaskId) -> VisitCounts:
        """Count the visits on disk; correct even if a process was killed before it saved its counters."""


class RequestLog(Protocol):
    """Every request that was made, so that the owner of a host can be informed."""

    def record(
        self, task: TaskId, requests: Sequence[RequestRecord]
    ) -> Awaitable[None]:
        """Write them soon, whether or not the result is awaited."""

    def to_host(self, host: str, limit: int = 0) -> Sequence[RequestRecord]:
        """The requests to a host, the latest first; a limit of 0 returns all."""

    def hosts(self, task: TaskId) -> AbstractSet[str]:
        """The hosts that have answered a task."""

    def counts(self, task: TaskId) -> RequestCounts:
        """Count the requests and bytes of a task."""


class RobotsCache(Protocol):
    """The robots.txt files that this crawl or earlier ones have read."""

    def keep(self, read: Sequence[CachedRobots]) -> Awaitable[None]:
        """Write them soon, whether or not the result is awaited."""

    def cached(self, origins: Sequence[str]) -> Sequence[CachedRobots]:
        """The robots.txt files of these origins, as far as they were ever read."""


class SearchCache(Protocol):
    """Result pages of search providers, used again while they are recent, since each may cost money."""

    def begin(
        self, source: str, query: str, number: int, task: TaskId
    ) -> Awaitable[None]:
        """A task is about to ask for a page; on disk when awaited, and until the page is kept or withdrawn."""

    def withdraw(self, source: str, query: str, number: int) -> Awaitable[None]:
        """What began was answered by no page: it may be asked for again."""

    def has_begun(self, source: str, query: str, number: int, task: TaskId) -> bool:
        """Did this task begin to ask for a page, and was killed before it could keep the answer?"""

    def keep(
        self, source: str, query: str, number: int, page: SearchPage, task: TaskId = 0
    ) -> Awaitable[None]:
        """One page, by its number from 1, and the task that asked for it; on disk when awaited."""

    def asked_by(self, task: TaskId) -> Mapping[str, int]:
        """How many pages a task has requested from each source, without those that another task requested again."""

    def cached(self, source: str, query: str, number: int) -> CachedSearch | None:
        """The page as it was received last, with its age."""

    def kept(
        self, max_age_s: float, task: TaskId | None = None
    ) -> Iterator[KeptSearch]:
        """All pages that are not older, of all tasks or of one, by source, query and number.

        A page that was asked for without an answer is among them, empty: it counts as a request.
        """


class KnowledgeStore(Protocol):
    """What search agents have learned, under an id that the user gave; also, which notices each receiver has got."""

    def keep(self, name: str, body: bytes) -> Awaitable[None]:
        """Store this under the name, replacing what was there; on disk when awaited."""

    def replace(self, name: str, was: bytes, body: bytes) -> Awaitable[bool]:
        """As `keep`, but only if the stored value is still the old one; False if another process was faster."""

    def find(self, name: str) -> bytes:
        """What was stored last; empty if nothing was."""


class KeptPages(Protocol):
    """Copies of pages that were read (LI-6, PH-5)."""

    def keep(self, task: TaskId, page: KeptPage, room: PageRoom) -> Awaitable[None]:
        """Replace the copy of this URL; if there is no room, old copies are deleted first, then the least promising."""

    def pages(self, groups: int) -> Iterator[KeptPage]:
        """Those of the first so many groups: the most promising group first, of one group the latest."""

    def recent(self, url: str, max_age_s: float) -> KeptPage | None:
        """The copy of a page that a task can use instead of a request, if it is no older than this."""


class WatchedSiteStore(Protocol):
    """Sites with a watcher, and their pages that were read as its report had them."""

    def origins(self) -> Sequence[str]:
        """The origins of all sites that are known to have a watcher."""

    def site(self, origin: str) -> WatchedSite | None: ...

    def keep(self, site: WatchedSite) -> Awaitable[None]:
        """Replace what is stored about its origin; written soon, whether or not the result is awaited."""

    def pages(self, origin: str) -> Iterator[int]:
        """Hashes of the pages of this site that were read and are watched."""

    def keep_page(self, origin: str, key: int) -> Awaitable[None]:
        """Add a page that was read: it is no longer owed. Written soon."""

    def owe(self, origin: str, pages: Mapping[int, str]) -> Awaitable[None]:
        """Note pages that have changed and must be read again: URLs by their hashes."""

    def owed(self, origin: str) -> Sequence[str]:
        """URLs that must be read again and have not been yet."""


class CatalogueStore(Protocol):
    """The confirmed services, with their sightings and checks."""

    def record(
        self, met: Sequence[Observation | Check]
    ) -> Awaitable[Sequence[Recorded]]:
        """Add or refresh services, with where they were met; all or none. A check of an unknown one is not kept."""

    def get(self, service_id: str) -> Service | None:
        """A service by its id, or by the id that it would have at one of its other addresses."""

    def at(self, url: str, *, with_layers: bool = True) -> Sequence[Service]:
        """The services behind an address: an endpoint, another address of one, or any request to one of them.

        A document may have thousands of layers: leave them out where nobody looks at them.
        """

    def entries(self, which: Filter = ...) -> Iterator[Entry]:
        """All services, or some, in the order in which they were found."""

    def sightings(self, service_id: str) -> Sequence[Sighting]:
        """The sightings of a service, in order."""

    def met_at(self, limit: int) -> Sequence[str]:
        """URLs at which services were found lately, oldest first, without what a test added to them."""

    def checks(self, service_id: str, since: datetime | None = None) -> Sequence[Check]:
        """The looks at a service, oldest first."""

    def known_at(self, url: str) -> KnownProofs:
        """What is known of the services at a URL, so that fewer requests are needed to confirm them."""

    def excerpts(self, wanted: Mapping[int, Sequence[int]]) -> Mapping[int, Service]:
        """Services by number, each with only the layers at the given positions, in that order."""

    def changes(self, since: Revision, limit: int) -> Changes:
        """What has changed after a revision, oldest first: all of it, whoever wrote it, each service as it is now."""

    def discovered(self, task: TaskId) -> Sequence[Discovered]:
        """How many services this task was the first to find."""

    def endpoints(self) -> Iterator[tuple[str, str]]:
        """Kind and endpoint of every service, in the order in which they were found."""

    def summaries(self, which: Filter = ...) -> Iterator[ServiceSummary]:
        """All services, or some, in the order in which they were found, without their layers."""

    def count(self) -> Counts: ...

    def count_checked(self, since: datetime) -> int:
        """How many services were looked at since then."""

    def count_checks(self, since: datetime, days: int) -> Sequence[CheckCounts]:
        """The checks of all services on each of so many days from then on."""

    def count_classes(self) -> Mapping[tuple[str, str], int]:
        """Services by topic and class."""

    def count_candidates(self) -> CandidateCounts:
        """Count the candidates that all stored tasks have tested, each URL once, by result."""


class DataFileStore(Protocol):
    """Data files that crawls met, each by its address."""

    def record(self, found: Sequence[DataFile]) -> Awaitable[None]:
        """Add those that are not known, soon and whether somebody awaits it or not; known ones stay as they are."""

    def answered(
        self, url: str, head: FileHead, status: int, at: datetime
    ) -> Awaitable[None]:
        """Store what the server said about a known file; if it is no data file, delete it. Written soon."""

    def files(self, which: FileFilter = ...) -> Sequence[NumberedFile]:
        """Files in the order in which they were found."""

    def count(self, which: FileFilter = ...) -> FileCounts:
        """How many there are, of each format; whatever page of them the filter names."""

    def found_by(self, task: TaskId) -> int:
        """How many a task was the first to find."""

    def asked(self, task: TaskId) -> Sequence[str]:
        """Those of these URLs that were already requested."""

    def asked_since(self, urls: Collection[str], since: datetime) -> AbstractSet[str]:
        """Those of these URLs that any task has requested since then."""


class TaskStore(Protocol):
    """All tasks: what was asked for, the desired state, who runs it, and its events.

    A change of state adds its event. A claim that is stale, or of a deleted task, raises FencedError; nothing changes.
    """

    def create(self, spec: TaskSpec, state: TaskState = ...) -> Task:
        """A new task; in another state than QUEUED nobody takes it up by himself, and its first event is its first run."""

    def get(self, task: TaskId) -> Task | None: ...

    def list(self, which: TaskFilter = ...) -> Sequence[Task]:
        """The tasks, the latest first."""

    def want(self, task: TaskId, wanted: Wanted) -> Task | None:
        """Set the desired state; if nobody runs the task, its state changes at once. None if there is no such task."""

    def limit_pages(self, task: TaskId, max_pages: int) -> None:
        """Limit the pages of a task and of its shards, over all runs; a run that is under way keeps its limit."""

    def claim(self, task: TaskId, holder: str, ttl_s: float) -> Claim | None:
        """Claim the right to run a task, for this long unless renewed, with a higher epoch; None if another holds it."""

    def expire(self, claim: Claim) -> None:
        """End a claim whose holder is known to be gone, so that others need not wait until it runs out."""

    def renew(self, claim: Claim, ttl_s: float) -> Wanted:
        """Extend the claim from now on; returns the desired state of the task."""

    def save(self, claim: Claim, checkpoint: Checkpoint) -> None: ...

    def checkpoint(self, task: TaskId) -> Checkpoint:
        """What was saved last."""

    def release(self, claim: Claim, state: TaskState, ending: Ending) -> TaskState:
        """End the run and the claim, so that anybody may claim the task again; QUEUED becomes what is wanted by now."""

    def delete(self, task: TaskId) -> bool:
        """Forget a task that nobody runs, with its log and events; its services stay. False where somebody runs it."""

    def emit(self, claim: Claim, events: Sequence[Event]) -> None:
        """Store events with consecutive numbers; beyond a bound the oldest are deleted."""

    def events(self, task: TaskId, after: int = 0, limit: int = 1000) -> EventPage:
        """Events with greater numbers than `after`, in order."""

    def events_of(
        self, after: Mapping[TaskId, int], limit: int = 1000
    ) -> Mapping[TaskId, Sequence[Numbered]]:
        """Events of several tasks with greater numbers than these, in order; `limit` is for all of them together."""


class HostClaims(Protocol):
    """Which process may send requests to a host, so that all processes together keep one rate. Pauses are in seconds."""

    def claim(
        self, pauses: Mapping[str, float], holder: str, ttl_s: float
    ) -> ClaimedHosts:
        """Claim or renew these hosts, each with the pause that it needs; note that those of others are wanted."""

    def wanted(self, holder: str) -> Sequence[str]:
        """The hosts of this holder that others have asked for."""

    def release(self, pauses: Mapping[str, float], holder: str) -> None:
        """Let go of these hosts, as far as they are still this holder's."""

    def share_addresses(
        self, addresses: Sequence[str], holder: str, ttl_s: float
    ) -> Mapping[str, Sequence[str]]:
        """Note that this holder requests these IP addresses for the next seconds; returns the holders of each."""


class SegmentGoneError(LookupError):
    """A segment that a newer manifest has left behind: read the manifest again."""


class SegmentStore(Protocol):
    """Where a search index is kept: immutable blobs, and one manifest that says which of them count."""

    def manifest(self) -> Manifest: ...

    def read(self, segment: str, part: str) -> memoryview:
        """One part of a segment; SegmentGoneError where the manifest no longer names the segment."""

    def publish(
        self, manifest: Manifest, parts: Mapping[str, Mapping[str, bytes]]
    ) -> bool:
        """Make this the manifest, with the parts of its new segments by id; what it no longer names is deleted.

        Compare and swap: False, and nothing is changed, unless its version is the next one. All or nothing.
        """


class SearchIndex(Protocol):
    """The search index of a catalogue."""

    def search(self, query: Query) -> Results:
        """The services that match, best first."""

    def layers(self, query: Query) -> LayerResults:
        """The layers that match, best first."""

    def placed(self, query: Query, cell: float) -> PlacedServices:
        """Where the services that match are, counted by cells of so many degrees."""

    def refresh(self, min_entries: int | None = None) -> Revision:
        """Read the changes of the catalogue, publish them where they have so many entries; the indexed revision."""
