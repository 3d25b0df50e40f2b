"""Pages that follow each other while services are written: a cursor names the catalogue as it was, and the last hit.

Entries only come at the end, so the catalogue as it was is the first so many services. Should blocks have been
renewed since, nothing is left of that order; then the last hit alone says where to go on.
"""

from __future__ import annotations

import re
import zlib
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .mirror import View

_CURSOR = re.compile(r"k([0-9a-f]{1,8})\.([0-9a-f]{8})\.([0-9a-f]{8})\.([0-9a-f]{1,8})(?:\.([0-9a-f]{1,8}))?")


class Cursor(NamedTuple):
    services: int  # how many there were, also those written anew since
    order: int  # stands for which they are
    rank: float  # of the last hit
    num: int
    layers: int = 0  # of the last hit that were told, where layers are listed


def read_cursor(text: str) -> Cursor | None:
    """None for what is no cursor of ours."""
    found = _CURSOR.fullmatch(text)
    if not found:
        return None
    services, order, bits, num = (int(part, 16) for part in found.groups()[:4])
    layers = int(found[5] or "0", 16)
    return Cursor(services, order, float(np.array(bits, np.uint32).view(np.float32)), num, layers)


def write_cursor(view: View, rank: float, num: int, layers: int = 0) -> str:
    bits = int(np.array(rank, np.float32).view(np.uint32))
    return f"k{len(view.records):x}.{_order_of(view, len(view.records)):08x}.{bits:08x}.{num:x}" + (
        f".{layers:x}" if layers else ""
    )


def _order_of(view: View, services: int) -> int:
    return zlib.crc32(np.ascontiguousarray(view.records["num"][:services]).tobytes())


def as_it_was(view: View, cursor: Cursor) -> View:
    """The catalogue of the cursor's first page; health and popularity are those of today."""
    size = cursor.services
    if not 0 < size <= len(view.records) or _order_of(view, size) != cursor.order:
        return view
    entries = int(view.first[size])
    return view._replace(
        slot_of=view.slot_of[:entries],
        service_of=view.service_of[:entries],
        language_of=view.language_of[:entries],
        boxes=view.boxes[:, :entries],
        hulls=view.hulls[:, :size],
        first=view.first[: size + 1],
        records=view.records[:size],
        facet_start=view.facet_start[: size + 1],
        facets=view.facets[: int(view.facet_start[size])],
        alive=_last_of_each(view.records["num"][:size]),
        state=view.state[:size],
        popularity=view.popularity[:size],
    )


def _last_of_each(nums: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    """Of a service written several times the last counts."""
    last = np.zeros(int(nums.max()) + 1, np.int64)
    last[nums] = np.arange(len(nums))
    alive: npt.NDArray[np.bool_] = last[nums] == np.arange(len(nums))
    return alive


def is_after(cursor: Cursor, worths: npt.NDArray[np.float32], nums: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
    rank = np.float32(cursor.rank)
    after: npt.NDArray[np.bool_] = (worths < rank) | ((worths == rank) & (nums > cursor.num))
    return after
