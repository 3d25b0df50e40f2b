"""Layers on a web page with MapLibre GL JS; `map` is the page's own, and loaded."""

from __future__ import annotations

from geohound.model.bbox import short_numbers
from geohound.model.layer_request import (
    ArcgisPicture,
    FeatureRequest,
    LayerRequest,
    TileTemplate,
    WmsPicture,
    WmtsTile,
)
from geohound.model.service import Layer, Service
from geohound.urls import with_params

from ._quoting import js, lines
from ._writer import Writer, is_json

_TILE_PX = "256"


def write(_service: Service, layer: Layer, request: LayerRequest) -> str | None:
    match request:
        case WmsPicture(has_mercator=True):
            crs = "CRS" if request.version >= "1.3" else "SRS"
            asked = {crs: "EPSG:3857", "WIDTH": _TILE_PX, "HEIGHT": _TILE_PX}
            return _raster(request, _with_box(request.url, asked))
        case ArcgisPicture():
            return _raster(
                request, _with_box(request.url, {"size": f"{_TILE_PX},{_TILE_PX}"})
            )
        case WmtsTile() if request.template:
            return _raster(request, request.template)
        case TileTemplate(is_vector=True):
            return _vector(request, layer.name) if layer.name else None
        case TileTemplate():
            return _raster(request, request.template)
        case FeatureRequest() if is_json(request):
            return _features(request)
        case _:
            return None


def _with_box(url: str, asked: dict[str, str]) -> str:
    """The request for a picture as one for tiles: MapLibre writes the box of each tile where the mark stands."""
    return with_params(url, {**asked, "BBOX": ""}) + "{bbox-epsg-3857}"


def _tiles(template: str) -> str:
    """A tile template; MapLibre knows rows that are counted from the south by another name."""
    scheme = ', scheme: "tms"' if "{-y}" in template else ""
    return f"tiles: [{js(template.replace('{-y}', '{y}'))}]{scheme}"


def _fit(request: LayerRequest) -> str:
    box = request.box
    low = short_numbers((box.west, box.south))
    high = short_numbers((box.east, box.north))
    return f"map.fitBounds([[{low}], [{high}]]);"


def _raster(request: LayerRequest, template: str) -> str:
    return lines(
        f'map.addSource("found", {{ type: "raster", tileSize: {_TILE_PX}, {_tiles(template)} }});',
        'map.addLayer({ id: "found", type: "raster", source: "found" });',
        _fit(request),
    )


def _vector(request: TileTemplate, name: str) -> str:
    layer = f'source: "found", "source-layer": {js(name)}'
    return lines(
        f'map.addSource("found", {{ type: "vector", {_tiles(request.template)} }});',
        f'map.addLayer({{ id: "lines", type: "line", {layer} }});',
        f'map.addLayer({{ id: "points", type: "circle", {layer}, filter: ["==", "$type", "Point"] }});',
        _fit(request),
    )


def _features(request: FeatureRequest) -> str:
    """Features on a page; the server must allow other sites to read it (CORS)."""
    return lines(
        f'map.addSource("found", {{ type: "geojson", data: {js(request.url)} }});',
        'map.addLayer({ id: "lines", type: "line", source: "found" });',
        'map.addLayer({ id: "points", type: "circle", source: "found", filter: ["==", "$type", "Point"] });',
        _fit(request),
    )


SNIPPETS = (Writer("maplibre", "MapLibre", "javascript", 90, write),)
