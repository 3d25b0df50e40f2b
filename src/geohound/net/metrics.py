"""Counters of what went over the network."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from geohound.model.visit import Failure, FailureReason, Response, Visit


@dataclass(slots=True)
class Metrics:
    """Plain counts since the start; read them at any time."""

    requests: int = 0  # on the wire, so redirects and robots.txt count
    connections: int = 0
    wire_bytes: int = 0
    body_bytes: int = 0
    visits: int = 0  # fetches ended, whatever became of them; fetches of robots.txt included
    truncated: int = 0
    by_status_class: Counter[str] = field(default_factory=Counter)
    by_failure: Counter[FailureReason] = field(default_factory=Counter)

    def record(self, visit: Visit) -> None:
        self.visits += 1
        match visit:
            case Response():
                self.by_status_class[f"{visit.status // 100}xx"] += 1
                self.body_bytes += len(visit.body)
                self.truncated += visit.truncated
            case Failure():
                self.by_failure[visit.reason] += 1
