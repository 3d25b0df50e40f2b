"""What a part must offer to be plugged in: kinds, snippet writers, orders, harvesters, searchers, exporters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if (
    TYPE_CHECKING
):  # all that is spoken of here: whoever needs a contract need not load it
    from collections.abc import Iterable, Sequence
    from datetime import date

    from geohound.document import Document
    from geohound.model.addresses import Addresses
    from geohound.model.bbox import BBox
    from geohound.model.export import ExportedService
    from geohound.model.layer_request import LayerRequest
    from geohound.model.service import Layer, Refusal, Service
    from geohound.model.visit import Candidate, Failure, Lane, Link, Outcome, Page
    from geohound.model.work.harvest import HarvestPage
    from geohound.model.work.order_options import OrderOptions
    from geohound.model.work.web_search import SearchPage, SearchRequest, SearchTerms

    from .work import Fetcher


class Kind(Protocol):
    """One kind of service: knows its addresses, and reads its answers without touching the network."""

    id: str
    title: str
    protocol: str  # Cat-Interop identifier, such as OGC:WMS
    addresses: Addresses

    def suspects(self, url: str) -> bool:
        """Does this address look like one of mine?"""

    def probe_urls(self, url: str) -> Sequence[str]:
        """The requests that would prove it, cheapest first; few, never brute force."""

    def read(self, document: Document) -> Service | Refusal | None:
        """The service that this answer is; a refusal if it is mine but refuses; None if it is not mine."""

    def requests(
        self, service: Service, layer: Layer, box: BBox | None
    ) -> Sequence[LayerRequest]:
        """What can be asked of a layer at a box, or of all of it; without a name the layer is the whole service."""


class SnippetWriter(Protocol):
    """One program: a request in, the code that makes it out."""

    id: str
    title: str
    language: str
    rank: int  # its place in lists

    def write(
        self, service: Service, layer: Layer, request: LayerRequest
    ) -> str | None:
        """The code; None where the program cannot make this request."""


class Order(Protocol):
    """Which link next: higher scores are visited sooner, first come first among equals, minus infinity never.

    URLs are canonical; `page.url` is the one that was leased, `page.score` its score then. Decision 0010 has the calls.
    """

    id: str
    title: str
    counts_links: (
        bool  # does it want to hear of every link to a URL, not only of the first?
    )
    has_stages: bool  # is one stage to be over before the next begins?
    seeds_by_rank: bool  # is the position of a search result its rank in its query? Otherwise its place among all
    ranks_hosts: bool  # does it know good hosts from poor ones, so that the best may be waited for?
    has_terms: bool  # do waiting URLs rise with the terms of their addresses?
    decides_tests: bool  # does it say what is tested, and when? Otherwise the addresses of the kinds do, at once

    def configured(self, options: OrderOptions) -> Order:
        """The same order with what the settings ask of orders; before it learned anything."""

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

    def terms(self, url: str) -> Sequence[str]:
        """By which a waiting URL is found again; asked only where there are terms."""

    def risen(self) -> Iterable[str]:
        """Terms that are worth more than when this was last asked; asked before every lease."""

    def is_tested(self, url: str) -> bool:
        """May this URL be a service, so that it is asked for its capabilities? Asked only where the order decides."""

    def recall(self, urls: Iterable[str]) -> None:
        """Addresses of services that the catalogue has; given to a crawl that begins."""

    def stage(self, score: float, lane: Lane) -> tuple[int, int]:
        """Track and stage of a page or test with this score: a stage waits for the earlier ones of its own track."""

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

    def average(self, states: Sequence[bytes]) -> None:
        """Learn from what others have learned who crawl other hosts for the same task; an order may leave it."""


class Harvester(Protocol):
    """One catalogue protocol, read page by page; what is listed are candidates, never services."""

    id: str
    title: str

    def accepts(self, service: Service | None, url: str) -> bool:
        """Is this service a catalogue for me? Without one (a seed, a page): does its address alone say so?"""

    def start(self, since: date | None) -> bytes:
        """The cursor of the first page, of records changed since then where the protocol supports it; b"" for all."""

    async def page(
        self, source: str, cursor: bytes, fetcher: Fetcher
    ) -> HarvestPage | Failure:
        """One page of the catalogue; nothing of it is remembered but the cursor of the next one."""


class Searcher(Protocol):
    """One web-search provider: names pages, never services."""

    id: str
    title: str
    address: str  # where it is asked; empty: the user must say so
    keys: tuple[str, ...]  # environment variables, all of which it needs
    terms: SearchTerms

    async def page(
        self, request: SearchRequest, fetcher: Fetcher
    ) -> SearchPage | Failure:
        """One page of results by at most one request; a missing key or a refusal is a sentence."""


class Exporter(Protocol):
    """One format: services in, bytes out, streamed; memory does not grow with their number."""

    id: str
    title: str
    media_type: str
    extension: str  # of a file's name, without the dot
    needs_layers: bool  # must the services come with their layers?

    def write(self, services: Iterable[ExportedService]) -> Iterable[bytes]:
        """The whole file, piece by piece; UserError where something that it needs is not installed."""
