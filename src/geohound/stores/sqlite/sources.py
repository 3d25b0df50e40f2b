"""The pages on which URLs were found, each written once for its many links."""

from __future__ import annotations

import sqlite3

from geohound.model.compact import Recent
from geohound.model.visit import MAX_URL_CHARS

from .codec import clean

_RECENT = 2048


class Sources:
    """Numbers of pages from `first` to `last`, after those that are written; the latest are remembered."""

    def __init__(self, connection: sqlite3.Connection, first: int, last: int) -> None:
        row = connection.execute("SELECT max(id) FROM source WHERE id BETWEEN ? AND ?", (first, last)).fetchone()
        self._next = (row[0] or first) + 1
        self._recent: Recent[str, int] = Recent(_RECENT)
        self._new: list[tuple[int, str]] = []

    def number(self, url: str) -> int | None:
        """The number of a page, a new one where it has none of late; None if there is no page."""
        if not url:
            return None
        known = self._recent.get(url)
        if known is None:
            known, self._next = self._next, self._next + 1
            self._recent.put(url, known)
            self._new.append((known, clean(url[:MAX_URL_CHARS])))
        return known

    def take_new(self) -> list[tuple[int, str]]:
        """The pages that have been given a number since the last time, to be written."""
        new, self._new = self._new, []
        return new
