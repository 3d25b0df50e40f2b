"""A long-running piece of work: which one, what is wanted of it, how far it is, and who may write for it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

TaskId = int


class Wanted(StrEnum):
    """What somebody wants of a task; anybody may say so, and whoever runs it obeys."""

    RUN = "run"
    PAUSE = "pause"
    STOP = "stop"


class TaskState(StrEnum):
    """Where a task stands."""

    QUEUED = "queued"  # waits for somebody to run it
    RUNNING = "running"
    PAUSED = "paused"
    STOPPED = "stopped"  # with work left, by its budget, by somebody, or by an error
    DONE = "done"


class Ending(StrEnum):
    """Why a run came to its end."""

    FINISHED = "finished"  # nothing is left to do
    PAGE_BUDGET = "page budget"
    TIME = "time"
    STOPPED = "stopped"
    PAUSED = "paused"
    NETWORK_LOST = "network lost"
    UNREACHED = "seeds not reached"  # a seed has never answered; the next run tries it again
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to run a task and to write for it; a claim with an older epoch than the latest is worth nothing."""

    task: TaskId
    holder: str
    epoch: int
