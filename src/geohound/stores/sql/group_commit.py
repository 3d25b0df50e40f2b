"""Writes that arrive together are committed together: many callers wait for one commit, and the event loop for none."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from geohound.contracts import StoreError

from .database import Connection, Database

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")
Row = TypeVar("Row")
Write = Callable[[Connection], T]
LINGER_S = 0.05  # for writes whose result nobody awaits
_TRIES = 5
_MOST = 500  # writes in one transaction


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
        """Run `write` and return its result once it is on disk; it may wait so long for others to share the commit."""
        written: Future[T] = Future()
        written.set_running_or_notify_cancel()  # a caller that stops waiting does not undo the write
        with self._lock:
            if self._closed:
                raise StoreError(f"{self._database.name} is closed.")
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
            outcomes = self._write(batch)
        except Exception as error:
            for item in batch:
                item.written.set_exception(error)
            return
        for item, outcome in zip(batch, outcomes, strict=True):
            if isinstance(outcome, Exception):
                item.written.set_exception(outcome)
            else:
                item.written.set_result(outcome)

    def _write(self, batch: Sequence[_Item], tries: int = _TRIES) -> list[Any]:
        try:
            with self._database.write() as connection:
                return [self._attempt(connection, item.write) for item in batch]
        except StoreError as error:
            if tries > 1 and self._database.is_passing(error):
                return self._write(batch, tries - 1)
            raise

    def _attempt(self, connection: Connection, write: Write[Any]) -> Any:
        """The result of one write, or the exception for which it was undone; errors of the database fail all writes."""
        connection.execute("SAVEPOINT item")
        try:
            outcome = write(connection)
            self._database.settle(connection)
        except Exception as error:
            if not self._database.is_own_fault(error):
                raise
            connection.execute("ROLLBACK TO item")
            outcome = error
        connection.execute("RELEASE item")
        return outcome


def awaited(written: Future[T]) -> asyncio.Future[T]:
    """A future that need not be awaited: the event loop does not complain about a failure nobody waited for."""
    from asyncio import wrap_future  # noqa: PLC0415

    future = wrap_future(written)
    future.add_done_callback(lambda done: done.cancelled() or done.exception())
    return future


class SharedWrite(Generic[Row]):
    """Rows of many callers in one write: each write of its own costs two statements more."""

    def __init__(
        self,
        commits: GroupCommit,
        write: Callable[[Connection, Sequence[Row]], None],
    ) -> None:
        self._commits = commits
        self._write = write
        self._lock = threading.Lock()
        self._rows: list[Row] | None = None  # of a write that has not begun
        self._written: asyncio.Future[None] | None = None  # that write

    def add(self, rows: Iterable[Row]) -> asyncio.Future[None]:
        with self._lock:
            if (
                self._rows is None
                or self._written is None
                or self._written.get_loop().is_closed()
            ):
                self._rows = []
                begin = partial(self._begin, self._rows)
                self._written = awaited(self._commits.submit(begin, linger_s=LINGER_S))
            self._rows.extend(rows)
            return self._written

    def _begin(self, rows: list[Row], connection: Connection) -> None:
        with self._lock:
            if self._rows is rows:
                self._rows = None
        self._write(connection, rows)
