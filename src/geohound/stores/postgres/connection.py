"""One connection to PostgreSQL that reads the statements of `stores/sql`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import psycopg
    from psycopg import Cursor

_MARK = re.compile(r"%|\?|(?<!:):([a-z_]+)")
_PLAIN_INSERT = re.compile(r"INSERT INTO (\w+) \(([^()]+)\)\s{1,9}VALUES \([?, ]+\)")
COPY_FROM = 20  # rows: fewer are inserted


@lru_cache(512)
def translate(sql: str) -> str:
    """`?` and `:name` as psycopg writes them."""
    return _MARK.sub(_as_psycopg, sql)


def _as_psycopg(mark: re.Match[str]) -> str:
    if mark[1]:
        return f"%({mark[1]})s"
    return "%%" if mark[0] == "%" else "%s"


class PostgresConnection:
    """As `stores/sql` needs it; many new rows are sent with COPY."""

    def __init__(self, raw: psycopg.Connection[Any]) -> None:
        self.raw = raw

    def execute(self, sql: str, values: Sequence[Any] | Mapping[str, Any] = (), /) -> Cursor[Any]:
        return self.raw.cursor(binary=True).execute(translate(sql), values)

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]] | Iterable[Mapping[str, Any]], /) -> Cursor[Any]:
        found = iter(cast("Iterable[Any]", rows))
        first = list(islice(found, COPY_FROM))
        plain = _PLAIN_INSERT.fullmatch(sql.strip()) if len(first) == COPY_FROM else None
        cursor = self.raw.cursor()
        if plain is None:
            cursor.executemany(translate(sql), chain(first, found))
            return cursor
        with cursor.copy(f"COPY {plain[1]} ({plain[2]}) FROM STDIN") as copy:
            for row in chain(first, found):
                copy.write_row(row)
        return cursor
