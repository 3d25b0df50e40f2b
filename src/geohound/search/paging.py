"""Cursors for stable pages while services are written: a cursor names the state of the index, and the last hit.

The index is append-only, so its state is the number of its services. Where segments have been rewritten since, that
order is lost; then the page continues after the last hit alone.
"""

from __future__ import annotations

import re
import zlib
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .in_memory_index import Snapshot

_CURSOR = re.compile(
    r"k([0-9a-f]{1,8})\.([0-9a-f]{8})\.([0-9a-f]{8})\.([0-9a-f]{1,8})(?:\.([0-9a-f]{1,8}))?"
)


class Cursor(NamedTuple):
    services: int  # their number, with those that were overwritten since
    order: int  # checksum of their numbers
    rank: float  # of the last hit
    num: int
    layers: int = 0  # of the last hit that were shown, where layers are listed


def read_cursor(text: str) -> Cursor | None:
    """None for invalid cursors."""
    found = _CURSOR.fullmatch(text)
    if not found:
        return None
    services, order, bits, num = (int(part, 16) for part in found.groups()[:4])
    layers = int(found[5] or "0", 16)
    return Cursor(
        services, order, float(np.array(bits, np.uint32).view(np.float32)), num, layers
    )


def write_cursor(snapshot: Snapshot, rank: float, num: int, layers: int = 0) -> str:
    bits = int(np.array(rank, np.float32).view(np.uint32))
    return (
        f"k{len(snapshot.records):x}.{_order_of(snapshot, len(snapshot.records)):08x}.{bits:08x}.{num:x}"
        + (f".{layers:x}" if layers else "")
    )


def _order_of(snapshot: Snapshot, services: int) -> int:
    return zlib.crc32(
        np.ascontiguousarray(snapshot.records["num"][:services]).tobytes()
    )


def as_it_was(snapshot: Snapshot, cursor: Cursor) -> Snapshot:
    """The snapshot of the cursor's first page, with the current states and popularity."""
    size = cursor.services
    if (
        not 0 < size <= len(snapshot.records)
        or _order_of(snapshot, size) != cursor.order
    ):
        return snapshot
    entries = int(snapshot.first[size])
    return snapshot._replace(
        slot_of=snapshot.slot_of[:entries],
        service_of=snapshot.service_of[:entries],
        language_of=snapshot.language_of[:entries],
        boxes=snapshot.boxes[:, :entries],
        envelopes=snapshot.envelopes[:, :size],
        first=snapshot.first[: size + 1],
        records=snapshot.records[:size],
        facet_start=snapshot.facet_start[: size + 1],
        facets=snapshot.facets[: int(snapshot.facet_start[size])],
        live=_last_of_each(snapshot.records["num"][:size]),
        state=snapshot.state[:size],
        popularity=snapshot.popularity[:size],
    )


def _last_of_each(nums: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    """Of a service that was written several times the last version is live."""
    last = np.zeros(int(nums.max()) + 1, np.int64)
    last[nums] = np.arange(len(nums))
    live: npt.NDArray[np.bool_] = last[nums] == np.arange(len(nums))
    return live


def is_after(
    cursor: Cursor, ranks: npt.NDArray[np.float32], nums: npt.NDArray[np.uint32]
) -> npt.NDArray[np.bool_]:
    rank = np.float32(cursor.rank)
    after: npt.NDArray[np.bool_] = (ranks < rank) | (
        (ranks == rank) & (nums > cursor.num)
    )
    return after
