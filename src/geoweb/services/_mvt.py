"""Writes a small Mapbox Vector Tile, protocol buffer by hand."""

from __future__ import annotations

import itertools
import math

from ._features import Feature
from ._tiling import HALF_M, tile_box

EXTENT = 4096
_MOVE, _LINE, _CLOSE = 1, 2, 7
_TYPES = {"point": 1, "line": 2, "polygon": 3}


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _zigzag(value: int) -> int:
    return value << 1 if value >= 0 else -value * 2 - 1


def draw_vector_tile(
    layers: list[tuple[str, list[Feature]]], place: tuple[int, int, int]
) -> bytes:
    """The tile of the layers given, features that touch it and only those."""
    out = b""
    for name, features in layers:
        body = b"".join(
            _bytes(2, f) for f in (_feature(f, place) for f in features) if f
        )
        if not body:
            continue
        values = b"".join(_bytes(4, _bytes(1, f.name.encode())) for f in features)
        layer = (
            _bytes(1, name.encode())
            + body
            + _bytes(3, b"name")
            + values
            + _number(5, EXTENT)
            + _number(15, 2)
        )
        out += _bytes(3, layer)
    return out


def _pixels(
    points: tuple[tuple[float, float], ...], place: tuple[int, int, int]
) -> list[tuple[int, int]]:
    west, south, east, north = tile_box(*place)
    found: list[tuple[int, int]] = []
    for longitude, latitude in points:
        bounded = max(-85.06, min(85.06, latitude))
        x = longitude / 180 * HALF_M
        y = math.log(math.tan(math.radians(45 + bounded / 2))) * 6378137
        found.append(
            (
                round((x - west) / (east - west) * EXTENT),
                round((north - y) / (north - south) * EXTENT),
            )
        )
    return found


def _feature(feature: Feature, place: tuple[int, int, int]) -> bytes:
    pixels = _pixels(feature.points, place)
    if not any(0 <= x <= EXTENT and 0 <= y <= EXTENT for x, y in pixels):
        return b""
    closed = feature.shape == "polygon"
    commands = _commands(pixels[:-1] if closed else pixels, closed)
    geometry = b"".join(_varint(c) for c in commands)
    index = feature.code - 101  # codes count from 101 in the order of the values
    tags = _varint(0) + _varint(index)
    return (
        _number(1, feature.code)
        + _bytes(2, tags)
        + _number(3, _TYPES[feature.shape])
        + _bytes(4, geometry)
    )


def _commands(pixels: list[tuple[int, int]], closed: bool) -> list[int]:
    """MoveTo the first point, LineTo the rest, steps relative; outer rings run clockwise on the screen."""
    step = -1 if closed and _area(pixels) < 0 else 1
    pixels = pixels[::step]
    out = [_MOVE | 1 << 3, _zigzag(pixels[0][0]), _zigzag(pixels[0][1])]
    if len(pixels) > 1:
        out.append(_LINE | len(pixels) - 1 << 3)
        for (x0, y0), (x1, y1) in itertools.pairwise(pixels):
            out += [_zigzag(x1 - x0), _zigzag(y1 - y0)]
    return [*out, _CLOSE | 1 << 3] if closed else out


def _area(ring: list[tuple[int, int]]) -> int:
    return sum(
        x0 * y1 - x1 * y0
        for (x0, y0), (x1, y1) in zip(ring, ring[1:] + ring[:1], strict=True)
    )
