"""What a crawl has done so far: the numbers of the progress line, the summary and the task record."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from geohound.model.crawl.event import Event, ServiceFound, VisitEnded, Warned
from geohound.model.crawl.harvest import HarvestPage
from geohound.model.crawl.job import PageRead, Redirected, Report
from geohound.model.failure import FailureReason
from geohound.model.location import HostLocation
from geohound.model.service import Service
from geohound.model.visit import Candidate, Failure, Purpose
from geohound.text.keyword_groups import GROUPS

BOUNDS_S = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
MAX_WARNINGS = 100  # of catalogues that cannot be read
_COUNTED = (
    "pages", "requests", "bytes", "services", "layers", "known", "tested", "skipped", "records",
    "data_files", "pages_known",
)  # fmt: skip


def _ignore(_: Event) -> None:
    """For who only counts."""


@dataclass(slots=True)
class Progress:
    """Observes a crawl: the numbers of the task, over all its runs, and the events that its watchers hear of."""

    emit: Callable[[Event], None] = _ignore
    now: Callable[[], float] = time.monotonic
    started: float | None = None  # this run
    started_at: str = ""  # the first run, ISO 8601
    ending: str = ""  # why this run ended, once it has
    # the summary of the runs before
    before: Mapping[str, Any] = field(default_factory=dict)
    visits: int = 0  # pages tried, answered or not: this is what the budget counts
    pages: int = 0
    requests: int = 0
    bytes: int = 0
    services: int = 0
    layers: int = 0
    # services that were confirmed, and that the catalogue had before this task
    known: int = 0
    tested: int = 0
    hosts: set[str] = field(default_factory=set)
    kinds: Counter[str] = field(default_factory=Counter)
    vias: Counter[str] = field(default_factory=Counter)
    # by the way in which the candidate was found
    tests: Counter[str] = field(default_factory=Counter)
    # new services that tests proved, by the same
    proofs: Counter[str] = field(default_factory=Counter)
    records: int = 0  # of catalogues that were harvested
    data_files: int = 0  # that pages link to
    skipped: int = 0  # candidates that needed no test, since their service was known
    pages_known: int = 0  # pages taken from the copy of another task, without a request

    # pages by their keyword group
    page_groups: list[int] = field(default_factory=lambda: [0] * len(GROUPS))
    # of these, with the address of a WMS
    wms_groups: list[int] = field(default_factory=lambda: [0] * len(GROUPS))
    # of requests: status classes and reasons of failure
    outcomes: Counter[str] = field(default_factory=Counter)
    by_seconds: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS_S) + 1))
    request_s: float = 0.0
    warnings: int = 0

    def begin(self) -> None:
        """A run begins."""
        self.started = self.now()
        self.started_at = self.started_at or datetime.now(UTC).isoformat(
            timespec="seconds"
        )

    @property
    def run_s(self) -> float:
        """How long this run has taken so far."""
        return self.now() - self.started if self.started is not None else 0.0

    def on_report(self, candidate: Candidate, report: Report) -> None:
        # those for robots.txt included
        self.requests += len(report.requests) or report.asked
        self.bytes += report.bytes
        self.hosts |= report.hosts
        for made in report.requests:
            self.outcomes[
                f"{made.status // 100}xx" if made.status else str(made.reason)
            ] += 1
            self.by_seconds[bisect_left(BOUNDS_S, made.elapsed_s)] += 1
            self.request_s += made.elapsed_s
        match candidate.purpose:
            case Purpose.PROBE:
                self.tested += 1
                self.tests[str(candidate.via)] += 1
            case Purpose.HARVEST if isinstance(report.result, HarvestPage):
                self.records += report.result.records
            case Purpose.PAGE if report.is_copy:
                self.pages_known += 1
            case Purpose.PAGE:
                self.visits += 1
                self.pages += bool(report.status) and _was_read(report)
                self._count_group(report)
        self.emit(_visit_ended(candidate, report))
        if candidate.purpose is Purpose.HARVEST and report.failure is not None:
            self._warn_of_catalogue(candidate, report.failure)

    def _warn_of_catalogue(self, candidate: Candidate, failure: Failure) -> None:
        """Somebody asked for this catalogue: a reason in one word is not enough to go on."""
        is_asked_for = candidate.depth == 0 and self.warnings < MAX_WARNINGS
        if is_asked_for and not failure.reason.means.is_passing:
            self.warnings += 1
            why = failure.detail or failure.reason
            message = f"{candidate.url} cannot be read as {candidate.harvester}: {why}"
            self.emit(Warned(message))

    def _count_group(self, report: Report) -> None:
        page = report.result.page if isinstance(report.result, PageRead) else None
        if page is not None and page.keyword_group is not None:
            self.page_groups[page.keyword_group] += 1
            self.wms_groups[page.keyword_group] += page.holds_wms

    def on_service(
        self, service: Service, candidate: Candidate, score: float | None = None
    ) -> None:
        self.services += 1
        self.layers += len(service.layers)
        self.kinds[service.kind] += 1
        self.vias[str(candidate.via)] += 1
        self.proofs[str(candidate.via)] += not candidate.is_page
        self._announce(service, score, known=False)

    def on_known(self, service: Service, score: float | None = None) -> None:
        self.known += 1
        self._announce(service, score, known=True)

    def _announce(self, service: Service, score: float | None, *, known: bool) -> None:
        elapsed_s = round(self.run_s + self.before.get("elapsed_s", 0.0), 3)
        names = service.id, service.endpoint, service.kind, service.title
        place = service.location or HostLocation()
        where = place.lat, place.lon, place.country
        self.emit(
            ServiceFound(
                *names, self.pages, self.requests, elapsed_s, known, score, *where
            )
        )

    def on_files(self, count: int) -> None:
        self.data_files += count

    def on_skipped(self, candidate: Candidate) -> None:  # noqa: ARG002
        self.skipped += 1

    def go_on(
        self, before: Mapping[str, Any], visits: int, hosts: AbstractSet[str]
    ) -> None:
        """Count from where earlier runs left off: their last summary, and what the record of the task knows."""
        self.before, self.hosts = before, set(hosts)
        # a kill costs the last seconds of the summary
        self.visits = max(visits, before.get("visits", 0))
        for name in _COUNTED:
            setattr(self, name, before.get(name, 0))
        self.skipped += before.get("spared", 0)  # its name in catalogues of version 0.1
        self.started_at = before.get("started_at", "")
        for group, counted in enumerate(before.get("keyword_groups", ())):
            self.page_groups[group] = counted["pages"]
            self.wms_groups[group] = counted["with_wms"]
        self.kinds.update(before.get("kinds", {}))
        self.vias.update(before.get("via", {}))
        for way, brought in before.get("ways", {}).items():
            self.tests[way] += brought["tested"]
            self.proofs[way] += brought.get("confirmed", 0)

    def ways(self) -> dict[str, dict[str, Any]]:
        """What each way of finding candidates brought, and what that cost (LC-10); the most fruitful first."""
        names = sorted(
            self.tests | self.vias,
            key=lambda way: (-self.vias[way], -self.tests[way], way),
        )
        return {
            way: {
                "services": self.vias[way],
                "tested": self.tests[way],
                "confirmed": self.proofs[way],
                "tested_per_confirmed": _ratio(self.tests[way], self.proofs[way]),
            }
            for way in names
        }

    def keyword_groups(self) -> list[dict[str, Any]]:
        """The share of pages that hold the address of a WMS, by keyword group (LI-15)."""
        counted = zip(GROUPS, self.page_groups, self.wms_groups, strict=True)
        return [
            {
                "keywords": name,
                "pages": pages,
                "with_wms": held,
                "share": round(held / pages, 4) if pages else None,
            }
            for name, pages, held in counted
        ]

    def summary(self) -> dict[str, Any]:
        """The last line of a crawl: the task over all its runs, and this run alone."""
        elapsed_s = self.run_s
        of_run = {
            name: getattr(self, name) - self.before.get(name, 0)
            for name in ("pages", "requests", "services")
        }
        total_s = elapsed_s + self.before.get("elapsed_s", 0.0)
        return {
            "pages": self.pages,
            "visits": self.visits,
            "requests": self.requests,
            "bytes": self.bytes,
            "services": self.services,
            "layers": self.layers,
            "known": self.known,
            "pages_known": self.pages_known,
            "data_files": self.data_files,
            "hosts": len(self.hosts),
            "tested": self.tested,
            "tested_per_confirmed": _ratio(self.tested, self.proofs.total()),
            "skipped": self.skipped,
            "records": self.records,
            "elapsed_s": round(total_s, 3),
            "pages_per_s": _rate(self.pages, total_s),
            "seconds_per_page": round(total_s / self.pages, 4) if self.pages else None,
            "started_at": self.started_at,
            "run": {
                **of_run,
                "elapsed_s": round(elapsed_s, 3),
                "pages_per_s": _rate(of_run["pages"], elapsed_s),
            },
            "ended": self.ending,
            "kinds": dict(self.kinds.most_common()),
            "via": dict(self.vias.most_common()),
            "ways": self.ways(),
            "keyword_groups": self.keyword_groups(),
        }


def _rate(pages: int, elapsed_s: float) -> float:
    return round(pages / elapsed_s, 2) if elapsed_s > 0 else 0.0


def _ratio(tested: int, confirmed: int) -> float | None:
    """Candidates tested for each service that testing proved; None where it proved none."""
    return round(tested / confirmed, 2) if confirmed else None


def _was_read(report: Report) -> bool:
    """Was there a page, be it that reading it failed by our own fault?"""
    if report.failure is not None:
        return report.failure.reason is FailureReason.BUG
    return not isinstance(report.result, Redirected)


def _visit_ended(candidate: Candidate, report: Report) -> VisitEnded:
    match report.result:
        case Failure() as failure:
            reason, services = str(failure.reason), 0
        case PageRead() as read:
            reason, services = str(read.objection or ""), len(read.services)
        case _:
            reason, services = "", 0
    elapsed_s = round(report.elapsed_s, 3)
    return VisitEnded(
        candidate.url,
        str(candidate.purpose),
        report.status,
        reason,
        services,
        elapsed_s,
    )
