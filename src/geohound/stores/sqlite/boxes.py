"""Many boxes at once: the three relations and the overlap ratio, right across the antimeridian.

A box is four whole numbers, millionths of a degree: west, south, east, north; east is beyond 180 degrees where the
box crosses the antimeridian. A millionth of a degree is a hand's breadth.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from geohound.model.bbox import BBox, Relation

Boxes = npt.NDArray[np.int32]  # one row per box
Truth = npt.NDArray[np.bool_]
_UNIT = 1_000_000
_AROUND = 360 * _UNIT
NOWHERE = (0, 10**9, 0, -(10**9))  # stands in no relation to anything


def as_ranges(box: BBox) -> tuple[int, int, int, int]:
    west, south, east, north = (round(edge * _UNIT) for edge in box.as_tuple())
    return west, south, east + _AROUND if box.crosses_antimeridian else east, north


def stand(boxes: Boxes, relation: Relation, asked: BBox) -> Truth:
    """Which boxes stand in this relation to the one asked for? 180 degrees east and west are the same meridian."""
    match relation:
        case Relation.OVERLAPS:
            return _overlap(boxes, as_ranges(asked))
        case Relation.WITHIN:
            return _are_within(boxes, as_ranges(asked))
        case Relation.CONTAINS:
            return _contain(boxes, as_ranges(asked))


def _overlap(boxes: Boxes, asked: tuple[int, int, int, int]) -> Truth:
    west, south, east, north = asked
    met = (boxes[:, 1] <= north) & (boxes[:, 3] >= south)
    met &= (
        ((boxes[:, 0] <= east) & (boxes[:, 2] >= west))
        | (boxes[:, 2] >= west + _AROUND)
        | (boxes[:, 0] <= east - _AROUND)
    )
    return met


def _are_within(boxes: Boxes, asked: tuple[int, int, int, int]) -> Truth:
    west, south, east, north = asked
    held = (boxes[:, 1] >= south) & (boxes[:, 3] <= north) & (boxes[:, 1] <= boxes[:, 3])
    if east - west >= _AROUND:
        return held
    inside = np.zeros(len(boxes), dtype=np.bool_)
    for turn in (-_AROUND, 0, _AROUND):
        inside |= (boxes[:, 0] >= west + turn) & (boxes[:, 2] <= east + turn)
    return held & inside


def _contain(boxes: Boxes, asked: tuple[int, int, int, int]) -> Truth:
    west, south, east, north = asked
    held = (boxes[:, 1] <= south) & (boxes[:, 3] >= north)
    around = (boxes[:, 2] - boxes[:, 0]) >= _AROUND
    for turn in (-_AROUND, 0, _AROUND):
        around |= (boxes[:, 0] <= west + turn) & (boxes[:, 2] >= east + turn)
    return held & around


def overlap_ratios(boxes: Boxes, asked: BBox) -> npt.NDArray[np.float32]:
    """Shared area over the area of both together, as model.bbox.overlap_ratio."""
    west, south, east, north = (float(edge) for edge in as_ranges(asked))
    edges = boxes.astype(np.float64)
    wide = np.zeros(len(boxes))
    for turn in (-_AROUND, 0, _AROUND):
        wide += np.maximum(0.0, np.minimum(edges[:, 2] + turn, east) - np.maximum(edges[:, 0] + turn, west))
    high = np.maximum(0.0, np.minimum(edges[:, 3], north) - np.maximum(edges[:, 1], south))
    shared = np.minimum(wide, east - west) * high
    area = (edges[:, 2] - edges[:, 0]) * np.maximum(0.0, edges[:, 3] - edges[:, 1])
    whole = area + (east - west) * (north - south) - shared
    equal = np.all(boxes == np.array(as_ranges(asked)), axis=1)
    ratios: npt.NDArray[np.float64] = np.divide(shared, whole, out=equal.astype(np.float64), where=whole > 0)
    return np.asarray(ratios, dtype=np.float32)
