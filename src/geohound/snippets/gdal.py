"""Layers with the commands of GDAL."""

from __future__ import annotations

from geohound.model.bbox import short_numbers
from geohound.model.layer_request import (
    ApiItems,
    DapDataset,
    FeatureRequest,
    LayerRequest,
    Picture,
    ServerRequest,
    ServerType,
    TileTemplate,
    VectorFile,
    WcsCoverage,
    WfsFeatures,
    WmtsTile,
)
from geohound.model.service import Layer, Service
from geohound.urls import with_params

from ._multipart import UNPACK
from ._quoting import lines, plain, sh
from ._writer import Writer, file_of, is_json, proj_name

_CONNECT = {
    ServerType.CSW: "ogrinfo {}",
    ServerType.WFS: "ogrinfo {}",
    ServerType.WMS: "gdalinfo {}",
    ServerType.WMTS: "gdalinfo {}",
    ServerType.WCS: "gdalinfo {}",
    ServerType.OGC_API_FEATURES: "ogrinfo {}",
    ServerType.OGC_API_RECORDS: "ogrinfo {}",
    ServerType.OGC_API: "gdalinfo {}",
}
_DRIVERS = {
    ServerType.OGC_API_FEATURES: "OAPIF",
    ServerType.OGC_API_RECORDS: "OAPIF",
    ServerType.OGC_API: "OGCAPI",  # maps, tiles and coverages
}


def write(service: Service, _layer: Layer, request: LayerRequest) -> str | None:
    match request:
        case Picture():
            return _picture(request)
        case WmtsTile():
            source = f"WMTS:{request.capabilities},layer={request.name},tilematrixset={request.grid}"
            return lines(f"gdal_translate -outsize 800 0 {sh(source)} map.tif")
        case TileTemplate(is_vector=True):
            return lines(f"ogr2ogr -f GPKG tile.gpkg {sh('MVT:' + request.url)}")
        case FeatureRequest():
            return _features(service, request)
        case WcsCoverage():
            return _coverage(service, request)
        case DapDataset():
            return lines(f"gdalinfo {sh(request.dataset)}")
        case VectorFile():
            return lines(f"ogrinfo -so -al {sh(request.gdal_path)}")
        case ServerRequest(server=server) if server in _CONNECT:
            source = f"{_DRIVERS.get(server, server.value)}:{request.endpoint}"
            return lines(_CONNECT[server].format(sh(source)))
        case _:
            return None


def _picture(request: Picture) -> str:
    """The picture has no place of its own: it is given the one that was asked for."""
    west, south, east, north = request.bounds
    file = file_of(request)
    corners = short_numbers((west, north, east, south), " ")
    return lines(
        f"curl -fsS -o {file} {sh(request.url)}",
        f"gdal_translate -a_srs {sh(proj_name(request.crs))} -a_ullr {corners} {file} map.tif",
    )


def _features(service: Service, request: FeatureRequest) -> str | None:
    match request:
        case WfsFeatures():
            part = (
                f" -spat {short_numbers(request.box.as_tuple(), ' ')} -spat_srs EPSG:4326"
                if request.is_part
                else ""
            )
            source = sh("WFS:" + service.endpoint)
            return lines(
                f"ogr2ogr -f GPKG layer.gpkg {source} {_layer_word(request.name)}{part}"
            )
        case ApiItems(server=ServerType.OGC_API):
            source = sh("OAPIF:" + service.endpoint)
            return lines(
                f"ogr2ogr -f GPKG layer.gpkg {source} {_layer_word(request.name)}"
            )
        case ApiItems():
            return lines(f"ogr2ogr -f GeoJSON items.json {sh(request.url)}")
        case _:
            return (
                lines(f"ogr2ogr -f GPKG layer.gpkg {sh(request.url)}")
                if is_json(request)
                else None
            )


def _layer_word(name: str) -> str:
    """A layer in the words of ogr2ogr, who would take a name with a dash in front for an option."""
    if not plain(name).startswith("-"):
        return sh(name)
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    query = f'SELECT * FROM "{escaped}"'  # noqa: S608 - shown to people, for their own files
    return f"-nln layer -sql {sh(query)}"


def _coverage(service: Service, request: WcsCoverage) -> str:
    """The part that was asked for, where the request itself can only ask for the whole."""
    fetch = f"curl -fsS -o {file_of(request)} {sh(request.url)}"
    if request.in_parts:
        return lines(
            fetch, f"python3 -c {sh('; '.join(UNPACK))}", "gdalinfo coverage.tif"
        )
    if request.version < "2" or not request.is_part:
        return lines(fetch, "gdalinfo coverage.tif")
    west, south, east, north = request.box.as_tuple()
    source = with_params(
        service.endpoint, {"version": request.version, "coverage": request.name}
    )
    part = f"-projwin {short_numbers((west, north, east, south), ' ')} -projwin_srs EPSG:4326"
    # GDAL does not know every type of coverage; of those that it does not know, all is fetched.
    return lines(
        f"gdal_translate {part} {sh(f'WCS:{source}')} coverage.tif || {fetch}",
        "gdalinfo coverage.tif",
    )


SNIPPETS = (Writer("gdal", "GDAL", "sh", 50, write),)
