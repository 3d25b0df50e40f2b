"""From search alone to search and crawl to crawl alone, by time, step or progress (Sidsten 2012, section 3.2.4)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Phase(StrEnum):
    """What a hunt does at a time."""

    SEARCH = "search"  # queries, and the pages that they bring
    BOTH = "search and crawl"  # links of these pages are followed while queries go on
    CRAWL = "crawl"


@dataclass(frozen=True, slots=True)
class StayLimits:
    """How long a phase lasts: whichever limit is reached first; 0 = no limit."""

    max_time_s: float = 0.0
    max_rounds: int = 0
    least_gain: float = 0.0  # new services per request that a phase must bring to last


@dataclass(frozen=True, slots=True)
class PhaseProgress:
    """What a phase has brought so far."""

    seconds: float
    rounds: int
    gain: float  # expected of the next round: new services per request
    crawl_gain: float = 0.0  # of the crawl's own latest requests, in the same phase


def next_phase(phase: Phase, limits: StayLimits, progress: PhaseProgress) -> Phase:
    """The phase after a round: the same one, or the next."""
    if phase is Phase.CRAWL or not is_over(limits, progress):
        return phase
    return Phase.BOTH if phase is Phase.SEARCH else Phase.CRAWL


def is_over(limits: StayLimits, progress: PhaseProgress) -> bool:
    """Is a limit of the phase reached?"""
    if (
        0 < limits.max_time_s <= progress.seconds
        or 0 < limits.max_rounds <= progress.rounds
    ):
        return True
    return progress.rounds > 0 and progress.gain < limits.least_gain


def is_beaten(progress: PhaseProgress) -> bool:
    """Does the crawl bring more for each of its requests now? Then the search rests: no crawl does so for ever."""
    return progress.rounds > 0 and progress.gain < progress.crawl_gain


def expected_gain(rounds: list[tuple[float, int]], window: int = 3) -> float:
    """New services per request of the next round, from (services, requests) of the last ones; 1 where none was made.

    Later rounds count more, as the best pages are found early (section 4.3.1): the weights are 1, 2, 3 …
    """
    last = list(enumerate(rounds[-window:], 1))
    services = sum(weight * found for weight, (found, _) in last)
    requests = sum(weight * made for weight, (_, made) in last)
    return services / requests if requests else 1.0
