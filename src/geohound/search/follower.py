"""Keeps the index close behind a catalogue while services are written to it: a process beside the one that writes."""

from __future__ import annotations

import logging
import subprocess
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import IO, Self

from geohound.contracts import Catalogue, SearchIndex, SegmentStore

EVERY_S = 1.0
SEAL_ENTRIES = 256  # which others would read anew in some hundredths of a second
MANY_CHANGES = 200  # that are in no segment: fewer are not worth a process
_MOST_STARTS = 3
_LONGEST_END_S = 60.0
log = logging.getLogger(__name__)


def follow(index: SearchIndex, line: IO[bytes]) -> None:
    """Publish what is new every second until the line of who writes ends, however that comes about; then the rest."""
    ended = threading.Event()

    def wait_for_the_end() -> None:
        line.read()
        ended.set()

    threading.Thread(target=wait_for_the_end, daemon=True).start()
    while not ended.wait(EVERY_S):
        index.refresh(SEAL_ENTRIES)
    index.refresh(1)


def unpublished(catalogue: Catalogue, segments: SegmentStore) -> int:
    """About how many changes of the catalogue are in no segment."""
    upto = segments.manifest().upto
    return catalogue.changes(upto, 0).latest - upto


class Follower:
    """Starts the process once it has something to do, again if it dies, and lets it finish at the end.

    Nothing depends on it: what is in no segment is found all the same, by whoever searches, in more time.
    """

    def __init__(self, command: Sequence[str], behind: Callable[[], int]) -> None:
        self._command = command
        self._behind = behind
        self._process: subprocess.Popen[bytes] | None = None
        self._starts = 0
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="index-follower", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._thread.join()
        self._start_if_due()
        if self._process is None or self._process.stdin is None:
            return
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(_LONGEST_END_S)
        except subprocess.TimeoutExpired:
            log.warning("The index is still being written; process %d goes on with it.", self._process.pid)

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process is not None else None

    def _watch(self) -> None:
        while not self._closing.wait(EVERY_S):
            self._start_if_due()

    def _start_if_due(self) -> None:
        is_running = self._process is not None and self._process.poll() is None
        if is_running or self._starts >= _MOST_STARTS or self._behind() < MANY_CHANGES:
            return
        self._starts += 1
        with suppress(OSError):  # no room for a process: then those who search do it
            self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE)  # noqa: S603 - our own module
