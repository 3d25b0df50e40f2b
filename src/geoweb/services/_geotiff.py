"""Writes a small GeoTIFF in longitude and latitude, one band of 32-bit floats."""

from __future__ import annotations

import math
import struct
import zlib

MAX_SIDE_PX = 256
_SHORT, _LONG, _DOUBLE = 3, 4, 12
_PACK = {_SHORT: "H", _LONG: "I", _DOUBLE: "d"}
# WGS 84 (4326) geographic, pixels are areas: model type 2, raster type 1, geographic CRS 4326.
_GEO_KEYS = (1, 1, 0, 3, 1024, 0, 1, 2, 1025, 0, 1, 1, 2048, 0, 1, 4326)


def draw_grid(
    what: str, box: tuple[float, float, float, float], width: int, height: int
) -> bytes:
    """A GeoTIFF of waves that depend on the layer and the place."""
    width, height = (min(max(1, side), MAX_SIDE_PX) for side in (width, height))
    west, south, east, north = box
    pixels = _pixels(what, box, width, height)
    entries: list[tuple[int, int, tuple[float, ...]]] = [
        (256, _LONG, (width,)),
        (257, _LONG, (height,)),
        (258, _SHORT, (32,)),
        (259, _SHORT, (1,)),
        (262, _SHORT, (1,)),
        (273, _LONG, (8,)),
        (277, _SHORT, (1,)),
        (278, _LONG, (height,)),
        (279, _LONG, (len(pixels),)),
        (339, _SHORT, (3,)),
        (33550, _DOUBLE, ((east - west) / width, (north - south) / height, 0.0)),
        (33922, _DOUBLE, (0.0, 0.0, 0.0, west, north, 0.0)),
        (34735, _SHORT, _GEO_KEYS),
    ]
    directory = 8 + len(pixels)
    head = struct.pack("<2sHI", b"II", 42, directory)
    return head + pixels + _directory(entries, directory)


def _pixels(
    what: str, box: tuple[float, float, float, float], width: int, height: int
) -> bytes:
    west, south, east, north = box
    phase = zlib.crc32(what.encode()) % 628 / 100
    across = [
        math.sin((west + (i + 0.5) * (east - west) / width) * 3 + phase)
        for i in range(width)
    ]
    up = [
        math.cos((north - (j + 0.5) * (north - south) / height) * 3)
        for j in range(height)
    ]
    return struct.pack(
        f"<{width * height}f", *(100 + 50 * x * y for y in up for x in across)
    )


def _directory(entries: list[tuple[int, int, tuple[float, ...]]], offset: int) -> bytes:
    """The image file directory; values over four bytes follow it."""
    beyond = offset + 2 + 12 * len(entries) + 4
    rows, extra = b"", b""
    for tag, kind, values in entries:
        numbers = values if kind == _DOUBLE else tuple(int(v) for v in values)
        data = struct.pack(f"<{len(values)}{_PACK[kind]}", *numbers)
        if len(data) > 4:
            place = struct.pack("<I", beyond + len(extra))
            extra += data
        else:
            place = data.ljust(4, b"\0")
        rows += struct.pack("<HHI", tag, kind, len(values)) + place
    return struct.pack("<H", len(entries)) + rows + b"\0\0\0\0" + extra
