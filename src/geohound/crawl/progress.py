"""What a crawl has done so far: the numbers of the progress line, the summary and the task record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from geohound.model.service import Service
from geohound.model.visit import FailureReason

Event = dict[str, Any]
Listener = Callable[[Event], None]


@dataclass(slots=True)
class Progress:
    """Counted up by the crawl, read by whoever shows it."""

    started: float = 0.0
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
    drops: Counter[FailureReason] = field(default_factory=Counter)

    def found(self, service: Service, via: str) -> None:
        self.services += 1
        self.layers += len(service.layers)
        self.kinds[service.kind] += 1
        self.vias[str(via)] += 1

    def summary(self, elapsed_s: float) -> Event:
        """The last line of a crawl."""
        return {
            "pages": self.pages,
            "requests": self.requests,
            "bytes": self.bytes,
            "services": self.services,
            "layers": self.layers,
            "hosts": len(self.hosts),
            "tested": self.tested,
            "elapsed_s": round(elapsed_s, 3),
            "pages_per_s": round(self.pages / elapsed_s, 2) if elapsed_s > 0 else 0.0,
            "kinds": dict(self.kinds.most_common()),
            "via": dict(self.vias.most_common()),
            "drops": {str(reason): n for reason, n in self.drops.most_common() if n},
        }
