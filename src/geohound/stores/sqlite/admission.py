"""Who may come into a frontier."""

from __future__ import annotations

from geohound.model.compact import Tally
from geohound.model.visit import Candidate, FailureReason, Via

from .bounds import HANGS_ON_PAGE, REACH, Bounds
from .rows import exceeds, reaches
from .schedule import Host


def refusal(
    candidate: Candidate, bounds: Bounds, host: Host, pages: int, shapes: Tally, shape: int
) -> FailureReason | None:
    """Why this candidate may not come in; None if it may."""
    hangs_on_page = candidate.probe or candidate.via in HANGS_ON_PAGE
    if exceeds(candidate.depth - (REACH if hangs_on_page else 0), bounds.max_depth):
        return FailureReason.TOO_DEEP
    if not candidate.probe and reaches(pages, bounds.max_pages):
        return FailureReason.PAGE_BUDGET
    if reaches(host.visited, bounds.max_pages_per_host) or reaches(
        host.queued + host.entering, bounds.max_queue_per_host
    ):
        return FailureReason.HOST_BUDGET
    most = bounds.max_probes_per_pattern if candidate.probe else bounds.max_pages_per_pattern
    if most is not None and candidate.via is not Via.SEED and shapes.count(shape) >= most:
        return FailureReason.PATTERN_BUDGET
    return None
