"""Which host may be asked now, and for which of its URLs: in memory, one lease per host at a time."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from itertools import islice

from geohound.model.crawl.frontier import HostRole

from .active_hosts import ActiveHosts
from .host_queue import PAGE, PROBE, HostQueue
from .packed_heap import score_of
from .thrift import ActiveLimit

MAX_LOOKED_AT = 1000  # entries, to name hosts that are waited for
LONG_REST_S = 10.0  # a host that rests or answers for so long gives its place among the active ones away
_LOOK_S = 1.0  # between looks at the places of active hosts

# minus the worth of a host's best URL, minus its key, the host
_Ready = tuple[float, int, int]
_Retry = tuple[float, int, int]  # when it is due, its key, the host


class HostQueues:
    """Hosts by due time, due hosts by their best URL.

    Entries of the heaps are never taken out when they become untrue, only passed over when they come up.
    """

    def __init__(
        self,
        host_bonus: Callable[[str], float] | None = None,
        limit: ActiveLimit | None = None,
    ) -> None:
        """`limit` says how many hosts are asked for pages; without it, all that are due."""
        self._host_bonus = host_bonus or (lambda _: 0.0)
        self._active = ActiveHosts(self._page_worth, limit) if limit else None
        self._now = self._looked = float("-inf")
        self._by_name: dict[str, HostQueue] = {}
        self._hosts: list[HostQueue] = []
        self._waiting: list[tuple[float, int]] = []  # (due, host)
        self._ready: tuple[list[_Ready], list[_Ready]] = ([], [])  # per lane
        self._later: tuple[list[_Retry], list[_Retry]] = ([], [])  # per lane
        self.queued = 0
        self._tests = 0  # of what is queued
        self.busy = 0

    def host(self, name: str) -> HostQueue:
        found = self._by_name.get(name)
        if found is None:
            found = self._by_name[name] = HostQueue(name, len(self._hosts))
            self._hosts.append(found)
        return found

    def knows(self, name: str) -> bool:
        return name in self._by_name

    def hosts(self) -> list[HostQueue]:
        return list(self._hosts)

    def resume(self, pages: int) -> None:
        """Earlier runs have read so many pages."""
        if self._active is not None:
            self._active.resume(pages)

    def push(self, host: HostQueue, lane: int, key: int, now: float) -> None:
        """Queue a URL of a host."""
        best = host.best(lane)
        self._enqueue(host, lane, key)
        if host.is_busy or (best is not None and key <= best):
            return
        self._now = now
        if lane == PAGE and self._active is not None and not self._active.offer(host):
            return
        if host.next_at <= now:
            self._make_ready(host, lane, key)
        elif (
            host.queued == 1 or self._active is not None
        ):  # its entry may have been passed over while nothing was queued
            heapq.heappush(self._waiting, (host.next_at, host.index))

    def push_later(self, host: HostQueue, lane: int, key: int, due: float) -> None:
        """Queue a URL of a host, not to be leased before `due`."""
        heapq.heappush(self._later[lane], (due, key, host.index))

    def take(self, lane: int, now: float) -> tuple[HostQueue, int] | None:
        """The best URL of all due hosts, as its key; its host is busy from now on."""
        self._wake(now)
        if not self._purge(lane, now):
            return None
        host = self._hosts[heapq.heappop(self._ready[lane])[2]]
        host.is_busy = True
        host.next_at = now  # when it was asked
        self.busy += 1
        self.queued -= 1
        self._tests -= lane == PROBE
        return host, host.pop(lane)

    def _enqueue(self, host: HostQueue, lane: int, key: int) -> None:
        host.push(lane, key)
        self.queued += 1
        self._tests += lane == PROBE

    def put_back(self, host: HostQueue, lane: int, key: int) -> None:
        """Undo a `take` under another key: the URL is worth less than was thought."""
        self._enqueue(host, lane, key)
        self.skip(host)

    def decline(self, host: HostQueue, lane: int, key: int, until: float) -> None:
        """Undo a `take`: it is not our turn at the host before then."""
        self._enqueue(host, lane, key)
        self.release(host, until, is_page=False)

    def skip(self, host: HostQueue) -> None:
        """Forget a `take`: what was taken is not to be had."""
        host.is_busy = False
        self.busy -= 1
        self._review(host)
        for each in (PAGE, PROBE):
            best = host.best(each)
            if best is not None:
                self._make_ready(host, each, best)

    def best_worth(self, lane: int, now: float) -> float:
        """What the best URL that could be taken now is worth, its host counted in; minus infinity if there is none."""
        return -self._ready[lane][0][0] if self._purge(lane, now) else -math.inf

    def worth(self, host: HostQueue, score: float) -> float:
        return score + self._host_bonus(host.name)

    def rivals(self, drawn: Sequence[tuple[HostQueue, int]]) -> list[float]:
        """What the one drawn next is worth, for each."""
        return [
            *(self.worth(host, score_of(key)) for host, key in drawn[1:]),
            -math.inf,
        ]

    def _page_worth(self, host: HostQueue) -> float | None:
        """What the best page that is queued for a host is worth.

        None where none is, or where the host rests or takes to answer for long.
        """
        best = host.best(PAGE)
        rests_for_long = host.next_at > self._now + LONG_REST_S
        if best is None or rests_for_long or self._is_slow(host):
            return None
        return self.worth(host, score_of(best))

    def _is_slow(self, host: HostQueue) -> bool:
        """Was it asked long ago, and has not answered yet?"""
        return host.is_busy and host.next_at < self._now - LONG_REST_S

    def _review(self, host: HostQueue, *, is_page: bool = False) -> None:
        if self._active is not None:
            self._active.review(host, is_page=is_page)

    def _is_open(self, host: HostQueue, lane: int) -> bool:
        """May this lane of a host be served? Services are tested wherever they are."""
        return lane == PROBE or self._active is None or self._active.holds(host)

    def _make_ready(self, host: HostQueue, lane: int, key: int) -> None:
        if not self._is_open(host, lane):
            return
        heapq.heappush(
            self._ready[lane], (-self.worth(host, score_of(key)), -key, host.index)
        )

    def release(self, host: HostQueue, next_at: float, *, is_page: bool) -> None:
        """The lease of a host is over, by which a page was read or not; it may be asked again from `next_at` on."""
        host.is_busy = False
        self.busy -= 1
        self.postpone(host, next_at, is_page=is_page)

    def postpone(self, host: HostQueue, until: float, *, is_page: bool = False) -> None:
        """Leave a host alone until then, unless it must be left alone for longer."""
        host.next_at = max(host.next_at, until)
        self._review(host, is_page=is_page)
        heapq.heappush(self._waiting, (host.next_at, host.index))

    def drain(self, host: HostQueue) -> list[int]:
        """Take out all that is queued for a host."""
        self._tests -= len(host.lanes[PROBE] or ())
        keys = list(host.drain())
        self.queued -= len(keys)
        self._review(host)
        return keys

    def due(self, lanes: tuple[int, ...], now: float) -> float | None:
        """When something may be taken from these lanes; None if nothing waits (or all are busy)."""
        self._wake(now)
        if any(self._purge(lane, now) for lane in lanes):
            return now
        times = [self._later[lane][0][0] for lane in lanes if self._later[lane]]
        if PAGE in lanes or self._tests:
            while self._waiting and not self._is_awaited(*self._waiting[0]):
                heapq.heappop(self._waiting)
            times += [due for due, _ in self._waiting[:1]]
        return min(times, default=None)

    def awaited(self, limit: int) -> list[str]:
        """The names of hosts that may be asked next, the soonest first."""
        soon = [
            entry for entry in self._waiting[:MAX_LOOKED_AT] if self._is_awaited(*entry)
        ]
        for later in self._later:  # their hosts may have nothing else
            soon += [(due, index) for due, _, index in later[:MAX_LOOKED_AT]]
        hosts = dict.fromkeys(index for _, index in sorted(soon))
        return [self._hosts[index].name for index in islice(hosts, limit)]

    @property
    def active(self) -> tuple[int, int, int]:
        """Hosts that are asked for pages, those that wait to be, and of the first those that are explored.

        Zeros where all are asked.
        """
        active = self._active
        return (
            (len(active), active.inactive, active.exploring)
            if active is not None
            else (0, 0, 0)
        )

    def role(self, host: HostQueue, lane: int) -> HostRole:
        """Why a host is asked now."""
        return (
            HostRole.ANY
            if lane == PROBE or self._active is None
            else self._active.role(host)
        )

    @property
    def delayed(self) -> int:
        """URLs that are to be tried again later."""
        return sum(map(len, self._later))

    def _is_awaited(self, due: float, index: int) -> bool:
        host = self._hosts[index]
        is_waited_for = self._active is None or self._active.is_waited_for(host)
        has_work = host.best(PROBE) is not None or (
            is_waited_for and host.best(PAGE) is not None
        )
        return has_work and not host.is_busy and host.next_at == due

    def _wake(self, now: float) -> None:
        self._now = now
        for lane, later in enumerate(self._later):
            while later and later[0][0] <= now:
                _, key, index = heapq.heappop(later)
                self.push(self._hosts[index], lane, key, now)
        while self._waiting and self._waiting[0][0] <= now:
            _, index = heapq.heappop(self._waiting)
            host = self._hosts[index]
            if host.is_busy or host.next_at > now:
                continue
            if self._active is not None and host.best(PAGE) is not None:
                self._active.offer(host)  # it may have rested for long
            for lane in (PAGE, PROBE):
                best = host.best(lane)
                if best is not None:
                    self._make_ready(host, lane, best)
        if self._active is not None:
            self._wake_active(self._active, now)

    def _wake_active(self, active: ActiveHosts, now: float) -> None:
        """Hosts that have become active may be asked as soon as they are due."""
        if now >= self._looked + _LOOK_S:
            self._looked = now
            hosts = [self._hosts[index] for index in active.indices]
            active.relieve([host for host in hosts if self._is_slow(host)])
        for host in active.take_new():
            best = host.best(PAGE)
            if host.is_busy or best is None:
                continue
            if host.next_at <= now:
                self._make_ready(host, PAGE, best)
            else:
                heapq.heappush(self._waiting, (host.next_at, host.index))

    def _purge(self, lane: int, now: float) -> bool:
        """Pass over entries that are no longer true; is there one that is?"""
        ready = self._ready[lane]
        while ready:
            _, key, index = ready[0]
            host = self._hosts[index]
            is_due = (
                not host.is_busy and host.next_at <= now and host.best(lane) == -key
            )
            if is_due and self._is_open(host, lane):
                return True
            heapq.heappop(ready)
        return False
