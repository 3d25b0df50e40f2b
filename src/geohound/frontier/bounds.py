"""How far a task may go."""

from __future__ import annotations

from dataclasses import dataclass

from geohound.model.visit import Via

# How deep a page may be is for the user to say; what a page within that depth names is tested, be it by way of a script
# that has to be read, or of a catalogue that lists it.
HANGS_ON_PAGE = frozenset({Via.SCRIPT, Via.CONFIG, Via.SERVICE, Via.HARVEST, Via.BROWSER})
REACH = 3


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of one task; None means no limit.

    Pages are visits of the page fetchers; the budget of a host counts the testers' visits too.
    """

    max_depth: int | None = None
    max_pages: int | None = None
    max_pages_per_depth: int | None = None
    max_pages_per_host: int | None = None
    max_pages_per_pattern: int | None = None
    max_probes_per_pattern: int | None = None
    max_queue_per_host: int | None = 100_000
    max_hosts_per_domain: int | None = None
    max_attempts: int = 3
