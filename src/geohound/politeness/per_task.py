"""The politeness of one task: its policy, for URLs that are leased and for all other requests."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol

from geohound.contracts import Clock

from .cross_process import LONG_PAUSE_S, SharedHosts
from .formula import PolitenessPolicy, VisitFacts
from .hosts import Politeness


class TaskPoliteness:
    """Turns at hosts, taken for the leases of a frontier and used by those who make the requests."""

    def __init__(
        self,
        politeness: Politeness,
        policy: PolitenessPolicy,
        clock: Clock,
        shared: SharedHosts | None = None,
    ) -> None:
        """`shared` are the hosts of a catalogue that several processes may crawl into."""
        self._politeness = politeness
        self._policy = policy
        self._clock = clock
        self._shared = shared

    def take(self, host: str) -> float:
        """Take the turn at a host for a lease: 0 if it is granted, else after how many seconds to call again."""
        return self.take_for(host, self, None)

    def take_for(self, host: str, who: Hashable, crawl_delay_s: float | None) -> float:
        """The same for somebody else of this task."""
        # files have none, and may be read by several at once
        if self._shared is not None and host:
            wait_s = self._shared.wait_s(host, self._policy.host_delay_s)
            if wait_s > 0:
                return wait_s
        return self._politeness.take(host, who, self._policy, crawl_delay_s)

    def record(self, host: str, seen: VisitFacts) -> None:
        """A request is over."""
        pause_s = self._politeness.record(host, seen, self._policy)
        if self._shared is not None and pause_s > LONG_PAUSE_S:
            self._shared.note_pause(host)

    @property
    def elsewhere(self) -> int:
        """How many hosts other processes have that are wanted here."""
        return self._shared.elsewhere if self._shared is not None else 0

    def leave(self, host: str) -> float:
        """The lease has ended: returns the seconds until the host may be requested again."""
        self._politeness.leave(host, self)
        return self._politeness.due_in(host, self._policy)

    def close(self) -> None:
        """Give back the turns of leases that have not ended."""
        self._politeness.leave_all(self)

    def turns(self) -> LocalTurns:
        """For one who makes requests in this process."""
        return LocalTurns(self._politeness, self._policy, self._clock, self)


class LocalTurns:
    """Turns of one who asks in this process; those that were taken for a lease come first."""

    def __init__(
        self,
        politeness: Politeness,
        policy: PolitenessPolicy,
        clock: Clock,
        task: TaskPoliteness,
    ) -> None:
        self._politeness = politeness
        self._policy = policy
        self._clock = clock
        self._task = task
        # hosts that are ours now, and under which name
        self._held: dict[str, object] = {}

    def take_over(self, host: str) -> str | None:
        """Take over the turn of a lease; returns the IP address it is for, or None if there is no such turn."""
        who = object()
        if not self._politeness.hand_over(host, self._task, who):
            return None
        self._held[host] = who
        return self._politeness.address_of(host)

    def address_of(self, host: str) -> str:
        return self._politeness.address_of(host)

    async def turn(
        self, host: str, crawl_delay_s: float | None, patience_s: float
    ) -> float:
        if self.take_over(host) is not None:
            return 0.0
        give_up_at = self._clock.monotonic() + patience_s
        who = object()
        try:
            while (wait_s := self._task.take_for(host, who, crawl_delay_s)) > 0:
                if self._clock.monotonic() + wait_s > give_up_at:
                    self._politeness.leave(host, who)
                    return wait_s
                await self._clock.sleep(wait_s)
        except BaseException:
            self._politeness.leave(host, who)
            raise
        self._held[host] = who
        return 0.0

    def claim(self, host: str, address: str) -> bool:
        return self._politeness.claim(host, address, self._policy)

    async def move(self, host: str, address: str, patience_s: float) -> float:
        give_up_at = self._clock.monotonic() + patience_s
        while not self.claim(host, address):
            wait_s = self._politeness.address_wait_s(address, self._policy)
            if self._clock.monotonic() + wait_s > give_up_at:
                return wait_s
            await self._clock.sleep(wait_s)
        return 0.0

    def done(self, host: str, seen: VisitFacts | None) -> None:
        who = self._held.pop(host, None)
        if seen is None:
            self._politeness.leave(host, who)
        else:
            self._task.record(host, seen)


class Turns(Protocol):
    """Where the fetcher waits for its turn at a host, and reports the end of each request."""

    async def turn(
        self, host: str, crawl_delay_s: float | None, patience_s: float
    ) -> float:
        """Wait for the turn at a host: returns 0 once it is granted, or the seconds it would take if that is too long."""

    def claim(self, host: str, address: str) -> bool:
        """The host was resolved to this IP address: may it be requested there at once?"""

    async def move(self, host: str, address: str, patience_s: float) -> float:
        """Wait until it may; returns 0, or the seconds it would take if that is too long."""

    def done(self, host: str, seen: VisitFacts | None) -> None:
        """The request has ended; `seen` is None if nothing was sent."""


class HostTurns(Protocol):
    """Whose turn it is at each host, as the frontier of one task asks for it."""

    def take(self, host: str) -> float:
        """Take the turn at a host for a lease: 0 if it is granted, else after how many seconds to call again."""

    def leave(self, host: str) -> float:
        """The lease has ended: returns the seconds until the host may be requested again."""
