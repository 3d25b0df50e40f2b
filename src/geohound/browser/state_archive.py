"""Keeps the HTML of each new state of the pages that are run, for whoever wants it, up to a limit (WBC-13)."""

from __future__ import annotations

import gzip
import hashlib
import json
import logging
import os
from datetime import UTC, datetime
from pathlib import Path

from geohound.model.crawl.browsed import BrowsedPage, PageState

log = logging.getLogger(__name__)
ENDING = ".json.gz"


class StateArchive:
    """A folder with a file per state: `{"page", "event", "at", "html", "frames"}`, compressed.

    What is there is never removed.
    """

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._left = -1  # not known yet
        self._is_full = False

    def keep(self, seen: BrowsedPage) -> None:
        """The states of one page, as long as there is room; a state that is there already is not written again."""
        if self._left < 0:
            self._folder.mkdir(parents=True, exist_ok=True)
            used = sum(
                entry.stat().st_size
                for entry in os.scandir(self._folder)
                if entry.is_file()
            )
            self._left = max(0, self._max_bytes - used)
        for state in seen.states:
            path = self._folder / f"{_key(seen.page, state)}{ENDING}"
            if not path.exists():
                self._write(path, seen.page, state)

    def _write(self, path: Path, page: str, state: PageState) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        record = {
            "page": page,
            "event": state.event,
            "at": now,
            "html": state.html,
            "frames": state.frames,
        }
        data = gzip.compress(json.dumps(record).encode())
        if len(data) > self._left:
            if not self._is_full:
                log.warning(
                    "%s is full; further states of pages are not kept (browser_states_bytes).",
                    self._folder,
                )
            self._is_full = True
            return
        part = path.with_suffix(f".{os.getpid()}.part")
        part.write_bytes(data)
        part.replace(path)
        self._left -= len(data)


def _key(page: str, state: PageState) -> str:
    return hashlib.sha256(
        f"{page}\n{state.html}{state.frames}".encode("utf-8", "replace")
    ).hexdigest()[:32]
