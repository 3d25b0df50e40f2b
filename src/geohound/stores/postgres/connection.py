"""One connection to PostgreSQL that reads the statements of `stores/sql`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import psycopg
    from psycopg import Cursor

_MARK = re.compile(r"%|\?|(?<!:):([a-z_]+)")
_PLAIN_INSERT = re.compile(r"INSERT INTO (\w+) \(([^()]+)\)\s{1,9}VALUES \([?, ]+\)")
_PLAIN_UPDATE = re.compile(
    r"UPDATE (\w+) SET ((?:\w+ = \?, )*\w+ = \?)\s{1,9}WHERE (\w+) = \?"
)
_TYPES = """
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0"""
MANY = 10  # rows: fewer are sent one by one


@lru_cache(512)
def translate(sql: str) -> str:
    """`?` and `:name` as psycopg writes them."""
    return _MARK.sub(_as_psycopg, sql)


def _as_psycopg(mark: re.Match[str]) -> str:
    if mark[1]:
        return f"%({mark[1]})s"
    return "%%" if mark[0] == "%" else "%s"


class PostgresConnection:
    """As `stores/sql` needs it; many new rows are sent with COPY, many changes with one statement."""

    def __init__(self, raw: psycopg.Connection[Any]) -> None:
        self.raw = raw
        self._updates: dict[str, str] = {}  # statements that change many rows

    def execute(
        self, sql: str, values: Sequence[Any] | Mapping[str, Any] = (), /
    ) -> Cursor[Any]:
        return self.raw.cursor(binary=True).execute(translate(sql), values)

    def executemany(
        self, sql: str, rows: Iterable[Sequence[Any]] | Iterable[Mapping[str, Any]], /
    ) -> Cursor[Any]:
        found = iter(cast("Iterable[Any]", rows))
        first = list(islice(found, MANY))
        if len(first) < MANY:
            return self._send_each(sql, first)
        if plain := _PLAIN_INSERT.fullmatch(sql.strip()):
            return self._copy(plain[1], plain[2], chain(first, found))
        if plain := _PLAIN_UPDATE.fullmatch(sql.strip()):
            return self._update(plain, [*first, *found])
        cursor = self.raw.cursor()
        cursor.executemany(translate(sql), chain(first, found))
        return cursor

    def _send_each(self, sql: str, rows: Sequence[Any]) -> Cursor[Any]:
        """A few rows: a pipeline would cost more than it saves for one, and nothing is sent for none."""
        cursor = self.raw.cursor()
        if len(rows) == 1:
            cursor.execute(translate(sql), rows[0])
        elif rows:
            cursor.executemany(translate(sql), rows)
        return cursor

    def _copy(
        self, table: str, columns: str, rows: Iterable[Sequence[Any]]
    ) -> Cursor[Any]:
        cursor = self.raw.cursor()
        with cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        return cursor

    def _update(
        self, plain: re.Match[str], rows: Sequence[Sequence[Any]]
    ) -> Cursor[Any]:
        """Where a row is changed twice, the last change counts, as if they came one after the other."""
        last = {row[-1]: row for row in rows}
        columns = [
            list(map(_plain_value, column))
            for column in zip(*last.values(), strict=True)
        ]
        statement = self._updates.get(plain[0]) or self._many_updates(plain)
        self._updates[plain[0]] = statement
        # The least and the greatest key name the partitions that the server has to look at.
        return self.raw.cursor().execute(statement, (*columns, min(last), max(last)))

    def _many_updates(self, plain: re.Match[str]) -> str:
        table, key = plain[1], plain[3]
        types = dict(self.raw.execute(_TYPES, (table,)).fetchall())
        names = [*(part.partition(" ")[0] for part in plain[2].split(", ")), key]
        given = ", ".join(f"%s::{types[name]}[]" for name in names)
        changes = ", ".join(f"{name} = given.{name}" for name in names[:-1])
        return (
            f"UPDATE {table} SET {changes} FROM unnest({given}) AS given ({', '.join(names)}) "  # noqa: S608 - our names
            f"WHERE {table}.{key} = given.{key} AND {table}.{key} >= %s AND {table}.{key} <= %s"
        )


def _plain_value(value: Any) -> Any:
    """Arrays hold values of one type."""
    return value.value if isinstance(value, Enum) else value
