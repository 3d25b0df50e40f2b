"""What a frontier is told and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .visit import FailureReason, Settlement


@dataclass(frozen=True, slots=True)
class Admitted:
    """What became of candidates that were offered: how many came in, and how many did not, by reason."""

    count: int = 0
    refused: Mapping[FailureReason, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Settled:
    """How a lease ends. Times are delays in seconds: clocks of other processes are no matter of a frontier."""

    settlement: Settlement
    reason: FailureReason | None = None
    retry_in_s: float = 0.0  # where it is to be tried again
    host_pause_s: float = 0.0  # how long its host is to be left alone, beyond the delay that every host has
    status: int = 0
    services: int = 0
    marks: tuple[int, int] | None = None  # that stand for the content: body and words


@dataclass(frozen=True, slots=True)
class FrontierStats:
    """The numbers of a frontier at one moment, those of the whole task."""

    queued: int  # URLs that wait, retries included
    leased: int
    pages: int  # page visits made or under way
    visited: int  # URLs that were asked for, pages or not
    duplicates: int  # candidates that were known, since the frontier was opened
    drops: Mapping[FailureReason, int]  # what was refused or dropped
