"""The catalogue as search sees it, in memory: which entries there are, whose, where, and what is known of each service.

Read once from the segments, then only what is new; after it comes what is in no segment yet. Arrays grow at their end
and what was read stays in its place, so that a search may go on with the view it began with while another one learns
of more.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from geohound.model.health import State
from geohound.model.segment import Segment

from .facets import FacetValues
from .segments import LAST_LETTER, RECORD, STATE, Piece, Read, read_states, read_values

Array = npt.NDArray[Any]
STATES = tuple(str(state) for state in State)
_LOST = -1


class Grown:
    """An array that grows at its end; with rows, several that grow together."""

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

    def cut(self, size: int) -> Grown:
        """Another one with only so much; this one stays as it is, for there are views of it."""
        other = Grown(self._data.dtype, self._rows[0] if self._rows else 0)
        other.append(self.upto(min(size, self.size)))
        return other


class Held(NamedTuple):
    """A segment in its place."""

    id: str
    start: int  # its first entry
    size: int
    services: int


class Row:
    """The postings of what was read at one time: most of them nobody will ask for."""

    def __init__(self, start: int, piece: Piece) -> None:
        self._places = {term: at for at, term in enumerate(piece.terms)}
        self._ends = np.cumsum(piece.counts)
        self._offsets, self._worths = piece.offsets, piece.worths
        self._start = start
        self._sorted: list[str] | None = None

    def find(self, term: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]] | None:
        at = self._places.get(term)
        if at is None:
            return None
        held = slice(int(self._ends[at - 1]) if at else 0, int(self._ends[at]))
        return self._offsets[held].astype(np.int64) + self._start, self._worths[held]

    def beginning_with(self, beginning: str) -> list[str]:
        terms = self._sorted = self._sorted or sorted(self._places)
        return terms[bisect_left(terms, beginning) : bisect_left(terms, beginning + LAST_LETTER)]


class Tail:
    """The postings of what is in no segment yet."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def find(self, term: str) -> list[tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]]:
        # A copy of the list: another search may be learning of more.
        return [found for row in self.rows[:] if (found := row.find(term)) is not None]

    def beginning_with(self, beginning: str) -> list[str]:
        return sorted({term for row in self.rows[:] for term in row.beginning_with(beginning)})


class View(NamedTuple):
    """What one search works with: positions of entries from 0, of services ("slots") from 0."""

    segments: tuple[Held, ...]
    tail: Tail
    slot_of: npt.NDArray[np.int32]  # per entry
    service_of: npt.NDArray[np.int32]  # per entry: that of its service
    language_of: npt.NDArray[np.uint8]  # per entry
    boxes: npt.NDArray[np.int32]  # four rows, per entry
    hulls: npt.NDArray[np.int32]  # four rows, per slot: around the boxes of all its entries
    first: npt.NDArray[np.int64]  # per slot and one more: its first entry
    records: Array
    facet_start: npt.NDArray[np.int64]  # per slot and one more
    facets: npt.NDArray[np.uint32]
    values: FacetValues
    alive: npt.NDArray[np.bool_]  # per slot: not overwritten by a later one
    state: npt.NDArray[np.uint8]
    popularity: npt.NDArray[np.uint32]
    generation: int

    @property
    def sealed(self) -> int:
        return self.segments[-1].start + self.segments[-1].size if self.segments else 0


class Mirror:
    """For one thread at a time; its views are for all."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._generation = 0
        self._forget()

    def _forget(self) -> None:
        self._generation += 1
        self._segments: tuple[Held, ...] = ()
        self._tail = Tail()
        self._values = FacetValues()
        self._slot_of = Grown(np.int32)
        self._service_of = Grown(np.int32)
        self._language_of = Grown(np.uint8)
        self._boxes = Grown(np.int32, 4)
        self._hulls = Grown(np.int32, 4)
        self._records = Grown(RECORD)
        self._first = Grown(np.int64)
        self._first.append(np.zeros(1, np.int64))
        self._facet_start = Grown(np.int64)
        self._facet_start.append(np.zeros(1, np.int64))
        self._facets = Grown(np.uint32)
        self._alive = Grown(np.bool_)
        self._state = Grown(np.uint8)
        self._popularity = Grown(np.uint32)
        self._slot_of_num = np.full(1024, _LOST, dtype=np.int64)

    def follow(self, segments: Sequence[Segment]) -> None:
        """Hold these segments and nothing behind them; what is held of them already stays in its place."""
        if not self._extend(segments):
            self._forget()
            self._extend(segments)

    def _extend(self, segments: Sequence[Segment]) -> bool:
        """Read what is new; False where what was in segments is no longer how it was.

        Sealing and merging move nothing: where the services of a segment are those we hold, only postings moved.
        """
        known = {(held.id, held.start): held for held in self._segments}
        sealed = sum(held.services for held in self._segments)
        followed: list[Held] = []
        new: list[str] = []
        start = slot = 0
        for segment in segments:
            held = known.get((segment.id, start))
            if held is None:
                held = Held(segment.id, start, segment.entries, segment.services)
                records = np.frombuffer(self._read(segment.id, "records"), RECORD)
                if not self._agree(slot, records, sealed):
                    return False
                if self._records.size < slot + segment.services:
                    self._take_segment(segment.id, records, self._records.size - slot)
                new.append(segment.id)
            followed.append(held)
            start, slot = start + segment.entries, slot + segment.services
        if slot < sealed:
            return False
        if slot < self._records.size:
            self._cut(slot)
        self._segments, self._tail = tuple(followed), Tail()
        for id_ in new:
            self.learn(read_states(self._read, id_))
        return True

    def _agree(self, slot: int, records: Array, sealed: int) -> bool:
        """Are these the services that are held from a slot on? What is in no segment gives way if they are not."""
        held = self._records.upto(min(self._records.size, slot + len(records)))[slot:]
        if held.tobytes() == records[: len(held)].tobytes():
            return True
        certain = max(sealed - slot, 0)
        if held[:certain].tobytes() != records[: len(held)][:certain].tobytes():
            return False
        self._cut(max(sealed, slot))
        return True

    def _take_segment(self, id_: str, records: Array, held: int) -> None:
        """Its services beyond the first so many."""
        before = records[:held]
        entries, values = int(before["size"].sum(dtype=np.int64)), int(before["facets"].sum(dtype=np.int64))
        facets = np.frombuffer(self._read(id_, "facets"), "<u4")[values:]
        boxes = np.frombuffer(self._read(id_, "boxes"), "<i4").reshape(-1, 4)[entries:]
        self._take(records[held:], self._numbered(facets, read_values(self._read, id_)), boxes)

    def add(self, piece: Piece) -> None:
        """Some more services, which are in no segment yet."""
        start = self._slot_of.size
        self._take(piece.records, self._numbered(piece.facets, piece.values), piece.boxes)
        self._tail.rows.append(Row(start, piece))

    def _numbered(self, facets: Array, values: Sequence[tuple[int, str]]) -> Array:
        return np.array(self._values.number(values), np.uint32)[facets]

    def _take(self, new: Array, facets: Array, boxes: Array) -> None:
        """Some more services, at the end."""
        if not len(new):
            return
        slots = np.arange(self._records.size, self._records.size + len(new))
        first = self._slot_of.size + np.cumsum(new["size"], dtype=np.int64) - new["size"]
        self._slot_of.append(np.repeat(slots, new["size"]).astype(np.int32))
        self._service_of.append(np.repeat(first, new["size"]).astype(np.int32))
        self._language_of.append(np.repeat(new["language"], new["size"]))
        edges = boxes.T
        self._boxes.append(edges)
        self._hulls.append(_hulls(edges, first - first[:1]))
        self._first.append(self._first.upto(self._first.size)[-1] + np.cumsum(new["size"], dtype=np.int64))
        self._facet_start.append(
            self._facet_start.upto(self._facet_start.size)[-1] + np.cumsum(new["facets"], dtype=np.int64)
        )
        self._facets.append(facets)
        self._records.append(new)
        self._state.append(np.full(len(new), STATES.index(State.UNKNOWN), np.uint8))
        self._popularity.append(np.zeros(len(new), np.uint32))
        self._alive.append(np.ones(len(new), np.bool_))
        self._replace_earlier(slots, new["num"].astype(np.int64))

    def _replace_earlier(self, slots: Array, nums: Array) -> None:
        """What is written anew counts from now on, with the state that it had."""
        highest = int(nums.max(initial=0))
        if highest >= len(self._slot_of_num):
            larger = np.full(highest + highest // 4 + 1, _LOST, dtype=np.int64)
            larger[: len(self._slot_of_num)] = self._slot_of_num
            self._slot_of_num = larger
        before = self._slot_of_num[nums]
        alive, state = self._alive.upto(self._alive.size), self._state.upto(self._state.size)
        popularity = self._popularity.upto(self._popularity.size)
        known = before != _LOST
        state[slots[known]] = state[before[known]]
        popularity[slots[known]] = popularity[before[known]]
        alive[before[known]] = False
        self._slot_of_num[nums] = slots
        alive[slots[self._slot_of_num[nums] != slots]] = False

    def _cut(self, slots: int) -> None:
        """Forget the services from this slot on; views that show them stay as they are."""
        entries = int(self._first.upto(self._first.size)[slots])
        values = int(self._facet_start.upto(self._facet_start.size)[slots])
        for grown in ("_slot_of", "_service_of", "_language_of", "_boxes"):
            setattr(self, grown, getattr(self, grown).cut(entries))
        for grown in ("_hulls", "_records", "_alive", "_state", "_popularity"):
            setattr(self, grown, getattr(self, grown).cut(slots))
        self._first, self._facet_start = self._first.cut(slots + 1), self._facet_start.cut(slots + 1)
        self._facets = self._facets.cut(values)
        nums = self._records.upto(slots)["num"].astype(np.int64)
        self._slot_of_num.fill(_LOST)
        self._slot_of_num[nums] = np.arange(slots)  # of those with one number the last is kept
        self._alive.upto(slots)[:] = self._slot_of_num[nums] == np.arange(slots)

    def learn(self, states: Array) -> None:
        """How services fare, and how often they were seen."""
        nums = states["num"].astype(np.int64)
        within = nums < len(self._slot_of_num)
        slots = np.where(within, self._slot_of_num[np.where(within, nums, 0)], _LOST)
        here = slots != _LOST
        self._state.upto(self._state.size)[slots[here]] = states["state"][here]
        self._popularity.upto(self._popularity.size)[slots[here]] = states["popularity"][here]

    def states(self, nums: Sequence[int]) -> Array:
        """How these services fare as far as is known."""
        told = np.zeros(len(nums), STATE)
        told["num"] = nums
        slots = self._slot_of_num[told["num"]]
        told["state"] = self._state.upto(self._state.size)[slots]
        told["popularity"] = self._popularity.upto(self._popularity.size)[slots]
        return told

    @property
    def services(self) -> int:
        return int(np.count_nonzero(self._alive.upto(self._alive.size)))

    def show(self) -> View:
        entries, services = self._slot_of.size, self._records.size
        return View(
            self._segments,
            self._tail,
            self._slot_of.upto(entries),
            self._service_of.upto(entries),
            self._language_of.upto(entries),
            self._boxes.upto(entries),
            self._hulls.upto(services),
            self._first.upto(services + 1),
            self._records.upto(services),
            self._facet_start.upto(services + 1),
            self._facets.upto(self._facets.size),
            self._values,
            self._alive.upto(services),
            self._state.upto(services),
            self._popularity.upto(services),
            self._generation,
        )


def _hulls(edges: Array, starts: Array) -> Array:
    """Around the boxes from each start to the next; what is nowhere makes a hull larger at most."""
    if not len(starts):
        return edges[:, :0]
    widen = (np.minimum, np.minimum, np.maximum, np.maximum)
    return np.stack([extreme.reduceat(row, starts) for extreme, row in zip(widen, edges, strict=True)])
