"""Web Map Tile Service 1.0.0, asked by key-value pairs or by its RESTful address."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from geohound import urls
from geohound.document import Document
from geohound.kinds import _boxes, _ows
from geohound.kinds._elements import BOXES, KEYWORDS, glean, href, read_keywords, read_wgs84, resolve, texts, unique
from geohound.model.grid import MAX_LEVELS, Grid, Level
from geohound.model.service import Layer, Operation, Service
from geohound.safe_xml import Element, child, children, text

_LAYER = frozenset({"Layer"})
_SPOKEN = frozenset({"Identifier", "Title", "Abstract"})
_KEPT = frozenset({*KEYWORDS, *BOXES, "Format", "Style", "Dimension", "ResourceURL", "TileMatrixSetLink"})
_FILE = re.compile(r"/WMTSCapabilities(?:\.xml)?/?$", re.IGNORECASE)
_MAX_TIMES = 100
_MAX_GRIDS = 12
_COMMON_CRS = frozenset({"EPSG:3857", "EPSG:900913", "EPSG:4326", "CRS:84"})


def _read(document: Document) -> Service | None:
    if _ows.service_of(document) != "wmts":
        return None
    root, digest = document.skim(_LAYER, _read_layer)
    if root is None:
        return None
    common = _ows.read_common(root, document.url)
    if not common.online_resource:
        address = href(child(root, "ServiceMetadataURL"))
        common = replace(common, online_resource=resolve(address, document.url))
    grids = _read_grids(root)
    codes = {grid.name: grid.crs for grid in grids}
    layers = []
    for contents in children(root, "Contents"):
        for element in children(contents, "Layer"):
            said_of_it, names = digest(element)
            if said_of_it["name"]:
                layers.append(Layer(**said_of_it, crs=unique([codes.get(n, "") for n in names]), grids=names))
    formats = tuple(dict.fromkeys(f for layer in layers for f in layer.formats))
    if not any(o.name == "GetTile" for o in common.operations) and any(layer.links for layer in layers):
        common = replace(common, operations=(*common.operations, _rest_operation(layers)))
    service = _ows.build(document, "wmts", _ows.version_of(root, common, "1.0.0"), common, layers)
    used = {name for layer in layers for name in layer.grids}
    kept = tuple(grid.as_text() for grid in grids if grid.name in used and grid.levels)[:_MAX_GRIDS]
    return replace(service, formats=formats or service.formats, grids=kept)


def _rest_operation(layers: Sequence[Layer]) -> Operation:
    """RESTful services name no operation: the template of the first tile layer stands for it."""
    return Operation("GetTile", next(layer.links[0] for layer in layers if layer.links))


def _read_grids(root: Element) -> list[Grid]:
    """Tile matrix sets: the grids of Mercator and of plain degrees first, for they are those that clients want."""
    sets = [s for contents in children(root, "Contents") for s in children(contents, "TileMatrixSet")]
    grids = [
        Grid(
            text(each, "Identifier"),
            _boxes.crs_code(text(each, "SupportedCRS")),
            tuple(filter(None, map(_read_level, islice(children(each, "TileMatrix"), MAX_LEVELS)))),
        )
        for each in sets
    ]
    return sorted(grids, key=lambda grid: grid.crs not in _COMMON_CRS)


def _read_level(matrix: Element) -> Level | None:
    try:
        x, y = (float(v) for v in text(matrix, "TopLeftCorner").split()[:2])
        whole = [int(text(matrix, n)) for n in ("TileWidth", "TileHeight", "MatrixWidth", "MatrixHeight")]
        scale = float(text(matrix, "ScaleDenominator"))
    except ValueError:
        return None
    if not (math.isfinite(x) and math.isfinite(y) and 0 < scale < math.inf) or min(whole) < 1 or max(whole) > 2**31:
        return None
    return Level(text(matrix, "Identifier"), scale, (x, y), (whole[0], whole[1]), whole[2], whole[3])


def _read_layer(element: Element) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What one tile layer says, and the names of its tile matrix sets: their CRS stand further down."""
    heard, parts = glean(element, _SPOKEN, _KEPT)
    tiles = [r for r in parts.get("ResourceURL", ()) if (r.get("resourceType") or "tile").lower() == "tile"]
    fields = {
        "name": heard.get("Identifier", ""),
        "title": heard.get("Title", ""),
        "abstract": heard.get("Abstract", ""),
        "keywords": read_keywords(parts),
        "extent": read_wgs84(parts),
        "formats": texts(parts.get("Format", ())),
        "styles": unique([text(style, "Identifier") for style in parts.get("Style", ())]),
        "times": _read_times(parts.get("Dimension", ())),
        "links": unique([(r.get("template") or "").strip() for r in tiles]),
    }
    return fields, unique([text(link, "TileMatrixSet") for link in parts.get("TileMatrixSetLink", ())])


def _read_times(dimensions: Sequence[Element]) -> tuple[str, ...]:
    """Values of the time dimension; of a long list, the span."""
    for dimension in dimensions:
        if text(dimension, "Identifier").lower() == "time":
            times = texts(children(dimension, "Value"))
            return times if len(times) <= _MAX_TIMES else (f"{times[0]}/{times[-1]}",)
    return ()


@dataclass(frozen=True, slots=True)
class _Wmts(_ows.OwsKind):
    """WMTS has a second door: a file at a fixed place below its address."""

    def probe_urls(self, url: str) -> Sequence[str]:
        address = url.partition("#")[0].partition("?")[0]
        if _FILE.search(address) or address.lower().endswith(".xml"):
            return (url.partition("#")[0],)
        endpoint = urls.endpoint(url)
        asked = urls.with_params(endpoint, {"SERVICE": "WMTS", "REQUEST": "GetCapabilities"})
        base, _, vendor = endpoint.partition("?")
        file = re.sub(r"/1\.0\.0(?:/.*)?$", "", base.rstrip("/")) + "/1.0.0/WMTSCapabilities.xml"
        return (asked, f"{file}?{vendor}" if vendor else file)


KINDS = (
    _Wmts(
        id="wmts",
        title="Web Map Tile Service",
        protocol="OGC:WMTS",
        reader=_read,
        service="WMTS",
        path=re.compile(rf"{_ows.address_pattern('wmts').pattern}|WMTSCapabilities", re.IGNORECASE),
    ),
)
