"""What happens to a task, as its watchers hear of it: typed, and numbered without gaps once it is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

from .task import Ending, TaskState


@dataclass(frozen=True, slots=True)
class StateChanged:
    """The task was queued, taken up, paused, stopped or done."""

    type: ClassVar[str] = "state"
    state: TaskState
    ending: Ending | None = None


@dataclass(frozen=True, slots=True)
class ServiceFound:
    """A service was confirmed that the catalogue did not have."""

    type: ClassVar[str] = "service"
    id: str
    endpoint: str
    kind: str
    title: str
    pages: int
    requests: int
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class Progressed:
    """The numbers of the task, over all its runs."""

    type: ClassVar[str] = "progress"
    pages: int
    visits: int
    requests: int
    bytes: int
    services: int
    layers: int
    hosts: int
    tested: int
    queue: int
    in_flight: int
    fetchers: int
    testers: int
    elapsed_s: float
    pages_per_s: float
    run_s: float  # of this run alone
    run_pages_per_s: float
    cpu_s: float
    memory_mb: float
    waiting: str  # for the network, hosts, answers or other processes; empty where something goes on
    drops: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class VisitEnded:
    """A page was read or a candidate tested; only some of many are told."""

    type: ClassVar[str] = "visit"
    url: str
    purpose: str  # page, probe …
    status: int
    reason: str  # why nothing was had; empty where something was
    services: int
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing can be done for the moment, and why."""

    type: ClassVar[str] = "waiting"
    reason: str  # network | hosts | answers


@dataclass(frozen=True, slots=True)
class Warned:
    """Something that a person should know."""

    type: ClassVar[str] = "warning"
    message: str


Event = StateChanged | ServiceFound | Progressed | VisitEnded | Waiting | Warned
EVENTS: Mapping[str, type[Event]] = {
    event.type: event for event in (StateChanged, ServiceFound, Progressed, VisitEnded, Waiting, Warned)
}


class Numbered(NamedTuple):
    """An event as it is stored."""

    n: int
    at: datetime
    event: Event


class EventPage(NamedTuple):
    """Some events, in order, and the number of the oldest that is kept at all."""

    first: int
    events: tuple[Numbered, ...]


def event_record(numbered: Numbered) -> dict[str, Any]:
    """An event as programs read it."""
    n, at, event = numbered
    return {"n": n, "at": at.isoformat(timespec="milliseconds"), "type": event.type, **asdict(event)}
