"""Turns at hosts, as a frontier takes them and as those who make requests wait for them."""

from __future__ import annotations

from typing import Protocol

from .formula import VisitFacts


class Turns(Protocol):
    """Who makes requests waits here for its turn, and says when the request is over; one at a time for each host."""

    async def turn(
        self, host: str, crawl_delay_s: float | None, patience_s: float
    ) -> float:
        """Wait for the host: 0 when we have it, or how long it would be, if that is too long."""

    def claim(self, host: str, address: str) -> bool:
        """The host we have is at this address: may it be asked there at once?"""

    async def move(self, host: str, address: str, patience_s: float) -> float:
        """It may not: wait until it may; 0, or how long it would be."""

    def done(self, host: str, seen: VisitFacts | None) -> None:
        """The request is over; None if nothing was sent."""


class HostTurns(Protocol):
    """Whose turn it is at each host, as the frontier of one task asks for it."""

    def take(self, host: str) -> float:
        """The turn at a host for a lease: 0 if we have it, else after how many seconds to ask again."""

    def leave(self, host: str) -> float:
        """The lease is over, its turn used or not: how long until the host may be asked again."""
