"""What goes into the analysis of a page's scripts, and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass


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
    """All that static analysis finds in a page."""

    endpoints: tuple[Endpoint, ...] = ()
    # plain tile templates: a kind of their own, not services of the OGC
    tiles: tuple[Endpoint, ...] = ()
    wanted: tuple[str, ...] = ()  # further scripts and configuration files that matter
    # why some addresses cannot be known without running the page
    unknown: tuple[str, ...] = ()
    # addresses of which only the running page knows a part
    unclear: tuple[str, ...] = ()
    scripts_read: int = 0
    scripts_skipped: int = 0
    steps: int = 0  # what the analysis took
    # nothing in the scripts may be an address, wherever they lie
    is_barren: bool = False
    # False where a budget was spent or a script could not be read whole
    is_complete: bool = True


@dataclass(frozen=True, slots=True)
class AnalysisBudget:
    """Bounds on one analysis; hostile scripts meet them, honest ones do not."""

    steps: int = 1_000_000  # of some 6 µs each
    steps_per_sink: int = 12_000
    bytes_per_script: int = 12_000_000
    # of all scripts together, what is left of them after cutting
    bytes_parsed: int = 12_000_000
    bytes_parsed_per_script: int = 6_000_000
    values: int = 24  # alternatives kept for one expression
    choices: int = 300  # call sites, array elements … tried for one sink
    chars: int = 4_000  # of one string
    depth: int = 40
    sinks: int = 4_000
