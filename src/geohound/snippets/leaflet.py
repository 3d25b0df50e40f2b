"""Layers on a web page with Leaflet; `map` is the page's own."""

from __future__ import annotations

from geohound.model.layer_request import (
    ArcgisPicture,
    FeatureRequest,
    LayerRequest,
    Picture,
    TileTemplate,
    WmsPicture,
    WmtsTile,
)
from geohound.model.service import Layer, Service

from ._quoting import corners, js, lines
from ._writer import Writer, is_json


def write(_service: Service, _layer: Layer, request: LayerRequest) -> str | None:
    match request:
        case WmsPicture():
            options = (
                f"layers: {js(request.name)}, version: {js(request.version)}, format: {js(request.media_type)}, "
                "transparent: true"
            )
            return lines(
                f"L.tileLayer.wms({js(request.base)}, {{ {options} }}).addTo(map);",
                _fit(request),
            )
        case ArcgisPicture():
            return _arcgis(request)
        case Picture():
            return lines(
                f"L.imageOverlay({js(request.url)}, [{corners(request.box)}]).addTo(map);",
                _fit(request),
            )
        case WmtsTile(template="") | TileTemplate(template=""):
            return None
        case TileTemplate(is_vector=True):
            template = js(request.template)
            return lines(
                "// with the plug-in Leaflet.VectorGrid",
                f"L.vectorGrid.protobuf({template}).addTo(map);",
            )
        case WmtsTile() | TileTemplate():
            return lines(
                f"L.tileLayer({js(request.template)}).addTo(map);", _fit(request)
            )
        case FeatureRequest() if is_json(request):
            return lines(
                f"const features = await (await fetch({js(request.url)})).json();",
                "L.geoJSON(features).addTo(map);",
                _fit(request),
            )
        case _:
            return None


def _fit(request: LayerRequest) -> str:
    return f"map.fitBounds([{corners(request.box)}]);"


def _arcgis(request: ArcgisPicture) -> str:
    plugin = "imageMapLayer" if request.is_image else "dynamicMapLayer"
    shown = f", layers: [{request.number}]" if request.number is not None else ""
    return lines(
        "// with the plug-in esri-leaflet",
        f"L.esri.{plugin}({{ url: {js(request.root)}{shown} }}).addTo(map);",
        _fit(request),
    )


SNIPPETS = (Writer("leaflet", "Leaflet", "javascript", 80, write),)
