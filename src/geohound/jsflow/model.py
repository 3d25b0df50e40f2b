"""What goes into the analysis of a page's scripts, and what comes out of it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


def words(text: str) -> frozenset[str]:
    """A set of names, written as people write them."""
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Script:
    """One script, module or configuration file of a page; `line_offset` is where an inline one begins."""

    url: str
    text: str
    is_module: bool = False
    is_inline: bool = False
    line_offset: int = 0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A service address that the scripts hold, and the evidence for it."""

    url: str
    endpoint: str
    kind: str | None
    how: str  # call, shape, request, string, config; elsewhere recipe, browser, link, text, form, picture or frame
    source: str
    line: int
    call: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Findings:
    """All that static reading tells about a page."""

    endpoints: tuple[Endpoint, ...] = ()
    tiles: tuple[Endpoint, ...] = ()  # plain tile templates: a kind of their own, not services of the OGC
    wanted: tuple[str, ...] = ()  # further scripts and configuration files that matter
    unknown: tuple[str, ...] = ()  # why some addresses cannot be known without running the page
    unclear: tuple[str, ...] = ()  # addresses of which only the running page knows a part
    scripts_read: int = 0
    scripts_skipped: int = 0
    is_complete: bool = True  # False where a budget was spent or a script could not be read whole


@dataclass(frozen=True, slots=True)
class Budget:
    """Bounds on one analysis; hostile scripts meet them, honest ones do not."""

    steps: int = 400_000
    steps_per_sink: int = 10_000
    seconds: float = 12.0  # of the processor
    seconds_per_sink: float = 0.08
    seconds_per_parse: float = 2.5
    bytes_per_script: int = 12_000_000
    bytes_parsed: int = 12_000_000  # of all scripts together, what is left of them after cutting
    bytes_parsed_per_script: int = 6_000_000
    values: int = 24  # alternatives kept for one expression
    choices: int = 300  # call sites, array elements … tried for one sink
    chars: int = 4_000  # of one string
    depth: int = 40
    sinks: int = 4_000


_PATIENCE = 4


class Exhausted(Exception):  # noqa: N818 - no error: the expected end of what is too costly
    """A budget is spent."""


@dataclass(slots=True)
class Meter:
    """Counts the steps of an analysis against its budget."""

    budget: Budget
    steps: int = 0
    sink_steps: int = 0
    sink_end: float = 0.0
    parsed: int = 0
    costly: int = 0  # expressions that could not be worked out within their allowance
    end: float = field(default=0.0)

    def __post_init__(self) -> None:
        self.end = time.thread_time() + self.budget.seconds

    def spend(self) -> None:
        self.steps += 1
        self.sink_steps += 1
        if self.sink_steps > self.budget.steps_per_sink or self.steps > self.budget.steps:
            raise Exhausted
        if self.steps % 16 == 0 and time.thread_time() > min(self.end, self.sink_end or self.end):
            raise Exhausted

    def begin_sink(self) -> None:
        """A new expression gets a new allowance: the less, the more of them spent theirs for nothing."""
        self.sink_steps = 0
        self.sink_end = time.thread_time() + self.budget.seconds_per_sink / (1 + self.costly // _PATIENCE)

    def excuse(self, since: float) -> None:
        """What was done since then serves all expressions, not only the one that needed it first."""
        self.sink_end += time.thread_time() - since

    @property
    def is_late(self) -> bool:
        return time.thread_time() > self.end

    @property
    def is_over(self) -> bool:
        return self.steps > self.budget.steps or self.is_late
