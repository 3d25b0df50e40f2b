"""The steps of hunts, for spreadsheets: each query with its cost and yield (Sidsten 2012, figures 4.12 to 4.17)."""

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
_AFTER = ("cost_usd", "elapsed_s")
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


def _cell(value: Any) -> Cell:
    return int(value) if isinstance(value, bool) else value


def _table(facts: CatalogueFacts) -> Table:
    return Table(COLUMNS, list(_rows(facts.hunts())))


STEPS = CatalogueReport(
    "steps", "The queries of all hunts, step by step, with what each brought", _table
)
