"""One connection to PostgreSQL that reads the statements of `stores/sql`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from enum import Enum
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, cast

import psycopg
from psycopg.pq import TransactionStatus

if TYPE_CHECKING:
    from psycopg import Cursor

    from geohound.stores.sql.database import Rows

_MARK = re.compile(r"%|\?|(?<!:):([a-z_]+)")
_PLAIN_INSERT = re.compile(r"INSERT INTO (\w+) \(([^()]+)\)\s{1,9}VALUES \([?, ]+\)")
_PLAIN_UPDATE = re.compile(
    r"UPDATE (\w+) SET ((?:\w+ = \?, )*\w+ = \?)\s{1,9}WHERE (\w+) = \?"
)
_TYPES = """
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0"""
MANY = 10  # changes: fewer are sent one by one
COPIED = 50  # new rows: fewer are sent with one statement


@lru_cache(512)
def translate(sql: str) -> str:
    """`?` and `:name` as psycopg writes them."""
    return _MARK.sub(_as_psycopg, sql)


def _as_psycopg(mark: re.Match[str]) -> str:
    if mark[1]:
        return f"%({mark[1]})s"
    return "%%" if mark[0] == "%" else "%s"


class PostgresConnection:
    """As `stores/sql` needs it; many new rows are sent with COPY, many changes with one statement.

    In a transaction a statement does not wait for those before it: whoever asks for a result waits, and `settle`.
    """

    def __init__(self, raw: psycopg.Connection[Any]) -> None:
        self.raw = raw
        self._statements: dict[str, str] = {}  # that write many rows, by those for one
        self._types: dict[str, dict[str, str]] = {}  # of the columns of tables
        self._pipeline: ExitStack | None = None
        self.hints: set[str] = set()  # in this transaction

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Committed when the block ends, undone if it raises; it may have begun."""
        try:
            has_begun = self.raw.info.transaction_status == TransactionStatus.INTRANS
            self._open_pipeline()
            if not has_begun:
                self.raw.execute("BEGIN")
            yield
            self.raw.execute("COMMIT")
            self._close_pipeline()
        except BaseException:
            with suppress(psycopg.Error):
                self._close_pipeline()
            with suppress(psycopg.Error):
                self.raw.execute("ROLLBACK")
            raise

    @property
    def is_in_transaction(self) -> bool:
        return self._pipeline is not None

    def settle(self) -> None:
        """Raise what statements met that nobody has asked about."""
        if self._pipeline is not None:
            with self.mended():
                self._close_pipeline()
                self._open_pipeline()

    @contextmanager
    def mended(self) -> Iterator[None]:
        """After an error the server ignores all that is on its way; what comes later is heard again."""
        try:
            yield
        except psycopg.Error:
            with suppress(psycopg.Error):
                self._close_pipeline()
            if not self.raw.closed:
                self._open_pipeline()
            raise

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        """COPY cannot be among statements that do not wait."""
        with self.mended():
            self._close_pipeline()
            yield
            self._open_pipeline()

    def _open_pipeline(self) -> None:
        self._pipeline = ExitStack()
        self._pipeline.enter_context(self.raw.pipeline())

    def _close_pipeline(self) -> None:
        pipeline, self._pipeline = self._pipeline, None
        if pipeline is not None:
            pipeline.close()

    def execute(
        self, sql: str, values: Sequence[Any] | Mapping[str, Any] = (), /
    ) -> Rows:
        if self._pipeline is None:
            return self.raw.cursor(binary=True).execute(translate(sql), values)
        with self.mended():
            sent = self.raw.cursor(binary=True).execute(translate(sql), values)
        return _Answer(self, sent)

    def executemany(
        self, sql: str, rows: Iterable[Sequence[Any]] | Iterable[Mapping[str, Any]], /
    ) -> Rows:
        found = iter(cast("Iterable[Any]", rows))
        first = list(islice(found, COPIED))
        plain = _PLAIN_INSERT.fullmatch(sql.strip())
        if plain and len(first) == COPIED:
            return self._copy(plain[1], plain[2], chain(first, found))
        if plain and len(first) > 1:
            return self._insert(plain, first)
        plain = _PLAIN_UPDATE.fullmatch(sql.strip())
        if plain and len(first) >= MANY:
            return self._update(plain, [*first, *found])
        with self.mended():
            cursor = self.raw.cursor()
            if len(first) == 1:
                cursor.execute(translate(sql), first[0])
            elif first:
                cursor.executemany(translate(sql), chain(first, found))
        return _Answer(self, cursor)

    def _copy(
        self, table: str, columns: str, rows: Iterable[Sequence[Any]]
    ) -> Cursor[Any]:
        cursor = self.raw.cursor()
        with (
            self._waiting(),
            cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy,
        ):
            for row in rows:
                copy.write_row(row)
        return cursor

    def _insert(self, plain: re.Match[str], rows: Sequence[Sequence[Any]]) -> Rows:
        statement = self._statements.get(plain[0])
        if statement is None:
            names = plain[2].split(", ")
            statement = f"INSERT INTO {plain[1]} ({plain[2]}) SELECT * FROM unnest({self._given(plain[1], names)})"  # noqa: S608 - our names
            self._statements[plain[0]] = statement
        with self.mended():
            return _Answer(self, self.raw.execute(statement, _columns(rows)))

    def _update(self, plain: re.Match[str], rows: Sequence[Sequence[Any]]) -> Rows:
        """Where a row is changed twice, the last change counts, as if they came one after the other."""
        last = {row[-1]: row for row in rows}
        statement = self._statements.get(plain[0]) or self._many_updates(plain)
        self._statements[plain[0]] = statement
        # The least and the greatest key name the partitions that the server has to look at.
        values = (*_columns([*last.values()]), min(last), max(last))
        with self.mended():
            return _Answer(self, self.raw.execute(statement, values))

    def _many_updates(self, plain: re.Match[str]) -> str:
        table, key = plain[1], plain[3]
        names = [*(part.partition(" ")[0] for part in plain[2].split(", ")), key]
        changes = ", ".join(f"{name} = given.{name}" for name in names[:-1])
        return (
            f"UPDATE {table} SET {changes} FROM unnest({self._given(table, names)}) AS given ({', '.join(names)}) "  # noqa: S608 - our names
            f"WHERE {table}.{key} = given.{key} AND {table}.{key} >= %s AND {table}.{key} <= %s"
        )

    def _given(self, table: str, names: Iterable[str]) -> str:
        """Marks for arrays with the types of these columns."""
        if table not in self._types:
            found = self.raw.execute(_TYPES, (table,)).fetchall()
            self._types[table] = {f'"{name}"': kind for name, kind in found} | dict(
                found
            )
        return ", ".join(f"%s::{self._types[table][name]}[]" for name in names)


class _Answer:
    """What a statement brings: whoever asks for it waits until it is there."""

    def __init__(
        self, connection: PostgresConnection, cursor: psycopg.Cursor[Any]
    ) -> None:
        self._connection = connection
        self._cursor = cursor

    @property
    def rowcount(self) -> int:
        self._connection.settle()
        return self._cursor.rowcount

    def fetchone(self) -> Any:
        with self._connection.mended():
            return self._cursor.fetchone()

    def fetchall(self) -> list[Any]:
        with self._connection.mended():
            return self._cursor.fetchall()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.fetchall())


def _columns(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Arrays hold values of one type."""
    return [
        [_plain_value(value) for value in column] for column in zip(*rows, strict=True)
    ]


def _plain_value(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value
