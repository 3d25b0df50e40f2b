"""When a host, an IP address or a URL may be requested again: rules and a clock, no network and no database."""

from __future__ import annotations

from geohound.politeness.per_task import HostTurns, Turns

from .cross_process import SharedHosts
from .formula import (
    PolitenessPolicy,
    VisitFacts,
    address_pause_s,
    asked_pause_s,
    pause_s,
    retry_after_s,
    retry_in_s,
)
from .hosts import Politeness
from .per_task import LocalTurns, TaskPoliteness

__all__ = [
    "HostTurns", "LocalTurns", "Politeness", "PolitenessPolicy", "SharedHosts", "TaskPoliteness", "Turns", "VisitFacts",
    "address_pause_s", "asked_pause_s", "pause_s", "retry_after_s", "retry_in_s",
]  # fmt: skip
