"""The pages on which URLs were found, each written once for its many links."""

from __future__ import annotations

import sqlite3

from geohound.model.compact import Recent
from geohound.model.visit import MAX_URL_CHARS
from geohound.stores.sqlite.journal import Row

from .rows import clean

_RECENT = 2048


class Sources:
    """Numbers of pages, above `first`; the latest are remembered."""

    def __init__(self, first: int) -> None:
        self._first = first
        self._next = first + 1
        self._recent: Recent[str, int] = Recent(_RECENT)

    def go_on(self, connection: sqlite3.Connection, last: int) -> None:
        """Number after what has been written up to `last`."""
        row = connection.execute("SELECT max(id) FROM source WHERE id BETWEEN ? AND ?", (self._first, last)).fetchone()
        self._next = (row[0] or self._first) + 1

    def number(self, url: str, rows: list[Row]) -> int | None:
        """The number of a page; its row is added where it is new."""
        if not url:
            return None
        known = self._recent.get(url)
        if known is None:
            known, self._next = self._next, self._next + 1
            self._recent.put(url, known)
            rows.append((known, clean(url[:MAX_URL_CHARS])))
        return known
