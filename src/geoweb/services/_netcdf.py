"""Writes a NetCDF classic file by hand: one grid of floats over latitude and longitude."""

from __future__ import annotations

import math
import struct

_DIMENSION, _VARIABLE, _ATTRIBUTE = 10, 11, 12
_CHAR, _FLOAT, _DOUBLE = 2, 5, 6


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)


def _name(text: str) -> bytes:
    return struct.pack(">I", len(text.encode())) + _padded(text.encode())


def _text_attribute(name: str, text: str) -> bytes:
    data = text.encode()
    return _name(name) + struct.pack(">II", _CHAR, len(data)) + _padded(data)


def write_grid(
    name: str, title: str, box: tuple[float, float, float, float], side: int
) -> bytes:
    """The file; its grid has `side` rows and columns."""
    west, south, east, north = box
    rows = [south + (north - south) * (i + 0.5) / side for i in range(side)]
    columns = [west + (east - west) * (i + 0.5) / side for i in range(side)]
    cells = [100 + 50 * math.sin(y) * math.cos(x) for y in rows for x in columns]
    parts = [
        struct.pack(f">{side}d", *rows),
        struct.pack(f">{side}d", *columns),
        struct.pack(f">{side * side}f", *cells),
    ]
    variables = (("lat", (0,), _DOUBLE), ("lon", (1,), _DOUBLE), (name, (0, 1), _FLOAT))
    head = b"CDF\x01" + struct.pack(">I", 0)
    head += struct.pack(">II", _DIMENSION, 2) + b"".join(
        _name(d) + struct.pack(">I", side) for d in ("lat", "lon")
    )
    notes = _text_attribute("title", title) + _text_attribute("Conventions", "CF-1.8")
    head += (
        struct.pack(">II", _ATTRIBUTE, 2)
        + notes
        + struct.pack(">II", _VARIABLE, len(variables))
    )
    # Each entry: name, number of dimensions, their ids, no attributes, type, size, place of the data.
    sizes = [len(_name(n)) + 4 + 4 * len(dims) + 8 + 12 for n, dims, _ in variables]
    offset = len(head) + sum(sizes)
    for (variable, dims, kind), part in zip(variables, parts, strict=True):
        head += _name(variable) + struct.pack(f">I{len(dims)}I", len(dims), *dims)
        head += struct.pack(">IIIII", 0, 0, kind, len(part), offset)
        offset += len(part)
    return head + b"".join(parts)
