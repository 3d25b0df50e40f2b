"""Waiting for one's turn at a host: asked of the politeness of this process, or of the one that started it."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol

from geohound.contracts import Clock

from .formula import PolitenessPolicy, VisitFacts
from .hosts import Politeness


class Turns(Protocol):
    """Who makes requests waits here for its turn, and says when the request is over; one at a time for each host."""

    async def turn(self, host: str, crawl_delay_s: float | None, patience_s: float) -> float:
        """Wait for the host: 0 when we have it, or how long it would be, if that is too long."""

    def claim(self, host: str, address: str) -> bool:
        """The host we have is at this address: may it be asked there at once?"""

    async def move(self, host: str, address: str, patience_s: float) -> float:
        """It may not: wait until it may; 0, or how long it would be."""

    def done(self, host: str, seen: VisitFacts | None) -> None:
        """The request is over; None if nothing was sent."""

    def due_in(self, host: str) -> float:
        """Seconds until the pause of the host is over, as far as it is known here."""


class LocalTurns:
    """Turns of one who asks in this process, under one policy; `lease` names who may have taken them for it before."""

    def __init__(self, politeness: Politeness, policy: PolitenessPolicy, clock: Clock, lease: Hashable = None) -> None:
        self._politeness = politeness
        self._policy = policy
        self._clock = clock
        self._lease = lease
        self._held: dict[str, object] = {}  # hosts that are ours now, and under which name

    def take_over(self, host: str) -> str | None:
        """Have the turn that was taken for us, and the address it is for; None if there is none."""
        who = object()
        if self._lease is None or not self._politeness.hand_over(host, self._lease, who):
            return None
        self._held[host] = who
        return self._politeness.address_of(host)

    def address_of(self, host: str) -> str:
        return self._politeness.address_of(host)

    def due_in(self, host: str) -> float:
        return self._politeness.due_in(host, self._policy)

    async def turn(self, host: str, crawl_delay_s: float | None, patience_s: float) -> float:
        if self.take_over(host) is not None:
            return 0.0
        give_up_at = self._clock.monotonic() + patience_s
        who = object()
        try:
            while (wait_s := self._politeness.take(host, who, self._policy, crawl_delay_s)) > 0:
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
            self._politeness.record(host, seen, self._policy)
