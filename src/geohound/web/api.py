"""The JSON side of the portal: search and services for programs, troubles as problem documents."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import datetime
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from geohound.model.bbox import BBox
from geohound.model.query import Hit
from geohound.model.service import Extent, Layer, Service

from .asking import MAX_OFFSET, read_query, read_whole
from .finding import find
from .portal import portal_of
from .showing import box_of

_MAX_LAYERS = 1_000
_DEFAULT_LAYERS = 100
# Reading is public and no answer depends on who asks, so that other sites' pages may read too.
_OPEN = {"Access-Control-Allow-Origin": "*"}


def search(request: Request) -> Response:
    """GET /api/v1/search"""
    portal = portal_of(request)
    query = read_query(request.query_params, portal.kinds)
    results = find(portal.catalogue, query)
    return _answer(
        {
            "hits": [hit_record(hit) for hit in results.hits],
            "total": results.total,
            "elapsed_ms": round(results.elapsed_ms, 3),
            "facets": {name: dict(counts) for name, counts in results.facets.items()},
        }
    )


def service(request: Request) -> Response:
    """GET /api/v1/services/{id}; layers in pages, since one service may have thousands"""
    catalogue = portal_of(request).catalogue
    limit = read_whole(request.query_params, "limit", _DEFAULT_LAYERS, (1, _MAX_LAYERS))
    offset = read_whole(request.query_params, "offset", 0, (0, MAX_OFFSET * 100))
    found = catalogue.get(request.path_params["id"])
    if found is None:
        raise HTTPException(404, "There is no service of this id in the catalogue.")
    record = service_record(found, limit, offset)
    record["health"] = asdict(catalogue.health(found.id))
    record["sightings"] = [asdict(s) for s in catalogue.sightings(found.id)]
    return _answer(record)


def hit_record(hit: Hit) -> dict[str, Any]:
    return {
        "id": hit.service.id,
        "kind": hit.service.kind,
        "endpoint": hit.service.endpoint,
        "title": hit.service.title,
        "score": round(hit.score, 6),
        "bbox": _bbox(hit.service),
        "layers": [{"name": la.name, "title": la.title, "bbox": _bbox(la)} for la in hit.layers],
        "match_count": hit.match_count,
        "layer_count": hit.layer_count,
        "state": hit.state,
        "why": hit.why,
    }


def service_record(service: Service, limit: int, offset: int) -> dict[str, Any]:
    """All that is known of a service, with one page of its layers."""
    shown = service.layers[offset : offset + limit]
    record = asdict(replace(service, layers=()))
    record |= {
        "id": service.id,
        "bbox": _bbox(service),
        "extent": _extent(service.extent),
        "layers": [asdict(la) | {"bbox": _bbox(la), "extent": _extent(la.extent)} for la in shown],
        "layer_count": len(service.layers),
    }
    return record


def problem(status: int, sentence: str, parameter: str = "") -> Response:
    """An RFC 9457 problem document."""
    record: dict[str, Any] = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status}
    record["detail"] = sentence
    if parameter:
        record["parameter"] = parameter
    return _answer(record, status, "application/problem+json")


def _bbox(thing: Service | Layer) -> list[float] | None:
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


def _answer(record: dict[str, Any], status: int = 200, media_type: str = "application/json") -> Response:
    # ASCII output: crawled text may hold lone surrogates, which UTF-8 cannot carry.
    text = json.dumps(record, default=_as_text, allow_nan=False, separators=(",", ":"))
    return Response(text, status, headers=_OPEN, media_type=media_type)


def _as_text(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
