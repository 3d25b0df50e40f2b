"""The search index of a catalogue: reads its changes into memory and publishes them as segments for all processes."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from geohound.contracts import CatalogueStore, SegmentGoneError, SegmentStore
from geohound.model.catalogue import Change, Revision
from geohound.model.search.query import LayerResults, PlacedServices, Query, Results
from geohound.model.search.segment import Manifest, Segment

from .analysis import TermCache, analyse
from .in_memory_index import STATES, InMemoryIndex, Snapshot
from .placing import count_by_cell
from .postings import PostingsCache
from .search_run import SearchRun, search, search_layers, start_run
from .segments import (
    FORMAT,
    STATE,
    SegmentData,
    decode,
    encode,
    join,
    read_states,
    select,
)

# in the memtable: another process analyses as many in a tenth of a second
FLUSH_ENTRIES = 2_048
LARGE_ENTRIES = 1 << 15  # the most in the memtable
_FLUSH_STATES = 5_000
_CHANGES = 200  # per read
_ATTEMPTS = 5
_MANY_SERVICES = 1_000  # indexed in a second or two
_PROGRESS_EVERY_S = 10.0
ResultT = TypeVar("ResultT")
log = logging.getLogger(__name__)


class CatalogueIndex:
    """Safe for threads; several indexes may serve one catalogue, here and in other processes."""

    def __init__(
        self,
        catalogue: CatalogueStore,
        segments: SegmentStore,
        *,
        may_publish: bool = True,
    ) -> None:
        self._catalogue = catalogue
        self._store = segments
        self._may_publish = may_publish  # not where the catalogue may only be read
        self._lock = threading.Lock()
        self._term_cache = TermCache()
        self._in_memory = InMemoryIndex(segments.read)
        self._cache = PostingsCache(segments.read)
        self._manifest = Manifest(format=FORMAT)
        self._revision: Revision = 0
        self._memtable: list[SegmentData] = []  # in no segment yet
        # services whose state is newer than in the segments
        self._changed_states: set[int] = set()

    def search(self, query: Query) -> Results:
        """One page of the services that match, best first."""
        return self._run(query, search)

    def layers(self, query: Query) -> LayerResults:
        """One page of the layers that match."""
        return self._run(query, search_layers)

    def placed(self, query: Query, cell: float) -> PlacedServices:
        """Where the services that match are, counted by cells of so many degrees."""
        return self._run(query, lambda run, _started: count_by_cell(run, cell))

    def _run(
        self, query: Query, answer: Callable[[SearchRun, float], ResultT]
    ) -> ResultT:
        started = time.perf_counter()
        for attempt in range(_ATTEMPTS):
            try:
                snapshot = self._snapshot()
                return answer(
                    start_run(self._catalogue, query, snapshot, self._cache), started
                )
            except SegmentGoneError:  # another process has just merged it
                if attempt == _ATTEMPTS - 1:
                    raise
        raise AssertionError("the last attempt answers or raises")

    def _snapshot(self) -> Snapshot:
        with self._lock:
            self._catch_up(FLUSH_ENTRIES)
            return self._in_memory.snapshot()

    def refresh(self, min_entries: int | None = None) -> Revision:
        """Read the changes of the catalogue; flush the memtable to a segment where it has at least so many entries.

        Of two processes that publish at the same time one succeeds, and the other one loads what it published.
        """
        with self._lock:
            self._catch_up(FLUSH_ENTRIES if min_entries is None else min_entries)
            return self._revision

    def _catch_up(self, min_entries: int) -> None:
        self._open_manifest(self._store.manifest())
        self._read_changes()
        if (
            self._memtable_entries() >= min_entries
            or len(self._changed_states) >= _FLUSH_STATES
        ):
            self._flush()

    def _memtable_entries(self) -> int:
        return sum(data.entries for data in self._memtable)

    def _open_manifest(self, manifest: Manifest) -> None:
        """Load the segments of a manifest and clear the memtable: later changes are read again."""
        if manifest.version == self._manifest.version:
            return
        if manifest.format != FORMAT:
            self._warn_of_rebuild()
            manifest = Manifest(manifest.version, FORMAT)
        self._in_memory.open_segments(manifest.segments)
        self._cache.retain(manifest.segments)
        self._manifest, self._revision = manifest, manifest.upto
        self._memtable, self._changed_states = [], set()

    def _warn_of_rebuild(self) -> None:
        count = self._catalogue.count().services
        if count > _MANY_SERVICES:
            log.warning(
                "An earlier Geohound wrote this catalogue: its %d services are indexed anew, once.",
                count,
            )

    def _read_changes(self) -> None:
        logged_at = time.monotonic()
        while True:
            page = self._catalogue.changes(self._revision, _CHANGES)
            if not page.changes:
                return
            for data in analyse(page.changes, self._term_cache):
                self._in_memory.add(data)
                self._memtable.append(data)
            self._update_states(page.changes)
            self._revision = page.upto
            if self._memtable_entries() >= LARGE_ENTRIES:
                self._flush()
            if time.monotonic() > logged_at + _PROGRESS_EVERY_S:
                logged_at = time.monotonic()
                log.warning(
                    "%d of %d services are indexed.",
                    self._in_memory.services,
                    self._catalogue.count().services,
                )
            if page.upto >= page.latest:
                return

    def _update_states(self, changes: Sequence[Change]) -> None:
        states = [
            (change.number, change.popularity, STATES.index(change.state))
            for change in changes
        ]
        self._in_memory.update_states(np.array(states, STATE))
        self._changed_states.update(
            change.number for change in changes if change.service is None
        )

    def _flush(self) -> None:
        """Publish the memtable as a segment, merged with small ones, or load what another process published first."""
        if not self._may_publish:
            return
        base = self._manifest
        read = self._store.read
        live = self._in_memory.snapshot().live
        kept = list(
            base.segments[: first_to_merge(base.segments, self._memtable_entries())]
        )
        merged = list(base.segments[len(kept) :])
        data = join(
            [*(decode(read, segment.id) for segment in merged), *self._memtable]
        )
        is_live = live[sum(segment.services for segment in kept) :]
        if np.count_nonzero(is_live) * 2 < len(is_live):
            data = select(data, is_live)
        overwritten = mostly_overwritten(kept, live)
        if overwritten is not None:
            before = sum(segment.services for segment in kept[:overwritten])
            rewritten = kept.pop(overwritten)
            remainder = select(
                decode(read, rewritten.id), live[before : before + rewritten.services]
            )
            data = join([data, remainder])
            merged.append(rewritten)
        numbers = {int(number) for number in data.records["num"]} | self._changed_states
        for segment in merged:
            numbers.update(read_states(read, segment.id)["num"].tolist())
        states = self._in_memory.states(sorted(numbers))
        version = base.version + 1
        segment = Segment(str(version), data.entries, len(data.records))
        manifest = Manifest(version, FORMAT, self._revision, (*kept, segment))
        is_published = self._store.publish(manifest, {segment.id: encode(data, states)})
        self._open_manifest(manifest if is_published else self._store.manifest())


# entries; larger segments than the last are not merged
TIERS = (1 << 11, 1 << 13, 1 << 15)
MERGE_SEGMENTS = 8


def first_to_merge(segments: Sequence[Segment], new_entries: int) -> int:
    """The merge policy: from which segment on all are merged with a new one of so many entries.

    Few segments mean few term dictionaries to search. Each entry is rewritten at most once per tier, and the order of
    services stays: only the last segments are merged.
    """
    sizes = [segment.entries for segment in segments]
    first = len(sizes)
    for tier in TIERS:
        start = first
        while start and sizes[start - 1] < tier:
            start -= 1
        total = new_entries + sum(sizes[first:])
        # A segment that grows beyond a tier takes along the smaller ones before it, which would never merge again.
        if total >= tier or len(sizes) - start + 1 >= MERGE_SEGMENTS:
            first = start
    return first


def mostly_overwritten(
    segments: Sequence[Segment], live: npt.NDArray[np.bool_]
) -> int | None:
    """The first segment of whose services fewer than half are live."""
    ends = np.cumsum([segment.services for segment in segments]).tolist()
    for number, (segment, end) in enumerate(zip(segments, ends, strict=True)):
        is_live = int(np.count_nonzero(live[end - segment.services : end]))
        if is_live * 2 < segment.services:
            return number
    return None
