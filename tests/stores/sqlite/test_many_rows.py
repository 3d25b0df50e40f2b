"""Many rows of one statement: written together."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from geohound.net.clock import SystemClock
from geohound.stores.sqlite import open_store
from geohound.stores.sqlite.database import SqliteDatabase

INSERT = "INSERT INTO source (id, url) VALUES (?, ?)"
COUNT = "SELECT count(*), count(DISTINCT url), min(id), max(id) FROM source"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[SqliteDatabase]:
    path = tmp_path / "c.db"
    open_store(path, SystemClock()).close()
    opened = SqliteDatabase(path)
    yield opened
    opened.close()


@pytest.mark.parametrize("number", [0, 1, 3, 4, 257, 1000])
def test_each_row_is_written_once_however_many_there_are(
    database: SqliteDatabase, number: int
) -> None:
    with database.write() as connection:
        connection.executemany(
            INSERT, ((n, f"http://a.org/{n}") for n in range(number))
        )
    bounds = (0, number - 1) if number else (None, None)
    assert database.read().execute(COUNT).fetchone() == (number, number, *bounds)


def test_a_later_row_changes_what_an_earlier_one_has_written(
    database: SqliteDatabase,
) -> None:
    change = f"{INSERT} ON CONFLICT (id) DO UPDATE SET url = excluded.url"
    with database.write() as connection:
        connection.executemany(change, [(n % 3, f"http://{n}.org/") for n in range(30)])
    rows = database.read().execute("SELECT url FROM source ORDER BY id").fetchall()
    assert rows == [("http://27.org/",), ("http://28.org/",), ("http://29.org/",)]


def test_of_rows_that_cannot_all_be_written_none_is(database: SqliteDatabase) -> None:
    twice = [*((n, "http://a.org/") for n in range(20)), (7, "http://b.org/")]
    with pytest.raises(sqlite3.IntegrityError), database.write() as connection:
        connection.executemany(INSERT, twice)
    assert database.read().execute(COUNT).fetchone()[0] == 0


def test_a_thousand_rows_take_a_few_statements(database: SqliteDatabase) -> None:
    """At each of them other threads may take the interpreter, and a busy one gives it back when it likes."""
    statements: list[str] = []
    with database.write() as connection:
        connection.set_trace_callback(statements.append)
        connection.executemany(INSERT, [(n, f"http://a.org/{n}") for n in range(1000)])
        connection.set_trace_callback(None)
    assert 0 < len(statements) < 20
