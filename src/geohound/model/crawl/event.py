"""The events of a task: typed, and numbered without gaps once they are stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    """A service was confirmed; `known` where the catalogue had it before this task."""

    type: ClassVar[str] = "service"
    id: str
    endpoint: str
    kind: str
    title: str
    pages: int
    requests: int
    elapsed_s: float
    known: bool = False
    score: float | None = None  # provisional: from the look that confirmed it
    lat: float | None = None  # of its host
    lon: float | None = None
    country: str = ""


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
    waiting: str  # a key of WAITING_TEXTS; empty while there is progress
    drops: Mapping[str, int] = field(default_factory=dict)
    started_at: str = ""  # of the first run, ISO 8601
    seconds_per_page: float | None = None
    machine_load: float = 0.0  # processes that run or wait for a processor
    # groups of workers that have nothing to do: fetchers, testers
    asleep: tuple[str, ...] = ()
    active_hosts: int = 0  # hosts that are crawled at present; 0 if all are
    inactive_hosts: int = 0  # hosts whose pages are left for later
    explored_hosts: int = 0  # active hosts of which nothing was read yet
    # some URLs that are being asked for, and what spoke for each
    fetching: tuple[tuple[str, str], ...] = ()
    known: int = 0  # services that were met, and that the catalogue had before; `services` are the new ones
    waiting_hosts: tuple[str, ...] = ()  # some of the hosts that are waited for


@dataclass(frozen=True, slots=True)
class VisitEnded:
    """A page was read or a candidate tested; only a sample of many is kept."""

    type: ClassVar[str] = "visit"
    url: str
    purpose: str  # page, probe …
    status: int
    reason: str  # why there was no response; empty if there was one
    services: int
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing can be done for the moment, and why."""

    type: ClassVar[str] = "waiting"
    reason: str  # a key of WAITING_TEXTS
    hosts: tuple[str, ...] = ()  # some of the hosts that are waited for


@dataclass(frozen=True, slots=True)
class QueryAnswered:
    """A search provider was asked for a page of results, or a kept page was used again."""

    type: ClassVar[str] = "query"
    searcher: str  # id, or id=address
    text: str
    page: int
    results: int
    new_seeds: int
    cost: float  # in USD, as published
    cached: bool = False
    reason: str = ""  # why there are no results, in a sentence


@dataclass(frozen=True, slots=True)
class CheckEnded:
    """A service was looked at."""

    type: ClassVar[str] = "check"
    id: str
    endpoint: str
    ok: bool | None  # None where the look was inconclusive
    reason: str
    elapsed_ms: float
    state: str
    was: str  # the state before


@dataclass(frozen=True, slots=True)
class Warned:
    """Something that a person should know."""

    type: ClassVar[str] = "warning"
    message: str


Event = (
    StateChanged
    | ServiceFound
    | Progressed
    | VisitEnded
    | Waiting
    | QueryAnswered
    | CheckEnded
    | Warned
)
EVENTS: Mapping[str, type[Event]] = {
    event.type: event
    for event in (
        StateChanged,
        ServiceFound,
        Progressed,
        VisitEnded,
        Waiting,
        QueryAnswered,
        CheckEnded,
        Warned,
    )
}


# What people read where a crawl makes no progress, by the reason of `Waiting`.
WAITING_TEXTS: Mapping[str, str] = {
    "network": "network connection lost",
    "answers": "waiting for slow responses",
    "hosts": "all queued hosts are rate-limited",
    "active hosts": "the best hosts are rate-limited, the others are left for later",
    "search": "waiting for search providers",
    "other processes": "all queued hosts are in use by another process",
}


def waiting_text(reason: str, hosts: Sequence[str] = ()) -> str:
    """Why a crawl makes no progress, and for which hosts it waits; empty if it does."""
    said = WAITING_TEXTS.get(reason, reason)
    return f"{said}: {', '.join(hosts)}" if said and hosts else said


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
    return {
        "n": n,
        "at": at.isoformat(timespec="milliseconds"),
        "type": event.type,
        **asdict(event),
    }
