"""What a crawl has done so far: the numbers of the progress line, the summary and the task record."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from geohound.model.event import Event, ServiceFound, VisitEnded
from geohound.model.exposition import Metric, MetricType, Sample, histogram
from geohound.model.job import PageRead, Redirected, Report
from geohound.model.service import Service
from geohound.model.visit import Candidate, Failure, FailureReason, Purpose

BOUNDS_S = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
_COUNTED = ("pages", "requests", "bytes", "services", "layers", "tested", "spared")


def _ignore(_: Event) -> None:
    """For who only counts."""


@dataclass(slots=True)
class Progress:
    """Observes a crawl: the numbers of the task, over all its runs, and the events that its watchers hear of."""

    emit: Callable[[Event], None] = _ignore
    now: Callable[[], float] = time.monotonic
    started: float | None = None  # this run
    ending: str = ""  # why this run ended, once it has
    before: Mapping[str, Any] = field(default_factory=dict)  # the summary of the runs before
    visits: int = 0  # tries at a page, answered or not: what a budget counts
    pages: int = 0
    requests: int = 0
    bytes: int = 0
    services: int = 0
    layers: int = 0
    tested: int = 0
    hosts: set[str] = field(default_factory=set)
    kinds: Counter[str] = field(default_factory=Counter)
    vias: Counter[str] = field(default_factory=Counter)
    tests: Counter[str] = field(default_factory=Counter)  # by the way in which the candidate was found
    proofs: Counter[str] = field(default_factory=Counter)  # new services that tests proved, by the same
    spared: int = 0  # candidates that needed no test, since their service was known

    outcomes: Counter[str] = field(default_factory=Counter)  # of requests: status classes and reasons of failure
    by_seconds: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS_S) + 1))
    request_s: float = 0.0

    def begin(self) -> None:
        """A run begins."""
        self.started = self.now()

    @property
    def run_s(self) -> float:
        """How long this run has taken so far."""
        return self.now() - self.started if self.started is not None else 0.0

    def on_report(self, candidate: Candidate, report: Report) -> None:
        self.requests += len(report.requests) or report.asked  # with those for robots.txt
        self.bytes += report.bytes
        self.hosts |= report.hosts
        for made in report.requests:
            self.outcomes[f"{made.status // 100}xx" if made.status else str(made.reason)] += 1
            self.by_seconds[bisect_left(BOUNDS_S, made.elapsed_s)] += 1
            self.request_s += made.elapsed_s
        match candidate.purpose:
            case Purpose.PROBE:
                self.tested += 1
                self.tests[str(candidate.via)] += 1
            case Purpose.PAGE:
                self.visits += 1
                self.pages += bool(report.status) and _was_read(report)
        self.emit(_visit_ended(candidate, report))

    def on_service(self, service: Service, candidate: Candidate) -> None:
        self.services += 1
        self.layers += len(service.layers)
        self.kinds[service.kind] += 1
        self.vias[str(candidate.via)] += 1
        self.proofs[str(candidate.via)] += not candidate.is_page
        elapsed_s = round(self.run_s + self.before.get("elapsed_s", 0.0), 3)
        self.emit(
            ServiceFound(
                service.id, service.endpoint, service.kind, service.title, self.pages, self.requests, elapsed_s
            )
        )

    def on_spared(self, candidate: Candidate) -> None:  # noqa: ARG002
        self.spared += 1

    def go_on(self, before: Mapping[str, Any], visits: int, hosts: AbstractSet[str]) -> None:
        """Count from where earlier runs left off: their last summary, and what the record of the task knows."""
        self.before, self.hosts = before, set(hosts)
        self.visits = max(visits, before.get("visits", 0))  # a kill costs the last seconds of the summary
        for name in _COUNTED:
            setattr(self, name, before.get(name, 0))
        self.kinds.update(before.get("kinds", {}))
        self.vias.update(before.get("via", {}))
        for way, brought in before.get("ways", {}).items():
            self.tests[way] += brought["tested"]
            self.proofs[way] += brought.get("confirmed", 0)

    def metrics(self, summary: Mapping[str, Any]) -> list[Metric]:
        """For Prometheus; `summary` is that of the running crawl."""
        counter, gauge = Metric.counter, Metric.gauge
        drops = tuple(Sample(n, {"reason": reason}) for reason, n in sorted(summary["drops"].items()))
        kinds = tuple(Sample(n, {"kind": kind}) for kind, n in sorted(self.kinds.items()))
        tests = tuple(Sample(n, {"way": way}) for way, n in sorted(self.tests.items()))
        outcomes = tuple(Sample(n, {"outcome": name}) for name, n in sorted(self.outcomes.items()))
        return [
            counter("geohound_pages_total", "Pages fetched.", self.pages),
            Metric(
                "geohound_tested_total", MetricType.COUNTER, "Candidates tested, by the way they were found.", tests
            ),
            counter("geohound_bytes_total", "Bytes of bodies, unpacked.", self.bytes),
            counter("geohound_layers_total", "Layers of the services found.", self.layers),
            Metric("geohound_services_total", MetricType.COUNTER, "Services found, by kind.", kinds),
            Metric("geohound_drops_total", MetricType.COUNTER, "URLs refused or dropped, by reason.", drops),
            Metric("geohound_requests_total", MetricType.COUNTER, "Requests on the wire, by outcome.", outcomes),
            histogram("geohound_request_seconds", "Time of requests.", BOUNDS_S, self.by_seconds, self.request_s),
            gauge("geohound_hosts", "Hosts that have answered.", len(self.hosts)),
            gauge("geohound_queue", "URLs that wait.", summary["queue"]),
            gauge("geohound_in_flight", "URLs being visited or tested.", summary["in_flight"]),
            gauge("geohound_network_lost", "1 while no host answers.", int(summary["cut_off"])),
        ]

    def ways(self) -> dict[str, dict[str, Any]]:
        """What each way of finding candidates brought, and what that cost (LC-10); the most fruitful first."""
        names = sorted(self.tests | self.vias, key=lambda way: (-self.vias[way], -self.tests[way], way))
        return {
            way: {
                "services": self.vias[way],
                "tested": self.tests[way],
                "confirmed": self.proofs[way],
                "tested_per_confirmed": _ratio(self.tests[way], self.proofs[way]),
            }
            for way in names
        }

    def summary(self) -> dict[str, Any]:
        """The last line of a crawl: the task over all its runs, and this run alone."""
        elapsed_s = self.run_s
        of_run = {name: getattr(self, name) - self.before.get(name, 0) for name in ("pages", "requests", "services")}
        total_s = elapsed_s + self.before.get("elapsed_s", 0.0)
        return {
            "pages": self.pages,
            "visits": self.visits,
            "requests": self.requests,
            "bytes": self.bytes,
            "services": self.services,
            "layers": self.layers,
            "hosts": len(self.hosts),
            "tested": self.tested,
            "tested_per_confirmed": _ratio(self.tested, self.proofs.total()),
            "spared": self.spared,
            "elapsed_s": round(total_s, 3),
            "pages_per_s": _rate(self.pages, total_s),
            "run": {**of_run, "elapsed_s": round(elapsed_s, 3), "pages_per_s": _rate(of_run["pages"], elapsed_s)},
            "ended": self.ending,
            "kinds": dict(self.kinds.most_common()),
            "via": dict(self.vias.most_common()),
            "ways": self.ways(),
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
    return VisitEnded(candidate.url, str(candidate.purpose), report.status, reason, services, elapsed_s)
