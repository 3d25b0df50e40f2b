"""When each host is due: whoever asks hosts asks and tells it."""

from __future__ import annotations

import math
from typing import NamedTuple

from geohound.contracts import Clock
from geohound.model.visit import Visit
from geohound.politeness import PolitenessPolicy, VisitFacts, pause_s

_MAX_HOSTS = 200_000


class HostPace(NamedTuple):
    """What is known of one host: when it may be asked next, and how often in a row it was in trouble."""

    next_at: float = 0.0
    troubles: int = 0
    ended_at: float = -math.inf  # of the last visit


_NEW = HostPace()


class Pace:
    """When each host is due; whoever leases hosts asks and tells it. An address may be a key of its own."""

    def __init__(self, clock: Clock, policy: PolitenessPolicy) -> None:
        self._clock = clock
        self._policy = policy
        self._hosts: dict[str, HostPace] = {}

    def next_at(self, host: str) -> float:
        """The clock's monotonic second from which the host may be asked; 0 if it never was."""
        return self._hosts.get(host, _NEW).next_at

    def wait_s(self, host: str, crawl_delay_s: float | None = None) -> float:
        """Seconds until the host is due; a delay that was learned only after the last visit counts from its end."""
        known = self._hosts.get(host)
        if known is None:
            return 0.0
        due_at = known.next_at
        if crawl_delay_s:
            due_at = max(due_at, known.ended_at + min(crawl_delay_s, self._policy.max_crawl_delay_s))
        return max(0.0, due_at - self._clock.monotonic())

    def record(self, host: str, visit: Visit, crawl_delay_s: float | None = None) -> float:
        """A visit to the host is over: when the next may begin."""
        known = self._hosts.get(host)
        if known is None:
            known = _NEW
            if len(self._hosts) >= _MAX_HOSTS:
                self._forget(self._clock.monotonic())
        seen = VisitFacts.of(visit, crawl_delay_s)
        troubles = known.troubles + 1 if seen.is_overloaded else 0
        now = self._clock.monotonic()
        due = now + pause_s(seen, troubles, self._policy)
        due = max(due, known.next_at)  # two visits may have been under way at once: the longer pause counts
        self._hosts[host] = HostPace(due, troubles, now)
        return due

    def _forget(self, now: float) -> None:
        """Hosts that are due and well need no memory; if all are waiting, the ones due soonest go."""
        keep = {host: pace for host, pace in self._hosts.items() if pace.next_at > now or pace.troubles}
        if len(keep) >= _MAX_HOSTS:
            latest = sorted(keep.items(), key=lambda item: item[1].next_at)[_MAX_HOSTS // 10 :]
            keep = dict(latest)
        self._hosts = keep
