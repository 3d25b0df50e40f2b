"""Writes that arrive together are committed together: many callers wait for one commit, and the event loop for none."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

from .database import Database, StoreError

T = TypeVar("T")
Write = Callable[[sqlite3.Connection], T]
LINGER_S = 0.05  # for what nobody waits for
_MOST = 500  # writes in one transaction
# Faults of what is written; all others are faults of the file, and everybody's.
_OWN_FAULTS = (sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.DataError, sqlite3.InterfaceError)


class _Item(NamedTuple):
    write: Write[Any]
    written: Future[Any]


class GroupCommit:
    """One thread and one transaction for all that is waiting, in the order in which it came.

    A write that raises is undone and harms only itself. A file that cannot be written fails all of its transaction.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._hurry = threading.Event()
        self._waiting: list[_Item] = []
        self._linger_s = 0.0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store-writer")
        self._closed = False

    def submit(self, write: Write[T], *, linger_s: float = 0.0) -> Future[T]:
        """What `write` returns, once that is on disk; it may wait so long for others to share its commit."""
        written: Future[T] = Future()
        written.set_running_or_notify_cancel()  # whoever gives up waiting does not undo it
        with self._lock:
            if self._closed:
                raise StoreError(f"{self._database.path} is closed.")
            self._waiting.append(_Item(write, written))
            if len(self._waiting) == 1:
                self._linger_s = linger_s
                self._thread.submit(self._commit_waiting)
            if not linger_s:
                self._hurry.set()
        return written

    def close(self) -> None:
        """Return when all that came is on disk."""
        with self._lock:
            self._closed = True
            self._hurry.set()
        self._thread.shutdown(wait=True)

    def _commit_waiting(self) -> None:
        self._hurry.wait(self._linger_s)
        with self._lock:
            items, self._waiting = self._waiting, []
            if not self._closed:
                self._hurry.clear()
        for start in range(0, len(items), _MOST):
            self._commit(items[start : start + _MOST])

    def _commit(self, batch: Sequence[_Item]) -> None:
        try:
            with self._database.write() as connection:
                outcomes = [_attempt(connection, item.write) for item in batch]
        except Exception as error:
            for item in batch:
                item.written.set_exception(error)
            return
        for item, outcome in zip(batch, outcomes, strict=True):
            if isinstance(outcome, Exception):
                item.written.set_exception(outcome)
            else:
                item.written.set_result(outcome)


def awaited(written: Future[T]) -> asyncio.Future[T]:
    """For who may await it or not: a failure that nobody waits for is no matter for the event loop."""
    future = asyncio.wrap_future(written)
    future.add_done_callback(lambda done: done.cancelled() or done.exception())
    return future


def _attempt(connection: sqlite3.Connection, write: Write[Any]) -> Any:
    """What the write returns, or the exception for which it was undone."""
    connection.execute("SAVEPOINT item")
    try:
        outcome = write(connection)
    except Exception as error:
        if isinstance(error, sqlite3.Error) and not isinstance(error, _OWN_FAULTS):
            raise
        connection.execute("ROLLBACK TO item")
        outcome = error
    connection.execute("RELEASE item")
    return outcome
