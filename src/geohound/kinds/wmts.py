"""Web Map Tile Service 1.0.0, asked by key-value pairs or by its RESTful address."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any
from urllib.parse import quote

from geohound import urls
from geohound.document import Document
from geohound.document.safe_xml import NAMES, Element, child, children, text
from geohound.kinds import _boxes, _ows
from geohound.kinds._elements import (
    BOXES,
    KEYWORDS,
    MAX_WORDS,
    folded,
    glean,
    href,
    read_keywords,
    read_wgs84,
    resolve,
    texts,
    unique,
)
from geohound.kinds._layer_query import LayerQuery, capabilities
from geohound.kinds._reader import formats_of
from geohound.kinds._request_boxes import MERCATOR, grid_tile
from geohound.kinds._signature import xml
from geohound.kinds._tiles import PLACE, fill, with_braces
from geohound.model.addresses import (
    VIEW_LIMIT_S,
    Addresses,
    Clarity,
    Kvp,
    ScriptIdioms,
    terms,
)
from geohound.model.grid import MAX_LEVELS, Grid, Level, parse_grid
from geohound.model.layer_request import LayerRequest, Rel, ServerType, WmtsTile
from geohound.model.service import Layer, Operation, Service

_LAYER = frozenset({"Layer"})
_SPOKEN = frozenset({"Identifier", "Title", "Abstract"})
_KEPT = frozenset(
    {
        *KEYWORDS,
        *BOXES,
        "Style",
        "Dimension",
        "ResourceURL",
        "TileMatrixSetLink",
    }
)
_SIZES = ("TileWidth", "TileHeight", "MatrixWidth", "MatrixHeight")
_FILE = re.compile(r"/WMTSCapabilities(?:\.xml)?/?$", re.IGNORECASE)
_MAX_TIMES = 100
_MAX_GRIDS = 12
_COMMON_CRS = frozenset({"EPSG:3857", "EPSG:900913", "EPSG:4326", "CRS:84"})
_KEYS = {
    "SERVICE": "WMTS",
    "REQUEST": "GetTile",
    "VERSION": "1.0.0",
    "LAYER": "{Layer}",
    "STYLE": "{Style}",
    "TILEMATRIXSET": "{TileMatrixSet}",
    "TILEMATRIX": "{TileMatrix}",
    "TILEROW": "{TileRow}",
    "TILECOL": "{TileCol}",
    "FORMAT": "{Format}",
}


def _read(document: Document) -> Service | None:
    if _ows.service_of(document) != "wmts":
        return None
    root, digest = document.skim(_LAYER, _read_layer)
    if root is None:
        return None
    about = _ows.read_common("wmts", root, document.url)
    if not about.online_resource:
        address = href(child(root, "ServiceMetadataURL"))
        about = replace(about, online_resource=resolve(address, document.url))
    sets = _list_sets(root)
    layers = _read_layers(root, digest, {name: crs for name, crs, _ in sets})
    about = _with_tile_operation(about, layers)
    service = _ows.build(document, about, _ows.version_of(root, about, "1.0.0"), layers)
    formats = formats_of(layers)
    grids = tuple(islice(_grids(sets, layers), _MAX_GRIDS))
    return replace(service, formats=formats or service.formats, grids=grids)


def _read_layers(
    root: Element, digest: Callable[[Element], Any], codes: Mapping[str, str]
) -> list[Layer]:
    """The layers that have a name, each with the systems of its tile matrix sets."""
    layers = []
    for contents in children(root, "Contents"):
        for element in children(contents, "Layer"):
            said_of_it, names = digest(element)
            if not said_of_it["name"]:
                continue
            crs = unique([codes.get(name, "") for name in names])
            layers.append(Layer(**said_of_it, crs=crs, grids=names))
    return layers


def _with_tile_operation(about: Service, layers: Sequence[Layer]) -> Service:
    """RESTful services name no operation: the template of the first tile layer stands for it."""
    if any(operation.name == "GetTile" for operation in about.operations):
        return about
    template = next((layer.links[0] for layer in layers if layer.links), "")
    if not template:
        return about
    operation = Operation("GetTile", template)
    return replace(about, operations=(*about.operations, operation))


def _grids(
    sets: Sequence[tuple[str, str, Element]], layers: Sequence[Layer]
) -> Iterator[str]:
    """The tile matrix sets that layers use and that have levels, as texts."""
    used = {name for layer in layers for name in layer.grids}
    for name, crs, element in sets:
        if name not in used:
            continue
        grid = Grid(name, crs, _read_levels(element))
        if grid.levels:
            yield grid.as_text()


def _list_sets(root: Element) -> list[tuple[str, str, Element]]:
    """Tile matrix sets by name and CRS: those of Mercator and of plain degrees first, which clients want."""
    elements = [
        s
        for contents in children(root, "Contents")
        for s in children(contents, "TileMatrixSet")
    ]
    sets = [
        (text(each, "Identifier"), _boxes.crs_code(text(each, "SupportedCRS")), each)
        for each in elements
    ]
    return sorted(sets, key=lambda each: each[1] not in _COMMON_CRS)


def _read_levels(tile_matrix_set: Element) -> tuple[Level, ...]:
    matrices = islice(children(tile_matrix_set, "TileMatrix"), MAX_LEVELS)
    return tuple(filter(None, map(_read_level, matrices)))


def _read_level(matrix: Element) -> Level | None:
    # The last come first, so that of two of a name the first one counts.
    heard = {NAMES[e.tag]: e.text or "" for e in matrix.iterchildren(reversed=True)}
    try:
        east, north = heard["TopLeftCorner"].split()[:2]
        x, y = float(east), float(north)
        across, down, columns, rows = [int(heard[name]) for name in _SIZES]
        scale = float(heard["ScaleDenominator"])
    except (KeyError, ValueError):
        return None
    if (
        not (math.isfinite(x) and math.isfinite(y) and 0 < scale < math.inf)
        or min(across, down, columns, rows) < 1
        or max(across, down, columns, rows) > 2**31
    ):
        return None
    name = " ".join(heard.get("Identifier", "").split())[:MAX_WORDS]
    return Level(name, scale, (x, y), (across, down), columns, rows)


def _read_layer(element: Element) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What one tile layer says, and the names of its tile matrix sets: their CRS stand further down."""
    formats: list[str | None] = []
    heard, parts = glean(element, _SPOKEN, _KEPT, {"Format": formats})
    tiles = [
        r
        for r in parts.get("ResourceURL", ())
        if (r.get("resourceType") or "tile").lower() == "tile"
    ]
    fields = {
        "name": heard.get("Identifier", ""),
        "title": heard.get("Title", ""),
        "abstract": heard.get("Abstract", ""),
        "keywords": read_keywords(parts),
        "extent": read_wgs84(parts),
        "formats": folded(formats),
        "styles": unique(
            [text(style, "Identifier") for style in parts.get("Style", ())]
        ),
        "times": _read_times(parts.get("Dimension", ())),
        "links": unique([(r.get("template") or "").strip() for r in tiles]),
    }
    return fields, unique(
        [text(link, "TileMatrixSet") for link in parts.get("TileMatrixSetLink", ())]
    )


def _read_times(dimensions: Sequence[Element]) -> tuple[str, ...]:
    """Values of the time dimension; of a long list, the span."""
    for dimension in dimensions:
        if text(dimension, "Identifier").lower() == "time":
            times = texts(children(dimension, "Value"))
            return times if len(times) <= _MAX_TIMES else (f"{times[0]}/{times[-1]}",)
    return ()


def _requests(query: LayerQuery) -> list[LayerRequest]:
    endpoint = query.service.endpoint
    is_file = endpoint.partition("?")[0].lower().endswith(".xml")
    request = (
        {}
        if is_file
        else {"SERVICE": "WMTS", "VERSION": "1.0.0", "REQUEST": "GetCapabilities"}
    )
    server = capabilities(query, ServerType.WMTS, "1.0.0", request)
    tile = _choose_tile(query, server.url)
    return [server, tile] if tile else [server]


def _choose_tile(query: LayerQuery, listed: str) -> WmtsTile | None:
    """The tile around the middle of the box; none where the layer's grid is not known."""
    layer, grid = query.layer, _choose_grid(query)
    place = grid_tile(grid, query.box) if grid and layer.name else None
    if grid is None or place is None:
        return None
    level, column, row = place
    images = [f for f in layer.formats if f.startswith("image/")]
    media = next(iter(images or layer.formats), "image/png")
    fixed = {
        "Layer": layer.name,
        "Style": layer.styles[0] if layer.styles else "",
        "TileMatrixSet": grid.name,
        "Format": media,
        "Time": layer.times[0].partition("/")[0] if layer.times else "default",
    }
    quoted = {
        name: quote(value, safe=":/;", errors="replace")
        for name, value in fixed.items()
    }
    number = {
        "TileMatrix": quote(level.id, safe=":"),
        "TileRow": str(row),
        "TileCol": str(column),
    }
    template = _template(query)
    return WmtsTile(
        Rel.TILE,
        "GetTile",
        fill(template, quoted | number),
        media,
        capabilities=listed,
        name=layer.name,
        grid=grid.name,
        crs=grid.crs,
        level=level.id,
        column=column,
        row=row,
        style=layer.styles[0] if layer.styles else "default",
        template=_by_zoom(fill(template, quoted), grid),
    )


def _template(query: LayerQuery) -> str:
    """The layer's own template where it asks for nothing unusual; else a request by key and value."""
    usual = {
        "layer",
        "style",
        "tilematrixset",
        "tilematrix",
        "tilerow",
        "tilecol",
        "format",
        "time",
    }
    for link in map(with_braces, query.layer.links):
        names = {name.lower() for name, _ in PLACE.findall(link)}
        if {"tilematrix", "tilerow", "tilecol"} <= names <= usual and urls.canonical(
            link
        ):
            return link
    base, _ = query.operation("GetTile")
    if PLACE.search(base):  # a RESTful service has its template in place of an address
        base = query.service.endpoint
    return with_braces(urls.with_params(base, _KEYS))


def _choose_grid(query: LayerQuery) -> Grid | None:
    """Mercator first, for it is what web maps draw; else the first that the layer has."""
    grids = [g for g in map(parse_grid, query.service.grids) if g and g.levels]
    own = (
        [g for g in grids if g.name in query.layer.grids]
        if query.layer.grids
        else grids
    )
    mercator = [grid for grid in own if grid.crs in MERCATOR]
    return next(iter(mercator + own), None)


def _by_zoom(template: str, grid: Grid) -> str:
    """The template with plain zoom numbers, where the grid is the usual pyramid and names its levels by number."""
    top = grid.levels[0]
    is_usual = abs(top.scale - 559082264.0287178) < 1000 and top.tile_px == (256, 256)
    if grid.crs not in MERCATOR or not is_usual:
        return ""
    if not top.id.endswith("0") or any(
        v.id != f"{top.id[:-1]}{n}" for n, v in enumerate(grid.levels)
    ):
        return ""
    zoom = f"{quote(top.id[:-1], safe=':')}{{z}}"
    return fill(template, {"TileMatrix": zoom, "TileRow": "{y}", "TileCol": "{x}"})


@dataclass(frozen=True, slots=True)
class _Wmts(_ows.OwsKind):
    """WMTS has a second address: a file at a fixed place below its address."""

    def probe_urls(self, url: str) -> Sequence[str]:
        address = url.partition("#")[0].partition("?")[0]
        if _FILE.search(address) or address.lower().endswith(".xml"):
            return (url.partition("#")[0],)
        endpoint = urls.endpoint(url)
        asked = urls.with_params(
            endpoint, {"SERVICE": "WMTS", "REQUEST": "GetCapabilities"}
        )
        base, _, vendor = endpoint.partition("?")
        file = (
            re.sub(r"/1\.0\.0(?s:/.*)?$", "", base.rstrip("/"))
            + "/1.0.0/WMTSCapabilities.xml"
        )
        return (asked, f"{file}?{vendor}" if vendor else file)


_ADDRESSES = Addresses(
    response_limit_s=VIEW_LIMIT_S,
    rank=3,
    lives_anywhere=True,
    name="wmts",
    clarity=Clarity.ANYWHERE,
    ends=("wmts", r"wmtsserver(?:\.\w+)?", r"wmtscapabilities\.xml"),
    kvp=Kvp(services=("wmts",), requests=("gettile",), asked_as="WMTS"),
    document=r"(?:/1\.0\.0)?/WMTSCapabilities(?:\.xml)?$",
    labels=terms(
        "wmts ogcwmts wmtslayer wmtsgroup webtiledwmts layerwmts openlayerslayerwmts hslayerslayerwmts wmtsrest "
        "wmtskvp urnogcservicetypewmts httpwwwopengisnetspecowcgeojson10reqwmts httpwwwopengisnetspecowc10reqwmts"
    ),
    has_tile_paths=True,
    scripts=ScriptIdioms(
        calls="OpenLayers.Layer.WMTS|0.url OpenLayers.Control.WMTSGetFeatureInfo|0.url ol.source.WMTS|0.url,0.urls "
        "L.tileLayer.wmts|0 L.TileLayer.WMTS|0 WMTSLayer|0,0.url WebMapTileServiceImageryProvider|0.url "
        "WmtsLayer|0.service WmtsUrlBuilder|0 WMTSSource|0.url",
        keys=frozenset(
            terms(
                "matrixset tilematrixset tilematrixsetid tilematrixsets matrixids requestencoding"
            )
        ),
        words=("wmts", "matrixset"),
    ),
)

KINDS = (
    _Wmts(
        id="wmts",
        title="Web Map Tile Service",
        protocol="OGC:WMTS",
        reader=_read,
        requester=_requests,
        addresses=_ADDRESSES,
        signature=xml("Capabilities"),
        path=re.compile(
            rf"{_ows.address_pattern('wmts').pattern}|WMTSCapabilities", re.IGNORECASE
        ),
    ),
)
