"""Which hosts are asked for pages: a few active ones, the best of all that have pages queued, due or not.

Whoever asks every host that is due spends most requests on poor hosts while the rich ones rest. The others wait, as
inactive queues do in Heritrix.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator

from geohound.model.work.frontier import HostRole

from .host_queue import HostQueue
from .thrift import ActiveLimit

TENURE = 3  # pages after which an active host may lose its place to a better one
EXPLORING = (
    0.3  # share of the places, and of the pages, for hosts about which little is known
)
LITTLE = 1  # a host of which fewer pages were read is little known

_Heap = list[tuple[float, int, HostQueue]]


class ActiveHosts:
    """The active hosts, and the inactive ones by what their best page is worth.

    Entries of inactive hosts are corrected when they come up: what a host is worth changes all the time.
    """

    def __init__(
        self, worth: Callable[[HostQueue], float | None], limit: ActiveLimit
    ) -> None:
        """`worth` is that of the best page of a host; None where it has none, or is not due for long."""
        self._worth = worth
        self._limit = limit
        self._active: dict[int, int] = {}  # host, and pages since it became active
        self._exploring: set[int] = (
            set()
        )  # of the active ones, those that hold a place for exploring
        self._places = self._to_explore = (
            0  # of all, and those of them that are for exploring now
        )
        self._pages = self._explored = (
            0  # pages read, and hosts that were explored by one of them
        )
        self._inactive: _Heap = []
        self._little_known: _Heap = []  # of the inactive
        self._known: set[int] = set()  # hosts with an entry among the inactive
        self._new: list[HostQueue] = []

    def __len__(self) -> int:
        return len(self._active)

    @property
    def inactive(self) -> int:
        """Hosts that have pages queued and are not asked for them."""
        return len(self._known)

    @property
    def exploring(self) -> int:
        """Active hosts that hold a place because little is known of them."""
        return len(self._exploring)

    def resume(self, pages: int) -> None:
        """Earlier runs have read so many pages: the number of places follows from what is left."""
        self._limit.resume(pages)
        self._fill()

    def holds(self, host: HostQueue) -> bool:
        return host.index in self._active

    def role(self, host: HostQueue) -> HostRole:
        """Why it is asked for a page now."""
        return HostRole.EXPLORED if host.index in self._exploring else HostRole.BEST

    def is_waited_for(self, host: HostQueue) -> bool:
        """Is it active, or will it be offered again once it is due? An inactive one waits for a place instead."""
        return host.index in self._active or host.index not in self._known

    def offer(self, host: HostQueue) -> bool:
        """A host has a page that is better than its others; is it active now?"""
        if host.index in self._active:
            return True
        worth = self._worth(host)
        if worth is not None:
            self._put(host, worth)
            self._fill()
        return host.index in self._active

    def review(self, host: HostQueue, *, is_page: bool) -> None:
        """A page of a host was read, or its queue has changed: is its place still its own?"""
        if host.index not in self._active:
            return
        pages = self._active[host.index] = self._active[host.index] + is_page
        if is_page:
            self._pages += 1
            self._limit.page_read()
        worth = self._worth(host)
        is_explored = host.index in self._exploring and host.visited >= LITTLE
        if is_explored:
            self._exploring.discard(host.index)
            self._explored += 1
        if worth is None:
            self._leave(host)
        elif (is_explored or pages >= TENURE) and (
            self._is_beaten(worth) or self._is_crowded()
        ):
            self._leave(host)
            self._put(host, worth)
        self._fill()

    def _leave(self, host: HostQueue) -> None:
        del self._active[host.index]
        self._exploring.discard(host.index)

    def _put(self, host: HostQueue, worth: float) -> None:
        """Among the inactive."""
        self._known.add(host.index)
        heapq.heappush(self._inactive, (-worth, host.index, host))
        if host.visited < LITTLE:
            heapq.heappush(self._little_known, (-worth, host.index, host))

    def take_new(self) -> Iterator[HostQueue]:
        """Hosts that have become active since this was asked."""
        new, self._new = self._new, []
        return iter(new)

    def _is_beaten(self, worth: float) -> bool:
        rival = self._best(self._inactive)
        return rival is not None and rival > worth

    def _is_crowded(self) -> bool:
        """Do hosts that are known well hold places that are for exploring?"""
        known_well = len(self._active) - len(self._exploring)
        return (
            known_well > self._places - self._to_explore
            and self._best(self._little_known) is not None
        )

    def _best(self, heap: _Heap) -> float | None:
        """What the best host of these is worth; entries that are no longer true are passed over or corrected."""
        while heap:
            given, index, host = heap[0]
            is_inactive = index in self._known and index not in self._active
            worth = self._worth(host) if is_inactive else None
            if worth is not None and worth >= -given:
                return worth
            heapq.heappop(heap)
            if worth is not None:
                heapq.heappush(heap, (-worth, index, host))
            elif is_inactive:
                self._known.discard(index)
        return None

    def _fill(self) -> None:
        active = len(self._active)
        self._places = self._limit.limit(active + len(self._known), active)
        in_all = EXPLORING * (self._pages + self._places) - self._explored
        self._to_explore = int(max(0.0, min(in_all, EXPLORING * self._places)))
        while (
            len(self._active) < self._places and self._best(self._inactive) is not None
        ):
            explores = (
                len(self._exploring) < self._to_explore
                and self._best(self._little_known) is not None
            )
            _, index, host = heapq.heappop(
                self._little_known if explores else self._inactive
            )
            self._known.discard(index)
            self._active[index] = 0
            if explores:
                self._exploring.add(index)
            self._new.append(host)
