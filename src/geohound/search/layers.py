"""Search for layers: every one that matches, the best service's first, of each service the best first."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from geohound.model.health import State
from geohound.model.query import LayerHit, LayerResults

from .mirror import STATES
from .paging import is_after, write_cursor
from .ranking import Asking, Ranked, layers_of, rank, unfolded


def search_layers(asking: Asking, started: float) -> LayerResults:
    """One page of the layers that match what is asked for, and how many there are in all."""
    query, ranked = asking.query, rank(asking, with_layers=True)
    places, counts = _in_order(asking, ranked)
    ends = np.cumsum(counts)
    total = int(counts.sum())
    start = _start(asking, ranked, places, counts)
    end = min(start + max(query.limit, 0), total)
    shown: dict[int, list[int]] = {}  # slots, and which of their layers
    following = ""
    for number in range(int(np.searchsorted(ends, start, side="right")), len(places)):
        before = int(ends[number] - counts[number])
        if before >= end:
            break
        last = min(end, int(ends[number])) - before
        at = int(places[number])
        shown[int(ranked.folded.slots[at])] = _shown(asking, ranked, at, (max(start - before, 0), last))
        following = _cursor(asking, ranked, int(places[number]), last)
    hits = tuple(_hits(asking, shown))
    elapsed_ms = (time.perf_counter() - started) * 1000
    return LayerResults(hits, total, elapsed_ms, following if end < total else "")


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


def _shown(asking: Asking, ranked: Ranked, at: int, part: tuple[int, int]) -> list[int]:
    """The places of the layers that match, from the first to before the last of a part of them."""
    slot = int(ranked.folded.slots[at])
    size = int(asking.view.first[slot + 1] - asking.view.first[slot]) - 1
    return layers_of(asking, ranked, at).some(size, *part)


def _hits(asking: Asking, shown: Mapping[int, list[int]]) -> Iterator[LayerHit]:
    view = asking.view
    nums = {int(view.records["num"][slot]): slot for slot in shown}
    found = asking.catalogue.excerpts({num: shown[slot] for num, slot in nums.items()})
    for num, service in found.items():
        state = State(STATES[view.state[nums[num]]])
        yield from (LayerHit(layer, replace(service, layers=()), state) for layer in service.layers)


def _cursor(asking: Asking, ranked: Ranked, at: int, told: int) -> str:
    num = int(asking.view.records["num"][ranked.folded.slots[at]])
    return write_cursor(asking.view, ranked.ranks[at], num, told)
