"""Counts over the whole catalogue: facets with words for people, and the reports made of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from geohound.model.catalogue import ALL, Filter
from geohound.model.query import Query, Results
from geohound.reports import CATALOGUE_REPORTS, TASK_REPORTS, CatalogueFacts, Cell, Table, ended_visits
from geohound.reports import REPORTS as OTHER_REPORTS
from geohound.tasks.source_yields import sources_of

from .portal import Portal
from .records import FacetsRecord, FacetValue, ReportRecord

_FACET_REPORTS = {
    "totals": "Services, layers, kinds and countries",
    "kinds": "Services by kind",
    "states": "Services by state",
    "providers": "Providers with most services",
    "licences": "Services by licence",
}
REPORTS: Mapping[str, str] = MappingProxyType(_FACET_REPORTS | {each.id: each.title for each in OTHER_REPORTS.values()})
_FACETS = {"kinds": "kind", "states": "state", "providers": "provider", "licences": "licence"}
FACET_VALUES = 500  # more than there are kinds, countries or classes; of providers the first


def facets_record(portal: Portal, results: Results) -> FacetsRecord:
    """Each facet's values, most frequent first, with their titles."""
    facets = {
        name: [FacetValue(value=v, title=portal.facet_title(name, v), count=n) for v, n in counts.items()]
        for name, counts in results.facets.items()
    }
    return FacetsRecord(total=results.total, facets=facets)


def report(portal: Portal, name: str, task: int = 0, **more: Any) -> ReportRecord:
    """One report as a record; `more` are further facts of reports on the catalogue."""
    table = report_table(portal, name, task, **more)
    return ReportRecord(
        name=name, title=REPORTS[name], columns=list(table.columns), rows=[list(row) for row in table.rows]
    )


def report_table(portal: Portal, name: str, task: int = 0, which: int = 0, **more: Any) -> Table:
    """One report as a table; that of a task needs its number, `which` makes one on the catalogue that of a task."""
    if name in TASK_REPORTS:
        return TASK_REPORTS[name].table(ended_visits(_visits(portal, task)))
    if name in CATALOGUE_REPORTS:
        history = portal.past.history if portal.past else None
        chosen = Filter(task=which) if which else ALL
        facts = CatalogueFacts(portal.catalogue, portal.topics, partial(_hunts, portal), chosen, history, **more)
        return CATALOGUE_REPORTS[name].table(facts)
    return _facet_table(portal, name)


def _visits(portal: Portal, task: int) -> Iterable[Mapping[str, Any]]:
    """Of no task where it is 0: whoever calls has chosen one that the visitor may see."""
    return portal.tasks.visits(task) if portal.tasks is not None and task else ()


def _hunts(portal: Portal) -> Iterator[Mapping[str, Any]]:
    if portal.tasks is not None:
        yield from sources_of(portal.tasks.control.tasks())


def _facet_table(portal: Portal, name: str) -> Table:
    results = portal.index.search(Query(limit=1, facet_values=FACET_VALUES))
    if name == "totals":
        return Table(("what", "count"), _totals(portal, results))
    facet = _FACETS[name]
    counts = results.facets.get(facet, {})
    rows = [(value, portal.facet_title(facet, value), count) for value, count in counts.items()]
    return Table((facet, "title", "services"), list(rows))


def _totals(portal: Portal, results: Results) -> list[tuple[Cell, ...]]:
    services, layers = portal.catalogue.count()
    kinds, countries = len(results.facets.get("kind", {})), len(results.facets.get("country", {}))
    return [("services", services), ("layers", layers), ("kinds", kinds), ("countries", countries)]
