"""Counters of what went over the network."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from geohound.model.failure import FailureReason
from geohound.model.visit import Response, Visit


@dataclass(slots=True)
class Metrics:
    """Plain counts since the start; read them at any time."""

    requests: int = 0  # on the wire, so redirects and robots.txt count
    connections: int = 0
    in_flight: int = 0
    wire_bytes: int = 0
    body_bytes: int = 0
    # fetches ended, whatever became of them; fetches of robots.txt included
    visits: int = 0
    truncated: int = 0
    waits: int = 0  # requests that had to wait for their host or address to be due
    waited_s: float = 0.0
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

    def record_request(self, wire_bytes: int) -> None:
        self.requests += 1
        self.wire_bytes += wire_bytes

    @property
    def by_status_class(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for status, count in self.by_status.items():
            found[f"{status // 100}xx"] += count
        return found
