"""Reads the first directory of a TIFF far enough to see whether it says where on Earth its pixels are."""

from __future__ import annotations

from typing import Literal

_ORDERS: dict[bytes, Literal["little", "big"]] = {b"II": "little", b"MM": "big"}
_CLASSIC, _BIG = 42, 43
_GEO_KEYS = 34735  # the tag GeoKeyDirectory


def is_tiff(start: bytes) -> bool:
    order = _ORDERS.get(start[:2])
    return order is not None and int.from_bytes(start[2:4], order) in (_CLASSIC, _BIG)


def has_geo_keys(start: bytes) -> bool | None:
    """Has it a directory of geographic keys? None where its first directory is not among these bytes."""
    order = _ORDERS[start[:2]]
    if int.from_bytes(start[2:4], order) == _CLASSIC:
        first, count_size, entry_size = int.from_bytes(start[4:8], order), 2, 12
    else:
        first, count_size, entry_size = int.from_bytes(start[8:16], order), 8, 20
    entries_at = first + count_size
    if entries_at > len(start):
        return None
    count = int.from_bytes(start[first:entries_at], order)
    end = entries_at + count * entry_size
    within = min(end, len(start) - 1)
    tags = (
        int.from_bytes(start[at : at + 2], order)
        for at in range(entries_at, within, entry_size)
    )
    if _GEO_KEYS in tags:
        return True
    return False if end <= len(start) else None
