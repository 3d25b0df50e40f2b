"""Layers in QGIS: where to click, and one line for its Python console."""

from __future__ import annotations

from geohound.model.layer_request import (
    ApiItems,
    ArcgisFeatures,
    ArcgisPicture,
    LayerRequest,
    ServerRequest,
    ServerType,
    TileTemplate,
    VectorFile,
    WcsCoverage,
    WfsFeatures,
    WmsPicture,
    WmtsTile,
)
from geohound.model.service import Layer, Service
from geohound.qgis_source import QgisSource, qgis_source

from ._quoting import lines, py, title_of
from ._writer import Writer

_WMS = "Layer > Add Layer > Add WMS/WMTS Layer > New, URL: "
_WFS = "Layer > Add Layer > Add WFS / OGC API - Features Layer > New, URL: "
_WCS = "Layer > Add Layer > Add WCS Layer > New, URL: "
_ARCGIS = "Layer > Add Layer > Add ArcGIS REST Server Layer > New, URL: "
_CONNECT = {
    ServerType.WMS: _WMS,
    ServerType.WMTS: _WMS,
    ServerType.WFS: _WFS,
    ServerType.OGC_API_FEATURES: _WFS,
    ServerType.OGC_API_RECORDS: "Web > MetaSearch > Services > New (QGIS 3.28 or later), URL: ",
    ServerType.WCS: _WCS,
    ServerType.CSW: "Web > MetaSearch > Services > New, URL: ",
    ServerType.ARCGIS: _ARCGIS,
    ServerType.SENSORTHINGS: "Layer > Add Layer > Add SensorThings Layer > New, URL: ",
    ServerType.STAC: "Browser > STAC > New STAC Connection (QGIS 3.40 or later), URL: ",
}


def write(service: Service, layer: Layer, request: LayerRequest) -> str | None:
    title = title_of(service, layer)
    source = qgis_source(service, request)
    where = _where(service, request)
    if source is not None and isinstance(request, ServerRequest):
        call = f'QgsProject.instance().addMapLayer(QgsVectorLayer({py(source.uri)}, {py(title)}, "{source.provider}"))'
        return lines(f"# {where}", call)
    if source is not None:
        return lines(f"# {where}", "# or in the Python console:", _call(source, title))
    return lines(f"# {where}") if where else None


def _call(source: QgisSource, title: str) -> str:
    match source.layer_type:
        case "vector-tile":
            return f"iface.addVectorTileLayer({py(source.uri)}, {py(title)})"
        case "raster":
            return f'iface.addRasterLayer({py(source.uri)}, {py(title)}, "{source.provider}")'
        case _:
            return f'iface.addVectorLayer({py(source.uri)}, {py(title)}, "{source.provider}")'


def _where(service: Service, request: LayerRequest) -> str:
    """Where to click, and the address to give there."""
    match request:
        case WmsPicture():
            return _WMS + service.endpoint
        case WmtsTile():
            return _WMS + request.capabilities
        case WcsCoverage():
            return _WCS + service.endpoint
        case WfsFeatures() | ApiItems():
            return _WFS + service.endpoint
        case ArcgisPicture() | ArcgisFeatures():
            return _ARCGIS + request.root
        case TileTemplate():
            return f"Browser > {'Vector' if request.is_vector else 'XYZ'} Tiles > New Connection, URL: {request.template}"
        case VectorFile():
            return (
                f"Layer > Add Layer > Add Vector Layer > Protocol, URI: {request.url}"
            )
        case ServerRequest(server=server) if server in _CONNECT:
            return _CONNECT[server] + (
                request.url if server is ServerType.WMTS else request.endpoint
            )
        case ServerRequest(server=ServerType.OGC_API):
            return (
                "QGIS has no connection for an OGC API of this sort, only for OGC API Features and Records. "
                "What curl or GDAL fetch from it, it opens as a file."
            )
        case _:
            return ""


SNIPPETS = (Writer("qgis", "QGIS", "python", 10, write),)
