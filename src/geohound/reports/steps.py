"""The steps of hunts, for spreadsheets: each query with its cost and yield (Sidsten 2012, figures 4.12 to 4.17).

The last row of a hunt is what the crawl found beyond the results of queries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ._table import CatalogueFacts, CatalogueReport, Cell, Table

_BEFORE = (
    "step",
    "round",
    "phase",
    "query",
    "explores",
    "requests",
    "results",
    "seeds",
    "services",
)
BEYOND = "the crawl"  # stands where a query does
_AFTER = ("cost_usd", "elapsed_s")
# As many as fit into 80 columns of a terminal.
_SHOWN = ("task", "step", "query", "requests", "results", "seeds", "services")
COLUMNS = ("task", *_BEFORE, "services_so_far", "seeds_so_far", *_AFTER, "source")


def _rows(hunts: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Cell, ...]]:
    for counters in hunts:
        services = seeds = 0
        for step in counters.get("steps", ()):
            services += step["services"]
            seeds += step["seeds"]
            before = [_cell(step[name]) for name in _BEFORE]
            after = [*(step[name] for name in _AFTER), step.get("source", "")]
            yield (counters.get("task", 0), *before, services, seeds, *after)
        further = counters.get("services", 0) - services
        if further > 0:
            yield _crawled(counters, further, seeds)


def _crawled(
    counters: Mapping[str, Any], services: int, seeds: int
) -> tuple[Cell, ...]:
    """What no query brought: links, catalogues and lists; with it the numbers are those of the task's summary."""
    number = 1 + len(counters.get("steps", ()))
    before = [number, "", "crawl", BEYOND, 0, 0, 0, 0, services]
    after = [0.0, counters.get("elapsed_s", 0.0), ""]
    return (counters.get("task", 0), *before, counters["services"], seeds, *after)


def _cell(value: Any) -> Cell:
    return int(value) if isinstance(value, bool) else value


def _table(facts: CatalogueFacts) -> Table:
    return Table(COLUMNS, list(_rows(facts.hunts())))


STEPS = CatalogueReport(
    "steps",
    "The queries of all hunts, step by step, with what each brought, and what the crawl found beyond them",
    _table,
    _SHOWN,
)
