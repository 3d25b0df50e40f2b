"""What the pages of a column in Parquet say of themselves: the footer of the file may say less."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MAX_PAGES = 50_000  # of one column of a row group
DICTIONARY = 2  # kind of a page
PREFIXES = 7  # the encoding DELTA_BYTE_ARRAY: each value as a part of the one before, and the rest
# encodings that can be read as a dictionary, and that of a page without values
CODED = (-1, 0, 2, 8)
_STOP, _TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY = range(9)
_STRUCT = 12
_MAX_DEPTH = 4
# places in the header of a page: its kind, sizes, and headers of data with their encoding
_KIND, _UNPACKED, _PACKED = 1, 2, 3
_ENCODINGS = ((5, 2), (8, 4))

Struct = dict[int, Any]


@dataclass(frozen=True, slots=True)
class PageHead:
    kind: int
    unpacked: int
    encoding: int  # -1 where it has none


def page_heads(data: bytes) -> Iterator[PageHead]:
    """Of all pages of a column; ValueError where the bytes are none."""
    at = 0
    for _ in range(MAX_PAGES):
        if at >= len(data):
            return
        head, at = _struct(data, at, 0)
        sizes = [head.get(place) for place in (_KIND, _UNPACKED, _PACKED)]
        kind, unpacked, packed = (
            size if isinstance(size, int) else -1 for size in sizes
        )
        if min(kind, unpacked, packed) < 0:
            raise ValueError("a page without its size")
        yield PageHead(kind, unpacked, _encoding(head))
        at += packed
    raise ValueError(f"a column of more than {MAX_PAGES} pages")


def _encoding(head: Struct) -> int:
    for place, inner in _ENCODINGS:
        about = head.get(place)
        encoding = about.get(inner) if isinstance(about, dict) else None
        if isinstance(encoding, int):
            return encoding
    return -1


def _struct(data: bytes, at: int, depth: int) -> tuple[Struct, int]:
    """A structure in the compact protocol of Thrift, by the numbers of its fields; and where it ends."""
    if depth > _MAX_DEPTH:
        raise ValueError("the head of a page is nested too deeply")
    found: Struct = {}
    field = 0
    while True:
        step, kind = divmod(_byte(data, at), 16)
        at += 1
        if kind == _STOP:
            return found, at
        if step:
            field += step
        else:
            field, at = _signed(data, at)
        found[field], at = _value(data, at, kind, depth)


def _value(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in (_TRUE, _FALSE):
        return int(kind == _TRUE), at
    if kind == _BYTE:
        return _byte(data, at), at + 1
    if kind in (_I16, _I32, _I64):
        return _signed(data, at)
    if kind == _DOUBLE:
        return data[at : at + 8], at + 8
    if kind == _BINARY:
        size, at = _varint(data, at)
        return data[at : at + size], at + size
    if kind == _STRUCT:
        return _struct(data, at, depth + 1)
    raise ValueError("the head of a page is damaged")


def _signed(data: bytes, at: int) -> tuple[int, int]:
    number, at = _varint(data, at)
    return (number >> 1) ^ -(number & 1), at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    number = 0
    for shift in range(0, 70, 7):
        byte = _byte(data, at)
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
    raise ValueError("the head of a page is damaged")


def _byte(data: bytes, at: int) -> int:
    if at >= len(data):
        raise ValueError("a page that is cut off")
    return data[at]
