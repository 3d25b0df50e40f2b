"""Services, layers, hits and the ways into them as plain records for JSON."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from geohound.model.bbox import BBox
from geohound.model.query import Hit, Results
from geohound.model.service import Extent, Layer, Service
from geohound.opening import Opening

from .showing import box_of


def results_record(results: Results, cursor: str | None) -> dict[str, Any]:
    return {
        "hits": [hit_record(hit) for hit in results.hits],
        "total": results.total,
        "elapsed_ms": round(results.elapsed_ms, 3),
        "facets": {name: dict(counts) for name, counts in results.facets.items()},
        "suggestion": results.suggestion,
        "partial": results.partial,
        "next": cursor,
    }


def hit_record(hit: Hit) -> dict[str, Any]:
    return {
        "id": hit.service.id,
        "kind": hit.service.kind,
        "endpoint": hit.service.endpoint,
        "title": hit.service.title,
        "score": round(hit.score, 6),
        "bbox": bbox_record(hit.service),
        "layers": [brief_layer(la) for la in hit.layers],
        "match_count": hit.match_count,
        "layer_count": hit.layer_count,
        "state": hit.state,
        "why": hit.why,
        "also": list(hit.also),
    }


def brief_layer(layer: Layer) -> dict[str, Any]:
    return {"name": layer.name, "title": layer.title, "bbox": bbox_record(layer)}


def brief_service(service: Service) -> dict[str, Any]:
    """What a list says of each service; the rest is at its own address."""
    return {
        "id": service.id,
        "kind": service.kind,
        "endpoint": service.endpoint,
        "title": service.title,
        "abstract": service.abstract,
        "keywords": list(service.keywords),
        "provider": service.provider.name,
        "licence": service.access.licence,
        "bbox": bbox_record(service),
        "layer_count": len(service.layers),
    }


def service_record(service: Service, limit: int, offset: int) -> dict[str, Any]:
    """All that is known of a service, with one page of its layers."""
    shown = service.layers[offset : offset + limit]
    record = asdict(replace(service, layers=(), grids=()))
    del record["grids"]  # how tiles are cut is told by the tile's address itself
    return record | {
        "id": service.id,
        "bbox": bbox_record(service),
        "extent": _extent(service.extent),
        "layers": [layer_record(la) for la in shown],
        "layer_count": len(service.layers),
    }


def layer_record(layer: Layer) -> dict[str, Any]:
    return asdict(layer) | {"bbox": bbox_record(layer), "extent": _extent(layer.extent)}


def opening_record(opening: Opening) -> dict[str, Any]:
    return {
        "bbox": _rounded(opening.box),
        "links": [asdict(link) for link in opening.links],
        "snippets": [asdict(snippet) for snippet in opening.snippets],
    }


def bbox_record(thing: Service | Layer) -> list[float] | None:
    return _rounded(box_of(thing))


def _rounded(box: BBox | None) -> list[float] | None:
    """A millionth of a degree is a hand's breadth; more digits are noise."""
    return [round(edge, 6) for edge in box.as_tuple()] if box else None


def _extent(extent: Extent | None) -> dict[str, Any] | None:
    if extent is None:
        return None
    # JSON has no NaN or infinity, and a broken service may well declare them.
    declared = [v if abs(v) < float("inf") else None for v in extent.declared]
    return {
        "bbox": _rounded(extent.box),
        "declared": declared,
        "crs": extent.crs,
        "faults": list(extent.faults),
    }
