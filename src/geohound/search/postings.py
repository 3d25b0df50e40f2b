"""Which entries hold a word, and what it is worth there: from segments, remembered, and from what is in none yet."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from geohound.model.segment import Segment

from .mirror import Held, View
from .segments import LAST_LETTER, Hits, Read, Words

MAX_BEGINNINGS = 300  # words that one beginning may stand for
_MAX_REMEMBERED = 12_000_000  # postings; five bytes each


class Found(NamedTuple):
    """Positions of entries, each once and in order, and worths from 0 to 1."""

    entries: npt.NDArray[np.int64]
    worths: npt.NDArray[np.float32]


_Fresh = tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]
NONE = Found(np.zeros(0, np.int64), np.zeros(0, np.float32))


class Remembered(NamedTuple):
    upto: int  # entries before this position are covered
    entries: npt.NDArray[np.int32]
    worths: npt.NDArray[np.uint8]


class Memory:
    """The postings of words asked for before, and where to look for others, shared by all threads."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._lock = threading.Lock()
        self._words: dict[str, Words] = {}
        self._held: dict[str, Remembered] = {}
        self._size = 0
        self._generation = 0

    def words(self, segment: Held) -> Words:
        words = self._words.get(segment.id)
        if words is None:
            words = self._words[segment.id] = Words(self._read, segment.id, segment.size)
        return words

    def forget_all_but(self, segments: Iterable[Segment]) -> None:
        """Where to look for words, of segments that are no more."""
        self._words = {s.id: self._words[s.id] for s in segments if s.id in self._words}

    def get(self, term: str, generation: int) -> Remembered | None:
        with self._lock:
            return self._held.get(term) if generation == self._generation else None

    def keep(self, term: str, generation: int, postings: Remembered) -> None:
        with self._lock:
            if generation > self._generation or self._size > _MAX_REMEMBERED:
                self._held, self._size, self._generation = {}, 0, generation
            if generation == self._generation:
                before = self._held.get(term)
                self._size += len(postings.entries) - (len(before.entries) if before else 0) + 100
                self._held[term] = postings


class Postings:
    """The words of one view."""

    def __init__(self, view: View, memory: Memory) -> None:
        self._view = view
        self._memory = memory

    def find(self, term: str) -> Found:
        """The entries that hold exactly this key."""
        return self._found(self._sealed(term, partial(self._word, term)), self._view.tail.find(term))

    def _found(self, sealed: Remembered, fresh: list[_Fresh]) -> Found:
        """What is in segments, and after it what is in none yet."""
        entries, worths = sealed.entries, sealed.worths
        if fresh:
            entries = np.concatenate([entries, *(more for more, _ in fresh)])
            worths = np.concatenate([worths, *(more for _, more in fresh)])
        if not len(entries):
            return NONE
        if entries[-1] >= len(self._view.slot_of):
            size = int(np.searchsorted(entries, len(self._view.slot_of)))
            entries, worths = entries[:size], worths[:size]
        return Found(entries.astype(np.int64), worths * np.float32(1 / 255))

    def _sealed(self, key: str, read: Callable[[Held], Hits | None]) -> Remembered:
        """What the segments hold under a key; only what is new since it was last asked for is read."""
        view = self._view
        known = self._memory.get(key, view.generation)
        if known is not None and known.upto == view.sealed:
            return known
        if known is not None and known.upto > view.sealed:
            known = None
        done = known.upto if known else 0
        entries = [known.entries] if known else []
        worths = [known.worths] if known else []
        for held in view.segments:
            if held.start + held.size <= done:
                continue
            found = read(held)
            if found is None:
                continue
            offsets, values = found
            placed = offsets.astype(np.int32) + np.int32(held.start)
            if held.start < done:
                values = values[placed >= done]
                placed = placed[placed >= done]
            entries.append(placed)
            worths.append(values)
        made = Remembered(
            view.sealed,
            np.concatenate(entries) if entries else np.zeros(0, np.int32),
            np.concatenate(worths) if worths else np.zeros(0, np.uint8),
        )
        self._memory.keep(key, view.generation, made)
        return made

    def _word(self, term: str, segment: Held) -> Hits | None:
        return self._memory.words(segment).find(term)

    def _beginning(self, beginning: str, segment: Held) -> Hits:
        """All words of a segment that begin so, as if they were one."""
        best = np.zeros(segment.size, np.uint8)
        for _, (offsets, worths) in islice(self._memory.words(segment).beginning_with(beginning), MAX_BEGINNINGS):
            best[offsets] = np.maximum(best[offsets], worths)
        held = np.flatnonzero(best)
        return held, best[held]

    def any_of(self, terms: Iterable[str]) -> Found:
        """The entries that hold one of these, with the best worth."""
        found = [f for f in map(self.find, dict.fromkeys(terms)) if len(f.entries)]
        return union(found, len(self._view.slot_of))

    def starting(self, beginning: str) -> Found:
        """The entries that hold a word that begins so; of each segment the first MAX_BEGINNINGS words count."""
        sealed = self._sealed(beginning + LAST_LETTER, partial(self._beginning, beginning))
        tail = self._view.tail
        fresh = [part for term in tail.beginning_with(beginning)[:MAX_BEGINNINGS] for part in tail.find(term)]
        if not fresh:
            return self._found(sealed, [])
        entries = np.concatenate([entries for entries, _ in fresh])
        first = int(entries.min())
        best = np.zeros(int(entries.max()) + 1 - first, np.uint8)
        np.maximum.at(best, entries - first, np.concatenate([worths for _, worths in fresh]))
        held = np.flatnonzero(best)
        return self._found(sealed, [(held + first, best[held])])

    def words_like(self, beginning: str, most_segments: int) -> list[str]:
        """Words that begin so, of some segments."""
        terms = dict.fromkeys(self._view.tail.beginning_with(beginning)[:MAX_BEGINNINGS])
        step = max(1, -(-len(self._view.segments) // most_segments))
        for segment in self._view.segments[::step]:
            found = islice(self._memory.words(segment).beginning_with(beginning), MAX_BEGINNINGS)
            terms |= dict.fromkeys(term for term, _ in found)
        return list(terms)


class _Scratch(threading.local):
    """Room for a number per entry, kept from search to search; whoever uses it leaves it empty."""

    def __init__(self) -> None:
        self.best = np.zeros(0, np.float32)

    def room(self, size: int) -> npt.NDArray[np.float32]:
        if len(self.best) < size:
            self.best = np.zeros(size + size // 4, np.float32)
        return self.best[:size]


_scratch = _Scratch()


def union(found: list[Found], size: int) -> Found:
    """All entries of several, out of so many, with the best worth of each."""
    if len(found) < 2:
        return found[0] if found else NONE
    if sum(len(f.entries) for f in found) * 6 > size:  # then sorting costs more than a look at every entry
        best = _scratch.room(size)
        for entries, worths in found:
            best[entries] = np.maximum(best[entries], worths)
        entries = np.flatnonzero(best > 0)
        worths = best[entries]
        best[entries] = 0
        return Found(entries, worths)
    # The bits of floats from 0 sort as the floats do: one number for both sorts much faster than two.
    packed = np.concatenate([f.entries for f in found]) << 32
    packed |= np.concatenate([f.worths for f in found]).view(np.uint32)
    packed.sort()
    is_last = np.ones(len(packed), np.bool_)
    np.not_equal(packed[1:] >> 32, packed[:-1] >> 32, out=is_last[:-1])
    packed = packed[is_last]
    return Found(packed >> 32, (packed & 0xFFFFFFFF).astype(np.uint32).view(np.float32))


def intersection(found: list[Found]) -> Found:
    """The entries that are in all, with the least worth of each."""
    result, *others = sorted(found, key=lambda f: len(f.entries))
    for other in others:
        if not len(result.entries) or not len(other.entries):
            return NONE
        places = np.searchsorted(other.entries, result.entries)
        places[places == len(other.entries)] = 0
        held = other.entries[places] == result.entries
        result = Found(result.entries[held], np.minimum(result.worths[held], other.worths[places[held]]))
    return result
