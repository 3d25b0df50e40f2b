"""When a host, an address or a URL may be asked again: pure rules and a clock, no network and no database."""

from __future__ import annotations

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
from .turns import LocalTurns, Turns

__all__ = [
    "LocalTurns", "Politeness", "PolitenessPolicy", "Turns", "VisitFacts",
    "address_pause_s", "asked_pause_s", "pause_s", "retry_after_s", "retry_in_s",
]  # fmt: skip
