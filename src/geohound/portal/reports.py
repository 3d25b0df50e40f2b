"""Counts over the catalogue, a search or a task: facets with words for people, and the reports made of them."""

from __future__ import annotations

from calendar import monthrange
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import Any

from geohound import urls
from geohound.model.catalogue import ALL, Filter
from geohound.model.notes import NO_VERDICTS, Verdicts, verdicts
from geohound.model.search.query import Query, Results
from geohound.reports import (
    CATALOGUE_REPORTS,
    TASK_REPORTS,
    CatalogueFacts,
    Cell,
    EndedVisit,
    Table,
)
from geohound.reports import REPORTS as OTHER_REPORTS
from geohound.reports.countries import UNKNOWN, country_of
from geohound.tasks.source_yields import sources_of
from geohound.views.exporting import all_hits

from .portal import Portal
from .records import FacetsRecord, FacetValue, ReportParams, ReportRecord

_FACET_REPORTS = {
    "totals": "Services, layers, kinds and countries",
    "kinds": "Services by kind",
    "states": "Services by state",
    "providers": "Providers with most services",
    "licences": "Services by licence",
}
REPORTS: Mapping[str, str] = MappingProxyType(
    _FACET_REPORTS | {each.id: each.title for each in OTHER_REPORTS.values()}
)
_FACETS = {
    "kinds": "kind",
    "states": "state",
    "providers": "provider",
    "licences": "licence",
}
# more than there are kinds, countries or classes; of providers the first
FACET_VALUES = 500
MAX_SEARCHED = 20_000  # services that a report on a search is about: the best


@dataclass(frozen=True)
class ReportScope:
    """What a report is about, and what it needs to know."""

    task: int = 0  # of reports on one
    met_by: int = 0  # only services that this task has met
    query: Query | None = None  # only services that this search finds
    since: datetime | None = None
    until: datetime | None = None
    radius_miles: float = 0.0

    @property
    def is_whole(self) -> bool:
        return not self.met_by and self.query is None


def scope_of(asked: ReportParams, query: Query, task: int) -> ReportScope:
    """What the parameters say; `task` is one that the visitor may see."""
    is_search = bool(query.text or query.bbox or query.filters() or query.years)
    return ReportScope(
        task, asked.task, replace(query, fold=False, offset=0) if is_search else None,
        _date(asked.since), _end(_date(asked.until)), asked.radius,
    )  # fmt: skip


def _date(text: str) -> datetime | None:
    """A date; a day that its month does not have is its last."""
    if not text:
        return None
    year, month, day = map(int, text.split("-"))
    return datetime(year, month, min(day, monthrange(year, month)[1]), tzinfo=UTC)


def _end(day: datetime | None) -> datetime | None:
    return datetime.combine(day, time.max, UTC) if day else None


def facets_record(portal: Portal, results: Results) -> FacetsRecord:
    """Each facet's values, most frequent first, with their titles."""
    facets = {
        name: [
            FacetValue(value=v, title=portal.facet_title(name, v), count=n)
            for v, n in counts.items()
        ]
        for name, counts in results.facets.items()
    }
    return FacetsRecord(total=results.total, facets=facets)


def report(portal: Portal, name: str, scope: ReportScope) -> ReportRecord:
    table = report_table(portal, name, scope)
    rows = [list(row) for row in table.rows]
    return ReportRecord(
        name=name, title=REPORTS[name], columns=list(table.columns), rows=rows
    )


def report_table(portal: Portal, name: str, scope: ReportScope, **more: Any) -> Table:
    """One report as a table; `more` are further facts of reports on the catalogue."""
    if name in TASK_REPORTS:
        return TASK_REPORTS[name].table(_visits(portal, scope.task))
    if name in CATALOGUE_REPORTS:
        return CATALOGUE_REPORTS[name].table(facts_of(portal, scope, **more))
    return _facet_table(portal, name, scope)


def task_tables(portal: Portal, task: int) -> Mapping[str, Table]:
    """All reports on a task, by name: its visits, of which there may be many, are read once."""
    visits = _visits(portal, task)
    return {name: each.table(visits) for name, each in TASK_REPORTS.items()}


def facts_of(portal: Portal, scope: ReportScope, **more: Any) -> CatalogueFacts:
    return CatalogueFacts(
        portal.catalogue,
        portal.topics,
        partial(_hunts, portal),
        Filter(task=scope.met_by) if scope.met_by else ALL,
        portal.past.history if portal.past else None,
        scope.since,
        scope.until,
        scope.radius_miles,
        only=_found(portal, scope.query) if scope.query else None,
        judged=verdicts_of(portal),
        limit_s=portal.response_limit_s,
        **more,
    )


def verdicts_of(portal: Portal) -> Verdicts:
    """What people have said in this portal."""
    return verdicts(portal.notes.judgements()) if portal.notes else NO_VERDICTS


def _found(portal: Portal, query: Query) -> frozenset[str]:
    """The ids of what a search finds; all of its hits may be millions."""
    return frozenset(
        hit.service.id for hit in islice(all_hits(portal.index, query), MAX_SEARCHED)
    )


def _visits(portal: Portal, task: int) -> Sequence[EndedVisit]:
    """Of no task where it is 0: whoever calls has chosen one that the visitor may see."""
    return portal.tasks.visits(task) if portal.tasks is not None and task else ()


def _hunts(portal: Portal) -> Iterator[Mapping[str, Any]]:
    if portal.tasks is not None:
        yield from sources_of(portal.tasks.control.tasks())


def _facet_table(portal: Portal, name: str, scope: ReportScope) -> Table:
    if name == "totals":
        return Table(("what", "count"), _totals(portal, scope))
    facet = _FACETS[name]
    counts = _facet_counts(portal, facet, scope)
    rows = [
        (value, portal.facet_title(facet, value), count)
        for value, count in counts.items()
    ]
    return Table((facet, "title", "services"), list(rows))


def _facet_counts(portal: Portal, facet: str, scope: ReportScope) -> Mapping[str, int]:
    """Of a facet by which a search filters, the index counts the other values too; of tasks it knows nothing."""
    if not scope.is_whole and facet in ("kind", "state"):
        found = facts_of(portal, scope).services()
        return dict(Counter(str(getattr(each, facet)) for each in found).most_common())
    if scope.met_by:
        return {}
    asked = replace(scope.query or Query(), limit=1, facet_values=FACET_VALUES)
    return portal.index.search(asked).facets.get(facet, {})


def _totals(portal: Portal, scope: ReportScope) -> list[tuple[Cell, ...]]:
    """Layers are counted for the whole catalogue alone; for a part of it, hosts are."""
    if scope.is_whole:
        results = portal.index.search(Query(limit=1, facet_values=FACET_VALUES))
        services, layers = portal.catalogue.count()
        kinds = len(results.facets.get("kind", {}))
        countries = len(results.facets.get("country", {}))
        return [
            ("services", services),
            ("layers", layers),
            ("kinds", kinds),
            ("countries", countries),
        ]
    found = list(facts_of(portal, scope).services())
    hosts = len({urls.host(each.endpoint) for each in found})
    kinds = len({each.kind for each in found})
    countries = len({country_of(each)[0] for each in found} - {UNKNOWN})
    return [
        ("services", len(found)),
        ("hosts", hosts),
        ("kinds", kinds),
        ("countries", countries),
    ]
