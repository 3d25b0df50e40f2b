"""What running one page may cost at most."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBudget:
    """Bounds for one page with all its frames, events and searches; whatever comes first ends it.

    Those without a default are settings.
    """

    time_s: float
    requests: int  # that reach the fetcher; what is answered here costs nobody anything
    bytes: int
    memory_bytes: int  # of the process that runs the page
    events: int
    states: int = 30
    patience_s: float = 8.0  # a page that does not answer for so long is stuck
