"""A frontier that can hold links back while seeds come in: a hunt first reads what its queries bring."""

from __future__ import annotations

from typing import Any

from geohound.model.failure import FailureReason
from geohound.model.visit import Candidate

from .frontier import Frontier
from .host_queue import PAGE, HostQueue
from .limits import HANGS_ON_PAGE
from .packed_heap import number_of
from .pending import PendingUrl

_LOADED = 1000  # URLs that are read from the log at a time


class HoldingFrontier(Frontier):
    """Until `release`, only seeds are leased, the files that belong to them, and tests.

    What is held back is on disk like everything else. An order that scores a held page anew may have it leased early.
    """

    def __init__(self, *parts: Any) -> None:
        self._is_holding = True
        self._near: set[int] = set()  # numbers of what is not held back
        self._held: list[tuple[HostQueue, int]] = []
        super().__init__(*parts)
        self._sort_out()

    def _sort_out(self) -> None:
        """Of what an earlier run left waiting, the seeds need not be held back."""
        held, self._held = self._held, []
        for start in range(0, len(held), _LOADED):
            some = held[start : start + _LOADED]
            found = self._log.load(self.task, [number_of(key) for _, key in some])
            for (host, key), candidate in zip(some, found, strict=True):
                host.held -= 1
                if _is_near(candidate):
                    self._near.add(number_of(key))
                self._push(host, PAGE, key)

    def release(self) -> None:
        """Hold nothing back from now on."""
        self._is_holding = False
        held, self._held = self._held, []
        self._near.clear()
        for host, key in held:
            host.held -= 1
            self._push(host, PAGE, key)
        self.on_queued()

    def _enter(self, candidate: Candidate) -> PendingUrl | FailureReason | None:
        found = super()._enter(candidate)
        if self._is_holding and isinstance(found, PendingUrl) and _is_near(candidate):
            self._near.add(number_of(found.key))
        return found

    def _push(self, host: HostQueue, lane: int, key: int) -> None:
        if self._is_holding and lane == PAGE and number_of(key) not in self._near:
            self._held.append((host, key))
            host.held += 1
        else:
            super()._push(host, lane, key)


def _is_near(candidate: Candidate) -> bool:
    return candidate.depth == 0 or candidate.via in HANGS_ON_PAGE
