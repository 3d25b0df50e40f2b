"""What running one page may cost at most."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """Bounds for one page with all its frames, events and searches; whatever comes first ends it."""

    time_s: float = 60.0
    requests: int = 200  # that reach the fetcher; what is answered here costs nobody anything
    bytes: int = 30_000_000
    memory_bytes: int = 1_000_000_000  # of the process that runs the page
    events: int = 40
    states: int = 30
    patience_s: float = 8.0  # a page that does not answer for so long is stuck
