"""Counters of what went over the network."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field

from geohound.model.exposition import Metric, MetricType, Sample, histogram
from geohound.model.visit import FailureReason, Response, Visit

_BOUNDS_S = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)


@dataclass(slots=True)
class Metrics:
    """Plain counts since the start; read them at any time."""

    requests: int = 0  # on the wire, so redirects and robots.txt count
    connections: int = 0
    in_flight: int = 0
    wire_bytes: int = 0
    body_bytes: int = 0
    visits: int = 0  # fetches ended, whatever became of them; fetches of robots.txt included
    truncated: int = 0
    waits: int = 0  # requests that had to wait for their host or address to be due
    waited_s: float = 0.0
    request_s: float = 0.0
    by_seconds: list[int] = field(default_factory=lambda: [0] * (len(_BOUNDS_S) + 1))
    by_status: Counter[int] = field(default_factory=Counter)
    by_failure: Counter[FailureReason] = field(default_factory=Counter)

    def record(self, visit: Visit) -> None:
        self.visits += 1
        if isinstance(visit, Response):
            self.by_status[visit.status] += 1
            self.body_bytes += len(visit.body)
            self.truncated += visit.truncated
        else:
            self.by_failure[visit.reason] += 1

    def record_request(self, wire_bytes: int, elapsed_s: float) -> None:
        self.requests += 1
        self.wire_bytes += wire_bytes
        self.request_s += elapsed_s
        self.by_seconds[bisect_left(_BOUNDS_S, elapsed_s)] += 1

    @property
    def by_status_class(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for status, count in self.by_status.items():
            found[f"{status // 100}xx"] += count
        return found

    def metrics(self) -> list[Metric]:
        """For Prometheus, with `exposition`."""
        answers = [Sample(n, {"outcome": name}) for name, n in sorted(self.by_status_class.items())]
        failures = [Sample(n, {"outcome": str(name)}) for name, n in sorted(self.by_failure.items())]
        told = "Fetches ended, by class of status or reason of failure."
        return [
            Metric("geohound_fetches_total", MetricType.COUNTER, told, (*answers, *failures)),
            Metric.counter("geohound_connections_total", "Connections opened.", self.connections),
            Metric.gauge("geohound_requests_in_flight", "Requests on the wire now.", self.in_flight),
            Metric.counter("geohound_wire_bytes_total", "Bytes received, headers included.", self.wire_bytes),
            Metric.counter("geohound_body_bytes_total", "Bytes of bodies, unpacked.", self.body_bytes),
            Metric.counter("geohound_truncated_total", "Bodies cut off at their limit.", self.truncated),
            Metric.counter("geohound_pace_waits_total", "Requests that waited for their host's turn.", self.waits),
            Metric.counter("geohound_pace_wait_seconds_total", "Time so waited.", self.waited_s),
            histogram(
                "geohound_request_seconds", "Time of requests on the wire.", _BOUNDS_S, self.by_seconds, self.request_s
            ),
        ]
