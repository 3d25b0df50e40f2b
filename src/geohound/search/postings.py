"""The postings of a term: which entries contain it, and its impact in each; from segments, cached, and the memtable."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from geohound.model.search.segment import Segment
from geohound.text import Vocabulary

from .in_memory_index import PlacedSegment, Snapshot
from .segments import LAST_CHARACTER, RawPostings, Read, TermDictionary, read_vocabulary

MAX_PREFIX_TERMS = 300  # per segment
MAX_VOCABULARIES = 6  # searched for a spelling correction
_MAX_CACHED_POSTINGS = 12_000_000  # of five bytes each


class PostingList(NamedTuple):
    """Ascending positions of entries, and impacts from 0 to 1."""

    entries: npt.NDArray[np.int64]
    impacts: npt.NDArray[np.float32]


_MemtablePostings = tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]
NONE = PostingList(np.zeros(0, np.int64), np.zeros(0, np.float32))


class CachedPostings(NamedTuple):
    upto: int  # entries before this position are covered
    entries: npt.NDArray[np.int32]
    impacts: npt.NDArray[np.uint8]


def _placed(
    postings: RawPostings, start: int, covered: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
    """The postings of a segment by their places in the whole index, without those that are covered."""
    offsets, impacts = postings
    positions = offsets.astype(np.int32) + np.int32(start)
    if start >= covered:
        return positions, impacts
    is_new = positions >= covered
    return positions[is_new], impacts[is_new]


class PostingsCache:
    """The postings of recent terms, and the term dictionaries of segments; shared by all threads."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._lock = threading.Lock()
        self._dictionaries: dict[str, TermDictionary] = {}
        self._vocabularies: dict[str, Vocabulary] = {}
        self._cached: dict[str, CachedPostings] = {}
        self._size = 0
        self._generation = 0

    def term_dictionary(self, segment: PlacedSegment) -> TermDictionary:
        dictionary = self._dictionaries.get(segment.id)
        if dictionary is None:
            dictionary = self._dictionaries[segment.id] = TermDictionary(
                self._read, segment.id, segment.size
            )
        return dictionary

    def vocabulary(self, segment: PlacedSegment) -> Vocabulary:
        cached = self._vocabularies.get(segment.id)
        if cached is None:
            cached = self._vocabularies[segment.id] = read_vocabulary(
                self._read, segment.id
            )
        return cached

    def retain(self, segments: Iterable[Segment]) -> None:
        """Drop the dictionaries of all other segments."""
        kept = {segment.id for segment in segments}
        self._dictionaries = {
            id_: each for id_, each in self._dictionaries.items() if id_ in kept
        }
        self._vocabularies = {
            id_: each for id_, each in self._vocabularies.items() if id_ in kept
        }

    def get(self, term: str, generation: int) -> CachedPostings | None:
        with self._lock:
            return self._cached.get(term) if generation == self._generation else None

    def put(self, term: str, generation: int, postings: CachedPostings) -> None:
        with self._lock:
            if generation > self._generation or self._size > _MAX_CACHED_POSTINGS:
                self._cached, self._size, self._generation = {}, 0, generation
            if generation == self._generation:
                before = self._cached.get(term)
                self._size += (
                    len(postings.entries) - (len(before.entries) if before else 0) + 100
                )
                self._cached[term] = postings


class Postings:
    """The postings of one snapshot."""

    def __init__(self, snapshot: Snapshot, cache: PostingsCache) -> None:
        self._snapshot = snapshot
        self._cache = cache

    def find(self, term: str) -> PostingList:
        """The entries that contain exactly this term."""
        from_segments = self._from_segments(term, partial(self._find_in_segment, term))
        return self._posting_list(from_segments, self._snapshot.memtable.find(term))

    def _posting_list(
        self, from_segments: CachedPostings, from_memtable: list[_MemtablePostings]
    ) -> PostingList:
        """The postings of segments, followed by those of the memtable."""
        entries, impacts = from_segments.entries, from_segments.impacts
        if from_memtable:
            entries = np.concatenate([entries, *(more for more, _ in from_memtable)])
            impacts = np.concatenate([impacts, *(more for _, more in from_memtable)])
        if not len(entries):
            return NONE
        if entries[-1] >= len(self._snapshot.slot_of):
            size = int(np.searchsorted(entries, len(self._snapshot.slot_of)))
            entries, impacts = entries[:size], impacts[:size]
        return PostingList(entries.astype(np.int64), impacts * np.float32(1 / 255))

    def _from_segments(
        self, key: str, read: Callable[[PlacedSegment], RawPostings | None]
    ) -> CachedPostings:
        """The postings of all segments under a cache key; only segments that are new since the last call are read."""
        snapshot = self._snapshot
        cached = self._cache.get(key, snapshot.generation)
        if cached is not None and cached.upto == snapshot.segment_entries:
            return cached
        if cached is not None and cached.upto > snapshot.segment_entries:
            cached = None
        covered = cached.upto if cached else 0
        entries = [cached.entries if cached else np.zeros(0, np.int32)]
        impacts = [cached.impacts if cached else np.zeros(0, np.uint8)]
        new = (each for each in snapshot.segments if each.start + each.size > covered)
        for segment in new:
            postings = read(segment)
            if postings is None:
                continue
            positions, segment_impacts = _placed(postings, segment.start, covered)
            entries.append(positions)
            impacts.append(segment_impacts)
        merged = CachedPostings(
            snapshot.segment_entries, np.concatenate(entries), np.concatenate(impacts)
        )
        self._cache.put(key, snapshot.generation, merged)
        return merged

    def _find_in_segment(self, term: str, segment: PlacedSegment) -> RawPostings | None:
        return self._cache.term_dictionary(segment).find(term)

    def _prefix_in_segment(self, prefix: str, segment: PlacedSegment) -> RawPostings:
        """The postings of all terms of a segment with this prefix, as if they were one term."""
        best = np.zeros(segment.size, np.uint8)
        terms = self._cache.term_dictionary(segment).with_prefix(prefix)
        for _, (offsets, impacts) in islice(terms, MAX_PREFIX_TERMS):
            best[offsets] = np.maximum(best[offsets], impacts)
        present = np.flatnonzero(best)
        return present, best[present]

    def any_of(self, terms: Iterable[str]) -> PostingList:
        """The entries that contain one of these terms, with the highest impact."""
        lists = [f for f in map(self.find, dict.fromkeys(terms)) if len(f.entries)]
        return union(lists, len(self._snapshot.slot_of))

    def with_prefix(self, prefix: str) -> PostingList:
        """The entries with a term of this prefix; of each segment the first MAX_PREFIX_TERMS terms count."""
        from_segments = self._from_segments(
            prefix + LAST_CHARACTER, partial(self._prefix_in_segment, prefix)
        )
        memtable = self._snapshot.memtable
        terms = memtable.with_prefix(prefix)[:MAX_PREFIX_TERMS]
        from_memtable = [postings for term in terms for postings in memtable.find(term)]
        if not from_memtable:
            return self._posting_list(from_segments, [])
        entries = np.concatenate([entries for entries, _ in from_memtable])
        first = int(entries.min())
        best = np.zeros(int(entries.max()) + 1 - first, np.uint8)
        np.maximum.at(
            best,
            entries - first,
            np.concatenate([impacts for _, impacts in from_memtable]),
        )
        present = np.flatnonzero(best)
        return self._posting_list(from_segments, [(present + first, best[present])])

    def vocabularies(self) -> list[Vocabulary]:
        """The words of some segments and of the memtable."""
        step = max(1, -(-len(self._snapshot.segments) // MAX_VOCABULARIES))
        from_segments = [
            self._cache.vocabulary(segment)
            for segment in self._snapshot.segments[::step]
        ]
        return [
            *from_segments,
            *(batch.vocabulary() for batch in self._snapshot.memtable.batches[:]),
        ]


class _Scratch(threading.local):
    """An array with a number per entry, reused by the searches of a thread; who uses it resets it to zeros."""

    def __init__(self) -> None:
        self.best = np.zeros(0, np.float32)

    def array(self, size: int) -> npt.NDArray[np.float32]:
        if len(self.best) < size:
            self.best = np.zeros(size + size // 4, np.float32)
        return self.best[:size]


_scratch = _Scratch()


def union(lists: list[PostingList], size: int) -> PostingList:
    """The entries of several lists, with the highest impact of each; `size` is the number of all entries."""
    if len(lists) < 2:
        return lists[0] if lists else NONE
    # then sorting costs more than a pass over all entries
    if sum(len(f.entries) for f in lists) * 6 > size:
        best = _scratch.array(size)
        for entries, impacts in lists:
            best[entries] = np.maximum(best[entries], impacts)
        entries = np.flatnonzero(best > 0)
        impacts = best[entries]
        best[entries] = 0
        return PostingList(entries, impacts)
    # The bits of floats from 0 sort as the floats do: one packed number sorts much faster than two.
    packed = np.concatenate([f.entries for f in lists]) << 32
    packed |= np.concatenate([f.impacts for f in lists]).view(np.uint32)
    packed.sort()
    is_last = np.ones(len(packed), np.bool_)
    np.not_equal(packed[1:] >> 32, packed[:-1] >> 32, out=is_last[:-1])
    packed = packed[is_last]
    return PostingList(
        packed >> 32, (packed & 0xFFFFFFFF).astype(np.uint32).view(np.float32)
    )


def intersection(lists: list[PostingList]) -> PostingList:
    """The entries that are in all lists, with the lowest impact of each."""
    result, *others = sorted(lists, key=lambda f: len(f.entries))
    for other in others:
        if not len(result.entries) or not len(other.entries):
            return NONE
        positions = np.searchsorted(other.entries, result.entries)
        positions[positions == len(other.entries)] = 0
        shared = other.entries[positions] == result.entries
        impacts = np.minimum(result.impacts[shared], other.impacts[positions[shared]])
        result = PostingList(result.entries[shared], impacts)
    return result
