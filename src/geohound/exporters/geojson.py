"""Boxes on a map: a GeoJSON feature for each service (RFC 7946)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from geohound.model.export import ExportedService

from ._part import ExportFormat
from ._table import SIDES, rings, row


def _write(services: Iterable[ExportedService]) -> Iterator[bytes]:
    yield b'{"type":"FeatureCollection","features":['
    for number, each in enumerate(services):
        yield (b",\n" if number else b"\n") + json.dumps(
            _feature(each), separators=(",", ":")
        ).encode()
    yield b"\n]}\n"


def _feature(each: ExportedService) -> dict[str, Any]:
    box = each.record["bbox"]
    properties = {
        name: value for name, value in row(each.record).items() if name not in SIDES
    }
    feature = {
        "type": "Feature",
        "id": each.record["id"],
        "geometry": _geometry(box),
        "properties": properties,
    }
    return {**feature, "bbox": box} if box else feature


def _geometry(box: list[float] | None) -> dict[str, Any] | None:
    if not box:
        return None
    outlines = rings(box)
    if len(outlines) == 1:
        return {"type": "Polygon", "coordinates": outlines}
    return {"type": "MultiPolygon", "coordinates": [[ring] for ring in outlines]}


EXPORTERS = (
    ExportFormat("geojson", "GeoJSON", "application/geo+json", "geojson", _write),
)
