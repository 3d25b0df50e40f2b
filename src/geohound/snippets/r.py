"""Layers in R: terra for pictures and coverages, sf for features, ncdf4 for OPeNDAP, ows4R for OGC servers."""

from __future__ import annotations

from geohound.model.bbox import short_numbers
from geohound.model.layer_request import (
    DapDataset,
    FeatureRequest,
    LayerRequest,
    Picture,
    ServerRequest,
    ServerType,
    VectorFile,
    WcsCoverage,
)
from geohound.model.service import Layer, Service

from ._quoting import lines, r
from ._writer import Writer, file_of, is_json_document, proj_name

_OWS4R = (
    ServerType.WMS,
    ServerType.WFS,
    ServerType.WCS,
    ServerType.CSW,
    ServerType.WPS,
)


def write(_service: Service, _layer: Layer, request: LayerRequest) -> str | None:
    match request:
        case Picture():
            return _picture(request)
        case FeatureRequest():
            return lines(
                "library(sf)",
                f"features <- st_read({r(request.url)})",
                "plot(st_geometry(features))",
            )
        case WcsCoverage(in_parts=False):
            return lines(
                "library(terra)",
                _download(request),
                'coverage <- rast("coverage.tif")',
                "plot(coverage)",
            )
        case WcsCoverage():
            return None
        case DapDataset():
            return lines(
                "library(ncdf4)",
                f"dataset <- nc_open({r(request.dataset)})",
                "print(dataset)",
            )
        case VectorFile():
            source = r(request.gdal_path)
            return lines(
                "library(sf)",
                f"features <- st_read({source})",
                "plot(st_geometry(features))",
            )
        case ServerRequest(server=server) if server in _OWS4R:
            client = f"{server.value}Client"
            version = f", {r(request.version)}" if request.version else ""
            return lines(
                "library(ows4R)",
                f"client <- {client}$new({r(request.endpoint)}{version})",
                "print(client$getCapabilities())",
            )
        case _ if is_json_document(request):
            return lines(f"jsonlite::fromJSON({r(request.url)})")
        case _:
            return lines(_download(request))


def _download(request: LayerRequest) -> str:
    return f'download.file({r(request.url)}, "{file_of(request)}", mode = "wb")'


def _picture(request: Picture) -> str:
    west, south, east, north = request.bounds
    return lines(
        "library(terra)",
        _download(request),
        f'map <- rast("{file_of(request)}")',
        f"ext(map) <- c({short_numbers((west, east, south, north))})",
        f"crs(map) <- {r(proj_name(request.crs))}",
        "plot(map)",
    )


SNIPPETS = (Writer("r", "R", "r", 40, write),)
