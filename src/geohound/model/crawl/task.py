"""Tasks: what was asked for, the desired state, the progress, and who may write for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from .shard import Shard

TaskId = int
SEEDS_PER_SEGMENT = 10  # seeds are taken up segment by segment (PolarHub)


class TaskKind(StrEnum):
    """What a task does."""

    CRAWL = "crawl"
    HARVEST = "harvest"  # catalogues of services, read whole
    HUNT = "hunt"  # queries to search providers, then a crawl from their results
    MONITOR = "monitor"  # looks again at what the catalogue has, without end unless it is asked to look once


class Wanted(StrEnum):
    """The desired state of a task; anybody may set it, and the runner obeys."""

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
    # a seed has never answered; the next run tries it again
    UNREACHED = "seeds not reached"
    SOURCE_FAILED = "source failed"  # a catalogue broke off, or no search provider answers; the next run goes on there
    FAILED = "failed"


class Scope(StrEnum):
    """How far from the seeds a crawl may go."""

    ANY = "any"
    HOST = "host"
    DOMAIN = "domain"


@dataclass(frozen=True, slots=True)
class CrawlGoal:
    """Where a crawl starts, how far it goes and what it looks for; for None the settings of the running process hold."""

    seeds: tuple[str, ...] = ()
    scope: Scope = Scope.ANY
    kinds: tuple[str, ...] = ()  # of service that are kept; none: all
    bbox: tuple[float, float, float, float] | None = None
    order: str | None = None
    learned: str | None = None  # file with what the order has learned
    max_depth: int | None = None
    max_width: int | None = None
    thrift: str | None = None
    active_hosts: int | None = None
    max_pages_per_depth: int | None = None
    browser: str | None = None
    rules: str | None = None
    main_pages_only: bool | None = None
    relevance_topic: str | None = None
    relevance_threshold: float | None = None
    revisit_after: float | None = None  # hours
    topic: str = ""  # of services that are kept; empty: all
    harvester_files: tuple[str, ...] | None = None  # recipes of data centres, as paths
    harvester: str = ""  # that reads all seeds; empty: whichever accepts them
    since: str = ""  # ISO date: of catalogues only what has changed since then, where they support it
    queries: tuple[str, ...] = ()  # of a hunt, in the order in which they are asked
    searchers: tuple[str, ...] = ()  # of a hunt: ids, or id=address
    words: str = ""  # of a hunt: what the user looks for
    steps: tuple[str, ...] = ()  # of a hunt: search, crawl; none: both
    knowledge: str = ""  # of a hunt: under this name its agent's knowledge base is kept
    # of a hunt: seeds are taken from so many hosts of the catalogue
    catalogue_hosts: int = 0
    excluded: tuple[str, ...] = ()  # addresses and hosts that are not visited


@dataclass(frozen=True, slots=True)
class MonitorGoal:
    """What is looked at again, and how closely."""

    once: bool = False  # end when nothing more is due
    everything: bool = False  # all services, once, be they due or not
    deep: bool = False  # ask for maps and features too


@dataclass(frozen=True, slots=True)
class Budget:
    """What a task may cost. A resume may change it; None leaves a limit as it was."""

    max_pages: int | None = None
    max_time_s: float | None = None  # of one run
    max_pages_per_host: int | None = None
    max_hosts_per_domain: int | None = None
    max_pages_per_pattern: int | None = None
    fetchers: int | None = None
    testers: int | None = None
    max_queries: int | None = None  # requests to search providers, over all runs


@dataclass(frozen=True, slots=True)
class Policy:
    """The networks that the person who asked may visit.

    Delays, user agent, robots.txt and limits of answers are not stored: those of whoever runs the task hold, so that a
    gentler setting holds for old tasks too.
    """

    connect_to: tuple[str, ...] = ()
    allow_nets: tuple[str, ...] = ()
    allow_ports: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """What a person asked for."""

    goal: CrawlGoal = field(default_factory=CrawlGoal)
    budget: Budget = field(default_factory=Budget)
    policy: Policy = field(default_factory=Policy)
    kind: TaskKind = TaskKind.CRAWL
    # the account that asked for it; empty: the operator, at the command line
    owner: str = ""
    watch: MonitorGoal = field(default_factory=MonitorGoal)  # of a monitor


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to run a task and to write for it; only the claim with the latest epoch is valid."""

    task: TaskId
    holder: str
    epoch: int


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a run leaves for the next one, beside the log of its frontier."""

    counters: Mapping[str, Any] = field(default_factory=dict)
    order_state: bytes = b""


@dataclass(frozen=True, slots=True)
class Task:
    """A task as it is now."""

    id: TaskId
    spec: TaskSpec
    state: TaskState
    wanted: Wanted
    ending: Ending | None  # of its last run
    created_at: datetime
    # when the last run that was over ended; None where nobody knows, after a kill
    finished_at: datetime | None
    claim: Claim | None  # of whoever runs it, or ran it and has not let go
    expires_at: datetime | None  # until then the claim holds, unless it is renewed
    counters: Mapping[str, Any]
    shard: Shard | None = None  # where it is a part of another task
    shards: int = 0  # into how many parts it is divided

    def is_held(self, now: datetime) -> bool:
        """Does somebody run it, as far as the store knows?"""
        return (
            self.claim is not None
            and self.expires_at is not None
            and now < self.expires_at
        )


@dataclass(frozen=True, slots=True)
class TaskFilter:
    """Some of the tasks of a catalogue; without states those in any."""

    states: frozenset[TaskState] = frozenset()
    # of other tasks: without them, only them, or both (None)
    parts: bool | None = False
    parent: TaskId | None = None  # the parts of this one alone


ALL_TASKS = TaskFilter()
UNFINISHED = TaskFilter(frozenset(TaskState) - {TaskState.DONE})
UNDER_WAY = TaskFilter(frozenset({TaskState.QUEUED, TaskState.RUNNING}), parts=None)


def with_page_limit(spec: TaskSpec, max_pages: int) -> TaskSpec:
    """The same task with another limit of pages."""
    return replace(spec, budget=replace(spec.budget, max_pages=max_pages))


def state_left(
    state: TaskState, ending: Ending, wanted: Wanted
) -> tuple[TaskState, Ending]:
    """How a run leaves its task: one that would be queued again may be wanted paused or stopped."""
    if state is TaskState.QUEUED:
        state = state_wanted(state, wanted)
    return state, Ending.PAUSED if state is TaskState.PAUSED else ending


def state_wanted(now: TaskState, wanted: Wanted) -> TaskState:
    """The state of a task that nobody runs, after the desired state was set to this."""
    if now is TaskState.DONE:
        return now
    match wanted:
        case Wanted.RUN:
            return TaskState.QUEUED
        case Wanted.PAUSE:
            return TaskState.PAUSED
        case Wanted.STOP:
            return TaskState.STOPPED
