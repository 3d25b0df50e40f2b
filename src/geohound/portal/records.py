"""What the API answers with beside services: lists, facets, ways into a layer, tasks, reports; and all schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from geohound.views.files import FilesRecord
from geohound.views.known import KnownService, Timestamp
from geohound.views.opening import OpeningRecord
from geohound.views.params import SearchParams
from geohound.views.records import (
    BriefService,
    Count,
    Cursor,
    FoundLayer,
    LayerRecord,
    ResultsRecord,
    Total,
)


class ProblemRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong, as RFC 9457 has it."""

    type: str
    title: str
    status: int
    detail: str


class ServicesRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A page of services."""

    services: list[BriefService]
    total: Count
    next: Cursor


class LayersRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A page of a service's layers."""

    layers: list[LayerRecord]
    total: Count
    next: Cursor


class FoundLayers(msgspec.Struct, frozen=True, kw_only=True):
    """A page of layers that match."""

    layers: list[FoundLayer]
    total: Total
    next: Cursor


class FacetValue(msgspec.Struct, frozen=True, kw_only=True):
    """One value of a facet, and how many services have it."""

    value: str
    title: str
    count: Count


class FacetsRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What the matching services are counted by."""

    total: Total
    facets: Annotated[
        dict[str, list[FacetValue]],
        Meta(description="Of each facet the 500 most frequent values, that one first."),
    ]


class TaskRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One task."""

    id: Count
    kind: str
    state: str
    wanted: str
    ending: str | None
    created_at: Timestamp | None
    finished_at: Timestamp | None
    seeds: list[str]
    queries: list[str]
    owner: str
    counters: dict[str, Any]


class TasksRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the tasks, the latest first."""

    tasks: list[TaskRecord]
    total: Count
    next: Cursor


_DATE = "^[12][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"


class ReportParams(SearchParams, frozen=True, kw_only=True):
    """What a report is about: the catalogue, what a search finds, or what a task has met."""

    task: Annotated[
        int,
        Meta(
            ge=0,
            le=999_999_999,
            description="number of the task, for reports on one; 0: the latest",
        ),
    ] = 0
    radius: Annotated[
        float, Meta(ge=1, le=5_000, description="of the density, in miles")
    ] = 150.0
    f: Annotated[
        Literal["json", "csv", "svg", "png"], Meta(description="as a table, or drawn")
    ] = "json"
    since: Annotated[
        str,
        Meta(
            pattern=_DATE,
            description="a date such as 2026-01-31, for changes since then",
        ),
    ] = ""
    until: Annotated[
        str,
        Meta(
            pattern=_DATE,
            description="a date such as 2026-01-31, for country-growth the later of two",
        ),
    ] = ""


class ReportName(msgspec.Struct, frozen=True, kw_only=True):
    """A report that can be asked for."""

    name: str
    title: str


class ReportsRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The reports that there are."""

    reports: list[ReportName]


class ReportRecord(ReportName, frozen=True, kw_only=True):
    """A report as a table."""

    columns: list[str]
    rows: list[list[Any]]


class StatusRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Does the catalogue answer, and how much is in it?"""

    status: str
    version: str
    services: Count
    layers: Count


_ANSWERS = (
    ProblemRecord, ResultsRecord, FoundLayers, FacetsRecord, ServicesRecord, KnownService, LayersRecord, OpeningRecord,
    TasksRecord, ReportsRecord, ReportRecord, StatusRecord, FilesRecord,
)  # fmt: skip


def schemas() -> Mapping[str, Any]:
    """The schemas of all answers, by the name of their type."""
    _, components = msgspec.json.schema_components(
        _ANSWERS, ref_template="#/components/schemas/{name}"
    )
    return components


def named(kind: type[msgspec.Struct]) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{kind.__name__}"}
