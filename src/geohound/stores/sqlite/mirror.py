"""The catalogue as search sees it, in memory: which entries there are, whose, where, and what is known of each service.

Read once from the blocks, then only what is new. Arrays grow at their end and what was read stays in its place, so
that a search may go on with the view it began with while another one learns of more.
"""

from __future__ import annotations

import sqlite3
import threading
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from geohound.model.health import State

from .entries import offset_type
from .segments import RECORD

Array = npt.NDArray[Any]
STATES = tuple(str(state) for state in State)
_LOST = -1
LAST_LETTER = "\U0010ffff"
_CHANGES = (
    "SELECT group_concat(num), group_concat(CASE state "
    + " ".join(f"WHEN '{state}' THEN {code}" for code, state in enumerate(STATES))
    + f" ELSE {STATES.index(State.UNKNOWN)} END, ''), group_concat(popularity), max(revision) "
    "FROM service WHERE revision > ?"
)


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


class Block(NamedTuple):
    id: int
    start: int
    size: int
    services: int


class Row:
    """The postings of one transaction, as they were written: most of them nobody will ask for."""

    def __init__(self, start: int, size: int, terms: str, counts: bytes, offsets: bytes, worths: bytes) -> None:
        self._places = {term: at for at, term in enumerate(terms.split("\n"))} if terms else {}
        self._ends = np.cumsum(np.frombuffer(counts, "<u4"))
        self._offsets, self._worths = np.frombuffer(offsets, offset_type(size)), np.frombuffer(worths, np.uint8)
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
    """The postings of what is in no block yet."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def find(self, term: str) -> list[tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]]:
        # A copy of the list: another search may be learning of more.
        return [found for row in self.rows[:] if (found := row.find(term)) is not None]

    def beginning_with(self, beginning: str) -> list[str]:
        return sorted({term for row in self.rows[:] for term in row.beginning_with(beginning)})


class View(NamedTuple):
    """What one search works with: positions of entries from 0, of services ("slots") from 0."""

    blocks: tuple[Block, ...]
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
    alive: npt.NDArray[np.bool_]  # per slot: not overwritten by a later one
    state: npt.NDArray[np.uint8]
    popularity: npt.NDArray[np.uint32]
    generation: int

    @property
    def sealed(self) -> int:
        return self.blocks[-1].start + self.blocks[-1].size if self.blocks else 0


class Mirror:
    """Shared by all threads; `view` brings it up to date with the state that a connection sees."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._generation = 0
        self._forget()

    def _forget(self) -> None:
        self._generation += 1
        self._blocks: tuple[Block, ...] = ()
        self._tail = Tail()
        self._last_fresh = 0
        self._revision = 0
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

    def view(self, connection: sqlite3.Connection) -> View:
        with self._lock:
            blocks = connection.execute("SELECT id, size FROM block ORDER BY id").fetchall()
            if not self._follow(connection, blocks):
                self._forget()
                self._follow(connection, blocks)
            self._learn_changes(connection)
            return self._show()

    def _follow(self, connection: sqlite3.Connection, blocks: Sequence[tuple[int, int]]) -> bool:
        """Read what is new; False where what is known is no longer how it was."""
        if [(block.id, block.size) for block in self._blocks] != blocks and not self._follow_blocks(connection, blocks):
            return False
        rows = connection.execute(
            "SELECT id, size, record, facets, boxes, terms, counts, offsets, worths FROM fresh WHERE id > ? "
            "ORDER BY id",
            (self._last_fresh,),
        ).fetchall()
        start = self._slot_of.size
        if rows:
            self._take(*(b"".join(row[column] for row in rows) for column in (2, 3, 4)))
        for id_, size, _, _, _, *packed in rows:
            self._tail.rows.append(Row(start, size, *packed))
            start += size
            self._last_fresh = id_
        return True

    def _follow_blocks(self, connection: sqlite3.Connection, blocks: Sequence[tuple[int, int]]) -> bool:
        """Sealing and merging move nothing: where the services of a block are those we hold, only postings moved."""
        known = {(block.id, block.start, block.size): block for block in self._blocks}
        followed: list[Block] = []
        new: list[tuple[bytes, bytes, bytes]] = []
        start = slot = 0
        for id_, size in blocks:
            block = known.get((id_, start, size))
            if block is None:
                records, facets, boxes = connection.execute(
                    "SELECT records, facets, boxes FROM block WHERE id = ?", (id_,)
                ).fetchone()
                block = Block(id_, start, size, len(records) // RECORD.itemsize)
                held = max(0, min(self._records.size - slot, block.services))
                if self._records.upto(slot + held)[slot:].tobytes() != records[: held * RECORD.itemsize]:
                    return False
                if held < block.services:
                    new.append(_after(held, records, facets, boxes))
            followed.append(block)
            start, slot = start + size, slot + block.services
        if slot < self._records.size:
            return False
        if new:  # all together: the first time these are many, and arrays that grow are copied
            records, facets, boxes = (b"".join(column) for column in zip(*new, strict=True))
            self._take(records, facets, boxes)
        self._blocks, self._tail = tuple(followed), Tail()
        return True

    def _take(self, records: bytes, facets: bytes, boxes: bytes) -> None:
        """Some more services, at the end."""
        new = np.frombuffer(records, RECORD)
        slots = np.arange(self._records.size, self._records.size + len(new))
        first = self._slot_of.size + np.cumsum(new["size"], dtype=np.int64) - new["size"]
        self._slot_of.append(np.repeat(slots, new["size"]).astype(np.int32))
        self._service_of.append(np.repeat(first, new["size"]).astype(np.int32))
        self._language_of.append(np.repeat(new["language"], new["size"]))
        edges = np.frombuffer(boxes, "<i4").reshape(-1, 4).T
        self._boxes.append(edges)
        self._hulls.append(_hulls(edges, first - first[:1]))
        self._first.append(self._first.upto(self._first.size)[-1] + np.cumsum(new["size"], dtype=np.int64))
        self._facet_start.append(
            self._facet_start.upto(self._facet_start.size)[-1] + np.cumsum(new["facets"], dtype=np.int64)
        )
        self._facets.append(np.frombuffer(facets, "<u4"))
        self._records.append(new)
        self._state.append(np.full(len(new), STATES.index(State.UNKNOWN), np.uint8))
        self._popularity.append(np.zeros(len(new), np.uint32))
        self._alive.append(np.ones(len(new), np.bool_))
        nums = new["num"].astype(np.int64)
        highest = int(nums.max(initial=0))
        if highest >= len(self._slot_of_num):
            larger = np.full(highest + highest // 4 + 1, _LOST, dtype=np.int64)
            larger[: len(self._slot_of_num)] = self._slot_of_num
            self._slot_of_num = larger
        before = self._slot_of_num[nums]
        alive, state = self._alive.upto(self._alive.size), self._state.upto(self._state.size)
        known = before != _LOST
        state[slots[known]] = state[before[known]]
        alive[before[known]] = False
        self._slot_of_num[nums] = slots
        alive[slots[self._slot_of_num[nums] != slots]] = False

    def _learn_changes(self, connection: sqlite3.Connection) -> None:
        # Three texts instead of a row per service: at first it is every service of the catalogue.
        told, codes, seen, revision = connection.execute(_CHANGES, (self._revision,)).fetchone()
        if told is None:
            return
        self._revision = revision
        nums = np.fromstring(told, np.int64, sep=",")
        states = np.frombuffer(codes.encode(), np.uint8) - np.uint8(ord("0"))
        popularity = np.fromstring(seen, np.int64, sep=",").astype(np.uint32)
        within = nums < len(self._slot_of_num)
        slots = np.where(within, self._slot_of_num[np.where(within, nums, 0)], _LOST)
        here = slots != _LOST
        self._state.upto(self._state.size)[slots[here]] = states[here]
        self._popularity.upto(self._popularity.size)[slots[here]] = popularity[here]

    def _show(self) -> View:
        entries, services = self._slot_of.size, self._records.size
        return View(
            self._blocks,
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


def _after(held: int, records: bytes, facets: bytes, boxes: bytes) -> tuple[bytes, bytes, bytes]:
    """The services of a block beyond the first so many."""
    before = np.frombuffer(records, RECORD, held)
    entries, values = int(before["size"].sum(dtype=np.int64)), int(before["facets"].sum(dtype=np.int64))
    return records[held * RECORD.itemsize :], facets[values * 4 :], boxes[entries * 16 :]
