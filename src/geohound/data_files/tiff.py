"""Reads the first directory of a TIFF: does it say where on Earth its pixels are, and are all of them there?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

_ORDERS: dict[bytes, Literal["little", "big"]] = {b"II": "little", b"MM": "big"}
_CLASSIC, _BIG = 42, 43
_GEO_KEYS = 34735  # the tag GeoKeyDirectory
# where strips or tiles begin, and how many bytes each has
_PLACES = {273: 279, 324: 325}
_SIZES = {3: 2, 4: 4, 16: 8}  # bytes of a whole number, by its type
_MAX_PARTS = 100_000  # strips or tiles that are looked at


class _Directory(NamedTuple):
    order: Literal["little", "big"]
    entries_at: int
    entries: int
    entry_size: int  # 12, or 20 in a BigTIFF

    @property
    def end(self) -> int:
        return self.entries_at + self.entries * self.entry_size


def is_tiff(start: bytes) -> bool:
    order = _ORDERS.get(start[:2])
    return order is not None and int.from_bytes(start[2:4], order) in (_CLASSIC, _BIG)


def has_geo_keys(start: bytes) -> bool | None:
    """Has it a directory of geographic keys? None where its first directory is not among these bytes."""
    directory = _directory(start)
    if directory is None:
        return None
    if _GEO_KEYS in (tag for tag, _ in _entries(start, directory)):
        return True
    return False if directory.end <= len(start) else None


def is_cut_off(body: bytes) -> bool:
    """Do its first directory, or the pixels that it names, lie beyond the end?"""
    directory = _directory(body)
    if directory is None or directory.end > len(body):
        return True
    places = dict(_entries(body, directory))
    for offsets, sizes in _PLACES.items():
        if offsets in places and sizes in places:
            begins = _numbers(body, directory, places[offsets])
            lengths = _numbers(body, directory, places[sizes])
            ends = (a + b for a, b in zip(begins, lengths, strict=False) if b)
            return max(ends, default=0) > len(body)
    return False


def _directory(start: bytes) -> _Directory | None:
    """None where it is not among these bytes."""
    order = _ORDERS[start[:2]]
    if int.from_bytes(start[2:4], order) == _CLASSIC:
        first, count_size, entry_size = int.from_bytes(start[4:8], order), 2, 12
    else:
        first, count_size, entry_size = int.from_bytes(start[8:16], order), 8, 20
    entries_at = first + count_size
    if entries_at > len(start):
        return None
    count = int.from_bytes(start[first:entries_at], order)
    return _Directory(order, entries_at, count, entry_size)


def _entries(start: bytes, directory: _Directory) -> Iterator[tuple[int, int]]:
    """Each tag with the place of its entry, as far as there are bytes."""
    within = min(directory.end, len(start) - 1)
    for at in range(directory.entries_at, within, directory.entry_size):
        yield int.from_bytes(start[at : at + 2], directory.order), at


def _numbers(body: bytes, directory: _Directory, at: int) -> Iterator[int]:
    """The whole numbers of an entry: in the entry itself where they fit, else where it says."""
    order = directory.order
    size = _SIZES.get(int.from_bytes(body[at + 2 : at + 4], order), 0)
    wide = 4 if directory.entry_size == 12 else 8
    count = int.from_bytes(body[at + 4 : at + 4 + wide], order)
    place = at + 4 + wide
    if size * count > wide:
        place = int.from_bytes(body[place : place + wide], order)
    if not size or place + size * count > len(body):
        yield len(body) + 1  # the list itself is cut off
        return
    for number in range(min(count, _MAX_PARTS)):
        begin = place + number * size
        yield int.from_bytes(body[begin : begin + size], order)
