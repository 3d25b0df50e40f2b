"""What every page and every JSON answer of the portal works with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from jinja2 import Environment
from starlette.requests import Request

from geohound.contracts import Catalogue, Kind, SearchIndex
from geohound.model.service import Service
from geohound.model.topic import Topic
from geohound.model.visit import RequestRecord
from geohound.settings import Settings

_DEFAULTS = Settings()
Requests = Callable[[str, int], Sequence[RequestRecord]]  # made to a host, the latest first
Tasks = Callable[[], Sequence[Mapping[str, Any]]]  # the crawls of the catalogue, the latest first


class Sorter(Protocol):
    """What services are sorted by, and how."""

    @property
    def topics(self) -> Sequence[Topic]: ...

    def classify(self, service: Service) -> Sequence[tuple[str, str]]: ...


@dataclass(frozen=True)
class About:
    """How this installation introduces itself to site owners."""

    user_agent: str = _DEFAULTS.user_agent
    contact: str = ""  # a mail address or web address of the people who run it
    host_delay_s: float = _DEFAULTS.host_delay_s

    @property
    def robots_name(self) -> str:
        """The name that a robots.txt rule must use."""
        return self.user_agent.partition("/")[0].strip() or "Geohound"


@dataclass(frozen=True)
class Portal:
    catalogue: Catalogue
    index: SearchIndex
    kinds: Mapping[str, Kind]
    about: About
    templates: Environment
    sorter: Sorter | None = None
    tasks: Tasks = tuple
    requests: Requests = lambda _host, _limit: ()

    @property
    def topics(self) -> Sequence[Topic]:
        return self.sorter.topics if self.sorter else ()

    def topics_of(self, service: Service) -> Sequence[tuple[str, str]]:
        return self.sorter.classify(service) if self.sorter else ()

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
            return next((c.title for t in self.topics for c in t.classes if c.id == value), value)
        return value

    def kind_title(self, kind_id: str) -> str:
        kind = self.kinds.get(kind_id)
        return kind.title if kind else kind_id


def portal_of(request: Request) -> Portal:
    portal: Portal = request.app.state.portal
    return portal
