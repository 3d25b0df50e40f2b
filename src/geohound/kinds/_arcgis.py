"""ArcGIS REST resources: their addresses, what a JSON document or a directory page is, and its parts."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from geohound.kinds._boxes import extent, wkt_code
from geohound.kinds._json import as_number, mapping, rows, texts, words
from geohound.kinds._reader import path_of, strip_view
from geohound.model.service import Extent, Layer, Provider

Row = Mapping[str, Any]
SERVER_KINDS = {
    "mapserver": "arcgis-mapserver",
    "featureserver": "arcgis-featureserver",
    "imageserver": "arcgis-imageserver",
    "vectortileserver": "arcgis-vectortileserver",
    "sceneserver": "arcgis-sceneserver",
}
SERVER = re.compile(
    r"/(MapServer|FeatureServer|ImageServer|VectorTileServer|SceneServer)(?=/|$)",
    re.IGNORECASE,
)
REST = re.compile(r"/rest/services(?=/|$)", re.IGNORECASE)
_REST_ROOT = re.compile(r"/rest(?:/(?:info|login|services))?/?$", re.IGNORECASE)
# The SOAP catalogue; its REST twin stands beside it.
_SOAP = re.compile(r"(/arcgis)(/services)/?$", re.IGNORECASE)
_LOGIN_CODES = frozenset([401, 403, 498, 499])
_MAP_MARKS = frozenset(
    ["mapName", "singleFusedMapCache", "supportedImageFormatTypes", "tileInfo"]
)
_FEATURE_MARKS = frozenset(
    [
        "supportedQueryFormats",
        "maxRecordCount",
        "hasVersionedData",
        "allowGeometryUpdates",
        "syncEnabled",
        "hasStaticData",
    ]
)
_QUERY_MARKS = frozenset(["capabilities", "maxRecordCount", "spatialReference"])
_EDITABLE_MARKS = frozenset(
    [
        "allowGeometryUpdates",
        "editFieldsInfo",
        "templates",
        "hasM",
        "objectIdField",
        "serviceItemId",
        "globalIdField",
    ]
)
_LAYER_MARKS = frozenset(
    ["geometryType", "fields", "extent", "drawingInfo", "subLayers", "displayField"]
)
# One of these is in each document that is read here, errors among them.
KEYS = _LAYER_MARKS | {
    "error",
    "currentVersion",
    "pixelSizeX",
    "pixelType",
    "tileInfo",
    "layers",
}
_LAYER_TYPE = re.compile(r"(?:Layer|Table)$")
_EDGES = ("xmin", "ymin", "xmax", "ymax")
# Never across a "<": a page of nothing but "<a" must not cost more than its length.
_ANCHOR = re.compile(
    r"<a\s[^<>]{0,500}?href\s*=\s*[\"']([^\"'<>]{1,1000})[\"'][^<>]{0,200}>([^<]{0,300})</a>",
    re.IGNORECASE,
)
_HTML_CHARS = 2_000_000
_TITLE = re.compile(r"<title>([^<]{0,300})</title>", re.IGNORECASE)


@lru_cache(maxsize=16)  # each kind asks it of the same document
def kind_of_address(url: str) -> str:
    """The kind that the address names; empty if it names none."""
    path = path_of(url)
    found = SERVER.search(path)
    if found and (
        REST.search(path)
        or found[1] in ("MapServer", "FeatureServer", "ImageServer", "VectorTileServer")
    ):
        return SERVER_KINDS[found[1].lower()]
    is_directory = REST.search(path) or _REST_ROOT.search(path) or _SOAP.search(path)
    return "arcgis-directory" if is_directory else ""


def service_root(url: str) -> str:
    """…/Name/MapServer without layer, operation or view; a directory without its view."""
    base, mark, query = strip_view(url).partition("?")
    found = SERVER.search(base)
    if found:
        base = base[: found.end()]
    elif re.search(r"/rest/(?:info|login)/?$", base, re.IGNORECASE):
        base = re.sub(r"/(?:info|login)/?$", "/services", base, flags=re.IGNORECASE)
    base = _SOAP.sub(r"\1/rest\2", base)
    token = [p for p in query.split("&") if p.lower().startswith("token=")]
    return base.rstrip("/") + (f"{mark}{token[0]}" if token else "")


def error_code(value: Row) -> int | None:
    """The code of `{"error": …}`, the HTTP 200 by which ArcGIS refuses."""
    error = value.get("error")
    code = (
        as_number(error.get("code"))
        if isinstance(error, dict) and len(value) <= 3
        else None
    )
    return int(code) if code is not None else None


def is_login_code(code: int) -> bool:
    return code in _LOGIN_CODES


def kind_of_document(value: Row) -> str:
    """The kind that the fields prove; empty if none."""
    if "currentVersion" in value and _is_directory(value):
        return "arcgis-directory"
    if "bandCount" in value and not value.keys().isdisjoint(_PIXELS):
        return "arcgis-imageserver"
    if _is_vector_tiles(value):
        return "arcgis-vectortileserver"
    layers = rows(value.get("layers"))
    if "serviceVersion" in value and any(map(_is_scene_layer, layers)):
        return "arcgis-sceneserver"
    if isinstance(value.get("layers"), list):
        return _kind_of_layer_list(value, layers)
    return _kind_of_layer(value) if is_layer(value) else ""


_PIXELS = ("pixelSizeX", "pixelType")


def _is_vector_tiles(value: Row) -> bool:
    has_tiles = "tileInfo" in value and bool(texts(value.get("tiles")))
    return has_tiles and ("defaultStyles" in value or "currentVersion" in value)


def _is_scene_layer(row: Row) -> bool:
    return "store" in row or "layerType" in row


def _is_directory(value: Row) -> bool:
    """Folders and services; old servers leave out the one that is empty, and `/rest/info` has neither."""
    if isinstance(value.get("authInfo"), dict):
        return True
    folders, services = value.get("folders"), value.get("services")
    if isinstance(folders, list) and isinstance(services, list):
        return True
    if isinstance(folders, list):
        return (
            bool(folders)
            and all(isinstance(folder, str) for folder in folders)
            and "layers" not in value
        )
    return _lists_services(rows(services))


def _lists_services(listed: list[Row]) -> bool:
    """Services by name and type, such as MapServer."""
    return bool(listed) and all(
        words(row.get("name")) and words(row.get("type")).endswith("Server")
        for row in listed
    )


def _kind_of_layer_list(value: Row, layers: list[Row]) -> str:
    """A service with its layers, or the answer of …/layers, which has nothing but them."""
    if {"spatialReference", "fullExtent", "currentVersion"} & value.keys():
        if _MAP_MARKS & value.keys():
            return "arcgis-mapserver"
        if "currentVersion" in value and (
            _FEATURE_MARKS & value.keys() or _lists_layers(layers)
        ):
            return "arcgis-featureserver"
    if _is_first_feature_service(value, layers):
        return "arcgis-featureserver"
    if (
        layers
        and isinstance(value.get("tables"), list)
        and all(is_layer(row) for row in layers[:5])
    ):
        return _kind_of_layer(layers[0])
    return ""


def _is_first_feature_service(value: Row, layers: list[Row]) -> bool:
    """ArcGIS Server 10.0 had a description, layers and tables, others say what can be asked; no version yet."""
    has_tables = isinstance(value.get("tables"), list)
    is_described = isinstance(value.get("serviceDescription"), str) and has_tables
    is_asked = value.keys() >= _QUERY_MARKS
    return (is_described or is_asked) and _lists_layers(layers)


def _lists_layers(layers: list[Row]) -> bool:
    """Layers by number and name: all that a sparse feature service says of itself."""
    return bool(layers) and all(
        isinstance(row.get("id"), int) and words(row.get("name")) for row in layers[:50]
    )


def is_layer(value: Row) -> bool:
    """The description of one layer or table; not the features in it."""
    return (
        isinstance(value.get("id"), int)
        and bool(words(value.get("name")))
        and bool(_LAYER_TYPE.search(words(value.get("type"))))
        and bool(_LAYER_MARKS & value.keys())
        and "features" not in value
    )


def _kind_of_layer(value: Row) -> str:
    return (
        "arcgis-featureserver" if _EDITABLE_MARKS & value.keys() else "arcgis-mapserver"
    )


def crs_of(value: object) -> str:
    """The CRS of a spatial reference; codes from 37000 up are Esri's own."""
    reference = mapping(value)
    code = as_number(reference.get("latestWkid")) or as_number(reference.get("wkid"))
    if code:
        return f"{'ESRI' if 37000 <= code < 200000 else 'EPSG'}:{int(code)}"
    return wkt_code(_definition(reference))


def _definition(reference: Row) -> str:
    """The well-known text of a spatial reference, for grids of a town's own that have no code."""
    return words(reference.get("wkt2")) or words(reference.get("wkt"))


def extent_of(value: Row) -> Extent | None:
    """The whole extent of a service or layer."""
    for name in ("fullExtent", "extent", "initialExtent"):
        box = mapping(value.get(name))
        numbers = [as_number(box.get(edge)) for edge in _EDGES]
        if all(n is not None for n in numbers):
            own = mapping(box.get("spatialReference"))
            whole = mapping(value.get("spatialReference"))
            crs = crs_of(own) or crs_of(whole) or _definition(own) or _definition(whole)
            return extent(numbers, crs or "CRS:84")
    return None


def read_layers(value: Row, root: str) -> tuple[Layer, ...]:
    """Layers, groups and tables, each with the group in which it stands."""
    listed = [*rows(value.get("layers")), *rows(value.get("tables"))]
    names = {words(row.get("id")): words(row.get("name")) for row in listed}
    return tuple(
        read_layer(row, root, names)
        for row in listed
        if words(row.get("name")) or words(row.get("id"))
    )


def read_layer(row: Row, root: str, names: Mapping[str, str]) -> Layer:
    number = words(row.get("id"))
    parent = row.get("parentLayerId", mapping(row.get("parentLayer")).get("id"))
    crs = crs_of(mapping(row.get("extent")).get("spatialReference"))
    times = texts([words(mapping(row.get("timeInfo")).get("startTimeField"))])
    return Layer(
        name=words(row.get("name")) or number,
        title=words(row.get("title")) or words(row.get("name")),
        abstract=words(row.get("description")),
        extent=extent_of(row),
        crs=(crs,) if crs else (),
        formats=split(row.get("supportedQueryFormats")),
        times=times,
        # In ArcGIS minScale is the largest denominator, and 0 means no limit.
        scale=(
            as_number(row.get("maxScale")) or None,
            as_number(row.get("minScale")) or None,
        ),
        queryable="query" in words(row.get("capabilities")).lower(),
        parent=names.get(words(parent), "")
        or words(mapping(row.get("parentLayer")).get("name")),
        links=(f"{root.partition('?')[0]}/{number}",) if number.isdecimal() else (),
    )


def split(value: object) -> tuple[str, ...]:
    """The parts of a list written with commas."""
    return tuple(
        dict.fromkeys(p for p in (p.strip() for p in words(value).split(",")) if p)
    )


def provider_of(value: Row) -> Provider:
    return Provider(name=words(mapping(value.get("documentInfo")).get("Author")))


class DirectoryPage:
    """A page of the HTML services directory."""

    def __init__(self, text: str) -> None:
        self.text = text[:_HTML_CHARS]
        found = _TITLE.search(self.text)
        self.title = " ".join(html.unescape(found[1]).split()) if found else ""

    @property
    def is_directory(self) -> bool:
        """Its heading stands on every page, whatever the resource; the log-in page has it too."""
        return (
            "ArcGIS REST Services Directory" in self.text
            or "ArcGIS Services Directory" in self.text
        )

    @property
    def asks_for_login(self) -> bool:
        return bool(
            re.search(
                r"<input[^<>]{0,200}type\s*=\s*[\"']?password", self.text, re.IGNORECASE
            )
        )

    def anchors(self) -> Iterable[tuple[str, str]]:
        return (
            (html.unescape(found[1]).strip(), " ".join(html.unescape(found[2]).split()))
            for found in _ANCHOR.finditer(self.text)
        )
