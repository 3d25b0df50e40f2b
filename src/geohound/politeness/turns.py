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


class LocalTurns:
    """Turns of whoever asks in this process, under one policy."""

    def __init__(self, politeness: Politeness, policy: PolitenessPolicy, clock: Clock, who: Hashable = None) -> None:
        self._politeness = politeness
        self._policy = policy
        self._clock = clock
        self._who = self if who is None else who

    async def turn(self, host: str, crawl_delay_s: float | None, patience_s: float) -> float:
        give_up_at = self._clock.monotonic() + patience_s
        try:
            while (wait_s := self._politeness.take(host, self._who, self._policy, crawl_delay_s)) > 0:
                if self._clock.monotonic() + wait_s > give_up_at:
                    self._politeness.leave(host, self._who)
                    return wait_s
                await self._clock.sleep(wait_s)
        except BaseException:
            self._politeness.leave(host, self._who)
            raise
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
        if seen is None:
            self._politeness.leave(host, self._who)
        else:
            self._politeness.record(host, seen, self._policy)
