"""Many boxes at once: the three relations and the overlap ratio, right across the antimeridian.

A box is four whole numbers, millionths of a degree: west, south, east, north; east is beyond 180 degrees where the
box crosses the antimeridian. A millionth of a degree is a hand's breadth.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from geohound.model.bbox import BBox, Relation

Boxes = npt.NDArray[np.int32]  # four rows: west, south, east, north; a column per box
Truth = npt.NDArray[np.bool_]
_UNIT = 1_000_000
_AROUND = 360 * _UNIT
_HALFWAY = 180 * _UNIT
_NEAR = 1 << 14
_NO_EDGES = (math.nan,) * 4
NOWHERE = (0, 10**9, 0, -(10**9))  # stands in no relation to anything


def as_ranges(box: BBox) -> tuple[int, int, int, int]:
    west, south, east, north = (round(edge * _UNIT) for edge in box.as_tuple())
    return west, south, east + _AROUND if box.crosses_antimeridian else east, north


def many_as_ranges(boxes: Sequence[BBox | None]) -> Boxes:
    """A row for each box, as `as_ranges` would write it; what has none is nowhere."""
    edges = array("d")
    for box in boxes:
        edges.extend(box.as_tuple() if box is not None else _NO_EDGES)
    degrees = np.frombuffer(edges).reshape(-1, 4)
    rows = np.rint(np.nan_to_num(degrees) * _UNIT)
    rows[:, 2] += np.where(degrees[:, 0] > degrees[:, 2], _AROUND, 0)
    rows[np.isnan(degrees[:, 0])] = NOWHERE
    return rows.astype(np.int32)


def stand(boxes: Boxes, relation: Relation, asked: BBox) -> Truth:
    """Which boxes stand in this relation to the one asked for? 180 degrees east and west are the same meridian."""
    judge, ranges = _JUDGES[relation], as_ranges(asked)
    told: Truth = np.empty(boxes.shape[1], np.bool_)
    for part in _slices(boxes):
        told[part] = judge(boxes[:, part], ranges)
    return told


def stand_and_fit(
    boxes: Boxes, relation: Relation, asked: BBox
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """The places of the boxes that stand in this relation, and the overlap ratio of each."""
    judge, ranges = _JUDGES[relation], as_ranges(asked)
    found: list[npt.NDArray[np.int64]] = []
    ratios: list[npt.NDArray[np.float32]] = []
    for part in _slices(boxes):
        near = boxes[:, part]
        places = np.flatnonzero(judge(near, ranges))
        if len(places):
            ratios.append(_ratios(near if len(places) == near.shape[1] else near.take(places, axis=1), ranges))
            found.append(places + part.start)
    if not found:
        return np.zeros(0, np.int64), np.zeros(0, np.float32)
    return np.concatenate(found), np.concatenate(ratios)


def _slices(boxes: Boxes) -> Iterator[slice]:
    """Some thousands at a time: what one step makes is still near when the next step needs it."""
    for start in range(0, boxes.shape[1], _NEAR):
        yield slice(start, start + _NEAR)


def _overlap(boxes: Boxes, asked: tuple[int, int, int, int]) -> Truth:
    west, south, east, north = asked
    if _is_world(asked):
        return np.asarray(boxes[1] <= boxes[3])
    met: Truth = (boxes[0] <= east) & (boxes[2] >= west)
    met |= boxes[2] >= west + _AROUND
    if east >= _HALFWAY:
        met |= boxes[0] <= east - _AROUND
    met &= boxes[1] <= north
    met &= boxes[3] >= south
    return met


def _are_within(boxes: Boxes, asked: tuple[int, int, int, int]) -> Truth:
    west, south, east, north = asked
    held: Truth = (boxes[1] >= south) & (boxes[3] <= north) & (boxes[1] <= boxes[3])
    if east - west >= _AROUND:
        return held
    inside = np.zeros(boxes.shape[1], dtype=np.bool_)
    for turn in (-_AROUND, 0, _AROUND):
        inside |= (boxes[0] >= west + turn) & (boxes[2] <= east + turn)
    held &= inside
    return held


def _contain(boxes: Boxes, asked: tuple[int, int, int, int]) -> Truth:
    west, south, east, north = asked
    held: Truth = (boxes[1] <= south) & (boxes[3] >= north)
    around: Truth = (boxes[2] - boxes[0]) >= _AROUND
    for turn in (-_AROUND, 0, _AROUND):
        around |= (boxes[0] <= west + turn) & (boxes[2] >= east + turn)
    held &= around
    return held


def overlap_ratios(boxes: Boxes, asked: BBox) -> npt.NDArray[np.float32]:
    """Shared area over the area of both together, as model.bbox.overlap_ratio."""
    ratios = np.empty(boxes.shape[1], np.float32)
    for part in _slices(boxes):
        ratios[part] = _ratios(boxes[:, part], as_ranges(asked))
    return ratios


def _ratios(boxes: Boxes, asked: tuple[int, int, int, int]) -> npt.NDArray[np.float32]:
    """Numbers become floats late, for differences must be exact."""
    west, south, east, north = asked
    if _is_world(asked):  # all of a box is in it
        share = np.float32(1 / (360 * 180 * float(_UNIT) ** 2))
        return np.asarray(_area(boxes) * share, dtype=np.float32)
    wide = _shared(boxes[0], boxes[2], west, east)
    if east >= _HALFWAY:
        wide += _shared(boxes[0], boxes[2], west - _AROUND, east - _AROUND)
    beyond = np.flatnonzero(boxes[2] >= _HALFWAY)
    if len(beyond):
        wide[beyond] += _shared(boxes[0][beyond], boxes[2][beyond], west + _AROUND, east + _AROUND)
    shared = np.minimum(wide, np.float32(east - west)) * _shared(boxes[1], boxes[3], south, north)
    whole = _area(boxes) + np.float32(float(east - west) * (north - south)) - shared
    flat = np.flatnonzero(whole <= 0)
    ratios = np.asarray(shared / np.where(whole > 0, whole, np.float32(1)), dtype=np.float32)
    if len(flat):
        ratios[flat] = np.all(boxes[:, flat] == np.array([[west], [south], [east], [north]]), axis=0)
    return ratios


def _is_world(asked: tuple[int, int, int, int]) -> bool:
    west, south, east, north = asked
    return east - west >= _AROUND and north - south >= _HALFWAY


def _area(boxes: Boxes) -> npt.NDArray[np.float32]:
    wide: npt.NDArray[np.float32] = (boxes[2] - boxes[0]).astype(np.float32)
    high: npt.NDArray[np.float32] = np.maximum(boxes[3] - boxes[1], 0).astype(np.float32)
    return wide * high


def _shared(low: Boxes, high: Boxes, least: int, most: int) -> npt.NDArray[np.float32]:
    """How much of a range others share with it."""
    shared: npt.NDArray[np.int32] = np.maximum(np.minimum(high, most) - np.maximum(low, least), 0)
    return shared.astype(np.float32)


_JUDGES = {Relation.OVERLAPS: _overlap, Relation.WITHIN: _are_within, Relation.CONTAINS: _contain}
