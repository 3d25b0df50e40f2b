"""Which host may be asked now, and for which of its URLs: in memory, one lease per host at a time."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator

from geohound.model.visit import Lane

from .packed_heap import PackedHeap, score_of

PAGE, PROBE = Lane.PAGES, Lane.PROBES


_Ready = tuple[float, int, int]  # minus the worth of a host's best URL, minus its key, the host


class Host:
    """What is queued for a host in either lane, and when it may be asked next."""

    __slots__ = ("entering", "index", "is_busy", "is_counted", "lanes", "name", "next_at", "queued", "visited")

    def __init__(self, name: str, index: int) -> None:
        self.name = name
        self.index = index
        self.lanes: list[PackedHeap | None] = [None, None]
        self.next_at = float("-inf")
        self.is_busy = False
        self.is_counted = True  # among the hosts of its domain
        self.queued = 0
        self.entering = 0  # being written, not yet queued
        self.visited = 0

    def best(self, lane: int) -> int | None:
        heap = self.lanes[lane]
        return heap.best() if heap else None

    def push(self, lane: int, key: int) -> None:
        heap = self.lanes[lane]
        if heap is None:
            heap = self.lanes[lane] = PackedHeap()
        heap.push(key)
        self.queued += 1

    def pop(self, lane: int) -> int:
        heap = self.lanes[lane]
        if heap is None:
            raise IndexError("nothing is queued in this lane")
        key = heap.pop()
        self.queued -= 1
        if not heap:
            self.lanes[lane] = None
        return key

    def drain(self) -> Iterator[int]:
        """Take out all that is queued."""
        for lane in (PAGE, PROBE):
            heap, self.lanes[lane] = self.lanes[lane], None
            if heap:
                yield from heap.drain()
        self.queued = 0


class Schedule:
    """Hosts by due time, due hosts by their best URL.

    Entries of the heaps are never taken out when they become untrue, only passed over when they come up.
    """

    def __init__(self, host_bonus: Callable[[str], float] = lambda _: 0.0) -> None:
        self._host_bonus = host_bonus
        self._by_name: dict[str, Host] = {}
        self._hosts: list[Host] = []
        self._waiting: list[tuple[float, int]] = []  # (due, host)
        self._ready: tuple[list[_Ready], list[_Ready]] = ([], [])  # per lane
        self._later: list[tuple[float, int, int, int]] = []  # retries: (due, key, host, lane)
        self.queued = 0
        self.busy = 0

    def host(self, name: str) -> Host:
        found = self._by_name.get(name)
        if found is None:
            found = self._by_name[name] = Host(name, len(self._hosts))
            self._hosts.append(found)
        return found

    def knows(self, name: str) -> bool:
        return name in self._by_name

    def hosts(self) -> list[Host]:
        return list(self._hosts)

    def push(self, host: Host, lane: int, key: int, now: float) -> None:
        """Queue a URL of a host."""
        best = host.best(lane)
        host.push(lane, key)
        self.queued += 1
        if host.is_busy or (best is not None and key <= best):
            return
        if host.next_at <= now:
            self._make_ready(host, lane, key)
        elif host.queued == 1:  # its entry may have been passed over while nothing was queued
            heapq.heappush(self._waiting, (host.next_at, host.index))

    def push_later(self, host: Host, lane: int, key: int, due: float) -> None:
        """Queue a URL of a host, not to be leased before `due`."""
        heapq.heappush(self._later, (due, key, host.index, lane))

    def take(self, lane: int, now: float) -> tuple[Host, int] | None:
        """The best URL of all due hosts, as its key; its host is busy from now on."""
        self._wake(now)
        if not self._purge(lane, now):
            return None
        host = self._hosts[heapq.heappop(self._ready[lane])[2]]
        host.is_busy = True
        self.busy += 1
        self.queued -= 1
        return host, host.pop(lane)

    def put_back(self, host: Host, lane: int, key: int) -> None:
        """Undo a `take` under another key: the URL is worth less than was thought."""
        host.push(lane, key)
        self.queued += 1
        self.skip(host)

    def decline(self, host: Host, lane: int, key: int, until: float) -> None:
        """Undo a `take`: it is not our turn at the host before then."""
        host.push(lane, key)
        self.queued += 1
        self.release(host, until)

    def skip(self, host: Host) -> None:
        """Forget a `take`: what was taken is not to be had."""
        host.is_busy = False
        self.busy -= 1
        for each in (PAGE, PROBE):
            best = host.best(each)
            if best is not None:
                self._make_ready(host, each, best)

    def best_worth(self, lane: int, now: float) -> float:
        """What the best URL that could be taken now is worth, its host counted in; minus infinity if there is none."""
        return -self._ready[lane][0][0] if self._purge(lane, now) else -math.inf

    def worth(self, host: Host, score: float) -> float:
        return score + self._host_bonus(host.name)

    def _make_ready(self, host: Host, lane: int, key: int) -> None:
        heapq.heappush(self._ready[lane], (-self.worth(host, score_of(key)), -key, host.index))

    def release(self, host: Host, next_at: float) -> None:
        """The lease of a host is over; it may be asked again from `next_at` on."""
        host.is_busy = False
        self.busy -= 1
        self.postpone(host, next_at)

    def postpone(self, host: Host, until: float) -> None:
        """Leave a host alone until then, unless it must be left alone for longer."""
        host.next_at = max(host.next_at, until)
        heapq.heappush(self._waiting, (host.next_at, host.index))

    def drain(self, host: Host) -> list[int]:
        """Take out all that is queued for a host."""
        keys = list(host.drain())
        self.queued -= len(keys)
        return keys

    def due(self, lanes: tuple[int, ...], now: float) -> float | None:
        """When something may be taken from these lanes; None if nothing waits (or all are busy)."""
        self._wake(now)
        if any(self._purge(lane, now) for lane in lanes):
            return now
        while self._waiting and not self._is_awaited(*self._waiting[0]):
            heapq.heappop(self._waiting)
        times = [heap[0][0] for heap in (self._waiting, self._later) if heap]
        return min(times) if times else None

    @property
    def delayed(self) -> int:
        """URLs that are to be tried again later."""
        return len(self._later)

    def _is_awaited(self, due: float, index: int) -> bool:
        host = self._hosts[index]
        return host.queued > 0 and not host.is_busy and host.next_at == due

    def _wake(self, now: float) -> None:
        while self._later and self._later[0][0] <= now:
            _, key, index, lane = heapq.heappop(self._later)
            self.push(self._hosts[index], lane, key, now)
        while self._waiting and self._waiting[0][0] <= now:
            _, index = heapq.heappop(self._waiting)
            host = self._hosts[index]
            if host.is_busy or host.next_at > now:
                continue
            for lane in (PAGE, PROBE):
                best = host.best(lane)
                if best is not None:
                    self._make_ready(host, lane, best)

    def _purge(self, lane: int, now: float) -> bool:
        """Pass over entries that are no longer true; is there one that is?"""
        ready = self._ready[lane]
        while ready:
            _, key, index = ready[0]
            host = self._hosts[index]
            if not host.is_busy and host.next_at <= now and host.best(lane) == -key:
                return True
            heapq.heappop(ready)
        return False
