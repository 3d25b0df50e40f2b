"""What goes into a catalogue, and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from .health import Check, Health, HealthState
from .location import HostLocation
from .service import Service, Sighting

Revision = int  # of a catalogue: grows with each change, 0 before the first
# topic, and one of its classes ("" where the topic has none)
Topics = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Observation:
    """A service that was met: what it says, where it was seen, how it fared, and what it is about."""

    service: Service
    sighting: Sighting
    check: Check | None = None
    topics: Topics = ()
    # False: it was only read from another document, and nothing happened
    is_news: bool = True


class Recorded(NamedTuple):
    """What became of an observation."""

    service_id: str  # of the service under which it is kept; empty where there is none
    is_new: bool


@dataclass(frozen=True, slots=True)
class Filter:
    """Which entries: those of these kinds and states, met by this task; what is left out does not matter."""

    kinds: tuple[str, ...] = ()
    states: tuple[HealthState, ...] = ()
    task: int | None = None


ALL = Filter()


@dataclass(frozen=True, slots=True)
class Entry:
    """All that a catalogue says of a service."""

    service: Service
    health: Health
    topics: Topics
    first_seen: datetime
    last_seen: datetime


class ServiceSummary(NamedTuple):
    """What statistics need of a service: cheap to read, however many there are."""

    id: str
    kind: str
    endpoint: str
    title: str
    software: str
    state: HealthState
    location: HostLocation | None
    topics: Topics
    first_seen: datetime
    last_seen: datetime
    layers: int = 0


class Counts(NamedTuple):
    services: int
    layers: int


class CheckCounts(NamedTuple):
    """The checks of some time, by what they found."""

    good: int = 0
    failed: int = 0
    unclear: int = 0


class CandidateCounts(NamedTuple):
    """Candidates that were tested: those that were services, and why the others were not."""

    total: int
    available: int
    dead: Mapping[str, int]  # by reason, most frequent first
    hosts: int
    hosts_available: int


class Discovered(NamedTuple):
    """How many services a task was the first to find, of one kind and in one way."""

    kind: str
    via: str
    services: int
    layers: int


@dataclass(frozen=True, slots=True)
class Change:
    """A service that was added or has changed; `service` is None where only its state or popularity has."""

    revision: Revision
    number: int  # of the service: the order in which services were found
    state: HealthState
    popularity: int  # how often it was seen
    service: Service | None = None
    topics: Topics = ()


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes in the order in which they were made; of a service only the last of its document and of its state."""

    changes: tuple[Change, ...]
    upto: Revision  # ask again from here
    latest: Revision  # how far the catalogue is
