"""Who may come into a frontier."""

from __future__ import annotations

from collections import Counter

from geohound.model.compact_sets import CountMinSketch
from geohound.model.failure import FailureReason
from geohound.model.visit import Candidate, Lane, Purpose, Via

from .host_queue import HostQueue
from .limits import HANGS_ON_PAGE, REACH, FrontierLimits
from .pending import exceeds, reaches


class Admission:
    """How many URLs of each shape, and pages at each depth, are known, and whether there may be more."""

    def __init__(self, bounds: FrontierLimits) -> None:
        self._bounds = bounds
        self._shapes = CountMinSketch()
        self._depths: Counter[int] = Counter()

    def note(self, shape: int, depth: int, lane: int) -> None:
        """One more is known."""
        self._shapes.add(shape)
        if lane == Lane.PAGES:
            self._depths[depth] += 1

    def refusal(
        self, candidate: Candidate, host: HostQueue, pages: int, shape: int
    ) -> FailureReason | None:
        """Why this candidate may not come in; None if it may."""
        bounds, is_page = self._bounds, candidate.is_page
        hangs_on_page = not is_page or candidate.via in HANGS_ON_PAGE
        if exceeds(candidate.depth - (REACH if hangs_on_page else 0), bounds.max_depth):
            return FailureReason.TOO_DEEP
        if is_page and reaches(pages, bounds.max_pages):
            return FailureReason.PAGE_BUDGET
        is_seed = candidate.via is Via.SEED
        if (
            is_page
            and not is_seed
            and reaches(self._depths[candidate.depth], bounds.max_pages_per_depth)
        ):
            return FailureReason.DEPTH_BUDGET
        queued = host.queued + host.entering + host.held
        if reaches(host.visited, bounds.max_pages_per_host) or reaches(
            queued, bounds.max_queue_per_host
        ):
            return FailureReason.HOST_BUDGET
        if candidate.purpose is Purpose.HARVEST:
            is_read_enough = reaches(
                self._shapes.count(shape), bounds.max_harvest_pages
            )
            return FailureReason.HARVEST_BUDGET if is_read_enough else None
        most = (
            bounds.max_pages_per_pattern if is_page else bounds.max_probes_per_pattern
        )
        if not is_seed and reaches(self._shapes.count(shape), most):
            return FailureReason.PATTERN_BUDGET
        return None
