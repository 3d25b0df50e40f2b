"""What is looked at again: what earlier looks showed of it, when the next one is due, and how a look ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from geohound.model.catalogue import Observation
from geohound.model.health import Check, HealthState
from geohound.model.visit import Purpose, Validators

from .layer_check import LayerCheck


@dataclass(frozen=True, slots=True)
class LookStats:
    """What looks at one target, or at all targets of a host, have shown so far; enough to estimate rates."""

    looks: int = 0
    changes: float = 0.0  # looks that found something changed; old ones count for less
    # between such a look and the one before, in sum, weighted alike
    changed_s: float = 0.0
    unchanged_s: float = 0.0  # between looks that found nothing changed, in sum
    failures: int = 0  # in a row, up to the last look
    deaths: int = 0  # 1 where the target is dead; of a host, the targets that are

    def __add__(self, other: LookStats) -> LookStats:
        return LookStats(
            self.looks + other.looks,
            self.changes + other.changes,
            self.changed_s + other.changed_s,
            self.unchanged_s + other.unchanged_s,
            self.failures + other.failures,
            self.deaths + other.deaths,
        )


NO_LOOKS = LookStats()


class PageProof(NamedTuple):
    """A page that was read whole: what its server recognises it by, and when that was."""

    validators: Validators
    read_at: datetime


@dataclass(frozen=True, slots=True)
class DueLook:
    """A target of the monitor: a service (CHECK), a page that named one (PAGE), a candidate that was none (PROBE)."""

    purpose: Purpose
    target: str  # the id of a service, else an address
    host: str
    due_at: datetime
    looked_at: datetime | None = None  # None where the monitor has not looked yet
    stats: LookStats = NO_LOOKS
    rank: int = 1  # how often the service was seen
    depth: int = 0  # of links from a seed, at its first sighting
    proof: PageProof | None = None  # of a page whose links are all known


@dataclass(frozen=True, slots=True)
class EndedLook:
    """How a look ended and when the next one is due; without `at` nobody looked, it is only put off."""

    purpose: Purpose
    target: str
    next_at: datetime
    at: datetime | None = None
    stats: LookStats = NO_LOOKS
    # goes into the catalogue in the same transaction
    met: tuple[Observation | Check, ...] = field(default=())
    layers: tuple[LayerCheck, ...] = ()  # and so do these, of a deep look at a service
    # written only if there are still so many: nobody else has looked meanwhile
    looks_before: int | None = None
    proof: PageProof | None = None  # of a page, for the next look


class StateStep(NamedTuple):
    """The health of a service before a look and after it."""

    was: HealthState
    state: HealthState
