"""What a hunt is asked for, and how far its agent is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from geohound.agent.evolution import Phase, StayLimits
from geohound.agent.rules import AgentRules
from geohound.agent.subject import Subject


@dataclass(frozen=True, slots=True)
class HuntPlan:
    """What a hunt is asked for."""

    queries: tuple[str, ...]  # to begin with, and to come back to
    rules: AgentRules
    subject: Subject = field(default_factory=Subject)  # the words that the user gave
    max_rounds: int = 0  # 0: no limit
    max_results: int = 0  # of one query
    stays: Mapping[Phase, StayLimits] = field(default_factory=dict)
    searches: bool = True  # False: only what was kept of earlier queries is used
    crawls: bool = True  # False: links are not followed


@dataclass(slots=True)
class AgentState:
    """How far the agent is; kept with the task."""

    phase: Phase = Phase.SEARCH
    rounds: int = 0
    phase_rounds: int = 0
    phase_s: float = 0.0
    total_s: float = 0.0  # of earlier runs, over all phases
    steps: int = 0  # that were made until the last round
    pool_at: int = 0  # queries of the plan that were taken up
    # of them, those that nobody could be asked for
    put_back: list[str] = field(default_factory=list)
    # what new services count, and requests, by round
    gains: list[tuple[float, int]] = field(default_factory=list)

    @classmethod
    def read(cls, counters: Mapping[str, Any]) -> AgentState:
        said = counters.get("agent")
        if not said:
            return cls()
        gains = [(services, requests) for services, requests in said["gains"]]
        return cls(**{**said, "phase": Phase(said["phase"]), "gains": gains})
