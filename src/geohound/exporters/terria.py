"""A catalogue for TerriaMap: an initialization file with a member for each service that Terria can show."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from geohound.model.export import ExportedService
from geohound.model.layer_request import (
    ArcgisFeatures,
    ArcgisPicture,
    LayerRequest,
    ServerRequest,
    ServerType,
    VectorFile,
)
from geohound.model.service import Layer

from ._part import ExportFormat

_GROUPS = {
    ServerType.WMS: "wms-group",
    ServerType.WFS: "wfs-group",
    ServerType.WMTS: "wmts-group",
    ServerType.CSW: "csw-group",
    ServerType.THREDDS: "thredds-group",
    ServerType.WPS: "wps-getCapabilities",
}


def _write(services: Iterable[ExportedService]) -> Iterator[bytes]:
    yield b'{"catalog":[{"type":"group","name":"Geohound","isOpen":true,"members":['
    is_first = True
    for each in services:
        member = _member(each)
        if member:
            yield (b"\n" if is_first else b",\n") + json.dumps(member).encode()
            is_first = False
    yield b'\n]}],"homeCamera":{"north":80,"east":180,"south":-60,"west":-180}}\n'


def _member(each: ExportedService) -> dict[str, Any] | None:
    service = each.service
    layer = service.layers[0] if service.layers else Layer("")
    found = next(filter(None, map(_type_and_url, each.requests(layer))), None)
    if found is None:
        return None
    return {
        "type": found[0],
        "name": " ".join(service.title.split())[:200] or service.endpoint,
        "id": f"geohound-{each.record['id']}",
        "url": found[1],
        "description": service.abstract[:2000].replace("<", "&lt;"),
    }


def _type_and_url(request: LayerRequest) -> tuple[str, str] | None:
    match request:
        case ArcgisPicture(is_image=True):
            return "esri-imageServer", request.root
        case ArcgisPicture():
            return "esri-mapServer-group", request.root
        case ArcgisFeatures():
            return "esri-featureServer-group", request.root
        case VectorFile(driver="KML" | "LIBKML"):
            return "kml", request.url
        case ServerRequest() if request.server in _GROUPS:
            return _GROUPS[request.server], request.endpoint
        case _:
            return None


EXPORTERS = (
    ExportFormat(
        "terria",
        "Terria catalogue",
        "application/json",
        "json",
        _write,
        needs_layers=True,
    ),
)
