"""GeoParquet 1.1: a table with a geometry, for DuckDB, GeoPandas and QGIS; needs pyarrow."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from geohound.model.export import ExportedService
from geohound.model.user_error import UserError

from ._part import ExportFormat
from ._table import COLUMNS, SIDES, rings, row

_ROWS_IN_A_GROUP = 200
_POLYGON, _MULTIPOLYGON = 3, 6  # of WKB
_TEXTS = tuple(name for name in COLUMNS if name not in (*SIDES, "layer_count"))


class _Pieces:
    """A file that hands on what was written to it."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._at = 0
        self.closed = False

    def write(self, data: Any) -> int:
        self._pieces.append(bytes(data))
        self._at += len(self._pieces[-1])
        return len(self._pieces[-1])

    def tell(self) -> int:
        return self._at

    def flush(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True

    def readable(self) -> bool:
        return False

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def take(self) -> bytes:
        taken, self._pieces = b"".join(self._pieces), []
        return taken


def _write(services: Iterable[ExportedService]) -> Iterable[bytes]:
    try:
        import pyarrow as pa  # noqa: PLC0415 - 150 MB, for this format only
        import pyarrow.parquet as pq  # noqa: PLC0415 - as above
    except ImportError:
        raise UserError(
            "GeoParquet needs pyarrow: pip install 'geohound[geoparquet]'."
        ) from None
    return _pieces(services, pa, pq)


def _pieces(services: Iterable[ExportedService], pa: Any, pq: Any) -> Iterator[bytes]:
    sides = pa.struct(
        [(name, pa.float64()) for name in ("xmin", "ymin", "xmax", "ymax")]
    )
    columns = [(name, pa.string()) for name in _TEXTS]
    more = [("layer_count", pa.int64()), ("bbox", sides), ("geometry", pa.binary())]
    schema = pa.schema([*columns, *more], metadata={"geo": json.dumps(_METADATA)})
    file = _Pieces()
    with pq.ParquetWriter(
        pa.PythonFile(file, mode="w"), schema, compression="zstd"
    ) as writer:
        coming = iter(services)
        while some := list(islice(coming, _ROWS_IN_A_GROUP)):
            writer.write_table(
                pa.Table.from_pylist([_row(each) for each in some], schema=schema)
            )
            yield file.take()
    yield file.take()


def _row(each: ExportedService) -> dict[str, Any]:
    flat, box = row(each.record), each.record["bbox"]
    texts = {
        name: value and str(value).encode("utf-8", "replace").decode()
        for name, value in flat.items()
    }
    covering = (
        dict(zip(("xmin", "ymin", "xmax", "ymax"), box, strict=True)) if box else None
    )
    return {
        **{name: texts[name] for name in _TEXTS},
        "layer_count": flat["layer_count"],
        "bbox": covering,
        "geometry": _wkb(box) if box else None,
    }


def _wkb(box: list[float]) -> bytes:
    polygons = [
        struct.pack("<BIII", 1, _POLYGON, 1, len(ring))
        + b"".join(struct.pack("<dd", *point) for point in ring)
        for ring in rings(box)
    ]
    if len(polygons) == 1:
        return polygons[0]
    return struct.pack("<BII", 1, _MULTIPOLYGON, len(polygons)) + b"".join(polygons)


_COVERED = {name: ["bbox", name] for name in ("xmin", "ymin", "xmax", "ymax")}
_METADATA = {
    "version": "1.1.0",
    "primary_column": "geometry",
    "columns": {
        "geometry": {
            "encoding": "WKB",
            "geometry_types": ["Polygon", "MultiPolygon"],
            "covering": {"bbox": _COVERED},
        }
    },
}
EXPORTERS = (
    ExportFormat(
        "geoparquet", "GeoParquet", "application/vnd.apache.parquet", "parquet", _write
    ),
)
