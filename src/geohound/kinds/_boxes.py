"""Boxes one can trust: declared numbers in any CRS in, a box in degrees out, and what was wrong with them."""

from __future__ import annotations

import math
import re
import time
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from geohound.model.bbox import BBox, union
from geohound.model.service import BoxFault, Extent

if TYPE_CHECKING:
    from pyproj import CRS, Transformer

AxisOrder = Literal["xy", "authority"]
Four = tuple[float, float, float, float]

# Degrees, in whichever order the authority puts them; so common that pyproj need not be asked.
_LON_LAT_DEGREES = frozenset(
    {"CRS:84", "CRS:83", "CRS:27", "OGC:CRS84", "OGC:CRS83", "OGC:CRS27", "EPSG:4979H"}
)
_LAT_LON_DEGREES = frozenset(
    f"EPSG:{n}" for n in (4326, 4258, 4269, 4267, 4230, 4283, 4674, 4979, 4937, 7844)
)
_WEB_MERCATOR = frozenset(
    {
        "EPSG:3857",
        "EPSG:900913",
        "EPSG:3785",
        "EPSG:102100",
        "EPSG:102113",
        "ESRI:102100",
    }
)
_MERCATOR_EDGE_M = 20037508.3427892
_EARTH_RADIUS_M = 6378137.0
# What servers write where they know no box: an envelope never filled.
_EMPTY = frozenset(
    {(0.0, 0.0, 0.0, 0.0), (-1.0, -1.0, -1.0, -1.0), (0.0, 0.0, -1.0, -1.0)}
)
_MAX_CODE_LISTS = 32_768
_MAX_KEY_CHARS = 200
_MAX_WKT_CHARS = 4_000
_WKT = re.compile(
    r"(?:PROJCS|PROJCRS|GEOGCS|GEOGCRS|BOUNDCRS|COMPD_?CS)\s*\[", re.IGNORECASE
)
_OVERSHOOT_DEG = 10.0  # a latitude this far beyond a pole is rounding or a margin; more is another mistake
_CODE = re.compile(
    r"(?P<authority>EPSG|CRS|OGC|ESRI|IGNF|IAU)(?:\.xml#|[:/_-]++(?:[\d.]++[:/]++)?)(?P<code>[A-Z0-9._]{1,60})/?$",
    re.IGNORECASE,
)
_MAX_TRANSFORMERS = 60  # new ones …
_MAX_LOADED = 500  # … and new reference systems …
_WINDOW_S = 10.0  # … in this time; those set up before are kept
_transformed_at: deque[float] = deque()
_loaded_at: deque[float] = deque()


@lru_cache(maxsize=32768)
def crs_code(name: str) -> str:
    """A CRS name, URN or address as AUTHORITY:CODE; longitude first is CRS:84; what is unknown stays."""
    name = name.strip()
    if name.isdecimal():
        return f"EPSG:{name}"
    found = _CODE.search(name) if not _WKT.match(name) else None
    if not found:
        return "CRS:84" if name.upper() in {"CRS84", "WGS84", "WGS 84"} else name
    authority, code = found["authority"].upper(), found["code"].upper()
    if code in {"CRS84", "84", "CRS84H"} and authority in {"OGC", "CRS", "EPSG"}:
        return "CRS:84"
    if authority == "OGC" and code.startswith("CRS"):
        return f"CRS:{code[3:]}"
    return f"{authority}:{code}"


def wkt_code(definition: str) -> str:
    """The code of a CRS given as well-known text; empty where no authority has one for it."""
    try:
        crs = _load_crs(definition) if _WKT.match(definition) else None
    except _TooManyProjectionsError:
        return ""
    return _authority_code(crs) if crs is not None else ""


@lru_cache(maxsize=512)
def _authority_code(crs: CRS) -> str:
    found = crs.to_authority(min_confidence=70)
    if found is not None:
        return crs_code(f"{found[0]}:{found[1]}")
    return "CRS:84" if crs.is_geographic else ""


class _CodeLists(dict[str, tuple[str, ...]]):
    """Codes by text; a dictionary because a layer may name thousands, the same in every document of a server."""

    def __missing__(self, names: str) -> tuple[str, ...]:
        found = tuple([crs_code(name) for name in names.split()])
        if len(names) <= _MAX_KEY_CHARS:
            if len(self) > _MAX_CODE_LISTS:
                self.clear()
            self[names] = found
        return found


CODE_LISTS = _CodeLists()


def crs_list(names: str) -> tuple[str, ...]:
    """The codes in a text that names one CRS, or several with white space between them."""
    return CODE_LISTS[names]


def extent(
    numbers: Sequence[float | str | None],
    crs: str = "CRS:84",
    *,
    axis_order: AxisOrder = "xy",
    hints: Sequence[str] = (),
) -> Extent:
    """The box that four (or six) numbers mean: lower corner, then upper corner.

    `axis_order` says whether they stand as x, y or as the CRS itself orders its axes. `hints` are other CRS
    of the same layer: where metres stand in a degree field, the only projected one among them is believed.
    """
    try:
        return _extent(tuple(numbers), crs, axis_order, tuple(hints))
    except _TooManyProjectionsError:
        return Extent(None, (), crs, (BoxFault.OUT_OF_RANGE,))


def between(
    lower: str, upper: str, crs: str = "CRS:84", axis_order: AxisOrder = "xy"
) -> Extent:
    """The extent between two corners written as texts; a third axis is left out."""
    try:
        return _between(lower, upper, crs, axis_order)
    except _TooManyProjectionsError:
        return Extent(None, (), crs, (BoxFault.OUT_OF_RANGE,))


@lru_cache(maxsize=8192)
def _between(lower: str, upper: str, crs: str, axis_order: AxisOrder) -> Extent:
    low, high = lower.replace(",", " ").split()[:2], upper.replace(",", " ").split()[:2]
    return _extent((*low, *high), crs, axis_order, ())


@lru_cache(maxsize=8192)
def _extent(
    numbers: tuple[float | str | None, ...],
    crs: str,
    axis_order: AxisOrder,
    hints: tuple[str, ...],
) -> Extent:
    declared = _as_floats(numbers)
    if declared is None:
        return Extent(None, (), crs, (BoxFault.NOT_A_NUMBER,))
    code = crs_code(crs)
    four = (
        declared
        if len(declared) == 4
        else (declared[0], declared[1], declared[3], declared[4])
    )
    box, faults = _settle((four[0], four[1], four[2], four[3]), code, axis_order, hints)
    if box is not None and box.is_world and BoxFault.WHOLE_WORLD not in faults:
        faults = (*faults, BoxFault.WHOLE_WORLD)
    return Extent(box, declared, code, faults)


def cover(extents: Iterable[Extent | None]) -> Extent | None:
    """One extent around all that have a box; whole-world defaults count only if there is nothing better."""
    # Layers inherit or repeat their boxes: one look at each object is enough.
    boxes = list(
        {
            id(e.box): e.box for e in extents if e is not None and e.box is not None
        }.values()
    )
    meaningful = [b for b in boxes if not b.is_world] or boxes[:1]
    box = union(meaningful)
    if box is None:
        return None
    return Extent(
        box, box.as_tuple(), "CRS:84", (BoxFault.WHOLE_WORLD,) if box.is_world else ()
    )


def best(extents: Sequence[Extent]) -> Extent:
    """What boxes of one layer in several CRS mean: the one in degrees, or all projected ones together.

    A grid zone ends where the next one begins, so no single one of them need show the whole layer.
    """
    readable = [e for e in extents if e.box is not None]
    in_degrees = next((e for e in readable if is_geographic(e.crs)), None)
    if in_degrees is not None or len(readable) < 2:
        return in_degrees or next(iter(readable or extents))
    return replace(readable[0], box=(cover(readable) or readable[0]).box)


def _as_floats(numbers: Sequence[float | str | None]) -> tuple[float, ...] | None:
    if len(numbers) not in (4, 6):
        return None
    found = []
    for number in numbers:
        try:
            # A decimal comma is common where the server formats numbers in its own language.
            plain = number.replace(",", ".") if isinstance(number, str) else number
            value = float(plain)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return None
        if not math.isfinite(value):
            return None
        found.append(value)
    return tuple(found)


def _settle(
    four: Four, code: str, axis_order: AxisOrder, hints: tuple[str, ...]
) -> tuple[BBox | None, tuple[BoxFault, ...]]:
    if four in _EMPTY:
        return None, (BoxFault.EMPTY,)
    if code in _LON_LAT_DEGREES:
        return _from_degrees(four, False, hints)
    if code in _LAT_LON_DEGREES:
        return _from_degrees(four, axis_order == "authority", hints)
    if code in _WEB_MERCATOR:
        return _from_projected(four, code, False)
    crs = _load_crs(code)
    if crs is None:
        # Numbers that can be degrees are read as degrees; metres of an unknown grid mean nothing.
        return (
            _from_degrees(four, False, hints)
            if _fits_degrees(four)
            else (None, (BoxFault.OUT_OF_RANGE,))
        )
    north_first = axis_order == "authority" and _is_north_first(code)
    if crs.is_geographic:
        return _from_degrees(four, north_first, hints)
    return _from_projected(four, code, north_first)


def _fits_degrees(four: Four) -> bool:
    return (
        all(abs(v) <= 360 for v in four) and abs(four[1]) <= 90 and abs(four[3]) <= 90
    )


def _from_degrees(
    four: Four, lat_first: bool, hints: tuple[str, ...]
) -> tuple[BBox | None, tuple[BoxFault, ...]]:
    if max(map(abs, four)) > 720:
        return _from_metres_in_degree_field(four, hints)
    west, south, east, north = (
        (four[1], four[0], four[3], four[2]) if lat_first else four
    )
    faults: list[BoxFault] = []
    if _is_swapped(west, south, east, north):
        west, south, east, north = south, west, north, east
        faults.append(BoxFault.SWAPPED_AXES)
    if south > north:
        faults.append(BoxFault.MIN_ABOVE_MAX)
        south, north = north, south
        west, east = min(west, east), max(west, east)
    if south < -90 or north > 90:
        faults.append(BoxFault.OUT_OF_RANGE)
        if south < -90 - _OVERSHOOT_DEG or north > 90 + _OVERSHOOT_DEG:
            return None, tuple(faults)
        south, north = max(south, -90.0), min(north, 90.0)
        if south > north:
            return None, tuple(faults)
    west, east = _settle_longitudes(west, east, faults)
    return BBox(west, south, east, north), tuple(dict.fromkeys(faults))


def _is_swapped(west: float, south: float, east: float, north: float) -> bool:
    """Only the latitudes are none, and they may be longitudes."""
    if not _beyond_pole(south, north) or _beyond_pole(west, east):
        return False
    return max(abs(south), abs(north)) <= 360


def _beyond_pole(first: float, second: float) -> bool:
    return max(abs(first), abs(second)) > 90 + _OVERSHOOT_DEG


def _settle_longitudes(
    west: float, east: float, faults: list[BoxFault]
) -> tuple[float, float]:
    """Any two longitudes within ±180; west > east only where the box really crosses the antimeridian."""
    if west > east and not _crosses_antimeridian(west, east):
        faults.append(BoxFault.MIN_ABOVE_MAX)
        west, east = east, west
    if west < -180 or east > 180:
        faults += _faults_beyond_180(west, east)
        if east - west >= 359:
            return -180.0, 180.0
        west, east = (west + 180) % 360 - 180, (east + 180) % 360 - 180
    if west > east:
        faults.append(BoxFault.ANTIMERIDIAN)
    return west, east


def _crosses_antimeridian(west: float, east: float) -> bool:
    """A box from east to west that is the smaller half of the globe; a larger one has its corners swapped."""
    return -180 <= east < 0 < west <= 180 and east - west + 360 <= 180


def _faults_beyond_180(west: float, east: float) -> list[BoxFault]:
    if west >= 0 and east <= 361:
        return [BoxFault.ZERO_TO_360]
    overshoots = west < -180 - _OVERSHOOT_DEG or east > 180 + _OVERSHOOT_DEG
    if overshoots or east - west >= 360:
        return [BoxFault.OUT_OF_RANGE]
    return []


def _from_metres_in_degree_field(
    four: Four, hints: tuple[str, ...]
) -> tuple[BBox | None, tuple[BoxFault, ...]]:
    """Metres where degrees should be: read by the only projected CRS of the layer, or given up."""
    is_mercator_world = all(
        abs(abs(v) - _MERCATOR_EDGE_M) < _MERCATOR_EDGE_M * 0.01
        for v in (four[0], four[2])
    )
    if is_mercator_world and four[0] < four[2]:
        box, _ = _from_projected(four, "EPSG:3857", False)
        return box, (BoxFault.PROJECTED,)
    codes = {crs_code(h) for h in hints} - _LON_LAT_DEGREES - _LAT_LON_DEGREES
    projected = {c for c in list(codes)[:4] if c in _WEB_MERCATOR or _is_projected(c)}
    if len(projected) == 1:
        box, more = _from_projected(four, projected.pop(), False)
        return box, (BoxFault.PROJECTED, *more)
    return None, (BoxFault.PROJECTED,)


def _from_projected(
    four: Four, code: str, north_first: bool
) -> tuple[BBox | None, tuple[BoxFault, ...]]:
    west, south, east, north = (
        (four[1], four[0], four[3], four[2]) if north_first else four
    )
    faults: list[BoxFault] = []
    if west > east or south > north:
        faults.append(BoxFault.MIN_ABOVE_MAX)
        west, east, south, north = (
            min(west, east),
            max(west, east),
            min(south, north),
            max(south, north),
        )
    if _fits_degrees((west, south, east, north)) and north - south > 0.5:
        # Nobody maps a few hundred metres around a grid origin: these are degrees under the wrong label.
        box, more = _from_degrees((west, south, east, north), False, ())
        return box, (*faults, BoxFault.OUT_OF_RANGE, *more)
    degrees = _unproject(west, south, east, north, code)
    if degrees is None:
        return None, (*faults, BoxFault.OUT_OF_RANGE)
    west, south, east, north = degrees
    if west > east:
        faults.append(BoxFault.ANTIMERIDIAN)
    return BBox(west, south, east, north), tuple(faults)


def _unproject_mercator(
    west: float, south: float, east: float, north: float
) -> Four | None:
    if (
        max(abs(west), abs(east)) > _MERCATOR_EDGE_M * 1.5
        or max(abs(south), abs(north)) > 2e8
    ):
        return None
    x = [math.degrees(v / _EARTH_RADIUS_M) for v in (west, east)]
    y = [
        math.degrees(2 * math.atan(math.exp(v / _EARTH_RADIUS_M)) - math.pi / 2)
        for v in (south, north)
    ]
    return max(x[0], -180.0), y[0], min(x[1], 180.0), y[1]


def _unproject(
    west: float, south: float, east: float, north: float, code: str
) -> Four | None:
    if code in _WEB_MERCATOR:
        return _unproject_mercator(west, south, east, north)
    transformer = _load_transformer(code)
    if transformer is None:
        return None
    from pyproj.exceptions import ProjError  # noqa: PLC0415 - costs 60 ms, and few boxes need it

    try:
        found = transformer.transform_bounds(west, south, east, north, densify_pts=11)
    except ProjError:
        return None
    if not all(math.isfinite(v) for v in found) or found[1] > found[3]:
        return None
    return (
        max(found[0], -180.0),
        max(found[1], -90.0),
        min(found[2], 180.0),
        min(found[3], 90.0),
    )


@lru_cache(maxsize=512)
def _load_crs(code: str) -> CRS | None:
    if not _is_loadable(code):
        return None
    _spend(_loaded_at, _MAX_LOADED)
    from pyproj import CRS  # noqa: PLC0415 - costs 60 ms, and few boxes need it
    from pyproj.exceptions import CRSError  # noqa: PLC0415

    try:
        return CRS.from_user_input(code)
    except (CRSError, UnicodeError):
        return None


def _is_loadable(code: str) -> bool:
    """A short AUTHORITY:CODE, or well-known text of the usual length."""
    if _WKT.match(code):
        return len(code) <= _MAX_WKT_CHARS
    return ":" in code and len(code) <= 40


class _TooManyProjectionsError(Exception):
    """Raised so that no cache keeps the answer: the same box may be worked out later."""


def _spend(set_up_at: deque[float], most: int) -> None:
    """A projection takes some 20 ms to set up: a document that names thousands of them must not stop everything."""
    now = time.monotonic()
    while set_up_at and set_up_at[0] < now - _WINDOW_S:
        set_up_at.popleft()
    if len(set_up_at) >= most:
        raise _TooManyProjectionsError
    set_up_at.append(now)


@lru_cache(maxsize=512)
def _load_transformer(code: str) -> Transformer | None:
    crs = _load_crs(code)
    if crs is None:
        return None
    from pyproj import Transformer  # noqa: PLC0415
    from pyproj.exceptions import ProjError  # noqa: PLC0415

    _spend(_transformed_at, _MAX_TRANSFORMERS)
    try:
        return Transformer.from_crs(crs, "EPSG:4326", always_xy=True)
    except ProjError:
        return None


@lru_cache(maxsize=512)
def _is_north_first(code: str) -> bool:
    crs = _load_crs(code)
    axes = crs.axis_info if crs is not None else []
    return (
        bool(axes)
        and axes[0].direction.lower() in {"north", "south"}
        and axes[0].abbrev.upper()[:1] != "E"
    )


def is_geographic(code: str) -> bool:
    """True if the numbers of this CRS are degrees."""
    if code in _LON_LAT_DEGREES or code in _LAT_LON_DEGREES:
        return True
    try:
        return code not in _WEB_MERCATOR and not _is_projected(code)
    except _TooManyProjectionsError:
        return False


@lru_cache(maxsize=512)
def _is_projected(code: str) -> bool:
    crs = _load_crs(code)
    return crs is not None and bool(crs.is_projected)


def is_lat_first(crs: str) -> bool:
    """True if the authority of this CRS puts the north axis before the east axis."""
    code = crs_code(crs)
    if code in _LAT_LON_DEGREES:
        return True
    if code in _LON_LAT_DEGREES or code in _WEB_MERCATOR:
        return False
    try:
        return _is_north_first(code)
    except _TooManyProjectionsError:
        return False
