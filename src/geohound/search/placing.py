"""Where the services that match are: counted by the cells of a grid, for a map."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from geohound.model.search.query import PlacedGroup, PlacedServices

from .search_run import SearchRun, rank, without_duplicates

_UNIT = 1_000_000  # as in boxes.py
_WIDE = 300 * _UNIT
_HIGH = 110 * _UNIT
_NOWHERE = 1000 * _UNIT
Edges = npt.NDArray[np.int64]


def count_by_cell(run: SearchRun, cell: float) -> PlacedServices:
    """The services that match, by cells of so many degrees; those of the whole world are counted apart."""
    ranked = rank(run)
    slots = ranked.services.slots[without_duplicates(run, ranked, ranked.passes_all)]
    edges = _boxes_of(run, slots)
    is_placed = edges[3] >= edges[1]
    is_worldwide = (
        is_placed & (edges[2] - edges[0] >= _WIDE) & (edges[3] - edges[1] >= _HIGH)
    )
    is_local = is_placed & ~is_worldwide
    groups = _groups(run, slots[is_local], edges[:, is_local], cell)
    unplaced = len(slots) - int(np.count_nonzero(is_placed))
    return PlacedServices(
        tuple(groups), len(slots), int(np.count_nonzero(is_worldwide)), unplaced
    )


def _boxes_of(run: SearchRun, slots: npt.NDArray[np.int64]) -> Edges:
    """The box of each service; where it has none, the one around its layers."""
    edges = run.snapshot.boxes[:, run.snapshot.first[slots]].astype(np.int64)
    lacking = np.flatnonzero(edges[3] < edges[1])
    if len(lacking):
        edges[:, lacking] = _around_layers(run, slots[lacking])
    return edges


def _around_layers(run: SearchRun, slots: npt.NDArray[np.int64]) -> Edges:
    """Around the boxes of all entries of each service; south above north where none has a box."""
    starts = run.snapshot.first[slots]
    sizes = run.snapshot.first[slots + 1] - starts
    offsets = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    entries = np.repeat(starts - offsets, sizes) + np.arange(int(sizes.sum()))
    boxes = run.snapshot.boxes[:, entries].astype(np.int64)
    is_box = boxes[3] >= boxes[1]
    low = [
        np.minimum.reduceat(np.where(is_box, boxes[side], _NOWHERE), offsets)
        for side in (0, 1)
    ]
    high = [
        np.maximum.reduceat(np.where(is_box, boxes[side], -_NOWHERE), offsets)
        for side in (2, 3)
    ]
    return np.stack([*low, *high])


def _groups(
    run: SearchRun, slots: npt.NDArray[np.int64], edges: Edges, cell: float
) -> Iterator[PlacedGroup]:
    if not len(slots):
        return
    x = (edges[0] + edges[2]) / (2 * _UNIT)
    x = np.where(x > 180, x - 360, x)
    y = (edges[1] + edges[3]) / (2 * _UNIT)
    columns = int(np.ceil(360 / cell)) + 1
    cells = np.floor((y + 90) / cell).astype(np.int64) * columns + np.floor(
        (x + 180) / cell
    ).astype(np.int64)
    _, firsts, members, counts = np.unique(
        cells, return_index=True, return_inverse=True, return_counts=True
    )
    mean_x = np.bincount(members, weights=x) / counts
    mean_y = np.bincount(members, weights=y) / counts
    ids = run.snapshot.records["id"][slots[firsts]]
    for number in np.argsort(-counts, kind="stable").tolist():
        count = int(counts[number])
        service = f"{int(ids[number]):016x}" if count == 1 else ""
        yield PlacedGroup(
            round(float(mean_x[number]), 4),
            round(float(mean_y[number]), 4),
            count,
            service,
        )
