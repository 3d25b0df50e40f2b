"""Services as plain records, and those as a GeoDataFrame or an Arrow table where the user has these."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from geohound.model.bbox import BBox
from geohound.model.service import Layer, Service

if TYPE_CHECKING:
    import geopandas
    import pyarrow as pa


class Handed(ABC):
    """What can be handed on to programs that work with tables; subclasses say what the records are."""

    __slots__ = ()
    also: ClassVar[tuple[str, ...]] = ()  # columns beside those of every service

    @abstractmethod
    def to_records(self) -> list[dict[str, Any]]:
        """A plain dictionary for each service."""

    def to_geodataframe(self) -> geopandas.GeoDataFrame:
        """A GeoDataFrame with the box of each service; needs geopandas."""
        try:
            import geopandas  # noqa: PLC0415 - large, and only wanted here
            from shapely.geometry import MultiPolygon, box  # noqa: PLC0415
        except ImportError:
            raise ImportError("GeoDataFrames need geopandas: pip install geopandas") from None
        records = self.to_records()
        shapes = [
            MultiPolygon([box(*part.as_tuple()) for part in BBox(*record["bbox"]).parts()]) if record["bbox"] else None
            for record in records
        ]
        return geopandas.GeoDataFrame(records, geometry=shapes, columns=[*COLUMNS, *self.also], crs="EPSG:4326")

    def to_arrow(self) -> pa.Table:
        """An Arrow table; needs pyarrow."""
        try:
            import pyarrow as pa  # noqa: PLC0415 - large, and only wanted here
        except ImportError:
            raise ImportError("Arrow tables need pyarrow: pip install pyarrow") from None
        return pa.Table.from_pylist(self.to_records(), schema=_schema(pa, [*COLUMNS, *self.also]))


def service_record(service: Service, state: str, layers: Sequence[Layer], layer_count: int) -> dict[str, Any]:
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
        "state": state,
        "layers": [layer.name for layer in layers],
        "layer_count": layer_count,
        "bbox": list(box.as_tuple()) if box else None,
    }


COLUMNS = list(service_record(Service("", ""), "", (), 0))


def _schema(arrow: Any, names: Sequence[str]) -> Any:
    """Types said outright: a column of nothing but gaps has none of its own."""
    special = {
        "score": arrow.float64(),
        "layer_count": arrow.int64(),
        "layers": arrow.list_(arrow.string()),
        "bbox": arrow.list_(arrow.float64()),
    }
    return arrow.schema([(name, special.get(name, arrow.string())) for name in names])
