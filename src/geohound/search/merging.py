"""Which segments are written anew: small ones at the end together, and one that is mostly overwritten.

Few segments mean few places to look a word up. Each entry is written at most once for each tier, and nothing moves:
what is merged stands together at the end.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from geohound.model.segment import Segment

TIERS = (1 << 11, 1 << 13, 1 << 15)  # entries; segments above the last are left as they are
MERGE_SEGMENTS = 8


def first_to_merge(segments: Sequence[Segment], new: int) -> int:
    """From which segment on all are joined with a new one of so many entries."""
    sizes = [segment.entries for segment in segments]
    first = len(sizes)
    for tier in TIERS:
        start = first
        while start and sizes[start - 1] < tier:
            start -= 1
        total = new + sum(sizes[first:])
        # What grew beyond a tier takes along the smaller ones before it: they would stand alone for good.
        if total >= tier or len(sizes) - start + 1 >= MERGE_SEGMENTS:
            first = start
    return first


def mostly_overwritten(segments: Sequence[Segment], alive: npt.NDArray[np.bool_]) -> int | None:
    """The first segment of whose services fewer than half still count; `alive` says it for all services in order."""
    ends = np.cumsum([segment.services for segment in segments]).tolist()
    for number, (segment, end) in enumerate(zip(segments, ends, strict=True)):
        living = int(np.count_nonzero(alive[end - segment.services : end]))
        if living * 2 < segment.services:
            return number
    return None
