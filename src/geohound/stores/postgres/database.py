"""Connections to a catalogue in PostgreSQL: one that writes, and one for each thread that reads."""

from __future__ import annotations

import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any
from weakref import WeakSet

import psycopg
from psycopg import conninfo, errors, pq

from geohound.contracts import StoreError
from geohound.stores.sql.database import Connection, Heard, Rows, Stream

from .connection import PostgresConnection, translate
from .hints import HintListener, HintSender
from .schema import check_schema, prepare_schema, schema_of

CONNECT_TIMEOUT_S = 10
_STREAMED_ROWS = 5000
_NUMBERED = """
SELECT table_name, column_name FROM information_schema.columns
WHERE table_schema = current_schema() AND is_identity = 'YES'"""
_TIME = "SELECT extract(epoch FROM clock_timestamp())::float8"
# A clock that counts the time for which the machine sleeps, where there is one.
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
TIME_VALID_S = 60.0  # then the database is asked again, since clocks run unevenly
# What this user may not see counts as none.
_GIVEN = """
SELECT table_name, coalesce(last_value, 0) FROM information_schema.columns JOIN pg_sequences
  ON format('%I.%I', schemaname, sequencename) = pg_get_serial_sequence(table_name, column_name)
WHERE table_schema = current_schema() AND is_identity = 'YES'"""
_MOST_IDLE = 4  # connections that wait for the next write
_KEEP_ALIVE = {
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}


class PostgresDatabase:
    """All connections of a process to one catalogue. A connection that broke is made anew for the next statement."""

    def __init__(self, address: str, *, durable: bool = True) -> None:
        self._address = address
        self.name = without_password(address)
        self._durable = durable
        self._idle: list[PostgresConnection] = []  # that write
        self._local = threading.local()
        self._readers: WeakSet[_Reader] = WeakSet()
        self._readers_lock = threading.Lock()
        self._closed = False
        self._sender = HintSender(self._notify)
        self._listeners: list[HintListener] = []
        with self._explained():
            first = self._connect()
            self.is_read_only = not _may_write(first)
            if self.is_read_only:
                check_schema(first, self.name)
            else:
                prepare_schema(first, self.name)
            self._time = read_time(first)
            self._space = zlib.crc32(schema_of(first).encode()) - 2**31
            self._channel = f"geohound_{self._space + 2**31:x}"
            self._idle.append(PostgresConnection(first))

    @contextmanager
    def write(self) -> Iterator[Connection]:
        with self._explained():
            connection = self._take()
            try:
                if ticks() - self._time[0] > TIME_VALID_S:
                    self._time = read_time(connection.raw)
                with connection.transaction():
                    yield connection
                if connection.hints:
                    self._sender.add(connection.hints)
            finally:
                connection.hints.clear()
                self._give_back(connection)

    def _take(self) -> PostgresConnection:
        if self._closed:
            raise StoreError(f"{self.name} is closed.")
        while self._idle:
            with suppress(IndexError):  # another thread was faster
                idle = self._idle.pop()
                if not idle.raw.closed:
                    return idle
        return PostgresConnection(self._connect())

    def _give_back(self, connection: PostgresConnection) -> None:
        if self._closed or len(self._idle) >= _MOST_IDLE:
            connection.raw.close()
        else:
            self._idle.append(connection)

    def read(self) -> Connection:
        if self._closed:
            raise StoreError(f"{self.name} is closed.")
        reader: _Reader | None = getattr(self._local, "reader", None)
        if reader is None:
            reader = self._local.reader = _Reader(self)
            with self._readers_lock:
                self._readers.add(reader)
        return reader

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        reader = self.read()
        assert isinstance(reader, _Reader)  # noqa: S101 - says the type
        with self._explained(), reader.one_state() as connection:
            yield connection

    def stream(self, sql: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        with (
            self._explained(),
            self._connect() as connection,
            connection.transaction(),
        ):
            yield from _streamed(connection, sql, values)

    @contextmanager
    def frozen(self) -> Iterator[Stream]:
        with self._explained(), self._connect() as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            with connection.transaction():
                yield partial(_streamed, connection)

    def lock(self, connection: Connection, name: str) -> None:
        # Locks of two catalogues in one database are two locks.
        connection.execute(
            "SELECT pg_advisory_xact_lock(?, hashtext(?))", (self._space, name)
        )

    def hint(self, connection: Connection, topic: str) -> None:
        if isinstance(connection, PostgresConnection):
            connection.hints.add(topic)

    def _notify(self, topics: Sequence[str]) -> None:
        """Without waiting for the disk, nor letting others wait."""
        with self.write() as connection:
            connection.execute("SET LOCAL synchronous_commit = off")
            connection.execute(
                "SELECT pg_notify(?, topic) FROM unnest(?::text[]) AS topic",
                (self._channel, topics),
            )

    def listen(self, heard: Heard) -> Callable[[], bool]:
        listener = HintListener(self.connect, self._channel, heard)
        self._listeners.append(listener)
        return listener.is_live

    def settle(self, connection: Connection) -> None:
        if isinstance(connection, PostgresConnection):
            connection.settle()

    def time_s(self) -> float:
        """The time of the database, from when it was last asked: clocks of machines differ, and are set."""
        at, time_s = self._time
        return time_s + ticks() - at

    def columns(self, table: str) -> Sequence[str]:
        return [
            name
            for name, _ in self._columns(table)
            if (table, name) != ("kept_page", "rowid")
        ]

    def booleans(self, table: str) -> Sequence[str]:
        return [name for name, kind in self._columns(table) if kind == "boolean"]

    def blobs(self, table: str) -> Sequence[str]:
        return [name for name, kind in self._columns(table) if kind == "bytea"]

    def _columns(self, table: str) -> list[tuple[str, str]]:
        sql = """SELECT column_name, data_type FROM information_schema.columns
                 WHERE table_schema = current_schema() AND table_name = ? ORDER BY ordinal_position"""
        return [(name, kind) for name, kind in self.read().execute(sql, (table,))]

    @contextmanager
    def copying(self, last: Mapping[str, int]) -> Iterator[Connection]:
        with self.write() as connection:
            yield connection
            for table, column in connection.execute(_NUMBERED).fetchall():
                given = f"SELECT coalesce(max({column}), 0) FROM {table}"  # noqa: S608 - our own names
                connection.execute(
                    f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), greatest(({given}), ?) + 1, FALSE)",
                    (last.get(table, 0),),
                )

    def last_numbers(self) -> Mapping[str, int]:
        return dict(self.read().execute(_GIVEN).fetchall())

    @contextmanager
    def explaining(self) -> Iterator[None]:
        with self._explained():
            yield

    def is_own_fault(self, error: Exception) -> bool:
        return not isinstance(error, psycopg.Error) or isinstance(
            error, (psycopg.IntegrityError, psycopg.DataError, psycopg.ProgrammingError)
        )

    def is_passing(self, error: Exception) -> bool:
        return isinstance(
            error.__cause__, (errors.DeadlockDetected, errors.SerializationFailure)
        )

    def is_duplicate(self, error: Exception) -> bool:
        # A row of a deleted task has no partition.
        return isinstance(error, (errors.UniqueViolation, errors.CheckViolation))

    def connect(self) -> psycopg.Connection[Any]:
        """A connection of one's own."""
        with self._explained():
            return self._connect()

    def close(self) -> None:
        for listener in self._listeners:
            listener.close()
        self._sender.close()
        self._closed = True
        with self._readers_lock:
            for reader in self._readers:
                reader.close()
        for connection in self._idle:
            connection.raw.close()

    def _connect(self) -> psycopg.Connection[Any]:
        # Planning a statement costs the server as much as running it, so frequent ones are prepared.
        connection: psycopg.Connection[Any] = psycopg.connect(
            self._address,
            autocommit=True,
            prepare_threshold=5,
            **_defaults(self._address),
        )
        if not self._durable:
            connection.execute("SET synchronous_commit = off")
        return connection

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except psycopg.IntegrityError:
            raise
        except psycopg.Error as error:
            raise StoreError(_explain(error, self.name)) from error


def _streamed(
    connection: psycopg.Connection[Any], sql: str, values: Sequence[Any] = ()
) -> Iterator[Any]:
    with connection.cursor("stream", binary=True) as cursor:
        cursor.itersize = _STREAMED_ROWS
        yield from cursor.execute(translate(sql), values)


class _Reader:
    """The connection of a thread: as statements are read-only, one whose connection broke is sent again."""

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._connection: PostgresConnection | None = None

    def execute(
        self, sql: str, values: Sequence[Any] | Mapping[str, Any] = (), /
    ) -> Rows:
        with self._database.explaining():
            try:
                return self._open().execute(sql, values)
            except psycopg.OperationalError:
                if self._connection is None or not self._connection.raw.closed:
                    raise
            return self._open().execute(sql, values)

    def executemany(self, sql: str, rows: Any, /) -> Rows:  # noqa: ARG002 - of the protocol
        raise StoreError("This connection only reads.")

    @contextmanager
    def one_state(self) -> Iterator[Connection]:
        connection = self._open()
        if connection.is_in_transaction:
            yield connection
            return
        # made anew where it broke
        self.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        connection = self._open()
        with connection.transaction():
            yield connection

    def close(self) -> None:
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.raw.close()

    def _open(self) -> PostgresConnection:
        if self._connection is None or self._connection.raw.closed:
            raw = self._database.connect()
            raw.execute("SET default_transaction_read_only = on")
            self._connection = PostgresConnection(raw)
        return self._connection


def ticks() -> float:
    """Seconds that nobody sets, and that pass while the machine sleeps."""
    return time.clock_gettime(_CLOCK)


def read_time(connection: psycopg.Connection[Any]) -> tuple[float, float]:
    """Our ticks and the time of the database, of three looks the quickest."""
    looks = []
    for _ in range(3):
        before = ticks()
        row = connection.execute(_TIME).fetchone()
        took = ticks() - before
        assert row is not None  # noqa: S101 - says the type
        looks.append((took, before + took / 2, float(row[0])))
    _, at, time_s = min(looks)
    return at, time_s


def without_password(address: str) -> str:
    """The address of a catalogue for people and logs; PGHOST and PGPORT count where it names none."""
    try:
        parts = conninfo.conninfo_to_dict(address)
    except psycopg.ProgrammingError as error:
        raise StoreError(
            f"The address of the catalogue cannot be read: {str(error).strip()}."
        ) from None
    usual = {
        option.keyword.decode(): (option.val or b"").decode()
        for option in pq.Conninfo.get_defaults()
    }
    host = parts.get("host") or usual["host"] or "localhost"
    user = f"{parts['user']}@" if "user" in parts else ""
    port = parts.get("port") or usual["port"]
    return f"postgresql://{user}{host}:{port}/{parts.get('dbname', '')}"


def _defaults(address: str) -> dict[str, Any]:
    """What the address does not say: a database that is gone is noticed within half a minute."""
    said = conninfo.conninfo_to_dict(address)
    wanted = {
        **_KEEP_ALIVE,
        "connect_timeout": str(CONNECT_TIMEOUT_S),
        "application_name": "geohound",
    }
    return {name: value for name, value in wanted.items() if name not in said}


def _may_write(connection: psycopg.Connection[Any]) -> bool:
    row = connection.execute(
        "SELECT NOT pg_is_in_recovery() AND coalesce("
        "has_table_privilege(to_regclass('service'), 'INSERT'), has_schema_privilege(current_schema(), 'CREATE'))"
    ).fetchone()
    return bool(row and row[0])


def _explain(error: psycopg.Error, name: str) -> str:
    """What happened, and what to do."""
    said = " ".join(str(error).split())
    match error:
        case errors.InsufficientPrivilege():
            return f"This user may not do that in {name} ({said}); docs/cluster.md has the rights that are needed."
        case errors.DiskFull():
            return f"The disk of {name} is full; make room and start again: nothing acknowledged is lost."
        case (
            errors.UndefinedTable()
            | errors.UndefinedColumn()
            | errors.UndefinedFunction()
        ):
            return f"{name} is not a catalogue of this Geohound ({said}); name another database."
        case errors.QueryCanceled() | errors.LockNotAvailable():
            return f"{name} did not answer in time ({said}); try again."
        case psycopg.OperationalError():
            return f"{name} cannot be reached ({said}); start the database, or correct the address."
    return f"{name} cannot be used: {said}."
