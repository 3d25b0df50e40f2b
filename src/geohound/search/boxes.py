"""Spatial relations and overlap ratios of many boxes at once, also across the antimeridian.

A box is four integers, millionths of a degree (about 0.1 m): west, south, east, north; east is beyond 180 degrees where
the box crosses the antimeridian.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from geohound.model.bbox import BBox, Relation

Boxes = npt.NDArray[np.int32]  # four rows: west, south, east, north; a column per box
Mask = npt.NDArray[np.bool_]
_UNIT = 1_000_000
_FULL_CIRCLE = 360 * _UNIT
_HALF_CIRCLE = 180 * _UNIT
_CHUNK = 1 << 14
_NO_EDGES = (math.nan,) * 4
EMPTY_BOX = (0, 10**9, 0, -(10**9))  # has no relation to any box


def to_integers(box: BBox) -> tuple[int, int, int, int]:
    west, south, east, north = (round(edge * _UNIT) for edge in box.as_tuple())
    return west, south, east + _FULL_CIRCLE if box.crosses_antimeridian else east, north


def boxes_to_integers(boxes: Sequence[BBox | None]) -> Boxes:
    """A row for each box, as `to_integers` returns it; EMPTY_BOX for None."""
    edges = array("d")
    for box in boxes:
        edges.extend(box.as_tuple() if box is not None else _NO_EDGES)
    degrees = np.frombuffer(edges).reshape(-1, 4)
    rows = np.rint(np.nan_to_num(degrees) * _UNIT)
    rows[:, 2] += np.where(degrees[:, 0] > degrees[:, 2], _FULL_CIRCLE, 0)
    rows[np.isnan(degrees[:, 0])] = EMPTY_BOX
    return rows.astype(np.int32)


def relation_mask(boxes: Boxes, relation: Relation, query_box: BBox) -> Mask:
    """Which boxes have this relation to the query's box? 180 degrees east and west are the same meridian."""
    predicate, ranges = _PREDICATES[relation], to_integers(query_box)
    mask: Mask = np.empty(boxes.shape[1], np.bool_)
    for part in _slices(boxes):
        mask[part] = predicate(boxes[:, part], ranges)
    return mask


def match_relation(
    boxes: Boxes, relation: Relation, query_box: BBox
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """The indices of the boxes that have this relation, and the overlap ratio of each."""
    predicate, ranges = _PREDICATES[relation], to_integers(query_box)
    found: list[npt.NDArray[np.int64]] = []
    ratios: list[npt.NDArray[np.float32]] = []
    for part in _slices(boxes):
        chunk = boxes[:, part]
        indices = np.flatnonzero(predicate(chunk, ranges))
        if len(indices):
            ratios.append(
                _ratios(
                    chunk
                    if len(indices) == chunk.shape[1]
                    else chunk.take(indices, axis=1),
                    ranges,
                )
            )
            found.append(indices + part.start)
    if not found:
        return np.zeros(0, np.int64), np.zeros(0, np.float32)
    return np.concatenate(found), np.concatenate(ratios)


def _slices(boxes: Boxes) -> Iterator[slice]:
    """Some thousands at a time, so that intermediate arrays stay in the processor's cache."""
    for start in range(0, boxes.shape[1], _CHUNK):
        yield slice(start, start + _CHUNK)


def _overlaps(boxes: Boxes, query_box: tuple[int, int, int, int]) -> Mask:
    west, south, east, north = query_box
    if _is_world(query_box):
        return np.asarray(boxes[1] <= boxes[3])
    overlaps: Mask = (boxes[0] <= east) & (boxes[2] >= west)
    overlaps |= boxes[2] >= west + _FULL_CIRCLE
    if east >= _HALF_CIRCLE:
        overlaps |= boxes[0] <= east - _FULL_CIRCLE
    overlaps &= boxes[1] <= north
    overlaps &= boxes[3] >= south
    return overlaps


def _within(boxes: Boxes, query_box: tuple[int, int, int, int]) -> Mask:
    west, south, east, north = query_box
    inside_latitudes: Mask = (
        (boxes[1] >= south) & (boxes[3] <= north) & (boxes[1] <= boxes[3])
    )
    if east - west >= _FULL_CIRCLE:
        return inside_latitudes
    inside = np.zeros(boxes.shape[1], dtype=np.bool_)
    for shift in (-_FULL_CIRCLE, 0, _FULL_CIRCLE):
        inside |= (boxes[0] >= west + shift) & (boxes[2] <= east + shift)
    inside_latitudes &= inside
    return inside_latitudes


def _contains(boxes: Boxes, query_box: tuple[int, int, int, int]) -> Mask:
    west, south, east, north = query_box
    inside_latitudes: Mask = (boxes[1] <= south) & (boxes[3] >= north)
    covers: Mask = (boxes[2] - boxes[0]) >= _FULL_CIRCLE
    for shift in (-_FULL_CIRCLE, 0, _FULL_CIRCLE):
        covers |= (boxes[0] <= west + shift) & (boxes[2] >= east + shift)
    inside_latitudes &= covers
    return inside_latitudes


def overlap_ratios(boxes: Boxes, query_box: BBox) -> npt.NDArray[np.float32]:
    """Shared area over the area of both together, as model.bbox.overlap_ratio."""
    ratios = np.empty(boxes.shape[1], np.float32)
    for part in _slices(boxes):
        ratios[part] = _ratios(boxes[:, part], to_integers(query_box))
    return ratios


def _ratios(
    boxes: Boxes, query_box: tuple[int, int, int, int]
) -> npt.NDArray[np.float32]:
    """Converted to floats late, because differences must be exact."""
    west, south, east, north = query_box
    if _is_world(query_box):  # every box is inside
        share = np.float32(1 / (360 * 180 * float(_UNIT) ** 2))
        return np.asarray(_area(boxes) * share, dtype=np.float32)
    width = _shared(boxes[0], boxes[2], west, east)
    if east >= _HALF_CIRCLE:
        width += _shared(boxes[0], boxes[2], west - _FULL_CIRCLE, east - _FULL_CIRCLE)
    across = np.flatnonzero(boxes[2] >= _HALF_CIRCLE)
    if len(across):
        width[across] += _shared(
            boxes[0][across], boxes[2][across], west + _FULL_CIRCLE, east + _FULL_CIRCLE
        )
    shared = np.minimum(width, np.float32(east - west)) * _shared(
        boxes[1], boxes[3], south, north
    )
    all_layers = (
        _area(boxes) + np.float32(float(east - west) * (north - south)) - shared
    )
    without_area = np.flatnonzero(all_layers <= 0)
    ratios = np.asarray(
        shared / np.where(all_layers > 0, all_layers, np.float32(1)), dtype=np.float32
    )
    if len(without_area):
        ratios[without_area] = np.all(
            boxes[:, without_area] == np.array([[west], [south], [east], [north]]),
            axis=0,
        )
    return ratios


def _is_world(query_box: tuple[int, int, int, int]) -> bool:
    west, south, east, north = query_box
    return east - west >= _FULL_CIRCLE and north - south >= _HALF_CIRCLE


def _area(boxes: Boxes) -> npt.NDArray[np.float32]:
    width: npt.NDArray[np.float32] = (boxes[2] - boxes[0]).astype(np.float32)
    height: npt.NDArray[np.float32] = np.maximum(boxes[3] - boxes[1], 0).astype(
        np.float32
    )
    return width * height


def _shared(
    low: Boxes, high: Boxes, low_edge: int, high_edge: int
) -> npt.NDArray[np.float32]:
    """The length of the intersection of each range with a range."""
    shared: npt.NDArray[np.int32] = np.maximum(
        np.minimum(high, high_edge) - np.maximum(low, low_edge), 0
    )
    return shared.astype(np.float32)


_PREDICATES = {
    Relation.OVERLAPS: _overlaps,
    Relation.WITHIN: _within,
    Relation.CONTAINS: _contains,
}
