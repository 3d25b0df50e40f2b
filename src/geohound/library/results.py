"""Results of search, identify and crawl: printable, displayed in notebooks, and convertible to tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, overload

from geohound.model.bbox import BBox
from geohound.model.health import HealthState
from geohound.model.search.query import Hit, Query, Results
from geohound.model.service import Refusal, Service, Verdict
from geohound.views.encoding import plain
from geohound.views.records import HitRecord, ServiceRecord, hit_record, service_record

from .display import html_table, map_svg, text_table

if TYPE_CHECKING:
    import geopandas
    import pyarrow as pa


class TabularResult(ABC):
    """A result that converts to records, a GeoDataFrame or an Arrow table; subclasses provide the records."""

    __slots__ = ()
    # columns beside those of every service
    extra_columns: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def records(self) -> Sequence[HitRecord | ServiceRecord]:
        """The record of each service."""

    def to_records(self) -> list[dict[str, Any]]:
        """A plain dictionary for each service, as the command line prints it with --json."""
        return [plain(record) for record in self.records()]

    def to_rows(self) -> list[dict[str, Any]]:
        """A flat dictionary for each service: a row of a table."""
        return [_row(record, self.extra_columns) for record in self.records()]

    def to_geodataframe(self) -> geopandas.GeoDataFrame:
        """A GeoDataFrame with the box of each service; needs geopandas."""
        try:
            import geopandas  # noqa: PLC0415 - large, and only needed here
            from shapely.geometry import MultiPolygon, box  # noqa: PLC0415
        except ImportError:
            raise ImportError(
                "GeoDataFrames need geopandas: pip install geopandas"
            ) from None
        rows = self.to_rows()
        shapes = [
            MultiPolygon([box(*part.as_tuple()) for part in BBox(*row["bbox"]).parts()])
            if row["bbox"]
            else None
            for row in rows
        ]
        return geopandas.GeoDataFrame(
            rows,
            geometry=shapes,
            columns=[*COLUMNS, *self.extra_columns],
            crs="EPSG:4326",
        )

    def to_arrow(self) -> pa.Table:
        """An Arrow table; needs pyarrow."""
        try:
            import pyarrow as pa  # noqa: PLC0415 - large, and only needed here
        except ImportError:
            raise ImportError(
                "Arrow tables need pyarrow: pip install pyarrow"
            ) from None
        return pa.Table.from_pylist(
            self.to_rows(), schema=_schema(pa, [*COLUMNS, *self.extra_columns])
        )


def _row(
    record: HitRecord | ServiceRecord, extra_columns: Sequence[str] = ()
) -> dict[str, Any]:
    return {
        "id": record.id,
        "kind": record.kind,
        "title": record.title,
        "abstract": record.abstract,
        "endpoint": record.endpoint,
        "version": record.version,
        "provider": record.provider.name,
        "licence": record.access.licence,
        "state": str(record.state),
        "layers": [layer.name for layer in record.layers],
        "layer_count": record.layer_count,
        "bbox": record.bbox,
        **{name: getattr(record, name) for name in extra_columns},
    }


COLUMNS = list(_row(service_record(Service("", ""), HealthState.UNKNOWN)))


def _schema(arrow: Any, names: Sequence[str]) -> Any:
    """Explicit types: an empty column has none of its own."""
    special = {
        "score": arrow.float64(),
        "layer_count": arrow.int64(),
        "layers": arrow.list_(arrow.string()),
        "bbox": arrow.list_(arrow.float64()),
    }
    return arrow.schema([(name, special.get(name, arrow.string())) for name in names])


_ROWS_SHOWN, _BOXES_SHOWN = 20, 200  # of a crawl
_CRAWLED_COLUMNS = ("kind", "title", "layers", "endpoint")
_COLUMNS = ("kind", "title", "layers", "state", "endpoint")


class SearchResult(TabularResult, Sequence[Hit]):
    """The hits of one search, best first, with their total and facets."""

    extra_columns = ("score", "why")

    def __init__(self, query: Query, results: Results) -> None:
        self.query = query
        self.total = results.total
        self.elapsed_ms = results.elapsed_ms
        self.suggestion = results.suggestion
        self.related = results.related
        self.facets: Mapping[str, Mapping[str, int]] = results.facets
        self._hits = results.hits

    @overload
    def __getitem__(self, index: int) -> Hit: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Hit]: ...

    def __getitem__(self, index: int | slice) -> Hit | Sequence[Hit]:
        return self._hits[index]

    def __len__(self) -> int:
        return len(self._hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self._hits)

    def records(self) -> list[HitRecord]:
        return [hit_record(hit) for hit in self]

    def __repr__(self) -> str:
        return (
            f"{self._heading()}\n{text_table(_COLUMNS, self._rows())}"
            if self._hits
            else self._heading()
        )

    def _repr_html_(self) -> str:
        boxes = [hit.service.extent.box if hit.service.extent else None for hit in self]
        return map_svg(boxes, self.query.bbox) + html_table(
            self._heading(), _COLUMNS, self._rows()
        )

    def _heading(self) -> str:
        shown = f", {len(self)} of them here" if len(self) < self.total else ""
        hint = f" Did you mean “{self.suggestion}”?" if self.suggestion else ""
        return f"{self.total:,} {'service' if self.total == 1 else 'services'}{shown}.{hint}"

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (
                h.service.kind,
                h.service.title or "(no title)",
                str(h.layer_count),
                str(h.state),
                h.service.endpoint,
            )
            for h in self
        ]


@dataclass(frozen=True, slots=True, repr=False)
class Identified(TabularResult):
    """What an address is: the services there, or why there is none."""

    url: str
    verdict: Verdict

    @property
    def services(self) -> tuple[Service, ...]:
        return self.verdict.services

    @property
    def refusal(self) -> Refusal | None:
        return None if self.services else self.verdict.refusal

    def __bool__(self) -> bool:
        return bool(self.services)

    def __len__(self) -> int:
        return len(self.services)

    def __iter__(self) -> Iterator[Service]:
        return iter(self.services)

    def records(self) -> list[ServiceRecord]:
        """The services that answered, hence alive."""
        return [service_record(service, HealthState.ALIVE) for service in self.services]

    def __repr__(self) -> str:
        return (
            f"{self._heading()}\n{text_table(_COLUMNS[:3], self._rows())}"
            if self
            else self._heading()
        )

    def _repr_html_(self) -> str:
        boxes = [s.extent.box if s.extent else None for s in self.services]
        return (map_svg(boxes) if self else "") + html_table(
            self._heading(), _COLUMNS[:3], self._rows()
        )

    def _heading(self) -> str:
        if self:
            return (
                f"{self.url} is {', '.join(service.kind for service in self.services)}."
            )
        refusal = self.verdict.refusal
        reason = (
            f"{refusal.reason}{f' ({refusal.detail})' if refusal.detail else ''}"
            if refusal
            else "nothing answered"
        )
        return f"{self.url} is no service: {reason}."

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (
                f"{s.kind} {s.version}".strip(),
                s.title or "(no title)",
                str(len(s.layers)),
            )
            for s in self.services
        ]


@dataclass(frozen=True, slots=True, repr=False)
class Crawled(TabularResult):
    """The summary of a crawl and its services, which are read from the catalogue during iteration."""

    catalogue: str
    summary: Mapping[str, Any]
    read_services: Callable[[], Iterator[Service]] = field(
        default=lambda: iter(()), compare=False
    )

    def __iter__(self) -> Iterator[Service]:
        """Every service that this crawl found, in the order of the catalogue."""
        return self.read_services()

    def records(self) -> list[ServiceRecord]:
        """Each service answered during the crawl, hence alive."""
        return [service_record(service, HealthState.ALIVE) for service in self]

    def __repr__(self) -> str:
        shown = list(islice(self, _ROWS_SHOWN))
        return (
            f"{self._heading()}\n{text_table(_CRAWLED_COLUMNS, _rows(shown))}"
            if shown
            else self._heading()
        )

    def _repr_html_(self) -> str:
        shown = list(islice(self, _BOXES_SHOWN))
        boxes = [s.extent.box if s.extent else None for s in shown]
        table = html_table(
            self._heading(), _CRAWLED_COLUMNS, _rows(shown[:_ROWS_SHOWN])
        )
        return (map_svg(boxes) if shown else "") + table

    def _heading(self) -> str:
        summary = self.summary
        end = (
            "finished"
            if summary["finished"]
            else f"{summary['queue']:,} addresses left"
        )
        return (
            f"{summary['services']:,} services with {summary['layers']:,} layers on {summary['hosts']:,} hosts, "
            f"{summary['pages']:,} pages in {summary['elapsed_s']:.1f} s, {end}. Catalogue: {self.catalogue}"
        )


def _rows(services: Sequence[Service]) -> list[tuple[str, ...]]:
    return [
        (s.kind, s.title or "(no title)", str(len(s.layers)), s.endpoint)
        for s in services
    ]
