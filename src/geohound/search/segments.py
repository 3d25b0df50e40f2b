"""The format of index segments: services, boxes, facets, and the postings of each term.

Segments are immutable. Terms are sorted and grouped in blocks of some thousand bytes of postings: the first terms of
all blocks lead to the one block to read.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import orjson

from geohound.text import Vocabulary, is_unspaced
from geohound.text.languages import languages

# increased when the format or the analysis changes: then the index is rebuilt
FORMAT = 4
MAX_FREQUENT_WORDS = 20_000  # of a segment, for spelling corrections
MAX_SPANS = 4  # of years, per service
BLOCK_BYTES = 4_096
RECORD = np.dtype(
    [
        ("num", "<u4"), ("size", "<u4"), ("id", "<u8"), ("revision", "<u8"), ("duplicate_key", "<u8"),
        ("facets", "<u2"), ("quality", "u1"), ("language", "u1"), ("years", "<i2", (MAX_SPANS, 2)),
    ]
)  # fmt: skip
STATE = np.dtype([("num", "<u4"), ("popularity", "<u4"), ("state", "u1")])
LANGUAGES = tuple(languages())
LAST_CHARACTER = "\U0010ffff"
Array = npt.NDArray[Any]
# entries within a segment, and impacts
RawPostings = tuple[npt.NDArray[np.integer], npt.NDArray[np.uint8]]
Read = Callable[[str, str], memoryview]  # segment and file name to content


class SegmentData(NamedTuple):
    """The decoded content of a segment; a term may occur several times, in the order of its entries."""

    records: Array  # RECORD per service
    # of facets: index in model.query.FACETS, and value
    values: Sequence[tuple[int, str]]
    facets: Array  # of each service in turn: indices in `values`
    boxes: Array  # four edges per entry
    terms: Sequence[str]
    counts: Array  # per term: the number of its postings
    offsets: Array  # per posting: the entry
    impacts: Array

    @property
    def entries(self) -> int:
        return len(self.boxes)


EMPTY = SegmentData(
    np.zeros(0, RECORD), (), np.zeros(0, "<u4"), np.zeros((0, 4), "<i4"), (), np.zeros(0, np.int64),
    np.zeros(0, np.int64), np.zeros(0, np.uint8),
)  # fmt: skip


def join(parts: Sequence[SegmentData]) -> SegmentData:
    """Concatenate."""
    if len(parts) < 2:
        return parts[0] if parts else EMPTY
    starts = np.cumsum([0, *(data.entries for data in parts[:-1])])
    value_numbers: dict[tuple[int, str], int] = {}
    facets = []
    for data in parts:
        numbers = [
            value_numbers.setdefault(value, len(value_numbers)) for value in data.values
        ]
        facets.append(np.array(numbers, "<u4")[data.facets])
    return SegmentData(
        np.concatenate([data.records for data in parts]),
        list(value_numbers),
        np.concatenate(facets),
        np.concatenate([data.boxes for data in parts]),
        [term for data in parts for term in data.terms],
        np.concatenate([data.counts for data in parts]).astype(np.int64),
        np.concatenate(
            [
                data.offsets.astype(np.int64) + start
                for data, start in zip(parts, starts, strict=True)
            ]
        ),
        np.concatenate([data.impacts for data in parts]),
    )


def select(data: SegmentData, services: npt.NDArray[np.bool_]) -> SegmentData:
    """Keep only the services that are true in `services`."""
    entries = np.repeat(services, data.records["size"])
    new_offsets = np.cumsum(entries) - 1
    kept = entries[data.offsets]
    owner = np.repeat(np.arange(len(data.counts)), data.counts)
    return SegmentData(
        data.records[services],
        data.values,
        data.facets[np.repeat(services, data.records["facets"])],
        data.boxes[entries],
        data.terms,
        np.bincount(owner[kept], minlength=len(data.counts)),
        new_offsets[data.offsets[kept]],
        data.impacts[kept],
    )


def encode(data: SegmentData, states: Array) -> dict[str, bytes]:
    """The files of a segment; `states` are those of its services, and of others that changed since earlier segments."""
    parts = {
        "records": data.records.tobytes(),
        "facets": data.facets.astype("<u4").tobytes(),
        "values": orjson.dumps(data.values),
        "boxes": data.boxes.astype("<i4").tobytes(),
        "states": states.tobytes(),
        "vocabulary": orjson.dumps(frequent_words(data.terms, data.counts)),
    }
    blocks = list(_blocks(data))
    parts["terms"] = b"\n".join(first for first, _ in blocks)
    return parts | {str(number): body for number, (_, body) in enumerate(blocks)}


def frequent_words(terms: Iterable[str], counts: Array) -> dict[str, int]:
    """The most frequent words among these terms, without numbers, stems and pairs, and the entries of each."""
    found: Counter[str] = Counter()
    for term, count in zip(terms, counts.tolist(), strict=True):
        if term.isalpha() and not is_unspaced(term):
            found[term] += count
    return dict(found.most_common(MAX_FREQUENT_WORDS))


def _blocks(data: SegmentData) -> Iterator[tuple[bytes, bytes]]:
    """The first term of each block, and the block: terms, counts of postings, all entries, all impacts."""
    terms = sorted(set(data.terms))
    term_numbers = {term: at for at, term in enumerate(terms)}
    owner = np.repeat(
        np.array([term_numbers[term] for term in data.terms], np.int64), data.counts
    )
    order = np.argsort(owner, kind="stable")
    counts = np.bincount(owner, minlength=len(terms))
    kind = offset_type(data.entries)
    offsets, impacts = data.offsets[order].astype(kind), data.impacts[order]
    ends = [0, *np.cumsum(counts).tolist()]
    encoded = [term.encode() for term in terms]
    term_sizes = np.array([len(term) + 5 for term in encoded], np.int64)
    sizes = np.cumsum(counts * (kind.itemsize + 1) + term_sizes)
    bounds = [
        0,
        *(np.flatnonzero(np.diff(sizes // BLOCK_BYTES)) + 1).tolist(),
        len(terms),
    ]
    for first, last in pairwise(bounds):
        if first < last:
            postings = slice(ends[first], ends[last])
            joined_terms = b"\n".join(encoded[first:last])
            block = (
                len(joined_terms).to_bytes(4, "little"),
                joined_terms,
                counts[first:last].astype("<u4").tobytes(),
                offsets[postings].tobytes(),
                impacts[postings].tobytes(),
            )
            yield encoded[first], b"".join(block)


class PostingsBlock:
    """A decoded block of terms and their postings."""

    def __init__(self, body: memoryview, entries: int) -> None:
        size = int.from_bytes(body[:4], "little")
        self.terms = bytes(body[4 : 4 + size]).split(b"\n")
        self.counts = np.frombuffer(body, "<u4", len(self.terms), 4 + size)
        self._ends = np.cumsum(self.counts)
        kind = offset_type(entries)
        total = int(self._ends[-1])
        start = 4 + size + self.counts.nbytes
        self.offsets = np.frombuffer(body, kind, total, start)
        self.impacts = np.frombuffer(
            body, np.uint8, total, start + total * kind.itemsize
        )

    def postings(self, at: int) -> RawPostings:
        end = int(self._ends[at])
        start = end - int(self.counts[at])
        return self.offsets[start:end], self.impacts[start:end]


class TermDictionary:
    """The terms of one segment, whose blocks are read on demand."""

    def __init__(self, read: Read, segment: str, entries: int) -> None:
        self._read, self._segment, self._entries = read, segment, entries
        first_terms = bytes(read(segment, "terms"))
        self._first_terms = first_terms.split(b"\n") if first_terms else []

    def find(self, term: str) -> RawPostings | None:
        encoded_term = term.encode("utf-8", "replace")
        number = bisect_right(self._first_terms, encoded_term) - 1
        if number < 0:
            return None
        block = self._block(number)
        at = bisect_left(block.terms, encoded_term)
        return (
            block.postings(at)
            if at < len(block.terms) and block.terms[at] == encoded_term
            else None
        )

    def with_prefix(self, prefix: str) -> Iterator[tuple[str, RawPostings]]:
        """Terms with this prefix, in order."""
        low = prefix.encode("utf-8", "replace")
        high = (prefix + LAST_CHARACTER).encode("utf-8", "replace")
        first = max(bisect_right(self._first_terms, low) - 1, 0)
        for number in range(first, bisect_left(self._first_terms, high)):
            block = self._block(number)
            for at in range(
                bisect_left(block.terms, low), bisect_left(block.terms, high)
            ):
                yield block.terms[at].decode(), block.postings(at)

    def blocks(self) -> Iterator[PostingsBlock]:
        return map(self._block, range(len(self._first_terms)))

    def _block(self, number: int) -> PostingsBlock:
        return PostingsBlock(self._read(self._segment, str(number)), self._entries)


def decode(read: Read, segment: str) -> SegmentData:
    """A whole segment, its terms in order."""
    boxes = np.frombuffer(read(segment, "boxes"), "<i4").reshape(-1, 4)
    blocks = list(TermDictionary(read, segment, len(boxes)).blocks())
    return SegmentData(
        np.frombuffer(read(segment, "records"), RECORD),
        read_values(read, segment),
        np.frombuffer(read(segment, "facets"), "<u4"),
        boxes,
        [encoded_term.decode() for block in blocks for encoded_term in block.terms],
        np.concatenate([EMPTY.counts, *(block.counts for block in blocks)]).astype(
            np.int64
        ),
        np.concatenate([EMPTY.offsets, *(block.offsets for block in blocks)]).astype(
            np.int64
        ),
        np.concatenate([EMPTY.impacts, *(block.impacts for block in blocks)]),
    )


def read_values(read: Read, segment: str) -> list[tuple[int, str]]:
    return [(field, value) for field, value in orjson.loads(read(segment, "values"))]


def read_vocabulary(read: Read, segment: str) -> Vocabulary:
    return Vocabulary(orjson.loads(read(segment, "vocabulary")))


def read_states(read: Read, segment: str) -> Array:
    return np.frombuffer(read(segment, "states"), STATE)


def offset_type(size: int) -> Any:
    """The number type of offsets in a segment of so many entries."""
    return np.dtype("<u2") if size <= 1 << 16 else np.dtype("<u4")
