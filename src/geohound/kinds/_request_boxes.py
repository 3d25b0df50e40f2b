"""Boxes for requests: what part of a layer to ask for, in which CRS and axis order, how many pixels, which tile."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache

from geohound.model.bbox import WORLD, BBox
from geohound.model.grid import Grid, Level
from geohound.model.layer_request import Four
from geohound.model.service import Layer, Service

DEGREES = frozenset(
    {
        "CRS:84",
        "CRS:83",
        *(f"EPSG:{n}" for n in (4326, 4258, 4269, 4283, 4674, 4979, 7844)),
    }
)
MERCATOR = frozenset(
    {"EPSG:3857", "EPSG:900913", "EPSG:3785", "EPSG:102100", "ESRI:102100"}
)
_LON_FIRST = frozenset({"CRS:84", "CRS:83"})
_RADIUS_M = 6378137.0
_DEGREE_M = math.pi * _RADIUS_M / 180
_PIXEL_M = 0.00028
MERCATOR_LIMIT_DEG = 85.06
_LEAST_DEG = 0.002
# Only what an authority registers: PROJ reads much more, files and texts with anything in them.
_CODE = re.compile(r"[A-Za-z]\w{0,19}:[\w.:+-]{1,40}", re.ASCII)


def view(service: Service, layer: Layer, asked: BBox | None) -> BBox:
    """The box to ask for: what was asked as far as the layer reaches, else the layer's or service's own."""
    own = layer.extent.box if layer.extent else None
    own = own or (service.extent.box if service.extent else None) or WORLD
    box = (_common(asked, own) or own) if asked else own
    west, south, east, north = _widest_part(box).as_tuple()
    return _shrink_to_scale(_pad(west, south, east, north), layer.scale)


def _common(first: BBox, second: BBox) -> BBox | None:
    """The larger piece that two boxes have in common."""
    found = []
    for a in first.parts():
        for b in second.parts():
            west, east = max(a.west, b.west), min(a.east, b.east)
            south, north = max(a.south, b.south), min(a.north, b.north)
            if west <= east and south <= north:
                found.append(BBox(west, south, east, north))
    return max(found, key=lambda box: box.area, default=None)


def _widest_part(box: BBox) -> BBox:
    """Requests end at the antimeridian: of a box across it, the wider part."""
    return max(box.parts(), key=lambda part: part.width)


def _pad(west: float, south: float, east: float, north: float) -> BBox:
    """Room around a point or a line, also at the edges of the world."""
    if east - west < _LEAST_DEG:
        west, east = max(-180.0, west - _LEAST_DEG), min(180.0, east + _LEAST_DEG)
    if north - south < _LEAST_DEG:
        south, north = max(-90.0, south - _LEAST_DEG), min(90.0, north + _LEAST_DEG)
    return BBox(west, south, east, north)


def _shrink_to_scale(box: BBox, scale: tuple[float | None, float | None]) -> BBox:
    """Around the middle, so much that a picture of 800 pixels is not too coarse for the layer to be drawn."""
    largest = scale[1]
    if not largest or largest <= 0:
        return box
    widest = 0.8 * largest * _PIXEL_M * 800 / _DEGREE_M
    factor = widest / max(box.width, box.height)
    if factor >= 1:
        return box
    x, y = (box.west + box.east) / 2, (box.south + box.north) / 2
    half_x, half_y = box.width * factor / 2, box.height * factor / 2
    return BBox(x - half_x, y - half_y, x + half_x, y + half_y)


def size(four: Four, longest: int = 800) -> tuple[int, int]:
    """Pixels in the proportions of the box, neither side under 64."""
    width, height = abs(four[2] - four[0]) or 1.0, abs(four[3] - four[1]) or 1.0
    scale = longest / max(width, height)
    return max(64, round(width * scale)), max(64, round(height * scale))


def project(box: BBox, crs: str) -> Four | None:
    """The box in a CRS, x before y; None where it cannot be worked out."""
    if crs in DEGREES:
        return box.as_tuple()
    if crs in MERCATOR:
        return (*_mercator(box.west, box.south), *_mercator(box.east, box.north))
    return _project_by_pyproj(box.as_tuple(), crs)


def _mercator(lon: float, lat: float) -> tuple[float, float]:
    lat = max(-MERCATOR_LIMIT_DEG, min(MERCATOR_LIMIT_DEG, lat))
    return math.radians(lon) * _RADIUS_M, math.log(
        math.tan(math.pi / 4 + math.radians(lat) / 2)
    ) * _RADIUS_M


@lru_cache(maxsize=256)
def _project_by_pyproj(box: Four, crs: str) -> Four | None:
    if not _CODE.fullmatch(crs):
        return None
    from pyproj import Transformer  # noqa: PLC0415 - costs 60 ms, and few layers need it
    from pyproj.exceptions import ProjError  # noqa: PLC0415

    try:
        found = Transformer.from_crs("EPSG:4326", crs, always_xy=True).transform_bounds(
            *box
        )
    except ProjError:  # CRSError is one of them
        return None
    return found if all(math.isfinite(v) for v in found) else None


@lru_cache(maxsize=256)
def is_north_first(crs: str) -> bool:
    """Does the authority of this CRS put the north axis first?"""
    if crs in _LON_FIRST or crs in MERCATOR:
        return False
    if crs in DEGREES:
        return True
    from pyproj import CRS  # noqa: PLC0415
    from pyproj.exceptions import CRSError  # noqa: PLC0415

    try:
        axes = CRS.from_user_input(crs[:40]).axis_info
    except CRSError:
        return False
    return (
        bool(axes)
        and axes[0].direction.lower() in ("north", "south")
        and axes[0].abbrev.upper()[:1] != "E"
    )


def in_axis_order(four: Four, crs: str) -> Four:
    """x, y numbers as the CRS itself orders them."""
    return (four[1], four[0], four[3], four[2]) if is_north_first(crs) else four


def choose_crs(offered: Sequence[str], preferred: Sequence[str]) -> str:
    """The first preferred CRS on offer, else the first offered that is one at all; empty if none is."""
    if not offered:
        return preferred[0]
    known = set(offered)
    return next(
        (crs for crs in preferred if crs in known),
        next((c for c in offered if ":" in c), ""),
    )


def slippy_tile(box: BBox, max_zoom: int = 18) -> tuple[int, int, int]:
    """Zoom, column and row of the smallest tile of the Mercator pyramid that holds the box's middle and most of it."""
    zoom = max(
        0, min(max_zoom, math.floor(math.log2(360 / max(box.width, box.height, 1e-6))))
    )
    return (
        zoom,
        *_slippy(zoom, (box.west + box.east) / 2, (box.south + box.north) / 2),
    )


def _slippy(zoom: int, lon: float, lat: float) -> tuple[int, int]:
    x, y = _mercator(lon, lat)
    edge = math.pi * _RADIUS_M
    count = 2**zoom
    column, row = (x + edge) / (2 * edge) * count, (edge - y) / (2 * edge) * count
    return min(count - 1, max(0, int(column))), min(count - 1, max(0, int(row)))


def grid_tile(grid: Grid, box: BBox) -> tuple[Level, int, int] | None:
    """Level, column and row of the tile around the box's middle, about as wide as the box."""
    four = project(box, grid.crs)
    if four is None or not grid.levels:
        return None
    width, height = four[2] - four[0], four[3] - four[1]
    x, y = (four[0] + four[2]) / 2, (four[1] + four[3]) / 2
    spans = [(level, *_tile_span(level, grid.crs)) for level in grid.levels]
    wide = [s for s in spans if s[1] >= width * 0.999 and s[2] >= height * 0.999]
    level, across, down = (
        min(wide, key=lambda s: s[1]) if wide else max(spans, key=lambda s: s[1])
    )
    left, top = _corner(level, grid.crs)
    column, row = math.floor((x - left) / across), math.floor((top - y) / down)
    return (
        level,
        min(level.columns - 1, max(0, column)),
        min(level.rows - 1, max(0, row)),
    )


def _tile_span(level: Level, crs: str) -> tuple[float, float]:
    unit = _DEGREE_M if crs in DEGREES else 1.0
    pixel = level.scale * _PIXEL_M / unit
    return pixel * level.tile_px[0], pixel * level.tile_px[1]


def _corner(level: Level, crs: str) -> tuple[float, float]:
    """Left and top; some servers write x first whatever the CRS says, which -180 gives away."""
    first, second = level.corner
    if crs in DEGREES:
        return (
            (first, second)
            if abs(first) > 90
            else (second, first)
            if is_north_first(crs)
            else (first, second)
        )
    return (second, first) if is_north_first(crs) else (first, second)
