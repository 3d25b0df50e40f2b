"""The SQLite file: opened, checked, upgraded; one writer at a time and one reader per thread."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from weakref import WeakSet

from geohound.contracts import StoreError

from . import upgrades

__all__ = ["Database", "StoreError"]

APPLICATION_ID = 0x47484E44  # "GHND", in bytes 68 to 71 of the file
VERSION = 14
# From version N to N + 1.
UPGRADES: dict[int, Callable[[sqlite3.Connection], None]] = {
    1: upgrades.forget_text_index,
    2: partial(upgrades.run_scripts, names=["record.sql"]),
    3: partial(upgrades.run_scripts, names=["robots.sql"]),
    4: lambda _: None,  # the index of before was built anew
    5: partial(upgrades.run_scripts, names=["proof.sql", "met.sql"]),
    6: partial(upgrades.run_scripts, names=["claim.sql"]),
    7: upgrades.specify,
    8: partial(upgrades.run_scripts, names=["host_claim.sql"]),
    9: upgrades.follow_changes,
    10: partial(upgrades.run_scripts, names=["address.sql"]),
    11: upgrades.tell_purposes,
    12: partial(upgrades.run_scripts, names=["host_claim_wanted.sql"]),
    13: partial(upgrades.run_scripts, names=["memo.sql"]),
}
_SCRIPTS = (
    "schema.sql", "index.sql", "record.sql", "robots.sql", "proof.sql", "met.sql", "claim.sql", "event.sql",
    "host_claim.sql", "address.sql", "host_claim_wanted.sql", "memo.sql",
)  # fmt: skip
BUSY_TIMEOUT_MS = 30_000


class _Connection(sqlite3.Connection):
    """A connection that can be referred to weakly."""


class Database:
    """Connections to one file.

    `synchronous=FULL` makes every commit outlive a power cut, not only a kill. Frontier writes come grouped:
    that costs one flush to disk for some hundred URLs. What need not outlive a power cut is not `durable`.
    """

    def __init__(self, path: str | Path, *, durable: bool = True) -> None:
        self.path = Path(path)
        self._lock = threading.RLock()
        self._local = threading.local()
        # Weak, so that the connection of a thread ends with the thread: web servers come and go with theirs.
        self._readers: WeakSet[_Connection] = WeakSet()
        self._closed = False
        self._writer = self._open_checked()
        if not durable:
            self._writer.execute("PRAGMA synchronous = NORMAL")

    def _open_checked(self) -> sqlite3.Connection:
        try:
            is_folder = self.path.is_dir()
        except PermissionError:
            raise StoreError(f"{self.path} may not be looked at by this user; name a file in another folder.") from None
        if is_folder:
            raise StoreError(f"{self.path} is a folder; name a file for the catalogue.")
        if not self.path.parent.is_dir():
            raise StoreError(f"There is no folder {self.path.parent}; create it or name another file.")
        try:
            connection = _connect(self.path)
        except sqlite3.Error as error:
            raise StoreError(_explain(error, self.path)) from error
        try:
            _prepare(connection, self.path)
        except sqlite3.Error as error:
            connection.close()
            raise StoreError(_explain(error, self.path)) from error
        except StoreError:
            connection.close()
            raise
        return connection

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """One transaction: committed to disk when the block ends, undone if it raises."""
        with self._lock:
            try:
                self._writer.execute("BEGIN IMMEDIATE")
                try:
                    yield self._writer
                    self._writer.execute("COMMIT")
                except BaseException:
                    if self._writer.in_transaction:
                        self._writer.execute("ROLLBACK")
                    raise
            except sqlite3.IntegrityError:
                raise
            except sqlite3.DatabaseError as error:
                raise StoreError(_explain(error, self.path)) from error

    def read(self) -> sqlite3.Connection:
        """This thread's own connection; it sees every commit, also of other processes, and waits for none."""
        if self._closed:
            raise StoreError(f"{self.path} is closed.")
        connection: _Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = _connect(self.path, cache_kb=4_000)
            connection.execute("PRAGMA query_only = ON")
            self._local.connection = connection
            with self._lock:
                self._readers.add(connection)
        return connection

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """Several reads of one and the same state; keep it short, for the write-ahead log grows meanwhile."""
        connection = self.read()
        connection.execute("BEGIN")
        try:
            yield connection
        finally:
            connection.execute("COMMIT")

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for connection in (*self._readers, self._writer):
                connection.close()


def _connect(path: Path, cache_kb: int = 8_000) -> _Connection:
    connection = sqlite3.connect(
        path,
        timeout=BUSY_TIMEOUT_MS / 1000,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
        factory=_Connection,
    )
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA cache_size = -{cache_kb}")
    connection.execute("PRAGMA temp_store = MEMORY")
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Make a new file a catalogue, upgrade an old one, refuse what is neither."""
    _refuse_strangers(connection, path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Read again under the lock: another process may have just made or upgraded the file.
        version = _number(connection, "user_version")
        if version == 0:
            _create(connection)
        for step in range(version or VERSION, VERSION):
            UPGRADES[step](connection)
            connection.execute(f"PRAGMA user_version = {step + 1}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _refuse_strangers(connection: sqlite3.Connection, path: Path) -> None:
    version = _number(connection, "user_version")
    is_ours = _number(connection, "application_id") == APPLICATION_ID
    is_empty = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
    if not is_ours and not (is_empty and version == 0):
        raise StoreError(f"{path} is an SQLite file, but not a Geohound catalogue; name another file.")
    if version > VERSION:
        raise StoreError(
            f"{path} was written by a newer Geohound (catalogue version {version}, "
            f"this one knows {VERSION}); install the newer Geohound or name another file."
        )
    missing = [step for step in range(version or VERSION, VERSION) if step not in UPGRADES]
    if missing:
        raise StoreError(f"{path} has catalogue version {version}, which is too old to be upgraded.")


def _create(connection: sqlite3.Connection) -> None:
    upgrades.run_scripts(connection, _SCRIPTS)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def _explain(error: sqlite3.Error, path: Path) -> str:
    text = str(error)
    if "not a database" in text:
        return f"{path} is not a Geohound catalogue (not even an SQLite file); name another file."
    if "readonly" in text:
        return f"{path} may only be read; give this user the right to write it and its folder."
    if "locked" in text or "busy" in text:
        return f"{path} has been held by another program for {BUSY_TIMEOUT_MS // 1000} s; end that one or wait."
    if "full" in text:
        return f"The disk of {path} is full; make room and start again: nothing acknowledged is lost."
    if "malformed" in text:
        return f"{path} is damaged ({text}); restore it from a copy."
    if "closed" in text:
        return f"{path} is closed."
    return f"{path} cannot be used: {text}."
