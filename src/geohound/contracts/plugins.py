"""What each sort of plug-in must offer: kinds, snippet writers, orders, harvesters, searchers, exporters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # types only: who needs a contract need not load these
    from collections.abc import Iterable, Sequence
    from datetime import date

    from geohound.document import Document
    from geohound.model.addresses import Addresses
    from geohound.model.bbox import BBox
    from geohound.model.crawl.harvest import HarvestPage
    from geohound.model.crawl.order_options import OrderOptions
    from geohound.model.crawl.web_search import SearchPage, SearchRequest, SearchTerms
    from geohound.model.export import ExportedService
    from geohound.model.layer_request import LayerRequest
    from geohound.model.service import Layer, Refusal, Service
    from geohound.model.visit import Candidate, Failure, Lane, Link, Outcome, Page

    from .work import Fetcher


class Kind(Protocol):
    """One kind of service: knows what its URLs look like, and parses its responses; makes no requests itself."""

    id: str
    title: str
    protocol: str  # Cat-Interop identifier, such as OGC:WMS
    addresses: Addresses

    def suspects(self, url: str) -> bool:
        """Does this URL look like a service of this kind?"""

    def probe_urls(self, url: str) -> Sequence[str]:
        """The requests that would prove it, cheapest first; few, never brute force."""

    def read(self, document: Document) -> Service | Refusal | None:
        """The service in this response; a Refusal if a service of this kind refused; None if it is of another kind."""

    def requests(
        self, service: Service, layer: Layer, box: BBox | None
    ) -> Sequence[LayerRequest]:
        """The requests for a layer, within a box if one is given; a layer without a name is the whole service."""


class SnippetWriter(Protocol):
    """One program: turns a request into code that makes this request in the program."""

    id: str
    title: str
    language: str
    rank: int  # its place in lists

    def write(
        self, service: Service, layer: Layer, request: LayerRequest
    ) -> str | None:
        """The code; None where the program cannot make this request."""


class Order(Protocol):
    """Decides which URL is visited next: the highest score first, equal ones in order of arrival, minus infinity never.

    URLs are canonical; `page.url` is the one that was leased, `page.score` its score then. Decision 0010 has the calls.
    """

    id: str
    title: str
    counts_links: bool  # is `seen_again` called for every further link to a URL?
    has_stages: bool  # does a stage have to end before the next one begins?
    seeds_by_rank: bool  # is the position of a search result its rank in its own query, or among all results?
    ranks_hosts: bool  # can it distinguish good hosts from poor ones, so that the crawl may prefer the best?
    # may the score of a waiting URL rise with the terms of its address?
    has_terms: bool
    decides_tests: bool  # does it decide which URLs are tested, and when? Otherwise the patterns of the kinds decide

    def configured(self, options: OrderOptions) -> Order:
        """A new instance with these options, which has learned nothing yet."""

    def fresh(self) -> Order:
        """A new instance that has learned nothing yet; each crawl has its own."""

    def seed(self, url: str, position: int) -> float:
        """How promising a seed is, by its place in the list from 0."""

    def score(self, link: Link, page: Page) -> float:
        """The score of a link on this page; called once for each new URL."""

    def seen_again(self, link: Link, page: Page) -> float | None:
        """Another link to a known URL was found: its new score, or None to leave it as it is."""

    def revised(self) -> Iterable[tuple[str, float]]:
        """URLs whose score has risen, with the new score; called after every page."""

    def rescore(self, candidate: Candidate) -> float:
        """The present score of a URL about to be leased; if it fell, the URL is queued again and the next one tried."""

    def terms(self, url: str) -> Sequence[str]:
        """The terms by which a waiting URL is indexed; called only if `has_terms`."""

    def risen(self) -> Iterable[str]:
        """Terms whose weight has risen since the last call; called before every lease."""

    def is_tested(self, url: str) -> bool:
        """Should this URL be tested as a service? Called only if `decides_tests`."""

    def recall(self, urls: Iterable[str]) -> None:
        """Learn from the addresses of services in the catalogue; called when a crawl begins."""

    def stage(self, score: float, lane: Lane) -> tuple[int, int]:
        """Track and stage of a page or test with this score: a stage waits for the earlier ones of its own track."""

    def host_bonus(self, host: str) -> float:
        """What is added to the best score of a host when hosts are compared."""

    def learn(self, outcome: Outcome) -> None:
        """Learn from what a visit or a test brought."""

    def explain(self, candidate: Candidate) -> list[tuple[str, float]]:
        """The features behind the score of a URL and what each adds, the largest first."""

    def state(self) -> bytes:
        """What has been learned, as bytes that are stored with the task."""

    def restore(self, state: bytes) -> None:
        """Load a stored state; ValueError if these bytes are not one."""

    def average(self, states: Sequence[bytes]) -> None:
        """Merge what other shards of the same task have learned; an order may ignore it."""


class Harvester(Protocol):
    """One catalogue protocol, read page by page; what it lists becomes a candidate, never directly a service."""

    id: str
    title: str
    marks: tuple[bytes, ...]  # one of them stands in every document with a front

    def accepts(self, service: Service | None, url: str) -> bool:
        """Can this service be harvested? Without a service (a seed, a page): does the URL alone say so?"""

    def root(self, url: str) -> str:
        """The one address of the catalogue that an accepted address belongs to: each is harvested once."""

    def front(self, document: Document) -> str:
        """Where the catalogue is whose page, or which itself, this document is; empty where it is neither."""

    def start(self, since: date | None) -> bytes:
        """The cursor of the first page, of records changed since then where the protocol supports it; b"" for all."""

    async def page(
        self, source: str, cursor: bytes, fetcher: Fetcher
    ) -> HarvestPage | Failure:
        """Read one page of the catalogue; the cursor of the next page is all the state there is."""


class Searcher(Protocol):
    """One web-search provider; its results are pages to be crawled, never directly services."""

    id: str
    title: str
    address: str  # URL of the provider; empty: the user has to give it
    keys: tuple[str, ...]  # environment variables with keys, all of them needed
    terms: SearchTerms

    async def page(
        self, request: SearchRequest, fetcher: Fetcher
    ) -> SearchPage | Failure:
        """Get one page of results with at most one request; a missing key or a refusal is reported as a sentence."""


class Exporter(Protocol):
    """One export format: writes services as a stream of bytes, so that memory does not grow with their number."""

    id: str
    title: str
    media_type: str
    extension: str  # of a file's name, without the dot
    needs_layers: bool  # does it need the layers of the services?

    def write(self, services: Iterable[ExportedService]) -> Iterable[bytes]:
        """The whole file, piece by piece; UserError where something that it needs is not installed."""
