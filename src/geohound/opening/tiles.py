"""Opens tiles: WMTS, TMS, XYZ, TileJSON, OGC API Tiles and ArcGIS vector tiles, each at the tile of the box."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from geohound.model.grid import Grid, Level, parse_grid
from geohound.urls import canonical, with_params

from .features import collection_url, join
from .parts import Ask, Link, Opening, Preview, Rel, Snippet, encoded, js, numbers, py, r, sh, snippet
from .places import MERCATOR, grid_tile, slippy_tile

_PLACE = re.compile(r"\{([^{}]{1,40})\}|%7B([^{}%]{1,40})%7D", re.IGNORECASE)
_SUBDOMAINS = {"s": "a", "a-c": "a", "switch:a,b,c": "a", "r": "", "ratio": ""}
_SPEAKING = re.compile(r"(?:\.|f=)(?:mvt|pbf|png|jpe?g|webp|gif)\b", re.IGNORECASE)
_VECTOR = re.compile(r"(?:\.|f=)(?:mvt|pbf)\b|\bvector-tile\b", re.IGNORECASE)
_COLUMN_FIRST = re.compile(r"\{(?:x|tileCol)\}/\{(?:y|tileRow)\}", re.IGNORECASE)
_KVP = {
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


def fill(template: str, values: Mapping[str, str]) -> str:
    """The address that a template gives with these values; their names in any case."""
    known = {k.lower(): v for k, v in values.items()}

    def value(found: re.Match[str]) -> str:
        name = (found[1] or found[2]).lower()
        return known.get(name, _SUBDOMAINS.get(name, "a" if name.startswith("switch:") else found[0]))

    return _PLACE.sub(value, template)


@dataclass(frozen=True, slots=True)
class _Tile:
    """One tile of a WMTS: where it stands in its grid, and where it is fetched."""

    grid: Grid
    level: Level
    column: int
    row: int
    media: str
    url: str
    xyz: str  # the same by zoom numbers, where the grid is the usual pyramid


def open_wmts(ask: Ask) -> Opening:
    endpoint = ask.service.endpoint
    capabilities = endpoint
    if not endpoint.partition("?")[0].lower().endswith(".xml"):
        capabilities = with_params(endpoint, {"SERVICE": "WMTS", "VERSION": "1.0.0", "REQUEST": "GetCapabilities"})
    links = [Link(Rel.CAPABILITIES, "GetCapabilities", capabilities, "text/xml")]
    tile = _choose_tile(ask)
    if tile is None:
        return Opening(ask.box, tuple(links), (_qgis_wmts(ask, capabilities, None),))
    links.append(Link(Rel.TILE, "GetTile", tile.url, tile.media))
    preview = Preview("xyz", tile.xyz) if tile.xyz else None
    return Opening(ask.box, tuple(links), _wmts_snippets(ask, capabilities, tile), preview)


def _choose_tile(ask: Ask) -> _Tile | None:
    layer, grid = ask.layer, _choose_grid(ask)
    place = grid_tile(grid, ask.box) if grid and layer.name else None
    if grid is None or place is None:
        return None
    level, column, row = place
    pictures = [f for f in layer.formats if f.startswith("image/")]
    media = next(iter(pictures or layer.formats), "image/png")
    fixed = {
        "Layer": layer.name,
        "Style": layer.styles[0] if layer.styles else "",
        "TileMatrixSet": grid.name,
        "Format": media,
        "Time": layer.times[0].partition("/")[0] if layer.times else "default",
    }
    quoted = {name: quote(value, safe=":/;", errors="replace") for name, value in fixed.items()}
    number = {"TileMatrix": quote(level.id, safe=":"), "TileRow": str(row), "TileCol": str(column)}
    template = _wmts_template(ask)
    return _Tile(
        grid, level, column, row, media, fill(template, quoted | number), _as_xyz(fill(template, quoted), grid)
    )


def _wmts_snippets(ask: Ask, capabilities: str, tile: _Tile) -> tuple[Snippet, ...]:
    name, grid = ask.layer.name, tile.grid.name
    file = f"tile.{_ending(tile.media)}"
    source = f"WMTS:{capabilities},layer={name},tilematrixset={grid}"
    return (
        _qgis_wmts(ask, capabilities, tile),
        snippet(
            "python",
            "from owslib.wmts import WebMapTileService",
            "",
            f"wmts = WebMapTileService({py(ask.service.endpoint)})",
            f"tile = wmts.gettile(layer={py(name)}, tilematrixset={py(grid)}, tilematrix={py(tile.level.id)}, "
            f"row={tile.row}, column={tile.column}, format={py(tile.media)})",
            f'with open("{file}", "wb") as file:',
            "    file.write(tile.read())",
        ),
        snippet("r", f'download.file({r(tile.url)}, "{file}", mode = "wb")'),
        snippet("gdal", f"gdal_translate -outsize 800 0 {sh(source)} map.tif"),
        snippet("curl", f"curl -fsS -o {file} {sh(tile.url)}"),
        snippet(
            "openlayers",
            'import TileLayer from "ol/layer/Tile.js";',
            'import WMTS, { optionsFromCapabilities } from "ol/source/WMTS.js";',
            'import WMTSCapabilities from "ol/format/WMTSCapabilities.js";',
            "",
            f"const text = await (await fetch({js(capabilities)})).text();",
            "const options = optionsFromCapabilities(new WMTSCapabilities().read(text), "
            f"{{ layer: {js(name)}, matrixSet: {js(grid)} }});",
            "map.addLayer(new TileLayer({ source: new WMTS(options) }));",
        ),
        *((_leaflet(ask, tile.xyz),) if tile.xyz else ()),
    )


def _wmts_template(ask: Ask) -> str:
    """The layer's own template where it asks for nothing unusual; else a request by key and value."""
    plain = [link.replace("%7B", "{").replace("%7D", "}") for link in ask.layer.links]
    usual = {"layer", "style", "tilematrixset", "tilematrix", "tilerow", "tilecol", "format", "time"}
    for link in plain:
        names = {name.lower() for name, _ in _PLACE.findall(link)}
        if {"tilematrix", "tilerow", "tilecol"} <= names <= usual and canonical(link):
            return link
    base, _ = ask.operation("GetTile")
    if _PLACE.search(base):  # a RESTful service has its template in place of an address
        base = ask.service.endpoint
    return with_params(base, _KVP).replace("%7B", "{").replace("%7D", "}")


def _choose_grid(ask: Ask) -> Grid | None:
    """Mercator first, for it is what web maps draw; else the first that the layer has."""
    grids = [g for g in map(parse_grid, ask.service.grids) if g and g.levels]
    own = [g for g in grids if g.name in ask.layer.grids] or ([] if ask.layer.grids else grids)
    return next((g for g in own if g.crs in MERCATOR), own[0] if own else None)


def _as_xyz(template: str, grid: Grid) -> str:
    """The template with plain zoom numbers, where the grid is the usual pyramid and names its levels by number."""
    if grid.crs not in MERCATOR or not _is_usual(grid.levels):
        return ""
    first = grid.levels[0].id
    if not first.endswith("0") or any(v.id != f"{first[:-1]}{n}" for n, v in enumerate(grid.levels)):
        return ""
    return fill(template, {"TileMatrix": f"{quote(first[:-1], safe=':')}{{z}}", "TileRow": "{y}", "TileCol": "{x}"})


def _is_usual(levels: tuple[Level, ...]) -> bool:
    return abs(levels[0].scale - 559082264.0287178) < 1000 and levels[0].tile_px == (256, 256)


def _ending(media: str) -> str:
    """How a file of this type ends: letters and digits alone, for the type comes from a stranger."""
    letters = "".join(c for c in media.rpartition("/")[2] if c.isascii() and c.isalnum())[:4]
    return {"image/jpeg": "jpg", "application/vnd.mapbox-vector-tile": "mvt"}.get(media, letters or "bin")


def _qgis_wmts(ask: Ask, capabilities: str, tile: _Tile | None) -> Snippet:
    lines = [f"# Layer > Add Layer > Add WMS/WMTS Layer > New, URL: {capabilities}"]
    if tile:
        style = ask.layer.styles[0] if ask.layer.styles else "default"
        uri = (
            f"contextualWMSLegend=0&crs={tile.grid.crs}&dpiMode=7&format={encoded(tile.media)}"
            f"&layers={encoded(ask.layer.name)}&styles={encoded(style)}&tileMatrixSet={encoded(tile.grid.name)}"
            f"&url={encoded(capabilities)}"
        )
        lines += ["# or in the Python console:", f'iface.addRasterLayer({py(uri)}, {py(ask.title)}, "wms")']
    return snippet("qgis", *lines)


def _leaflet(ask: Ask, template: str) -> Snippet:
    box = ask.box
    return snippet(
        "leaflet",
        f"L.tileLayer({js(template)}).addTo(map);",
        f"map.fitBounds([[{numbers((box.south, box.west))}], [{numbers((box.north, box.east))}]]);",
    )


def open_xyz(ask: Ask) -> Opening:
    """XYZ and TileJSON: the template is known, or every layer brings its own."""
    service = ask.service
    templates = [*ask.layer.links, *(o.get for o in service.operations if o.name == "GetTile"), service.online_resource]
    template = next((t for t in templates if "{z}" in t.replace("%7B", "{").replace("%7D", "}").lower()), "")
    described = service.endpoint if service.kind == "tilejson" else ""
    links = [Link(Rel.CAPABILITIES, "TileJSON", described, "application/json")] if described else []
    if not template or canonical(template) is None:
        return Opening(ask.box, tuple(links))
    return _open_pyramid(ask, template, links)


def _open_pyramid(ask: Ask, template: str, links: list[Link]) -> Opening:
    """The tile of the box in the usual Mercator pyramid."""
    zoom, column, row = slippy_tile(ask.box, 14)
    values = {"z": str(zoom), "x": str(column), "y": str(row), "-y": str(2**zoom - 1 - row)}
    url = fill(template, values)
    told = template if _SPEAKING.search(template) else " ".join(ask.layer.formats)
    is_vector = _VECTOR.search(told) is not None
    media = "application/vnd.mapbox-vector-tile" if is_vector else "image/png"
    plain = fill(template, {}).replace("%7B", "{").replace("%7D", "}")
    file = f"tile.{'mvt' if is_vector else 'png'}"
    snippets = (
        _qgis_pyramid(ask, plain, is_vector=is_vector),
        snippet("python", "from urllib.request import urlretrieve", "", f'urlretrieve({py(url)}, "{file}")'),
        snippet("r", f'download.file({r(url)}, "{file}", mode = "wb")'),
        snippet("curl", f"curl -fsS -o {file} {sh(url)}"),
        *(_vector_snippets(plain) if is_vector else _picture_snippets(ask, plain)),
    )
    preview = None if is_vector else Preview("xyz", plain)
    return Opening(ask.box, (*links, Link(Rel.TILE, "Tile", url, media)), snippets, preview)


def _qgis_pyramid(ask: Ask, template: str, *, is_vector: bool) -> Snippet:
    uri = f"type=xyz&url={encoded(template)}&zmin=0&zmax=18"
    call = f"iface.addVectorTileLayer({py(uri)}, {py(ask.title)})"
    if not is_vector:
        call = f'iface.addRasterLayer({py(uri)}, {py(ask.title)}, "wms")'
    where = "Vector Tiles" if is_vector else "XYZ Tiles"
    return snippet(
        "qgis", f"# Browser > {where} > New Connection, URL: {template}", "# or in the Python console:", call
    )


def _vector_snippets(template: str) -> tuple[Snippet, ...]:
    return (
        snippet(
            "openlayers",
            'import MVT from "ol/format/MVT.js";',
            'import VectorTileLayer from "ol/layer/VectorTile.js";',
            'import VectorTileSource from "ol/source/VectorTile.js";',
            "",
            f"const source = new VectorTileSource({{ format: new MVT(), url: {js(template)} }});",
            "map.addLayer(new VectorTileLayer({ source }));",
        ),
        snippet(
            "leaflet", "// with the plug-in Leaflet.VectorGrid", f"L.vectorGrid.protobuf({js(template)}).addTo(map);"
        ),
    )


def _picture_snippets(ask: Ask, template: str) -> tuple[Snippet, ...]:
    return (
        snippet(
            "openlayers",
            'import TileLayer from "ol/layer/Tile.js";',
            'import XYZ from "ol/source/XYZ.js";',
            "",
            f"map.addLayer(new TileLayer({{ source: new XYZ({{ url: {js(template)} }}) }}));",
        ),
        _leaflet(ask, template),
    )


def open_tms(ask: Ask) -> Opening:
    """TMS counts rows from the south; its tile maps say by address where they are."""
    links = [Link(Rel.CAPABILITIES, "Service document", ask.service.endpoint, "text/xml")]
    tile_map = next((link for link in ask.layer.links if canonical(link)), "")
    if not tile_map:
        return Opening(ask.box, tuple(links))
    links.append(Link(Rel.DESCRIPTION, "Tile map", tile_map, "text/xml"))
    ending = _ending(ask.layer.formats[0]) if ask.layer.formats else "png"
    return _open_pyramid(ask, f"{tile_map.rstrip('/')}/{{z}}/{{x}}/{{-y}}.{ending}", links)


def open_api_tiles(ask: Ask) -> Opening:
    """OGC API Tiles: the Mercator pyramid of a collection, or of the whole API."""
    links = [Link(Rel.CAPABILITIES, "Landing page", ask.service.endpoint, "application/json")]
    tilesets = next((link for link in ask.layer.links if re.search(r"/tiles/?(?:\?|$)", link)), "")
    if not tilesets:
        of_map = any("/map" in link for link in ask.layer.links)
        path = "map/tiles" if of_map else "tiles"
        tilesets = join(collection_url(ask), path) if ask.layer.name else join(ask.service.endpoint, "tiles")
    base = tilesets.partition("?")[0].rstrip("/")
    is_map = "/map/tiles" in base
    # The standard puts the row first; TiTiler and its kin say that they do not.
    told = (*ask.layer.links, *(o.get for o in ask.service.operations if o.name == "tile"))
    place = "{z}/{x}/{y}" if any(map(_COLUMN_FIRST.search, told)) else "{z}/{y}/{x}"
    template = f"{base}/WebMercatorQuad/{place}?f={'png' if is_map else 'mvt'}"
    links.append(Link(Rel.DESCRIPTION, "Tilesets", tilesets, "application/json"))
    return _open_pyramid(ask, template, links)


def open_arcgis_tiles(ask: Ask) -> Opening:
    root = ask.service.endpoint.partition("?")[0].rstrip("/")
    described = with_params(ask.service.endpoint, {"f": "json"})
    links = [Link(Rel.CAPABILITIES, "Service document", described, "application/json")]
    return _open_pyramid(ask, f"{root}/tile/{{z}}/{{y}}/{{x}}.pbf", links)
