"""Search over a catalogue: follows its changes in memory, and publishes them as segments for all who search."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from geohound.contracts import Catalogue, SegmentGoneError, SegmentStore
from geohound.model.catalogue import Change, Revision
from geohound.model.query import LayerResults, Query, Results
from geohound.model.segment import Manifest, Segment

from .analysis import analyse
from .layers import search_layers
from .lexicon import Lexicon
from .merging import first_to_merge, mostly_overwritten
from .mirror import STATES, Mirror, View
from .postings import Memory
from .ranking import Asking, ask, search
from .segments import FORMAT, STATE, Piece, decode, encode, join, read_states, select

SEAL_ENTRIES = 2_048  # of services in no segment: a tenth of a second to read anew for who begins to search
LARGE_ENTRIES = 1 << 15  # more are not held in memory before they are published
_SEAL_STATES = 5_000
_CHANGES = 200  # read at once
_ATTEMPTS = 5
_MANY_SERVICES = 1_000  # which take a second or two
_TELL_EVERY_S = 10.0
ResultT = TypeVar("ResultT")
log = logging.getLogger(__name__)


class SearchIndex:
    """Every method may be called from any thread; several may follow one catalogue, here and in other processes."""

    def __init__(self, catalogue: Catalogue, segments: SegmentStore) -> None:
        self._catalogue = catalogue
        self._store = segments
        self._lock = threading.Lock()
        self._lexicon = Lexicon()
        self._mirror = Mirror(segments.read)
        self._memory = Memory(segments.read)
        self._manifest = Manifest(format=FORMAT)
        self._revision: Revision = 0
        self._pieces: list[Piece] = []  # what is in no segment yet
        self._touched: set[int] = set()  # services whose state is newer than what the segments say

    def search(self, query: Query) -> Results:
        """One page of the services that match, best first."""
        return self._answer(query, search)

    def layers(self, query: Query) -> LayerResults:
        """One page of the layers that match, each for itself."""
        return self._answer(query, search_layers)

    def _answer(self, query: Query, answer: Callable[[Asking, float], ResultT]) -> ResultT:
        started = time.perf_counter()
        for attempt in range(_ATTEMPTS):
            try:
                view = self._view()
                return answer(ask(self._catalogue, query, view, self._memory), started)
            except SegmentGoneError:  # merged by another just now
                if attempt == _ATTEMPTS - 1:
                    raise
        raise AssertionError("the last attempt answers or raises")

    def _view(self) -> View:
        with self._lock:
            self._follow(SEAL_ENTRIES)
            return self._mirror.show()

    def refresh(self, least: int | None = None) -> Revision:
        """Read what has changed; publish it where it has at least so many entries, for then it takes others a while.

        Another may publish at the same time: one of them does, and the other one takes what it published.
        """
        with self._lock:
            self._follow(SEAL_ENTRIES if least is None else least)
            return self._revision

    def _follow(self, least: int) -> None:
        self._adopt(self._store.manifest())
        self._read_changes()
        if self._unsealed() >= least or len(self._touched) >= _SEAL_STATES:
            self._seal()

    def _unsealed(self) -> int:
        return sum(piece.entries for piece in self._pieces)

    def _adopt(self, manifest: Manifest) -> None:
        """Hold what a manifest names, and nothing else: what came later is read again."""
        if manifest.version == self._manifest.version:
            return
        if manifest.format != FORMAT:
            self._say_anew()
            manifest = Manifest(manifest.version, FORMAT)
        self._mirror.follow(manifest.segments)
        self._memory.forget_all_but(manifest.segments)
        self._manifest, self._revision = manifest, manifest.upto
        self._pieces, self._touched = [], set()

    def _say_anew(self) -> None:
        count = self._catalogue.count().services
        if count > _MANY_SERVICES:
            log.warning("An earlier Geohound wrote this catalogue: its %d services are indexed anew, once.", count)

    def _read_changes(self) -> None:
        told_at = time.monotonic()
        while True:
            found = self._catalogue.changes(self._revision, _CHANGES)
            if not found.changes:
                return
            for piece in analyse(found.changes, self._lexicon):
                self._mirror.add(piece)
                self._pieces.append(piece)
            self._learn(found.changes)
            self._revision = found.upto
            if self._unsealed() >= LARGE_ENTRIES:
                self._seal()
            if time.monotonic() > told_at + _TELL_EVERY_S:
                told_at = time.monotonic()
                log.warning("%d of %d services are indexed.", self._mirror.services, self._catalogue.count().services)
            if found.upto >= found.latest:
                return

    def _learn(self, changes: Sequence[Change]) -> None:
        states = [(change.number, change.popularity, STATES.index(change.state)) for change in changes]
        self._mirror.learn(np.array(states, STATE))
        self._touched.update(change.number for change in changes if change.service is None)

    def _seal(self) -> None:
        """Publish all that is in no segment; if another was faster, take what that one published."""
        base, read, alive = self._manifest, self._store.read, self._mirror.show().alive
        kept = list(base.segments[: first_to_merge(base.segments, self._unsealed())])
        gone = list(base.segments[len(kept) :])
        piece = join([*(decode(read, segment.id) for segment in gone), *self._pieces])
        living = alive[sum(segment.services for segment in kept) :]
        if np.count_nonzero(living) * 2 < len(living):
            piece = select(piece, living)
        left = mostly_overwritten(kept, alive)
        if left is not None:
            before = sum(segment.services for segment in kept[:left])
            dropped = kept.pop(left)
            rest = select(decode(read, dropped.id), alive[before : before + dropped.services])
            piece = join([piece, rest])
            gone.append(dropped)
        numbers = {int(number) for number in piece.records["num"]} | self._touched
        for segment in gone:
            numbers.update(read_states(read, segment.id)["num"].tolist())
        states = self._mirror.states(sorted(numbers))
        version = base.version + 1
        segment = Segment(str(version), piece.entries, len(piece.records))
        manifest = Manifest(version, FORMAT, self._revision, (*kept, segment))
        is_ours = self._store.publish(manifest, {segment.id: encode(piece, states)})
        self._adopt(manifest if is_ours else self._store.manifest())
