"""Layers in ArcGIS Pro: code for its Python window, or where to connect to the server."""

from __future__ import annotations

from geohound.model.layer_request import (
    ApiItems,
    ArcgisFeatures,
    ArcgisPicture,
    LayerRequest,
    SceneLayer,
    ServerRequest,
    ServerType,
    VectorFile,
    WcsCoverage,
    WfsFeatures,
    WmsPicture,
    WmtsTile,
)
from geohound.model.service import Layer, Service

from ._quoting import lines, plain, py
from ._writer import Writer, file_of

_CONNECT = {
    ServerType.WMS: "New WMS Server",
    ServerType.WMTS: "New WMTS Server",
    ServerType.WFS: "New WFS Server",
    ServerType.WCS: "New WCS Server",
    ServerType.OGC_API: "New OGC API Server",
    ServerType.OGC_API_FEATURES: "New OGC API Server",
    ServerType.ARCGIS: "New ArcGIS Server",
}


def write(service: Service, _layer: Layer, request: LayerRequest) -> str | None:
    match request:
        case ArcgisPicture():
            number = "" if request.number is None else f"/{request.number}"
            return _add(request.root + number)
        case ArcgisFeatures() | SceneLayer():
            return _add(request.layer_url)
        case WmsPicture():
            return _connect(ServerType.WMS, service.endpoint, request.name)
        case WmtsTile():
            return _connect(ServerType.WMTS, request.capabilities, request.name)
        case WfsFeatures():
            return _connect(ServerType.WFS, service.endpoint, request.name)
        case WcsCoverage():
            return _connect(ServerType.WCS, service.endpoint, request.name)
        case ApiItems(server=ServerType.OGC_API):
            return _connect(ServerType.OGC_API, service.endpoint, request.name)
        case VectorFile(driver="KML"):
            return _kml(request)
        case ServerRequest(server=ServerType.ARCGIS) if (
            request.endpoint.lower().endswith("server")
        ):
            return _add(request.endpoint)
        case ServerRequest(server=server) if server in _CONNECT:
            return _connect(server, request.endpoint, "")
        case _:
            return None


def _add(address: str) -> str:
    return lines(
        "import arcpy",
        "",
        'project = arcpy.mp.ArcGISProject("CURRENT")',
        f"project.activeMap.addDataFromPath({py(address)})",
    )


def _connect(server: ServerType, address: str, name: str) -> str:
    found = [f"# Insert > Connections > Server > {_CONNECT[server]}, URL: {address}"]
    if name:
        found.append(f"# then Catalog > Servers: add {plain(name)} to the map")
    return lines(*found)


def _kml(request: VectorFile) -> str:
    file = file_of(request)
    return lines(
        "import arcpy",
        "from urllib.request import urlretrieve",
        "",
        f'urlretrieve({py(request.url)}, "{file}")',
        f'arcpy.conversion.KMLToLayer("{file}", ".")',
    )


SNIPPETS = (Writer("arcgis_pro", "ArcGIS Pro", "python", 20, write),)
