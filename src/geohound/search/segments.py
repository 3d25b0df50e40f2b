"""How a segment of the index is written and read: services, boxes, facets, and the postings of each word.

Nothing in a segment changes. Words stand in order, some thousand bytes of postings to a block, so that one is found by
the first words of the blocks and one read.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import orjson

from geohound.wording.languages import languages

from .entries import offset_type

FORMAT = 1  # grows when segments, or what words are made of, change: then the index is built anew
MOST_SPANS = 4  # of years that one service covers
BLOCK_BYTES = 4_096
RECORD = np.dtype(
    [
        ("num", "<u4"), ("size", "<u4"), ("id", "<u8"), ("revision", "<u8"), ("twin", "<u8"), ("facets", "<u2"),
        ("quality", "u1"), ("language", "u1"), ("years", "<i2", (MOST_SPANS, 2)),
    ]
)  # fmt: skip
STATE = np.dtype([("num", "<u4"), ("popularity", "<u4"), ("state", "u1")])
LANGUAGES = tuple(languages())
LAST_LETTER = "\U0010ffff"
Array = npt.NDArray[Any]
Hits = tuple[npt.NDArray[np.integer], npt.NDArray[np.uint8]]  # entries within a segment, and worths
Read = Callable[[str, str], memoryview]  # a part of a segment


class Piece(NamedTuple):
    """Some services, one after the other; a term may come several times, in the order of its entries."""

    records: Array  # RECORD per service
    values: Sequence[tuple[int, str]]  # of facets: place in model.query.FACETS, and value
    facets: Array  # of each service in turn: places in `values`
    boxes: Array  # four edges per entry
    terms: Sequence[str]
    counts: Array  # per term: how many postings it has
    offsets: Array  # of the postings: entries
    worths: Array

    @property
    def entries(self) -> int:
        return len(self.boxes)


NOTHING = Piece(
    np.zeros(0, RECORD), (), np.zeros(0, "<u4"), np.zeros((0, 4), "<i4"), (), np.zeros(0, np.int64),
    np.zeros(0, np.int64), np.zeros(0, np.uint8),
)  # fmt: skip


def join(pieces: Sequence[Piece]) -> Piece:
    """One after the other."""
    if len(pieces) < 2:
        return pieces[0] if pieces else NOTHING
    starts = np.cumsum([0, *(piece.entries for piece in pieces[:-1])])
    places: dict[tuple[int, str], int] = {}
    facets = []
    for piece in pieces:
        own = [places.setdefault(value, len(places)) for value in piece.values]
        facets.append(np.array(own, "<u4")[piece.facets])
    return Piece(
        np.concatenate([piece.records for piece in pieces]),
        list(places),
        np.concatenate(facets),
        np.concatenate([piece.boxes for piece in pieces]),
        [term for piece in pieces for term in piece.terms],
        np.concatenate([piece.counts for piece in pieces]).astype(np.int64),
        np.concatenate([piece.offsets.astype(np.int64) + start for piece, start in zip(pieces, starts, strict=True)]),
        np.concatenate([piece.worths for piece in pieces]),
    )


def select(piece: Piece, chosen: npt.NDArray[np.bool_]) -> Piece:
    """Only these of its services."""
    entries = np.repeat(chosen, piece.records["size"])
    place = np.cumsum(entries) - 1
    held = entries[piece.offsets]
    owner = np.repeat(np.arange(len(piece.counts)), piece.counts)
    return Piece(
        piece.records[chosen],
        piece.values,
        piece.facets[np.repeat(chosen, piece.records["facets"])],
        piece.boxes[entries],
        piece.terms,
        np.bincount(owner[held], minlength=len(piece.counts)),
        place[piece.offsets[held]],
        piece.worths[held],
    )


def encode(piece: Piece, states: Array) -> dict[str, bytes]:
    """The parts of a segment; `states` are those of its services, and of others since the segments before."""
    parts = {
        "records": piece.records.tobytes(),
        "facets": piece.facets.astype("<u4").tobytes(),
        "values": orjson.dumps(piece.values),
        "boxes": piece.boxes.astype("<i4").tobytes(),
        "states": states.tobytes(),
    }
    blocks = list(_blocks(piece))
    parts["terms"] = b"\n".join(first for first, _ in blocks)
    return parts | {str(number): body for number, (_, body) in enumerate(blocks)}


def _blocks(piece: Piece) -> Iterator[tuple[bytes, bytes]]:
    """The first word of each block, and the block: words, how many postings each has, all entries, all worths."""
    names = sorted(set(piece.terms))
    number = {term: at for at, term in enumerate(names)}
    owner = np.repeat(np.array([number[term] for term in piece.terms], np.int64), piece.counts)
    order = np.argsort(owner, kind="stable")
    counts = np.bincount(owner, minlength=len(names))
    kind = offset_type(piece.entries)
    offsets, worths = piece.offsets[order].astype(kind), piece.worths[order]
    ends = [0, *np.cumsum(counts).tolist()]
    words = [name.encode() for name in names]
    taken = np.cumsum(counts * (kind.itemsize + 1) + np.array([len(word) + 5 for word in words], np.int64))
    cuts = [0, *(np.flatnonzero(np.diff(taken // BLOCK_BYTES)) + 1).tolist(), len(names)]
    for first, last in pairwise(cuts):
        if first < last:
            held, said = slice(ends[first], ends[last]), b"\n".join(words[first:last])
            postings = offsets[held].tobytes() + worths[held].tobytes()
            yield (
                words[first],
                len(said).to_bytes(4, "little") + said + counts[first:last].astype("<u4").tobytes() + postings,
            )


class Block:
    """A block as it was read."""

    def __init__(self, body: memoryview, entries: int) -> None:
        size = int.from_bytes(body[:4], "little")
        self.words = bytes(body[4 : 4 + size]).split(b"\n")
        self.counts = np.frombuffer(body, "<u4", len(self.words), 4 + size)
        self._ends = np.cumsum(self.counts)
        kind, total, start = offset_type(entries), int(self._ends[-1]), 4 + size + self.counts.nbytes
        self.offsets = np.frombuffer(body, kind, total, start)
        self.worths = np.frombuffer(body, np.uint8, total, start + total * kind.itemsize)

    def hits(self, at: int) -> Hits:
        end = int(self._ends[at])
        start = end - int(self.counts[at])
        return self.offsets[start:end], self.worths[start:end]


class Words:
    """The words of one segment, read as they are asked for."""

    def __init__(self, read: Read, segment: str, entries: int) -> None:
        self._read, self._segment, self._entries = read, segment, entries
        firsts = bytes(read(segment, "terms"))
        self._firsts = firsts.split(b"\n") if firsts else []

    def find(self, term: str) -> Hits | None:
        word = term.encode("utf-8", "replace")
        number = bisect_right(self._firsts, word) - 1
        if number < 0:
            return None
        block = self._block(number)
        at = bisect_left(block.words, word)
        return block.hits(at) if at < len(block.words) and block.words[at] == word else None

    def beginning_with(self, beginning: str) -> Iterator[tuple[str, Hits]]:
        """Words that begin so, in order."""
        low, high = beginning.encode("utf-8", "replace"), (beginning + LAST_LETTER).encode("utf-8", "replace")
        for number in range(max(bisect_right(self._firsts, low) - 1, 0), bisect_left(self._firsts, high)):
            block = self._block(number)
            for at in range(bisect_left(block.words, low), bisect_left(block.words, high)):
                yield block.words[at].decode(), block.hits(at)

    def blocks(self) -> Iterator[Block]:
        return map(self._block, range(len(self._firsts)))

    def _block(self, number: int) -> Block:
        return Block(self._read(self._segment, str(number)), self._entries)


def decode(read: Read, segment: str) -> Piece:
    """A segment as it was before it was written, its words in order."""
    boxes = np.frombuffer(read(segment, "boxes"), "<i4").reshape(-1, 4)
    blocks = list(Words(read, segment, len(boxes)).blocks())
    return Piece(
        np.frombuffer(read(segment, "records"), RECORD),
        read_values(read, segment),
        np.frombuffer(read(segment, "facets"), "<u4"),
        boxes,
        [word.decode() for block in blocks for word in block.words],
        np.concatenate([NOTHING.counts, *(block.counts for block in blocks)]).astype(np.int64),
        np.concatenate([NOTHING.offsets, *(block.offsets for block in blocks)]).astype(np.int64),
        np.concatenate([NOTHING.worths, *(block.worths for block in blocks)]),
    )


def read_values(read: Read, segment: str) -> list[tuple[int, str]]:
    return [(field, value) for field, value in orjson.loads(read(segment, "values"))]


def read_states(read: Read, segment: str) -> Array:
    return np.frombuffer(read(segment, "states"), STATE)
