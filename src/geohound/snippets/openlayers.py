"""Layers on a web page with OpenLayers; `map` is the page's own."""

from __future__ import annotations

from geohound.model.bbox import short_numbers
from geohound.model.layer_request import (
    ArcgisPicture,
    FeatureRequest,
    LayerRequest,
    Picture,
    TileTemplate,
    VectorFile,
    WmsPicture,
    WmtsTile,
)
from geohound.model.service import Layer, Service

from ._quoting import js, lines
from ._writer import Writer, is_json

_IMAGE = 'import ImageLayer from "ol/layer/Image.js";'
_TILE = 'import TileLayer from "ol/layer/Tile.js";'
_VECTOR = (
    'import VectorLayer from "ol/layer/Vector.js";',
    'import VectorSource from "ol/source/Vector.js";',
)
_TRANSFORM = 'import { transformExtent } from "ol/proj.js";'


def write(_service: Service, _layer: Layer, request: LayerRequest) -> str | None:
    match request:
        case WmsPicture():
            return _wms(request)
        case ArcgisPicture():
            return _arcgis(request)
        case Picture():
            return _static(request)
        case WmtsTile():
            return _wmts(request)
        case TileTemplate():
            return _tiles(request)
        case FeatureRequest() if is_json(request):
            return _features("GeoJSON", request)
        case VectorFile(driver="KML"):
            return _features("KML", request)
        case _:
            return None


def _fit(request: LayerRequest) -> str:
    box = short_numbers(request.box.as_tuple())
    return f'map.getView().fit(transformExtent([{box}], "EPSG:4326", map.getView().getProjection()));'


def _wms(request: WmsPicture) -> str:
    params = f"LAYERS: {js(request.name)}, VERSION: {js(request.version)}, FORMAT: {js(request.media_type)}"
    return lines(
        _IMAGE,
        'import ImageWMS from "ol/source/ImageWMS.js";',
        _TRANSFORM,
        "",
        f"const params = {{ {params} }};",
        f"map.addLayer(new ImageLayer({{ source: new ImageWMS({{ url: {js(request.base)}, params }}) }}));",
        _fit(request),
    )


def _arcgis(request: ArcgisPicture) -> str:
    shown = (
        f', params: {{ LAYERS: "show:{request.number}" }}'
        if request.number is not None
        else ""
    )
    return lines(
        _IMAGE,
        'import ImageArcGISRest from "ol/source/ImageArcGISRest.js";',
        "",
        f"map.addLayer(new ImageLayer({{ source: new ImageArcGISRest({{ url: {js(request.root)}{shown} }}) }}));",
    )


def _static(request: Picture) -> str:
    """A picture whose CRS OpenLayers knows by itself: degrees or Mercator."""
    extent = short_numbers(request.bounds)
    return lines(
        _IMAGE,
        'import ImageStatic from "ol/source/ImageStatic.js";',
        _TRANSFORM,
        "",
        f"const url = {js(request.url)};",
        f"const source = new ImageStatic({{ url, imageExtent: [{extent}], projection: {js(request.crs)} }});",
        "map.addLayer(new ImageLayer({ source }));",
        _fit(request),
    )


def _wmts(request: WmtsTile) -> str:
    return lines(
        _TILE,
        'import WMTS, { optionsFromCapabilities } from "ol/source/WMTS.js";',
        'import WMTSCapabilities from "ol/format/WMTSCapabilities.js";',
        "",
        f"const text = await (await fetch({js(request.capabilities)})).text();",
        "const options = optionsFromCapabilities(new WMTSCapabilities().read(text), "
        f"{{ layer: {js(request.name)}, matrixSet: {js(request.grid)} }});",
        "map.addLayer(new TileLayer({ source: new WMTS(options) }));",
    )


def _tiles(request: TileTemplate) -> str:
    if request.is_vector:
        return lines(
            'import MVT from "ol/format/MVT.js";',
            'import VectorTileLayer from "ol/layer/VectorTile.js";',
            'import VectorTileSource from "ol/source/VectorTile.js";',
            "",
            f"const source = new VectorTileSource({{ format: new MVT(), url: {js(request.template)} }});",
            "map.addLayer(new VectorTileLayer({ source }));",
        )
    return lines(
        _TILE,
        'import XYZ from "ol/source/XYZ.js";',
        "",
        f"map.addLayer(new TileLayer({{ source: new XYZ({{ url: {js(request.template)} }}) }}));",
    )


def _features(form: str, request: LayerRequest) -> str:
    """Features on a page; the server must allow other sites to read it (CORS)."""
    return lines(
        f'import {form} from "ol/format/{form}.js";',
        *_VECTOR,
        "",
        f"const source = new VectorSource({{ format: new {form}(), url: {js(request.url)} }});",
        "map.addLayer(new VectorLayer({ source }));",
    )


SNIPPETS = (Writer("openlayers", "OpenLayers", "javascript", 70, write),)
