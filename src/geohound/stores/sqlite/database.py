"""The SQLite file: opened, checked, upgraded; one writer at a time and one reader per thread."""

from __future__ import annotations

import os
import re
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any
from urllib.parse import quote
from weakref import WeakSet

from geohound.contracts import StoreError
from geohound.stores.sql.database import Connection, Heard, Stream

from . import upgrades

__all__ = ["SqliteDatabase", "StoreError", "make_folder"]

APPLICATION_ID = 0x47484E44  # "GHND", in bytes 68 to 71 of the file
VERSION = 34
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
    14: upgrades.rename_aliases,
    15: partial(upgrades.run_scripts, names=["cursor.sql"]),
    16: upgrades.note_declared,
    17: partial(upgrades.run_scripts, names=["search_page.sql"]),
    18: partial(upgrades.run_scripts, names=["data_file.sql"]),
    19: partial(upgrades.run_scripts, names=["kept_page.sql"]),
    20: partial(upgrades.run_scripts, names=["account.sql"]),
    21: partial(upgrades.run_scripts, names=["knowledge.sql"]),
    22: partial(upgrades.run_scripts, names=["kept_page_copy.sql"]),
    23: partial(upgrades.run_scripts, names=["check_queue.sql"]),
    24: partial(upgrades.run_scripts, names=["host_role.sql"]),
    25: partial(upgrades.run_scripts, names=["watched_site.sql"]),
    26: upgrades.write_lives,
    27: partial(upgrades.run_scripts, names=["owed_page.sql"]),
    28: partial(upgrades.run_scripts, names=["shard.sql"]),
    29: partial(upgrades.run_scripts, names=["search_task.sql"]),
    30: partial(upgrades.run_scripts, names=["notes.sql"]),
    31: upgrades.divide_checks,
    32: upgrades.prove_pages,
    33: upgrades.keep_removed_names,
}
_SCRIPTS = (
    "schema.sql", "index.sql", "record.sql", "robots.sql", "proof.sql", "met.sql", "claim.sql", "event.sql",
    "host_claim.sql", "address.sql", "host_claim_wanted.sql", "memo.sql", "cursor.sql", "declared.sql",
    "search_page.sql", "data_file.sql", "kept_page.sql", "account.sql", "knowledge.sql",
    "kept_page_copy.sql", "check_queue.sql", "host_role.sql", "watched_site.sql", "biography.sql",
    "owed_page.sql",
    "shard.sql", "search_task.sql", "notes.sql", "check_part.sql", "page_proof.sql",
)  # fmt: skip
BUSY_TIMEOUT_MS = 30_000
_BOOLEANS = ("ok", "is_document", "is_wanted", "is_whole", "is_idle", "has_more")
_INSERTED = re.compile(r"\AINSERT INTO [^;]*?\bVALUES\s(\((?:\?, )*\?\))", re.DOTALL)
_NUMBERED = "SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%'"
_AT_ONCE = (256, 64, 16, 4, 1)  # rows: few sizes, so that statements stay prepared
_OWN_FAULTS = (
    sqlite3.IntegrityError,
    sqlite3.ProgrammingError,
    sqlite3.DataError,
    sqlite3.InterfaceError,
)


class _Connection(sqlite3.Connection):
    """A connection that can be referred to weakly, and inserts many rows at once.

    Each statement lets go of the interpreter and waits for it afterwards, for up to 5 ms where another thread computes.
    """

    def executemany(self, sql: str, rows: Iterable[Any], /) -> sqlite3.Cursor:
        holes = _INSERTED.search(sql)
        if holes is None or "DO NOTHING" in sql:  # how many were new is for one cursor
            return super().executemany(sql, rows)
        before, after = sql[: holes.start(1)], sql[holes.end(1) :]
        cursor, coming = self.cursor(), iter(rows)
        while chunk := list(islice(coming, _AT_ONCE[0])):
            done = 0
            for size in _AT_ONCE:
                several = f"{before}{', '.join([holes[1]] * size)}{after}"
                while len(chunk) - done >= size:
                    some = chunk[done : done + size]
                    cursor.execute(several, tuple(chain.from_iterable(some)))
                    done += size
        return cursor


class SqliteDatabase:
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
        # not that of the writer: who reads waits for nobody
        self._readers_lock = threading.Lock()
        self._closed = False
        self._writer = self._open_checked()
        if not durable:
            self._writer.execute("PRAGMA synchronous = NORMAL")

    def _open_checked(self) -> sqlite3.Connection:
        try:
            is_folder = self.path.is_dir()
        except PermissionError:
            raise StoreError(
                f"{self.path} may not be looked at by this user; name a file in another folder."
            ) from None
        except OSError as error:
            raise StoreError(
                f"{self.path} cannot be a file: {error.strerror}. Name another one."
            ) from None
        if is_folder:
            raise StoreError(f"{self.path} is a folder; name a file for the catalogue.")
        if not self.path.parent.is_dir():
            raise StoreError(
                f"There is no folder {self.path.parent}; create it or name another file."
            )
        self._source, self.is_read_only = _source(self.path)
        try:
            connection = _connect(self._source)
        except sqlite3.Error as error:
            raise StoreError(_explain(error, self.path)) from error
        try:
            if self.is_read_only:
                _check_version(connection, self.path)
            else:
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
            connection = _connect(self._source, cache_kb=4_000)
            connection.execute("PRAGMA query_only = ON")
            self._local.connection = connection
            with self._readers_lock:
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

    @property
    def name(self) -> str:
        return str(self.path)

    def stream(self, sql: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        return iter(self.read().execute(sql, values))

    @contextmanager
    def frozen(self) -> Iterator[Stream]:
        with self.snapshot() as connection:
            yield lambda sql: iter(connection.execute(sql))

    def lock(self, connection: object, name: str) -> None:
        """Whoever writes to the file has it alone."""

    def hint(self, connection: object, topic: str) -> None:
        """Nobody can listen to a file."""

    def listen(self, heard: Heard) -> Callable[[], bool]:  # noqa: ARG002 - as above
        return lambda: False

    def settle(self, connection: object) -> None:
        """Each statement has an answer before the next one is sent."""

    def is_own_fault(self, error: Exception) -> bool:
        return not isinstance(error, sqlite3.Error) or isinstance(error, _OWN_FAULTS)

    def is_passing(self, error: Exception) -> bool:  # noqa: ARG002 - the writer has the file alone
        return False

    def is_duplicate(self, error: Exception) -> bool:
        return isinstance(error, sqlite3.IntegrityError)

    def columns(self, table: str) -> Sequence[str]:
        return [row[1] for row in self.read().execute(f"PRAGMA table_info({table})")]

    def booleans(self, table: str) -> Sequence[str]:
        """SQLite has numbers in their place."""
        return [column for column in self.columns(table) if column in _BOOLEANS]

    def blobs(self, table: str) -> Sequence[str]:
        rows = self.read().execute(
            "SELECT name FROM pragma_table_info(?) WHERE type = 'BLOB'", (table,)
        )
        return [name for (name,) in rows]

    @contextmanager
    def copying(self, last: Mapping[str, int]) -> Iterator[Connection]:
        with self.write() as connection:
            yield connection
            for (table,) in connection.execute(_NUMBERED).fetchall():
                known = (
                    "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = ?"
                )
                (given,) = connection.execute(known, (table,)).fetchone()
                given = max(given, last.get(table, 0))
                connection.execute(
                    "DELETE FROM sqlite_sequence WHERE name = ?", (table,)
                )
                connection.execute(
                    "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",
                    (table, given),
                )

    def last_numbers(self) -> Mapping[str, int]:
        return dict(
            self.read().execute("SELECT name, seq FROM sqlite_sequence").fetchall()
        )

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Trouble that is met while reading (a damaged page, a disk that fails) as a sentence."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise StoreError(_explain(error, self.path)) from error

    def close(self) -> None:
        with self._lock, self._readers_lock:
            self._closed = True
            for connection in (*self._readers, self._writer):
                connection.close()


def make_folder(folder: Path) -> None:
    """The folder of the default catalogue."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"The data folder {folder} cannot be made ({error.strerror}); name a file elsewhere with --catalogue, "
            "or another data folder in XDG_DATA_HOME."
        ) from None


def _source(path: Path) -> tuple[str, bool]:
    """The address of the file for SQLite, and whether it may only be read: it, its folder or its file system."""
    address = f"file:{quote(str(path.absolute()))}"
    if not path.exists() or (
        os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    ):
        return address, False
    # the second where the files of the log cannot be made
    for way in ("mode=ro", "mode=ro&immutable=1"):
        with (
            suppress(sqlite3.OperationalError),
            closing(sqlite3.connect(f"{address}?{way}", uri=True)) as trial,
        ):
            trial.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return f"{address}?{way}", True
    return f"{address}?mode=ro", True


def _connect(source: str, cache_kb: int = 8_000) -> _Connection:
    connection = sqlite3.connect(
        source,
        uri=True,
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


def _check_version(connection: sqlite3.Connection, path: Path) -> None:
    _refuse_strangers(connection, path)
    if _number(connection, "user_version") != VERSION:
        raise StoreError(
            f"{path} has to be upgraded, but may only be read; copy it to a folder that you may write."
        )


def _refuse_strangers(connection: sqlite3.Connection, path: Path) -> None:
    version = _number(connection, "user_version")
    is_ours = _number(connection, "application_id") == APPLICATION_ID
    is_empty = (
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
    )
    if not is_ours and not (is_empty and version == 0):
        raise StoreError(
            f"{path} is an SQLite file, but not a Geohound catalogue; name another file."
        )
    if version > VERSION:
        raise StoreError(
            f"{path} was written by a newer Geohound (catalogue version {version}, "
            f"this one knows {VERSION}); install the newer Geohound or name another file."
        )
    missing = [
        step for step in range(version or VERSION, VERSION) if step not in UPGRADES
    ]
    if missing:
        raise StoreError(
            f"{path} has catalogue version {version}, which is too old to be upgraded."
        )


def _create(connection: sqlite3.Connection) -> None:
    upgrades.run_scripts(connection, _SCRIPTS)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def _explain(error: sqlite3.Error, path: Path) -> str:
    """What happened to the file, and what to do."""
    text = str(error)
    if "not a database" in text:
        return f"{path} is not a Geohound catalogue (not even an SQLite file); name another file."
    if "readonly" in text:
        return f"{path} may only be read; give this user the right to write it and its folder."
    if "unable to open" in text and path.exists() and not path.is_file():
        return f"{path} is no file; name another one."
    if "unable to open" in text:
        return f"{path} cannot be made; give this user the right to write it and its folder, or name another file."
    if "locked" in text or "busy" in text:
        return f"{path} has been held by another program for {BUSY_TIMEOUT_MS // 1000} s; end that one or wait."
    if "full" in text:
        return f"The disk of {path} is full; make room and start again: nothing acknowledged is lost."
    if "malformed" in text:
        return f"{path} is damaged ({text}); restore it from a copy, or crawl anew into another file."
    if "closed" in text:
        return f"{path} is closed."
    return f"{path} cannot be used: {text}."
