"""Draws maps and tiles: real PNG and JPEG bytes of the asked size, by layer and box."""

from __future__ import annotations

import math
import struct
import zlib
from functools import lru_cache

MAX_SIDE_PX = 2048
Box = tuple[float, float, float, float]
Colour = tuple[int, int, int]


@lru_cache(maxsize=64)
def draw_map(
    what: str,
    box: Box,
    size: tuple[int, int],
    media_type: str,
    transparent: bool = False,
) -> bytes:
    """An image of `size` (width, height) in pixels; PNG unless JPEG is asked for."""
    width, height = (min(max(1, side), MAX_SIDE_PX) for side in size)
    columns = _cells(box[0], box[2], width)
    rows = _cells(box[3], box[1], height)
    colours = _colours(what)
    if "jpeg" in media_type or "jpg" in media_type:
        return _jpeg(columns, rows, colours)
    return _png(columns, rows, colours, transparent)


def _cells(start: float, end: float, pixels: int) -> list[int]:
    """For every pixel the cell of the world it lies in; cells are powers of two wide, five to ten in view."""
    span = abs(end - start) or 1.0
    cell = 2.0 ** math.floor(math.log2(span / 5))
    step = (end - start) / pixels
    return [math.floor((start + (i + 0.5) * step) / cell) for i in range(pixels)]


def _colours(what: str) -> list[Colour]:
    """Four colours that belong to a layer."""
    mark = zlib.crc32(what.encode())
    return [
        (
            64 + (mark >> shift & 127),
            64 + (mark >> shift + 7 & 127),
            64 + (mark >> shift + 3 & 127),
        )
        for shift in (0, 4, 9, 14)
    ]


def _shade(column: int, row: int) -> int:
    return (column & 1) + 2 * (row & 1)


def _png(
    columns: list[int], rows: list[int], colours: list[Colour], transparent: bool
) -> bytes:
    lines = [b"\0" + bytes(_shade(c, parity) for c in columns) for parity in (0, 1)]
    pixels = b"".join(lines[row & 1] for row in rows)
    header = struct.pack(">IIBBBBB", len(columns), len(rows), 8, 3, 0, 0, 0)
    palette = b"".join(bytes(colour) for colour in colours)
    chunks = [(b"IHDR", header), (b"PLTE", palette)]
    if transparent:
        chunks.append((b"tRNS", b"\0"))
    chunks += [(b"IDAT", zlib.compress(pixels, 6)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return (
        struct.pack(">I", len(data))
        + kind
        + data
        + struct.pack(">I", zlib.crc32(kind + data))
    )


# The codes of the usual luminance DC table (ITU-T T.81, table K.3), by number of bits of the difference.
_DC_CODES = (
    "00",
    "010",
    "011",
    "100",
    "101",
    "110",
    "1110",
    "11110",
    "111110",
    "1111110",
)
_DC_TABLE = bytes((0, 0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0)) + bytes(
    range(12)
)
# One AC code only: "0" ends the block, for every block here has a single colour.
_AC_TABLE = bytes((0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) + b"\0"


def _jpeg(columns: list[int], rows: list[int], colours: list[Colour]) -> bytes:
    """Baseline JPEG whose blocks of 8 x 8 pixels have one colour each."""
    frame = (
        struct.pack(">BHHB", 8, len(rows), len(columns), 3)
        + b"\1\x11\0\2\x11\0\3\x11\0"
    )
    segments = (
        (0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0"),
        (0xDB, b"\0" + b"\x08" * 64),
        (0xC0, frame),
        (0xC4, _DC_TABLE),
        (0xC4, _AC_TABLE),
        (0xDA, b"\3\1\0\2\0\3\0\0\x3f\0"),
    )
    head = b"".join(
        struct.pack(">BBH", 0xFF, mark, len(data) + 2) + data for mark, data in segments
    )
    return b"\xff\xd8" + head + _scan(columns[::8], rows[::8], colours) + b"\xff\xd9"


def _scan(columns: list[int], rows: list[int], colours: list[Colour]) -> bytes:
    shades = [_levels(colour) for colour in colours]
    before = (0, 0, 0)
    bits: list[str] = []
    for row in rows:
        for column in columns:
            levels = shades[_shade(column, row)]
            bits += [
                _difference(now - was) for now, was in zip(levels, before, strict=True)
            ]
            before = levels
    text = "".join(bits)
    text += "1" * (-len(text) % 8)
    return int(text, 2).to_bytes(len(text) // 8, "big").replace(b"\xff", b"\xff\0")


def _levels(colour: Colour) -> tuple[int, int, int]:
    red, green, blue = colour
    luma = 0.299 * red + 0.587 * green + 0.114 * blue
    return round(luma) - 128, round(0.564 * (blue - luma)), round(0.713 * (red - luma))


def _difference(value: int) -> str:
    size = abs(value).bit_length()
    if not size:
        return "000"
    bits = value if value > 0 else value + (1 << size) - 1
    return f"{_DC_CODES[size]}{bits:0{size}b}0"
