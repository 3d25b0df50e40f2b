"""Indexes a catalogue in a background process while another one writes services to it."""

from __future__ import annotations

import logging
import os
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import IO, Self

from geohound.contracts import CatalogueStore, SearchIndex, SegmentStore

EVERY_S = 1.0
FLUSH_ENTRIES = 256  # analysed in some hundredths of a second
MANY_CHANGES = 200  # in no segment; fewer do not need a process
_MOST_STARTS = 3
_LONGEST_END_S = 60.0
log = logging.getLogger(__name__)


def index_until_closed(index: SearchIndex, pipe: IO[bytes]) -> None:
    """Publish changes every second until the writer's pipe is closed, for whatever reason; then the rest."""
    ended = threading.Event()

    def wait_for_the_end() -> None:
        pipe.read()
        ended.set()

    threading.Thread(target=wait_for_the_end, daemon=True).start()
    while not ended.wait(EVERY_S):
        index.refresh(FLUSH_ENTRIES)
    index.refresh(1)


def unpublished(catalogue: CatalogueStore, segments: SegmentStore) -> int:
    """Approximately how many changes of the catalogue are in no segment."""
    upto = segments.manifest().upto
    return catalogue.changes(upto, 0).latest - upto


class BackgroundIndexer:
    """Starts the process when there are enough changes, restarts it if it dies, and waits for it at the end.

    Nothing depends on it: a search also finds what is in no segment, in more time.
    """

    def __init__(
        self,
        command: Sequence[str],
        behind: Callable[[], int],
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """`environment` is added to ours: unlike the command it can be seen by this user alone."""
        self._command = command
        self._environment = {**os.environ, **(environment or {})}
        self._behind = behind
        self._process: subprocess.Popen[bytes] | None = None
        self._starts = 0
        self._closing = threading.Event()
        self._thread = threading.Thread(
            target=self._watch, name="background-indexer", daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
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
            log.warning(
                "The index is still being written; process %d goes on with it.",
                self._process.pid,
            )

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
        with suppress(OSError):  # no more processes: then searches index the changes
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                self._command,
                stdin=subprocess.PIPE,
                process_group=0,
                env=self._environment,
            )
