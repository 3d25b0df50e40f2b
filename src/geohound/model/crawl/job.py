"""A job for a worker, and its report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from geohound.model.failure import FailureReason
from geohound.model.service import NOTHING_KNOWN, KnownProofs, Proof, Service
from geohound.model.visit import (
    Failure,
    Link,
    Page,
    Purpose,
    RequestRecord,
    Validators,
)

from .browsed import EventRow
from .data_file import FileHead
from .harvest import HarvestPage
from .kept_page import KeptPage
from .watched import WatcherReport


class CachedRobots(NamedTuple):
    """The robots.txt of an origin; empty where the origin has none."""

    origin: str
    body: bytes
    age_s: float = 0.0  # since it was read


class Sketch(NamedTuple):
    """What near-duplicate detection compares: hashes of the bytes and words of a page, and the URL families it links to."""

    body: int  # hash of its bytes and its host
    words: int  # hash of its words without numbers; 0 if it has none
    length: int = 0  # letters of its text
    text: str = ""  # both ends of it
    leads: tuple[int, ...] = ()  # the families of its links, in their order
    suspects: frozenset[str] = frozenset()  # those links that look like services


@dataclass(frozen=True, slots=True)
class Job:
    """All that a worker needs to examine one URL: it has no database."""

    url: str
    purpose: Purpose = Purpose.PAGE
    depth: int = 0
    # a script or a configuration file, which a page may have brought already
    is_file: bool = False
    harvester: str = ""
    cursor: bytes = b""  # of a harvest that goes on
    known: KnownProofs = NOTHING_KNOWN
    format: str = ""  # of a data file, as its name has it
    # of its host, where the worker may not have read them
    robots: tuple[CachedRobots, ...] = ()
    # of the page as another task read it lately, to be taken instead of asking for it
    copy: KeptPage | None = None
    # of a page, as its site's watcher reports them: only these are triggered
    events: tuple[EventRow, ...] = ()
    # of a page at the last look: a 304 ends the job; empty at the first look
    past: Validators | None = None
    is_guess: bool = False  # nobody names the URL


class FailedCheck(NamedTuple):
    """A known service that did not respond as one; `ok` is None if that proves nothing."""

    service_id: str
    ok: bool | None
    reason: str


class FileLink(NamedTuple):
    """A link to what its name says is a data file."""

    url: str
    format: str
    text: str


@dataclass(frozen=True, slots=True)
class PageRead:
    """An answer was read: a page, a service, or both."""

    services: tuple[Service, ...] = ()
    proofs: tuple[Proof, ...] = ()
    objection: FailureReason | None = None  # why it is not worth mining
    final: str = ""  # where redirects within the site ended
    page: Page | None = None  # what an order may know of it; its links stand in `links`
    links: tuple[Link, ...] = ()  # canonical addresses, each worth a candidate
    # scripts and configuration files that were fetched with the page
    files: tuple[str, ...] = ()
    sketch: Sketch | None = None  # of the page, to be compared with others
    is_cached: bool = False  # the worker will not report these links again
    # of a test: why the answer is no service, though it may be worth mining
    in_vain: FailureReason | None = None
    data_files: tuple[FileLink, ...] = ()  # that the page links to
    validators: Validators | None = None  # of the page, where the job has a `past`
    catalogues: tuple[tuple[str, str], ...] = ()  # behind the page: harvester, address


@dataclass(frozen=True, slots=True)
class Redirected:
    """A redirect to another site or to a page already read: its target becomes a candidate of its own."""

    url: str


JobResult = PageRead | HarvestPage | FileHead | WatcherReport | Redirected | Failure


@dataclass(frozen=True, slots=True)
class Report:
    """All that a worker learned from one job; delays only, since clocks differ between processes."""

    result: JobResult
    status: int = 0
    elapsed_s: float = 0.0
    listed: tuple[str, ...] = ()  # addresses that a map context names
    listed_as: str = ""
    # links that were not followed
    drops: Mapping[FailureReason, int] = field(default_factory=dict)
    asked: int = 0  # requests of this job
    bytes: int = 0
    hosts: frozenset[str] = frozenset()  # that answered
    # since the last report, those of other jobs and for robots.txt included
    requests: tuple[RequestRecord, ...] = ()
    robots: tuple[CachedRobots, ...] = ()  # read since the last report
    address: str = ""  # numeric, that was asked first; empty where nothing was
    failed_checks: tuple[FailedCheck, ...] = ()  # of services in the catalogue
    # a copy of the page, for a second look or for other tasks
    kept: KeptPage | None = None
    is_copy: bool = False  # another task's copy was read: the page was not asked for

    @property
    def failure(self) -> Failure | None:
        return self.result if isinstance(self.result, Failure) else None

    @property
    def services(self) -> tuple[Service, ...]:
        return self.result.services if isinstance(self.result, PageRead) else ()
