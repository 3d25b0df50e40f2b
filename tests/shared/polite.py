"""Politeness and limits for tests: by default none at all, and none that matter."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from geohound.contracts import Clock
from geohound.net.client_policy import ClientPolicy
from geohound.net.limits import Limits
from geohound.politeness import PolitenessPolicy

USER_AGENT = "Geohound/test"
NO_PAUSES = PolitenessPolicy(
    host_delay_s=0.0,
    slow_host_factor=0.0,
    max_slow_delay_s=30.0,
    max_crawl_delay_s=0.0,
    busy_delay_s=60.0,
    retry_after_s=0.0,
    max_retry_after_s=0.0,
    address_share=0.25,
    requests_per_address=4,
)


def policy(**changes: Any) -> PolitenessPolicy:
    """No pauses but these."""
    return replace(NO_PAUSES, **changes)


def behaving(**changes: Any) -> ClientPolicy:
    """As we are in tests but for these."""
    usual = ClientPolicy(
        user_agent=USER_AGENT, politeness=NO_PAUSES, obey_robots=True, verify_tls=True
    )
    return replace(usual, **changes)


def bounded(**changes: Any) -> Limits:
    """Limits that no answer of a test meets, but for these."""
    usual = {
        "connect_s": 10.0,
        "first_byte_s": 30.0,
        "total_s": 120.0,
        "max_bytes_in_flight": 1 << 27,
    }
    return Limits(**{**usual, **changes})


class EachLease:
    """Turns at hosts for frontiers without requests: each lease counts as one, and the pause begins with its end."""

    def __init__(self, clock: Clock, delay_s: float = 0.0) -> None:
        self.delay_s = delay_s
        # that hosts ask for in the lease that is out
        self.pauses: dict[str, float] = {}
        self._clock = clock
        self._due: dict[str, float] = {}

    def take(self, host: str) -> float:
        return max(0.0, self._due.get(host, 0.0) - self._clock.monotonic())

    def leave(self, host: str) -> float:
        pause_s = max(self.delay_s, self.pauses.pop(host, 0.0))
        self._due[host] = self._clock.monotonic() + pause_s
        return pause_s
