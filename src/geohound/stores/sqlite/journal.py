"""Writes of a frontier, grouped: many callers wait for one commit, and the event loop for none."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from .database import Database, StoreError

_INSERT_SOURCE = "INSERT INTO source (id, url) VALUES (?, ?)"
_INSERT_URL = """
INSERT INTO url (
  id, key, shape, state, probe, score, url, depth, via, source, clue, reason, status, services, at
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_SETTLE = """
UPDATE url SET state = ?, attempts = ?, reason = ?, status = ?, services = ?, at = ? WHERE id = ?"""
_DROPS = "INSERT OR REPLACE INTO drops (task, reason, count) VALUES (?, ?, ?)"

_MARK = "INSERT OR REPLACE INTO mark (url, body, words) VALUES (?, ?, ?)"
_REQUEST = """
INSERT INTO request (task, host, at, url, status, reason, bytes, elapsed_s, address)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_PAUSE = "INSERT OR REPLACE INTO pause (task, host, until) VALUES (?, ?, ?)"
_ROBOTS = "INSERT OR REPLACE INTO robots (origin, at, body) VALUES (?, ?, ?)"
MOST_UNWRITTEN = 100_000  # rows that may wait in memory for a slow disk

Row = tuple[Any, ...]


@dataclass(slots=True)
class Batch:
    """What the next commit brings to disk; a URL is always inserted before it is settled."""

    written: asyncio.Future[None]
    sources: list[Row] = field(default_factory=list)
    urls: list[Row] = field(default_factory=list)
    settled: list[Row] = field(default_factory=list)
    marks: list[Row] = field(default_factory=list)
    requests: list[Row] = field(default_factory=list)
    pauses: list[Row] = field(default_factory=list)
    robots: list[Row] = field(default_factory=list)

    @property
    def size(self) -> int:
        return len(self.urls) + len(self.settled) + len(self.requests)


class Journal:
    """Commits `linger_s` after the first write, at once when much waits, and never two at a time."""

    def __init__(
        self, database: Database, drop_rows: Callable[[], list[Row]], linger_s: float = 0.02, most: int = 4000
    ) -> None:
        self._database = database
        self._drop_rows = drop_rows
        self._linger_s = linger_s
        self._most = most
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="frontier-writer")
        self._batch: Batch | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._under_way: Batch | None = None
        self._writing: asyncio.Future[None] | None = None
        self._broken: StoreError | None = None

    def open_batch(self) -> Batch:
        """The batch that is being filled; call `commit_soon` after adding to it."""
        if self._broken is not None:
            raise self._broken
        if self._batch is None:
            self._batch = Batch(asyncio.get_running_loop().create_future())
        return self._batch

    def commit_soon(self, when_written: Callable[[asyncio.Future[None]], None] | None = None) -> asyncio.Future[None]:
        """Done when all that was added so far is on disk."""
        batch = self.open_batch()
        if when_written is not None:
            batch.written.add_done_callback(when_written)
        if self._writing is None:
            if batch.size >= self._most:
                self._start()
            elif self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(self._linger_s, self._start)
        return batch.written

    @property
    def is_behind(self) -> bool:
        """Is too much unwritten?"""
        return self._writing is not None and self._batch is not None and self._batch.size > MOST_UNWRITTEN

    async def flush(self) -> None:
        """Return when everything added before is on disk."""
        last = self._batch or self._under_way
        if self._writing is None:
            self._start()
        if last is not None:
            await asyncio.shield(last.written)  # shielded: a waiter that gives up does not end it for others
        if self._broken is not None:
            raise self._broken

    def close(self) -> None:
        self._thread.shutdown(wait=True)

    def _start(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        batch, self._batch = self._batch, None
        if batch is None:
            return
        self._under_way = batch
        loop = asyncio.get_running_loop()
        self._writing = loop.run_in_executor(self._thread, self._write, batch, self._drop_rows())
        self._writing.add_done_callback(lambda done: self._finish(batch, done))

    def _finish(self, batch: Batch, done: asyncio.Future[None]) -> None:
        self._writing = self._under_way = None
        error = None if done.cancelled() else done.exception()
        if isinstance(error, (StoreError, sqlite3.Error)):
            self._broken = error if isinstance(error, StoreError) else _as_store_error(error)
            for broken in filter(None, (batch, self._batch)):
                broken.written.set_exception(self._broken)
                broken.written.exception()  # known now, also where nobody waits for it
            self._batch = None
            return
        if error is not None:
            batch.written.set_exception(error)
        elif not batch.written.done():
            batch.written.set_result(None)
        if self._batch is not None:
            self._start()

    def _write(self, batch: Batch, drops: list[Row]) -> None:
        with self._database.write() as connection:
            connection.executemany(_INSERT_SOURCE, batch.sources)
            connection.executemany(_INSERT_URL, batch.urls)
            connection.executemany(_SETTLE, batch.settled)
            connection.executemany(_MARK, batch.marks)
            connection.executemany(_REQUEST, batch.requests)
            connection.executemany(_PAUSE, batch.pauses)
            connection.executemany(_ROBOTS, batch.robots)
            connection.executemany(_DROPS, drops)


def _as_store_error(error: sqlite3.Error) -> StoreError:
    if isinstance(error, sqlite3.IntegrityError):
        return StoreError("Another process crawls this task; end one of the two.")
    return StoreError(f"The frontier cannot be written: {error}.")
