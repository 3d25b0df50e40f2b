"""What every page and every JSON answer of the portal works with."""

from __future__ import annotations

from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from jinja2 import Environment
from starlette.exceptions import HTTPException
from starlette.requests import Request

from geohound.accounts import Accounts
from geohound.contracts import (
    CatalogueStore,
    DataFileStore,
    Exporter,
    Kind,
    NoteStore,
    SearchIndex,
    SnippetWriter,
)
from geohound.model.account import Role
from geohound.model.addresses import DOWNLOAD_LIMIT_S
from geohound.model.bbox import BBox
from geohound.model.monitoring.maintenance import Maintenance
from geohound.model.search.query import Query
from geohound.model.service import Layer, Service
from geohound.model.topic import Topic
from geohound.model.visit import RequestRecord, Visit
from geohound.reports import EndedVisit
from geohound.settings import Settings
from geohound.tasks.control import TaskControl
from geohound.views.known import Past
from geohound.views.opening import Opener, Opening
from geohound.views.parsing import Choices, Texts

from .task_events import TaskEvents

_DEFAULTS = Settings()
Reach = Callable[[str], str]  # an address, as a visitor's browser reaches it
# the events of one identification, the result last
Examine = Callable[[str], AsyncGenerator[Mapping[str, Any]]]
# the events of one check, the result last
CheckNow = Callable[[Service], AsyncGenerator[Mapping[str, Any]]]
Follows = Callable[[str, str], bool]  # a redirect, from where and to where
# asks for an address, with this Accept header
Relay = Callable[[str, str, Follows], Awaitable[Visit]]
# nodes, divided tasks, and how old that is
ClusterStatus = Callable[[], Mapping[str, Any]]
Visits = Callable[[int], Sequence[EndedVisit]]  # of a task, for reports
# made to a host, the latest first
Requests = Callable[[str, int], Sequence[RequestRecord]]


def no_cluster() -> Mapping[str, Any]:
    """For a catalogue that no cluster works for."""
    return {"nodes": [], "age_s": None, "tasks": []}


class ServiceClassifier(Protocol):
    """Assigns services to topics and their classes."""

    @property
    def topics(self) -> Sequence[Topic]: ...

    def classify(self, service: Service) -> Sequence[tuple[str, str]]: ...


@dataclass(frozen=True)
class About:
    """How this installation introduces itself to site owners."""

    user_agent: str = _DEFAULTS.user_agent
    contact: str = ""  # a mail address or web address of the people who run it
    host_delay_s: float = _DEFAULTS.host_delay_s
    # of the portal, where it is known by another than the one it listens at
    url: str = ""
    attribution: str = ""  # who must be named where places of hosts are shown
    maintenance: tuple[Maintenance, ...] = ()  # of hosts, as announced
    is_demo: bool = False  # what it shows was found on a simulated web

    @property
    def robots_name(self) -> str:
        """The name that a robots.txt rule must use."""
        return self.user_agent.partition("/")[0].strip() or "Geohound"


@dataclass(frozen=True)
class UsualBounds:
    """How far a task goes where nobody says otherwise."""

    depth: int = _DEFAULTS.max_depth
    pages: int = _DEFAULTS.page_limit
    queries: int = _DEFAULTS.max_queries


@dataclass(frozen=True)
class PortalTasks:
    """The tasks of the catalogue, and whether tasks can be started, paused and stopped here by those who may."""

    control: TaskControl
    events: TaskEvents
    orders: Collection[str] = ()
    may_write: bool = False
    # search providers that are set up here, as id or id=address
    searchers: Sequence[str] = ()
    usual: UsualBounds = UsualBounds()
    max_running: int = 5  # tasks of one user at a time; administrators have no limit
    visits: Visits = lambda _task: ()


class OpenIdProvider(Protocol):
    """Where visitors may log in with an account that they have elsewhere."""

    @property
    def title(self) -> str: ...

    async def begin(self, back: str) -> tuple[str, bytes]:
        """The address to send the visitor to, and what is to be remembered until they are back."""

    async def end(
        self, back: str, remembered: bytes, answer: Mapping[str, str]
    ) -> tuple[str, str]:
        """Subject and suggested name of whoever came back; UserError where the answer is not to be trusted."""

    @property
    def role(self) -> Role:
        """Of accounts that are made at the first log-in."""


@dataclass(frozen=True)
class Portal:
    catalogue: CatalogueStore
    index: SearchIndex
    kinds: Mapping[str, Kind]
    about: About
    templates: Environment
    classifier: ServiceClassifier | None = None
    tasks: PortalTasks | None = None
    requests: Requests = lambda _host, _limit: ()
    snippets: Mapping[str, SnippetWriter] = field(default_factory=dict)
    reach: Reach | None = None
    files: DataFileStore | None = None
    exporters: Mapping[str, Exporter] = field(default_factory=dict)
    # None where the only user needs no log-in, or where there is nobody to log in
    accounts: Accounts | None = None
    openid: OpenIdProvider | None = None
    past: Past | None = None
    # asks an address what it is, through the guarded fetcher
    examine: Examine | None = None
    check: CheckNow | None = None  # looks at a service now, and keeps what it finds
    # asks services for the maps of visitors whose browsers may not
    relay: Relay | None = None
    is_relay_for_guests: bool = False
    cluster: ClusterStatus = no_cluster
    notes: NoteStore | None = None  # saved searches and judgements

    @property
    def may_write(self) -> bool:
        """Can tasks be started here at all, by whoever may?"""
        return self.tasks is not None and self.tasks.may_write

    @property
    def is_single_user(self) -> bool:
        return self.accounts is None and self.may_write

    def samples(self) -> frozenset[int]:
        """The tasks that guests may see."""
        return self.accounts.samples if self.accounts else frozenset()

    def note(self, who: str, what: str, about: str, address: str) -> None:
        """Into the audit log, where there are accounts."""
        if self.accounts:
            self.accounts.note(who, what, about, address)

    def open(
        self,
        service: Service,
        layer: Layer | None,
        box: BBox | None,
        *,
        with_snippets: bool = True,
    ) -> Opening:
        service = self.reachable(service)
        layer = self.reachable_layer(layer) if layer else None
        writers = self.snippets if with_snippets else {}
        return Opener(self.kinds, writers).open(service, layer, box)

    def reachable(self, service: Service) -> Service:
        """The service with its addresses as a visitor's browser reaches them."""
        if self.reach is None:
            return service
        operations = [
            replace(o, get=self.reach(o.get), post=self.reach(o.post))
            for o in service.operations
        ]
        return replace(
            service, endpoint=self.reach(service.endpoint), operations=tuple(operations)
        )

    def all_reachable(self, service: Service) -> Service:
        """The same with the addresses of its layers, for files."""
        layers = tuple(map(self.reachable_layer, service.layers))
        return replace(self.reachable(service), layers=layers)

    def reachable_url(self, url: str) -> str:
        return self.reach(url) if self.reach else url

    def reachable_layer(self, layer: Layer) -> Layer:
        if self.reach is None:
            return layer
        return replace(layer, links=tuple(self.reach(link) for link in layer.links))

    @property
    def topics(self) -> Sequence[Topic]:
        return self.classifier.topics if self.classifier else ()

    def choices(self, asked: Texts) -> Choices:
        """The values that these parameters may have here, where it takes the portal to know them."""
        known: dict[str, Collection[str]] = {"kind": self.kinds}
        if "topic" in asked and self.classifier is not None:
            named = {text for texts in asked["topic"] for text in texts.split(",")}
            topics = {topic.id for topic in self.topics}
            # services may still have topics of files that are no longer named
            held = () if named <= topics else self._topics_in_catalogue()
            known["topic"] = topics.union(held)
        return known

    def _topics_in_catalogue(self) -> Iterable[str]:
        return self.index.search(Query(limit=0)).facets.get("topic", {})

    def topics_of(self, service: Service) -> Sequence[tuple[str, str]]:
        return self.classifier.classify(service) if self.classifier else ()

    def kind_label(self, kind_id: str) -> str:
        """The short name on a badge: the acronym where there is one, else the kind's title."""
        kind = self.kinds.get(kind_id)
        if kind is None or (kind_id.isalpha() and len(kind_id) <= 4):
            return kind_id.upper()
        return kind.title

    def facet_title(self, facet: str, value: str) -> str:
        """What to call a facet's value."""
        if facet == "kind":
            return self.kind_label(value)
        if facet == "topic":
            return next((t.title for t in self.topics if t.id == value), value)
        if facet == "class":
            return self._class_title(value)
        return value

    def _class_title(self, class_id: str) -> str:
        """What it is about; where several lists have a class of this name, also by which list."""
        named = [(topic, each) for topic in self.topics for each in topic.classes]
        found = next(
            ((topic, each) for topic, each in named if each.id == class_id), None
        )
        if found is None:
            return class_id
        topic, own = found
        is_alone = sum(each.title == own.title for _, each in named) == 1
        return own.title if is_alone else f"{own.title} ({topic.title.split()[0]})"

    def kind_title(self, kind_id: str) -> str:
        kind = self.kinds.get(kind_id)
        return kind.title if kind else kind_id

    def response_limit_s(self, kind_id: str) -> float:
        """Within which services of this kind should answer."""
        kind = self.kinds.get(kind_id)
        return kind.addresses.response_limit_s if kind else DOWNLOAD_LIMIT_S


def portal_of(request: Request) -> Portal:
    portal: Portal = request.app.state.portal
    return portal


def tasks_of(request: Request) -> PortalTasks:
    tasks = portal_of(request).tasks
    if tasks is None:
        raise HTTPException(404, "This portal has no tasks.")
    return tasks
