"""What a database must offer to the modules of this package."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

ALL_ROWS = 2**62  # as a LIMIT
ANYTHING = "*"  # of what was written: whoever listened may have missed some
Heard = Callable[[Collection[str]], None]
Stream = Callable[[str], Iterator[Any]]


class Rows(Protocol):
    """The result of a statement."""

    @property
    def rowcount(self) -> int: ...
    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...
    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    """Statements have `?` or `:name` for values; they keep to what SQLite and PostgreSQL both read."""

    def execute(
        self, sql: str, values: Sequence[Any] | Mapping[str, Any] = (), /
    ) -> Rows: ...
    def executemany(
        self, sql: str, rows: Iterable[Sequence[Any]] | Iterable[Mapping[str, Any]], /
    ) -> Rows: ...


class Database(Protocol):
    """Connections to one catalogue. Reads wait for nobody and see every commit."""

    @property
    def name(self) -> str:
        """The catalogue for people: without passwords."""

    @property
    def is_read_only(self) -> bool: ...

    def write(self) -> AbstractContextManager[Connection]:
        """One transaction: committed to disk when the block ends, undone if it raises; StoreError says why."""

    def read(self) -> Connection:
        """This thread's own connection."""

    def snapshot(self) -> AbstractContextManager[Connection]:
        """Several reads of one and the same state; keep it short."""

    def stream(self, sql: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        """The rows of a read that may be too large for memory."""

    def frozen(self) -> AbstractContextManager[Stream]:
        """Reads of one and the same state, however large they are; others write meanwhile."""

    def lock(self, connection: Connection, name: str) -> None:
        """Until its transaction ends, nobody else has the lock of this name."""

    def hint(self, connection: Connection, topic: str) -> None:
        """Whoever listens hears of it soon after the commit, or never: nothing may depend on it."""

    def listen(self, heard: Heard) -> Callable[[], bool]:
        """Call `heard`, from any thread, with what others hint; the answer says whether we would hear it."""

    def settle(self, connection: Connection) -> None:
        """Wait for pipelined statements, and raise their errors."""

    def explaining(self) -> AbstractContextManager[None]:
        """Turn errors of the database while reading into StoreError."""

    def is_own_fault(self, error: Exception) -> bool:
        """Was the error caused by the data that was written, and not by the database?"""

    def is_passing(self, error: Exception) -> bool:
        """Was the transaction undone by a deadlock? Then it may be retried."""

    def is_duplicate(self, error: Exception) -> bool:
        """Was the error a duplicate key?"""

    def columns(self, table: str) -> Sequence[str]: ...

    def booleans(self, table: str) -> Sequence[str]:
        """Those of the columns that hold true and false."""

    def blobs(self, table: str) -> Sequence[str]:
        """Those of the columns that hold bytes."""

    def last_numbers(self) -> Mapping[str, int]:
        """The last number that each table has given to a row, though the row be gone."""

    def copying(self, last: Mapping[str, int]) -> AbstractContextManager[Connection]:
        """One transaction that fills an empty catalogue; numbers given later follow those of the rows, and these."""

    def close(self) -> None: ...


def marks(values: Sequence[object]) -> str:
    """What stands for these values in `IN (…)`; an empty list is allowed."""
    return ", ".join("?" * len(values)) or "NULL"
