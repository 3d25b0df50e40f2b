"""The values that go into a frontier, come out of it, and are written to its log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from typing import NamedTuple

from geohound.model.failure import FailureReason
from geohound.model.visit import Candidate, Purpose, Settlement, Via


@dataclass(frozen=True, slots=True)
class Admitted:
    """What became of candidates that were offered: how many came in, and how many did not, by reason."""

    count: int = 0
    refused: Mapping[FailureReason, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settled:
    """How a lease ends. Times are delays in seconds: clocks of other processes are no matter of a frontier."""

    settlement: Settlement
    reason: FailureReason | None = None
    retry_in_s: float = 0.0  # where it is to be tried again
    status: int = 0
    services: int = 0
    address: str = ""  # numeric, that was asked; empty where none was
    marks: tuple[int, int] | None = None  # hashes of the content: body and words


class Memo(NamedTuple):
    """What a crawl has learned about a family of URLs, for later runs; to the log these are only bytes."""

    kind: int
    key: int  # 64 bits with sign
    state: bytes


@dataclass(frozen=True, slots=True)
class FrontierStats:
    """The numbers of a frontier at one moment, those of the whole task."""

    queued: int  # URLs that wait, retries included
    leased: int
    pages: int  # page visits made or under way
    visited: int  # URLs that were asked for, pages or not
    duplicates: int  # candidates that were known, since the frontier was opened
    drops: Mapping[FailureReason, int]  # what was refused or dropped
    active_hosts: int = 0  # hosts that are crawled at present; 0 if all are
    # hosts with queued pages that are not among the best at present
    inactive_hosts: int = 0
    explored_hosts: int = 0  # of the active ones, those of which nothing was read yet


class HostRole(IntEnum):
    """Why the host of a page was asked when it was."""

    ANY = 0  # every host that was due was asked, or a service was tested
    BEST = 1  # an active host: its pages promised the most
    EXPLORED = 2  # an active host: nothing of it had been read


class UrlState(IntEnum):
    """Where a URL stands in the log."""

    PENDING = 0  # queued or leased
    DONE = 1
    IN_VAIN = 2  # requested without success
    UNASKED = 3  # dropped without a request
    REDIRECTED = 4  # visited without a lease: by a redirect, or together with a page
    REFUSED = 5  # not admitted; some are kept as examples, and may be admitted later


class LoggedUrl(NamedTuple):
    """A URL as a frontier that is opened needs it."""

    number: int  # in order of admission, from 1
    key: int  # hash of the URL, 64 bits with sign
    shape: int  # hash of its pattern, 40 bits
    state: int  # a UrlState
    lane: int  # a Lane
    score: float
    url: str
    depth: int


class NewUrl(NamedTuple):
    """A URL that enters the log."""

    number: int
    key: int
    shape: int
    state: UrlState
    candidate: Candidate
    reason: FailureReason | None = None  # where it is refused
    at: float | None = None  # UTC, in seconds since 1970, where it does not wait


class UrlEnd(NamedTuple):
    """A new state of a URL in the log; PENDING if it is to be retried."""

    number: int
    state: UrlState
    attempts: int
    reason: FailureReason | None
    status: int
    services: int
    address: str
    marks: tuple[int, int] | None
    at: float
    role: HostRole = HostRole.ANY


MAX_MEMOS = 60_000  # notes of one task that the log keeps: the latest


@dataclass(slots=True)
class FrontierBatch:
    """What is written in one transaction; new URLs come before ends."""

    urls: list[NewUrl] = field(default_factory=list)
    ends: list[UrlEnd] = field(default_factory=list)
    # hosts to be left alone until then, UTC
    pauses: dict[str, float] = field(default_factory=dict)
    drops: dict[FailureReason, int] = field(default_factory=dict)  # totals of the task
    # each in place of an earlier one of its kind and key
    memos: list[Memo] = field(default_factory=list)
    # to shards: divided task and number
    sent: dict[tuple[int, int], list[Candidate]] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return len(self.urls) + len(self.ends)


@dataclass(frozen=True, slots=True)
class FrontierState:
    """What a frontier keeps over a restart, beside the URLs."""

    drops: Mapping[FailureReason, int] = field(default_factory=dict)
    # hosts to be left alone until then, UTC
    pauses: Mapping[str, float] = field(default_factory=dict)
    last_visited: str = ""  # the latest admitted of the URLs that have answered


class EndedVisit(NamedTuple):
    """What became of one URL of a task."""

    url: str
    parent: str  # the page that named it; empty for seeds
    depth: int
    is_test: bool  # it looked like a service and was asked what it is
    was_asked: bool  # False where it was dropped without a request
    reason: str  # why nothing was had; empty where something was
    services: tuple[str, ...]  # ids of those that it proved
    at: float  # UTC, in seconds since 1970


class VisitCounts(NamedTuple):
    """How many visits of a task are on disk, retries counted each."""

    pages: int  # pages that were read, also those dropped afterwards
    visits: int  # tries at a page, answered or not: what a budget counts
    tested: int  # tries at what looked like a service


class RequestCounts(NamedTuple):
    """What a task has asked for on the wire."""

    requests: int
    bytes: int  # received, headers included, before anything was unpacked


@dataclass(frozen=True, slots=True)
class VisitRecord:
    """One URL that was visited or dropped, where it came from and what it brought."""

    number: int
    url: str
    task: int
    parent: str
    via: Via
    clue: str
    depth: int
    purpose: Purpose
    score: float
    settlement: Settlement
    was_asked: bool  # False where it was dropped without a request
    reason: FailureReason | None
    status: int
    services: int
    attempts: int
    address: str  # numeric, that was asked the last time; empty where none was
    at: datetime
    host_role: HostRole = HostRole.ANY
