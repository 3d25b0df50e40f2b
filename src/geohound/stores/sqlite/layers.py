"""Search for layers: every one that matches, the best service's first, of each service the best first."""

from __future__ import annotations

import sqlite3
import time

import numpy as np
import numpy.typing as npt

from geohound.model.health import State
from geohound.model.query import LayerHit, LayerResults, Query

from .mirror import STATES
from .paging import is_after, write_cursor
from .reading import read_services, read_some_layers
from .search import Asking, Index, Ranked, ask, layers_of, rank, unfolded


def search_layers(connection: sqlite3.Connection, query: Query, index: Index) -> LayerResults:
    """One page of the layers that match what is asked for, and how many there are in all."""
    started = time.perf_counter()
    asking = ask(connection, query, index)
    ranked = rank(asking, with_layers=True)
    places, counts = _in_order(asking, ranked)
    ends = np.cumsum(counts)
    total = int(counts.sum())
    start = _start(asking, ranked, places, counts)
    end = min(start + max(query.limit, 0), total)
    hits: list[LayerHit] = []
    following = ""
    for number in range(int(np.searchsorted(ends, start, side="right")), len(places)):
        before = int(ends[number] - counts[number])
        if before >= end:
            break
        last = min(end, int(ends[number])) - before
        hits += _hits(asking, ranked, int(places[number]), (max(start - before, 0), last))
        following = _cursor(asking, ranked, int(places[number]), last)
    elapsed_ms = (time.perf_counter() - started) * 1000
    return LayerResults(tuple(hits), total, elapsed_ms, following if end < total else "")


def _in_order(asking: Asking, ranked: Ranked) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The places of the services, best first, and how many layers of each match."""
    view, folded, matches = asking.view, ranked.folded, ranked.matches
    places = unfolded(asking, ranked, ranked.passes)
    slots = folded.slots[places]
    places = places[np.lexsort((view.records["num"][slots], -ranked.ranks[places]))]
    slots, starts = folded.slots[places], folded.starts[places]
    counts = folded.ends[places] - starts - (matches.entries[starts] == view.first[slots])
    if asking.query.bbox is None and matches.whole is not None:
        counts = np.where(matches.whole[slots], view.first[slots + 1] - view.first[slots] - 1, counts)
    return places, counts.astype(np.int64)


def _start(asking: Asking, ranked: Ranked, places: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]) -> int:
    """How many layers come before this page."""
    cursor = asking.cursor
    if cursor is None:
        return max(asking.query.offset, 0)
    nums = asking.view.records["num"][ranked.folded.slots[places]]
    is_before = ~is_after(cursor, ranked.ranks[places], nums)
    here = nums == cursor.num
    return int(counts[is_before & ~here].sum()) + (min(cursor.layers, int(counts[here].sum())) if here.any() else 0)


def _hits(asking: Asking, ranked: Ranked, at: int, part: tuple[int, int]) -> list[LayerHit]:
    view, slot = asking.view, int(ranked.folded.slots[at])
    num, size = int(view.records["num"][slot]), int(view.first[slot + 1] - view.first[slot]) - 1
    ordinals = layers_of(asking, ranked, at).some(size, *part)
    service = read_services(asking.connection, [num], with_layers=False)[num]
    state = State(STATES[view.state[slot]])
    return [LayerHit(layer, service, state) for layer in read_some_layers(asking.connection, num, ordinals)]


def _cursor(asking: Asking, ranked: Ranked, at: int, told: int) -> str:
    num = int(asking.view.records["num"][ranked.folded.slots[at]])
    return write_cursor(asking.view, ranked.ranks[at], num, told)
