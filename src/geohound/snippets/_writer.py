"""What the writers share: the part itself, and what a file is called that a request brings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from geohound.model.layer_request import ApiItems, LayerRequest, Rel
from geohound.model.service import Layer, Service

_ENDINGS = {
    "image/png": "png",
    "image/jpeg": "jpg",
    "image/tiff": "tif",
    "multipart/related": "mime",
    "application/vnd.mapbox-vector-tile": "mvt",
    "application/gml+xml": "gml",
    "text/plain": "txt",
    "text/html": "html",
    "application/zip": "zip",
    "application/x-shapefile": "zip",
    "application/geopackage+sqlite3": "gpkg",
    "application/vnd.google-earth.kml+xml": "kml",
    "text/csv": "csv",
}


@dataclass(frozen=True, slots=True)
class Writer:
    """A program made of one function."""

    id: str
    title: str
    language: str
    rank: int
    write: Callable[[Service, Layer, LayerRequest], str | None]


def is_json(request: LayerRequest) -> bool:
    return "json" in request.media_type.lower()


def is_json_document(request: LayerRequest) -> bool:
    """JSON that is read, rather than kept in a file for another program."""
    return request.media_type == "application/json"


def ending(media_type: str) -> str:
    """How a file of this type ends: letters and digits alone, for the type comes from a stranger."""
    media = media_type.partition(";")[0].strip().lower()
    if media in _ENDINGS:
        return _ENDINGS[media]
    if "json" in media:
        return "json"
    if "xml" in media:
        return "xml"
    return (
        "".join(c for c in media.rpartition("/")[2] if c.isascii() and c.isalnum())[:4]
        or "bin"
    )


def file_of(request: LayerRequest) -> str:
    """A file for what a request brings."""
    stem = "items" if isinstance(request, ApiItems) else str(request.rel)
    if not request.media_type:
        return f"{stem}.out" if request.rel is Rel.COVERAGE else "answer"
    return f"{stem}.{ending(request.media_type)}"


def proj_name(crs: str) -> str:
    """PROJ calls CRS:84 by its longer name, and the number of early Google Maps by the official one."""
    return {"CRS:84": "OGC:CRS84", "EPSG:900913": "EPSG:3857"}.get(crs, crs)
