"""The data source of a layer in the words of QGIS: its provider, and the text that this provider opens."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

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
from geohound.model.service import Service


@dataclass(frozen=True, slots=True)
class QgisSource:
    """What a layer of a project is made from."""

    layer_type: str  # raster, vector or vector-tile, as in a layer definition
    provider: str
    uri: str
    crs: str = "EPSG:4326"


def qgis_source(service: Service, request: LayerRequest) -> QgisSource | None:
    """None where no provider of QGIS makes such a request."""
    match request:
        case WmsPicture() | WmtsTile():
            return QgisSource("raster", "wms", _map_uri(request), request.crs)
        case ArcgisPicture():
            number = "" if request.number is None else request.number
            uri = f"crs='EPSG:3857' format='PNG32' layer='{number}' url={quoted(request.root)}"
            return QgisSource("raster", "arcgismapserver", uri, "EPSG:3857")
        case WcsCoverage():
            uri = f"dpiMode=7&identifier={encoded(request.name)}&url={encoded(service.endpoint)}"
            return QgisSource("raster", "wcs", uri)
        case TileTemplate():
            uri = f"type=xyz&url={encoded(request.template)}&zmin=0&zmax=18"
            layer_type, provider = (
                ("vector-tile", "vectortile")
                if request.is_vector
                else ("raster", "wms")
            )
            return QgisSource(layer_type, provider, uri, "EPSG:3857")
        case _:
            return _vector_source(service, request)


def _vector_source(service: Service, request: LayerRequest) -> QgisSource | None:
    match request:
        case WfsFeatures():
            uri = f"{_feature_uri(service, request.name)} version={quoted(request.version)}"
            return QgisSource("vector", "WFS", uri)
        case ApiItems():
            return QgisSource("vector", "OAPIF", _feature_uri(service, request.name))
        case ArcgisFeatures():
            uri = f"crs='EPSG:4326' url={quoted(request.layer_url)}"
            return QgisSource("vector", "arcgisfeatureserver", uri)
        case VectorFile():
            return QgisSource("vector", "ogr", request.gdal_path)
        case ServerRequest(server=ServerType.SENSORTHINGS):
            return QgisSource(
                "vector",
                "sensorthings",
                f"entity='Location' url={quoted(request.endpoint)}",
            )
        case _:
            return None


def _map_uri(request: WmsPicture | WmtsTile) -> str:
    begin = f"contextualWMSLegend=0&crs={encoded(request.crs)}&dpiMode=7&format={encoded(request.media_type)}"
    named = f"{begin}&layers={encoded(request.name)}"
    if isinstance(request, WmsPicture):
        return f"{named}&styles=&url={encoded(request.base)}"
    grid = f"&tileMatrixSet={encoded(request.grid)}"
    return f"{named}&styles={encoded(request.style)}{grid}&url={encoded(request.capabilities)}"


def _feature_uri(service: Service, name: str) -> str:
    return f"pagingEnabled='true' restrictToRequestBBOX='1' typename={quoted(name)} url={quoted(service.endpoint)}"


def encoded(text: str) -> str:
    """A value inside a QGIS connection text."""
    return quote(text, safe=":/", errors="replace")


def quoted(text: str) -> str:
    """A value of a QGIS data source text."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return "'" + plain.replace("\\", "\\\\").replace("'", "\\'") + "'"
