"""The index in memory: the service, language and box of each entry, the facets and state of each service, the memtable.

Read once from the segments, then only what is new; the memtable follows them. Arrays are append-only, so that a search
continues with the snapshot it began with while another thread appends.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from geohound.model.health import HealthState
from geohound.model.search.query import FACETS
from geohound.model.search.segment import Segment
from geohound.text import Vocabulary

from .segments import (
    LAST_CHARACTER,
    RECORD,
    STATE,
    Read,
    SegmentData,
    frequent_words,
    read_states,
    read_values,
)

Array = npt.NDArray[Any]
STATES = tuple(str(state) for state in HealthState)
_NONE = -1
FACET_BITS = 4  # the lower bits of a value's id are the number of its facet
_FACET_NUMBERS = {name: number for number, name in enumerate(FACETS)}


class GrowableArray:
    """An array that grows at its end; with `rows`, several that grow together."""

    def __init__(self, dtype: Any, rows: int = 0) -> None:
        self._rows = (rows,) if rows else ()
        self._data: Array = np.zeros((*self._rows, 1024), dtype=dtype)
        self.size = 0

    def append(self, values: Array) -> None:
        end = self.size + values.shape[-1]
        if end > self._data.shape[-1]:
            larger = np.zeros((*self._rows, end + end // 4), dtype=self._data.dtype)
            larger[..., : self.size] = self._data[..., : self.size]
            self._data = larger
        self._data[..., self.size : end] = values
        self.size = end

    def upto(self, size: int) -> Array:
        return self._data[..., :size]

    def truncated(self, size: int) -> GrowableArray:
        """A shorter copy; this array stays, because snapshots refer to it."""
        other = GrowableArray(self._data.dtype, self._rows[0] if self._rows else 0)
        other.append(self.upto(min(size, self.size)))
        return other


class PlacedSegment(NamedTuple):
    """A segment and its position in the index."""

    id: str
    start: int  # its first entry
    size: int
    services: int


class MemtableBatch:
    """The postings of one batch of the memtable; most are never looked up, so little is prepared."""

    def __init__(self, start: int, data: SegmentData) -> None:
        self._term_numbers = {term: at for at, term in enumerate(data.terms)}
        self._ends = np.cumsum(data.counts)
        self._offsets, self._impacts = data.offsets, data.impacts
        self._start = start
        self._sorted: list[str] | None = None
        self._vocabulary: Vocabulary | None = None

    def find(
        self, term: str
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]] | None:
        at = self._term_numbers.get(term)
        if at is None:
            return None
        span = slice(int(self._ends[at - 1]) if at else 0, int(self._ends[at]))
        return self._offsets[span].astype(np.int64) + self._start, self._impacts[span]

    def vocabulary(self) -> Vocabulary:
        if self._vocabulary is None:
            counts = np.diff(self._ends, prepend=0)
            self._vocabulary = Vocabulary(frequent_words(self._term_numbers, counts))
        return self._vocabulary

    def with_prefix(self, prefix: str) -> list[str]:
        terms = self._sorted = self._sorted or sorted(self._term_numbers)
        return terms[
            bisect_left(terms, prefix) : bisect_left(terms, prefix + LAST_CHARACTER)
        ]


class Memtable:
    """The postings that are in no segment yet."""

    def __init__(self) -> None:
        self.batches: list[MemtableBatch] = []

    def find(
        self, term: str
    ) -> list[tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]]:
        # A copy of the list: another thread may append.
        return [
            found
            for batch in self.batches[:]
            if (found := batch.find(term)) is not None
        ]

    def with_prefix(self, prefix: str) -> list[str]:
        return sorted(
            {term for batch in self.batches[:] for term in batch.with_prefix(prefix)}
        )


class FacetValues:
    """The values of all facets; each has an id, whose lower bits are the number of its facet."""

    def __init__(self) -> None:
        self._ids: dict[tuple[int, str], int] = {}
        self._values: list[str] = []

    def number(self, values: Iterable[tuple[int, str]]) -> list[int]:
        """The ids of pairs of facet, as its index in FACETS, and value; new values get one."""
        return [self._ids.get(pair) or self._add(pair) for pair in values]

    def _add(self, pair: tuple[int, str]) -> int:
        self._values.append(pair[1])
        number = self._ids[pair] = len(self._values) << FACET_BITS | pair[0]
        return number

    def names(self, ids: Iterable[int]) -> list[str]:
        return [self._values[(id_ >> FACET_BITS) - 1] for id_ in ids]

    def find(self, name: str, values: Iterable[str]) -> list[int]:
        """The ids of the values that exist; regardless of case where none is spelt like this."""
        found: list[int] = []
        for value in values:
            own = self._ids.get((_FACET_NUMBERS[name], value))
            found += (
                [own]
                if own is not None
                else self._find_folded(_FACET_NUMBERS[name], value.casefold())
            )
        return found

    def _find_folded(self, facet: int, value: str) -> list[int]:
        # A copy: another thread may add values.
        return [
            id_
            for (own, other), id_ in list(self._ids.items())
            if own == facet and other.casefold() == value
        ]


class Snapshot(NamedTuple):
    """The point-in-time view of one search: entries are numbered from 0, services ("slots") from 0."""

    segments: tuple[PlacedSegment, ...]
    memtable: Memtable
    slot_of: npt.NDArray[np.int32]  # per entry
    service_of: npt.NDArray[np.int32]  # per entry: the entry of its service
    language_of: npt.NDArray[np.uint8]  # per entry
    boxes: npt.NDArray[np.int32]  # four rows, per entry
    # four rows, per slot: of the boxes of all its entries
    envelopes: npt.NDArray[np.int32]
    first: npt.NDArray[np.int64]  # per slot and one more: its first entry
    records: Array
    facet_start: npt.NDArray[np.int64]  # per slot and one more
    facets: npt.NDArray[np.uint32]
    values: FacetValues
    # per slot: not overwritten by a later one, as Lucene's live documents
    live: npt.NDArray[np.bool_]
    state: npt.NDArray[np.uint8]
    popularity: npt.NDArray[np.uint32]
    generation: int

    @property
    def segment_entries(self) -> int:
        return self.segments[-1].start + self.segments[-1].size if self.segments else 0


class InMemoryIndex:
    """Not safe for threads; its snapshots are."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._generation = 0
        self._reset()

    def _reset(self) -> None:
        self._generation += 1
        self._segments: tuple[PlacedSegment, ...] = ()
        self._memtable = Memtable()
        self._values = FacetValues()
        self._slot_of = GrowableArray(np.int32)
        self._service_of = GrowableArray(np.int32)
        self._language_of = GrowableArray(np.uint8)
        self._boxes = GrowableArray(np.int32, 4)
        self._envelopes = GrowableArray(np.int32, 4)
        self._records = GrowableArray(RECORD)
        self._first = GrowableArray(np.int64)
        self._first.append(np.zeros(1, np.int64))
        self._facet_start = GrowableArray(np.int64)
        self._facet_start.append(np.zeros(1, np.int64))
        self._facets = GrowableArray(np.uint32)
        self._live = GrowableArray(np.bool_)
        self._state = GrowableArray(np.uint8)
        self._popularity = GrowableArray(np.uint32)
        self._slot_of_num = np.full(1024, _NONE, dtype=np.int64)

    def open_segments(self, segments: Sequence[Segment]) -> None:
        """Load these segments and drop the memtable; what is loaded already stays where it is."""
        if not self._extend(segments):
            self._reset()
            self._extend(segments)

    def _extend(self, segments: Sequence[Segment]) -> bool:
        """Read new segments; False where the loaded services do not match those of the segments.

        Flushing and merging keep the order of services: where a segment has the services that are loaded, only postings
        have moved.
        """
        known = {(placed.id, placed.start): placed for placed in self._segments}
        segment_services = sum(placed.services for placed in self._segments)
        opened: list[PlacedSegment] = []
        new: list[str] = []
        start = slot = 0
        for segment in segments:
            placed = known.get((segment.id, start))
            if placed is None:
                placed = PlacedSegment(
                    segment.id, start, segment.entries, segment.services
                )
                records = np.frombuffer(self._read(segment.id, "records"), RECORD)
                if not self._matches(slot, records, segment_services):
                    return False
                if self._records.size < slot + segment.services:
                    self._append_segment(segment.id, records, self._records.size - slot)
                new.append(segment.id)
            opened.append(placed)
            start, slot = start + segment.entries, slot + segment.services
        if slot < segment_services:
            return False
        if slot < self._records.size:
            self._truncate(slot)
        self._segments, self._memtable = tuple(opened), Memtable()
        for id_ in new:
            self.update_states(read_states(self._read, id_))
        return True

    def _matches(self, slot: int, records: Array, segment_services: int) -> bool:
        """Are these the services from a slot on? Where they differ, services of the memtable are dropped."""
        loaded = self._records.upto(min(self._records.size, slot + len(records)))[slot:]
        if loaded.tobytes() == records[: len(loaded)].tobytes():
            return True
        published = max(segment_services - slot, 0)
        if loaded[:published].tobytes() != records[: len(loaded)][:published].tobytes():
            return False
        self._truncate(max(segment_services, slot))
        return True

    def _append_segment(self, id_: str, records: Array, loaded: int) -> None:
        """Append the services of a segment, except the first `loaded`."""
        skipped = records[:loaded]
        entries = int(skipped["size"].sum(dtype=np.int64))
        values = int(skipped["facets"].sum(dtype=np.int64))
        facets = np.frombuffer(self._read(id_, "facets"), "<u4")[values:]
        boxes = np.frombuffer(self._read(id_, "boxes"), "<i4").reshape(-1, 4)[entries:]
        self._append(
            records[loaded:],
            self._facet_ids(facets, read_values(self._read, id_)),
            boxes,
        )

    def add(self, data: SegmentData) -> None:
        """Append services to the memtable."""
        start = self._slot_of.size
        self._append(
            data.records, self._facet_ids(data.facets, data.values), data.boxes
        )
        self._memtable.batches.append(MemtableBatch(start, data))

    def _facet_ids(self, facets: Array, values: Sequence[tuple[int, str]]) -> Array:
        return np.array(self._values.number(values), np.uint32)[facets]

    def _append(self, new: Array, facets: Array, boxes: Array) -> None:
        """Append services."""
        if not len(new):
            return
        slots = np.arange(self._records.size, self._records.size + len(new))
        first = (
            self._slot_of.size + np.cumsum(new["size"], dtype=np.int64) - new["size"]
        )
        self._slot_of.append(np.repeat(slots, new["size"]).astype(np.int32))
        self._service_of.append(np.repeat(first, new["size"]).astype(np.int32))
        self._language_of.append(np.repeat(new["language"], new["size"]))
        edges = boxes.T
        self._boxes.append(edges)
        self._envelopes.append(_envelopes(edges, first - first[:1]))
        self._first.append(
            self._first.upto(self._first.size)[-1]
            + np.cumsum(new["size"], dtype=np.int64)
        )
        self._facet_start.append(
            self._facet_start.upto(self._facet_start.size)[-1]
            + np.cumsum(new["facets"], dtype=np.int64)
        )
        self._facets.append(facets)
        self._records.append(new)
        self._state.append(
            np.full(len(new), STATES.index(HealthState.UNKNOWN), np.uint8)
        )
        self._popularity.append(np.zeros(len(new), np.uint32))
        self._live.append(np.ones(len(new), np.bool_))
        self._mark_overwritten(slots, new["num"].astype(np.int64))

    def _mark_overwritten(self, slots: Array, nums: Array) -> None:
        """Earlier versions of these services are no longer live; the new ones take over their state."""
        highest = int(nums.max(initial=0))
        if highest >= len(self._slot_of_num):
            larger = np.full(highest + highest // 4 + 1, _NONE, dtype=np.int64)
            larger[: len(self._slot_of_num)] = self._slot_of_num
            self._slot_of_num = larger
        previous = self._slot_of_num[nums]
        live = self._live.upto(self._live.size)
        state = self._state.upto(self._state.size)
        popularity = self._popularity.upto(self._popularity.size)
        known = previous != _NONE
        state[slots[known]] = state[previous[known]]
        popularity[slots[known]] = popularity[previous[known]]
        live[previous[known]] = False
        self._slot_of_num[nums] = slots
        live[slots[self._slot_of_num[nums] != slots]] = False

    def _truncate(self, slots: int) -> None:
        """Drop the services from this slot on; snapshots keep them."""
        entries = int(self._first.upto(self._first.size)[slots])
        values = int(self._facet_start.upto(self._facet_start.size)[slots])
        for name in ("_slot_of", "_service_of", "_language_of", "_boxes"):
            setattr(self, name, getattr(self, name).truncated(entries))
        for name in ("_envelopes", "_records", "_live", "_state", "_popularity"):
            setattr(self, name, getattr(self, name).truncated(slots))
        self._first, self._facet_start = (
            self._first.truncated(slots + 1),
            self._facet_start.truncated(slots + 1),
        )
        self._facets = self._facets.truncated(values)
        nums = self._records.upto(slots)["num"].astype(np.int64)
        self._slot_of_num.fill(_NONE)
        self._slot_of_num[nums] = np.arange(slots)  # of equal numbers the last one wins
        self._live.upto(slots)[:] = self._slot_of_num[nums] == np.arange(slots)

    def update_states(self, states: Array) -> None:
        """Set the state and popularity of services."""
        nums = states["num"].astype(np.int64)
        is_valid = nums < len(self._slot_of_num)
        slots = np.where(
            is_valid, self._slot_of_num[np.where(is_valid, nums, 0)], _NONE
        )
        is_known = slots != _NONE
        self._state.upto(self._state.size)[slots[is_known]] = states["state"][is_known]
        self._popularity.upto(self._popularity.size)[slots[is_known]] = states[
            "popularity"
        ][is_known]

    def states(self, nums: Sequence[int]) -> Array:
        """The state and popularity of services."""
        states = np.zeros(len(nums), STATE)
        states["num"] = nums
        slots = self._slot_of_num[states["num"]]
        states["state"] = self._state.upto(self._state.size)[slots]
        states["popularity"] = self._popularity.upto(self._popularity.size)[slots]
        return states

    @property
    def services(self) -> int:
        return int(np.count_nonzero(self._live.upto(self._live.size)))

    def snapshot(self) -> Snapshot:
        entries, services = self._slot_of.size, self._records.size
        return Snapshot(
            self._segments,
            self._memtable,
            self._slot_of.upto(entries),
            self._service_of.upto(entries),
            self._language_of.upto(entries),
            self._boxes.upto(entries),
            self._envelopes.upto(services),
            self._first.upto(services + 1),
            self._records.upto(services),
            self._facet_start.upto(services + 1),
            self._facets.upto(self._facets.size),
            self._values,
            self._live.upto(services),
            self._state.upto(services),
            self._popularity.upto(services),
            self._generation,
        )


def _envelopes(edges: Array, starts: Array) -> Array:
    """The envelopes of the boxes from each start to the next; an empty box can only enlarge one."""
    if not len(starts):
        return edges[:, :0]
    widen = (np.minimum, np.minimum, np.maximum, np.maximum)
    return np.stack(
        [
            extreme.reduceat(batch, starts)
            for extreme, batch in zip(widen, edges, strict=True)
        ]
    )
