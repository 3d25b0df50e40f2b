"""What became of one lease: all that an answer tells the crawl, small enough to cross to another process."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

from geohound.contracts import StoreError
from geohound.model.service import Proof, Service
from geohound.model.visit import Candidate, Failure, FailureReason, Link, Page, RequestRecord

from .sketch import Sketch

HARVEST_MARK = "#harvest="  # canonical URLs have no anchor: no page can forge such a candidate

RobotsText = tuple[str, bytes]  # an origin and what its robots.txt says


@dataclass(slots=True)
class Report:
    """The end of a visit or a test; `failure` or `objection` say why nothing was had."""

    status: int = 0
    failure: Failure | None = None  # no answer, or one that asks for patience
    objection: FailureReason | None = None  # an answer that is not worth mining
    services: tuple[Service, ...] = ()
    proofs: tuple[Proof, ...] = ()
    listed: tuple[str, ...] = ()  # addresses that a map context or a harvested catalogue names
    listed_as: str = ""
    redirect: str = ""  # to another site, or to where we have been: a candidate of its own, if it is new
    final: str = ""  # where redirects within the site ended
    page: Page | None = None  # what an order may know of it; its links stand in `found`
    found: list[Link] = field(default_factory=list)  # canonical addresses, each worth a candidate
    files: list[str] = field(default_factory=list)  # scripts and configuration files that were fetched with the page
    sketch: Sketch | None = None  # of the page, to be compared with others
    is_cached: bool = False  # the worker will not report the links of this page again
    drops: Counter[FailureReason] = field(default_factory=Counter)
    requests: int = 0
    bytes: int = 0
    elapsed_s: float = 0.0
    hosts: set[str] = field(default_factory=set)
    made: list[RequestRecord] = field(default_factory=list)  # requests since the last report, this lease's or others'
    robots: list[RobotsText] = field(default_factory=list)  # robots.txt read since then, by origin
    due_at: float = 0.0  # when the host may be asked again, on the monotonic clock


class Examiner(Protocol):
    """Whoever visits, reads and reports: this process, or a pool of others."""

    async def examine(self, candidate: Candidate) -> Report: ...

    async def refresh(self) -> None:
        """Forget which hosts could not be reached: the network was away."""

    async def close(self) -> None: ...


class ExaminerError(StoreError):
    """Nothing can be examined any more; the message is for people."""
