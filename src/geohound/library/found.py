"""What searching, identifying and crawling bring, made to be printed, shown in a notebook, and handed on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from geohound.model.query import Hit, Query, Results
from geohound.model.service import Refusal, Service, Verdict

from .showing import html_table, map_svg, text_table

if TYPE_CHECKING:
    import geopandas
    import pyarrow as pa

_COLUMNS = ("kind", "title", "layers", "state", "endpoint")
_NAMES = ("id", "kind", "title", "abstract", "endpoint", "version", "provider", "licence", "state", "score", "why",
          "layers", "layer_count", "bbox")  # fmt: skip


class Found(Sequence[Hit]):
    """The hits of one search, best first, with their total and facets."""

    def __init__(self, query: Query, results: Results) -> None:
        self.query = query
        self.total = results.total
        self.elapsed_ms = results.elapsed_ms
        self.suggestion = results.suggestion
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

    def to_records(self) -> list[dict[str, Any]]:
        """A plain dictionary for each hit."""
        return [_record(hit) for hit in self]

    def to_geodataframe(self) -> geopandas.GeoDataFrame:
        """A GeoDataFrame with the box of each service; needs geopandas."""
        try:
            import geopandas  # noqa: PLC0415 - large, and only wanted here
            from shapely.geometry import MultiPolygon, box  # noqa: PLC0415
        except ImportError:
            raise ImportError("GeoDataFrames need geopandas: pip install geopandas") from None
        shapes = [
            MultiPolygon([box(*part.as_tuple()) for part in extent.box.parts()])
            if (extent := hit.service.extent) and extent.box
            else None
            for hit in self
        ]
        return geopandas.GeoDataFrame(self.to_records(), columns=_NAMES, geometry=shapes, crs="EPSG:4326")

    def to_arrow(self) -> pa.Table:
        """An Arrow table; needs pyarrow."""
        try:
            import pyarrow as pa  # noqa: PLC0415 - large, and only wanted here
        except ImportError:
            raise ImportError("Arrow tables need pyarrow: pip install pyarrow") from None
        return pa.Table.from_pylist(self.to_records(), schema=_schema(pa))

    def __repr__(self) -> str:
        return f"{self._heading()}\n{text_table(_COLUMNS, self._rows())}" if self._hits else self._heading()

    def _repr_html_(self) -> str:
        boxes = [hit.service.extent.box if hit.service.extent else None for hit in self]
        return map_svg(boxes, self.query.bbox) + html_table(self._heading(), _COLUMNS, self._rows())

    def _heading(self) -> str:
        shown = f", {len(self)} of them here" if len(self) < self.total else ""
        hint = f" Did you mean “{self.suggestion}”?" if self.suggestion else ""
        return f"{self.total:,} {'service' if self.total == 1 else 'services'}{shown}.{hint}"

    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (h.service.kind, h.service.title or "(no title)", str(h.layer_count), str(h.state), h.service.endpoint)
            for h in self
        ]


def _record(hit: Hit) -> dict[str, Any]:
    service = hit.service
    box = service.extent.box if service.extent else None
    return {
        "id": service.id,
        "kind": service.kind,
        "title": service.title,
        "abstract": service.abstract,
        "endpoint": service.endpoint,
        "version": service.version,
        "provider": service.provider.name,
        "licence": service.access.licence,
        "state": str(hit.state),
        "score": hit.score,
        "why": hit.why,
        "layers": [layer.name for layer in hit.layers],
        "layer_count": hit.layer_count,
        "bbox": list(box.as_tuple()) if box else None,
    }


def _schema(arrow: Any) -> Any:
    """Types said outright: a column of nothing but gaps has none of its own."""
    special = {
        "score": arrow.float64(),
        "layer_count": arrow.int64(),
        "layers": arrow.list_(arrow.string()),
        "bbox": arrow.list_(arrow.float64()),
    }
    return arrow.schema([(name, special.get(name, arrow.string())) for name in _NAMES])


@dataclass(frozen=True, slots=True, repr=False)
class Identified:
    """What an address is: the services that live there, or why there is none."""

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

    def __iter__(self) -> Iterator[Service]:
        return iter(self.services)

    def __repr__(self) -> str:
        return f"{self._heading()}\n{text_table(_COLUMNS[:3], self._rows())}" if self else self._heading()

    def _repr_html_(self) -> str:
        boxes = [s.extent.box if s.extent else None for s in self.services]
        return (map_svg(boxes) if self else "") + html_table(self._heading(), _COLUMNS[:3], self._rows())

    def _heading(self) -> str:
        if self:
            return f"{self.url} is {', '.join(service.kind for service in self.services)}."
        refusal = self.verdict.refusal
        reason = (
            f"{refusal.reason}{f' ({refusal.detail})' if refusal.detail else ''}" if refusal else "nothing answered"
        )
        return f"{self.url} is no service: {reason}."

    def _rows(self) -> list[tuple[str, ...]]:
        return [(f"{s.kind} {s.version}".strip(), s.title or "(no title)", str(len(s.layers))) for s in self.services]


@dataclass(frozen=True, slots=True, repr=False)
class Crawled:
    """How a crawl went, and where what it found is kept."""

    catalogue: str
    summary: Mapping[str, Any]

    def __repr__(self) -> str:
        told = self.summary
        end = "finished" if told["finished"] else f"{told['queue']:,} addresses left"
        return (
            f"{told['services']:,} services with {told['layers']:,} layers on {told['hosts']:,} hosts, "
            f"{told['pages']:,} pages in {told['elapsed_s']:.1f} s, {end}. Catalogue: {self.catalogue}"
        )
