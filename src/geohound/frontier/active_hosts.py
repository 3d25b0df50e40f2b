"""Which hosts are asked for pages: a few active ones, the best of all that have pages queued, due or not.

Whoever asks every host that is due spends most requests on poor hosts while the rich ones rest. The others wait, as
inactive queues do in Heritrix. A share of the places is for hosts that were never asked, as long as there are any.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator

from geohound.model.crawl.frontier import HostRole

from .host_queue import HostQueue
from .thrift import ActiveLimit

TENURE = 3  # pages after which an active host may lose its place to a better one
EXPLORING = 0.3  # share of the places, and of the pages, that explores
SPARE = 100  # entries of a ranking that may be untrue, beside as many as are true

_Value = Callable[[HostQueue], float | None]


class _Ranking:
    """Inactive hosts by a value that changes all the time: entries are corrected when they come up."""

    def __init__(self, value: _Value, hosts: dict[int, HostQueue]) -> None:
        """`value` is None for hosts that are no longer to be had: they are taken out of `hosts`."""
        self._value = value
        self._hosts = hosts
        self._heap: list[tuple[float, int]] = []

    def put(self, host: HostQueue) -> None:
        value = self._value(host)
        if value is not None:
            heapq.heappush(self._heap, (-value, host.index))
        if len(self._heap) > 2 * len(self._hosts) + SPARE:
            self._rebuild()

    def _rebuild(self) -> None:
        self._heap = []
        for index, host in list(self._hosts.items()):
            value = self._value(host)
            if value is None:
                del self._hosts[index]
            else:
                self._heap.append((-value, index))
        heapq.heapify(self._heap)

    def best(self) -> HostQueue | None:
        heap = self._heap
        while heap:
            given, index = heap[0]
            host = self._hosts.get(index)
            value = self._value(host) if host is not None else None
            if value is None:
                heapq.heappop(heap)
                self._hosts.pop(index, None)
            elif value < -given:
                heapq.heapreplace(heap, (-value, index))
            else:
                return host
        return None


class ActiveHosts:
    """The active hosts, and the inactive ones by what their best page is worth."""

    def __init__(self, worth: _Value, limit: ActiveLimit) -> None:
        """`worth` is that of the best page of a host; None where it has none, or is not due for long."""
        self._worth = worth
        self._limit = limit
        self._active: dict[int, int] = {}  # host, and pages since it became active
        self._exploring: set[int] = set()  # of the active ones
        self._places = self._to_explore = 0  # of all, and those that explore now
        self._pages = self._explored = 0  # pages read, and those that explored
        self._inactive: dict[int, HostQueue] = {}
        self._unasked: dict[int, HostQueue] = {}  # of the inactive
        self._promising = _Ranking(worth, self._inactive)
        self._untried = _Ranking(worth, self._unasked)
        self._new: list[HostQueue] = []

    def __len__(self) -> int:
        return len(self._active)

    @property
    def indices(self) -> tuple[int, ...]:
        """The active hosts."""
        return tuple(self._active)

    @property
    def inactive(self) -> int:
        """Hosts that have pages queued and are not asked for them."""
        return len(self._inactive)

    @property
    def exploring(self) -> int:
        """Active hosts that hold a place because nothing of them was read."""
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
        return host.index in self._active or host.index not in self._inactive

    def offer(self, host: HostQueue) -> bool:
        """A host has a page that is better than its others; is it active now?"""
        if host.index in self._active:
            return True
        if self._worth(host) is not None:
            self._put(host)
            self._fill()
        return host.index in self._active

    def review(self, host: HostQueue, *, is_page: bool) -> None:
        """A page of a host was read, or its queue has changed: is its place still its own?"""
        is_explored = is_page and host.index in self._exploring
        if is_page:
            self._pages += 1
            self._explored += is_explored
            self._limit.page_read()
        if host.index not in self._active:
            return
        pages = self._active[host.index] = self._active[host.index] + is_page
        if is_explored:
            self._exploring.discard(host.index)
        worth = self._worth(host)
        if worth is None:
            self._leave(host)
        elif (is_explored or pages >= TENURE) and (
            self._is_beaten(worth) or self._is_crowded()
        ):
            self._leave(host)
            self._put(host)
        self._fill()

    def relieve(self, hosts: Iterable[HostQueue]) -> None:
        """These active hosts give their places away: their answers take long."""
        for host in hosts:
            self._leave(host)
        self._fill()

    def _leave(self, host: HostQueue) -> None:
        del self._active[host.index]
        self._exploring.discard(host.index)

    def _put(self, host: HostQueue) -> None:
        """Among the inactive."""
        self._inactive[host.index] = host
        self._promising.put(host)
        if not host.visited:
            self._unasked[host.index] = host
            self._untried.put(host)

    def take_new(self) -> Iterator[HostQueue]:
        """Hosts that have become active since this was asked."""
        new, self._new = self._new, []
        return iter(new)

    def _is_beaten(self, worth: float) -> bool:
        rival = self._promising.best()
        rival_worth = self._worth(rival) if rival is not None else None
        return rival_worth is not None and rival_worth > worth

    def _is_crowded(self) -> bool:
        """Do hosts that were asked before hold places that are for others?"""
        asked = len(self._active) - len(self._exploring)
        has_rival = self._untried.best() is not None
        return has_rival and asked > self._places - self._to_explore

    def _fill(self) -> None:
        active = len(self._active)
        self._places = self._limit.limit(active + len(self._inactive), active)
        owed = EXPLORING * (self._pages + self._places) - self._explored
        most = max(1.0, EXPLORING * self._places)  # few places take turns in exploring
        self._to_explore = int(max(0.0, min(owed, most)))
        while len(self._active) < self._places:
            wanted = len(self._exploring) < self._to_explore
            untried = self._untried.best() if wanted else None
            host = untried or self._promising.best()
            if host is None:
                break
            self._inactive.pop(host.index, None)
            self._unasked.pop(host.index, None)
            self._active[host.index] = 0
            if untried:
                self._exploring.add(host.index)
            self._new.append(host)
