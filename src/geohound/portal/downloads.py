"""Results as files: a search in any export format, sent as it is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from geohound.contracts import Exporter
from geohound.model.health import assess
from geohound.model.search.query import Query
from geohound.model.user_error import UserError
from geohound.views.exporting import Exporting
from geohound.views.parsing import check_choice

from .json_responses import OPEN
from .portal import Portal, portal_of

_PAGED = ("json", "jsonl")  # answered by the operations themselves


def wants_export(request: Request) -> bool:
    """Is another format than those of every list asked for? ParameterError where there is none of that name."""
    asked = request.query_params.get("f", "json")
    check_choice("f", asked, [*_PAGED, *portal_of(request).exporters])
    return asked.lower() not in _PAGED


def exported(request: Request, query: Query) -> Response:
    """All results, whatever page was asked for."""
    portal = portal_of(request)
    exporter = portal.exporters[request.query_params["f"].lower()]
    try:
        pieces = _exporting(portal).write(exporter, query)
    except UserError as error:
        raise HTTPException(501, str(error)) from None
    return _file(request, exporter, pieces, "geohound")


def layer_file(request: Request) -> Response:
    """GET /services/{id}/layers.qlr: one layer, or all of a service, for QGIS"""
    portal = portal_of(request)
    service = portal.catalogue.get(request.path_params["id"])
    exporter = portal.exporters.get("qlr")
    if service is None or exporter is None:
        raise HTTPException(404, "This service is not in the catalogue.")
    name = request.query_params.get("layer", "")
    layers = (
        tuple(layer for layer in service.layers if layer.name == name) or service.layers
    )
    chosen = replace(service, layers=layers)
    state = assess(portal.catalogue.checks(service.id)).state
    return _file(
        request,
        exporter,
        _exporting(portal).write_one(exporter, chosen, state),
        f"geohound-{service.id}",
    )


def _exporting(portal: Portal) -> Exporting:
    return Exporting(portal.catalogue, portal.index, portal.kinds, portal.all_reachable)


def _file(
    request: Request, exporter: Exporter, pieces: Iterable[bytes], name: str
) -> Response:
    headers = {
        **OPEN,
        "Content-Disposition": f'attachment; filename="{name}.{exporter.extension}"',
    }
    sent = pieces if request.method != "HEAD" else ()
    return StreamingResponse(sent, headers=headers, media_type=exporter.media_type)
