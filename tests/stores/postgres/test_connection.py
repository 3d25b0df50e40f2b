"""Statements that do not wait for each other: whose error is whose, and what is known of those on their way."""

from __future__ import annotations

from contextlib import closing

import psycopg
import pytest

from geohound.contracts import StoreError
from geohound.stores.postgres.connection import COPIED
from geohound.stores.postgres.database import PostgresDatabase
from geohound.stores.sql.group_commit import GroupCommit

INSERT = "INSERT INTO knowledge (name, packed) VALUES (?, ?)"
COUNT = "SELECT count(*) FROM knowledge"


@pytest.fixture
def database(address):
    with closing(PostgresDatabase(address)) as opened:
        yield opened


def count(database: PostgresDatabase) -> int:
    return int(database.read().execute(COUNT).fetchone()[0])


def test_an_error_that_nobody_asked_about_undoes_the_transaction(database) -> None:
    with pytest.raises(psycopg.errors.UniqueViolation), database.write() as connection:
        connection.execute(INSERT, ("a", b""))
        connection.execute(INSERT, ("a", b""))
    assert count(database) == 0
    with database.write() as connection:  # the connection is as good as new
        connection.execute(INSERT, ("a", b""))
    assert count(database) == 1


def test_a_write_that_fails_at_its_last_statement_harms_only_itself(database) -> None:
    def twice(connection) -> str:
        connection.execute(INSERT, ("b", b""))
        connection.execute(INSERT, ("a", b""))
        return "written"

    def once(connection) -> str:
        connection.execute(INSERT, ("c", b""))
        return "written"

    with database.write() as connection:
        connection.execute(INSERT, ("a", b""))
    commits = GroupCommit(database)
    # Both wait for the same transaction.
    bad, good = commits.submit(twice, linger_s=0.2), commits.submit(once, linger_s=0.2)
    assert good.result(10) == "written"
    assert isinstance(bad.exception(10), psycopg.errors.UniqueViolation)
    commits.close()
    names = database.read().execute("SELECT name FROM knowledge ORDER BY name")
    assert [name for (name,) in names.fetchall()] == ["a", "c"]


@pytest.mark.parametrize("rows", [0, 1, 2, COPIED - 1, COPIED, 3 * COPIED])
def test_however_many_rows_there_are_all_are_written_and_counted(
    database, rows: int
) -> None:
    new = [(f"n{n}", bytes([n % 256])) for n in range(rows)]
    either = f"{INSERT} ON CONFLICT DO NOTHING"
    with database.write() as connection:
        connection.executemany(INSERT, iter(new))
        assert connection.execute(COUNT).fetchone()[0] == rows
        connection.execute("UPDATE knowledge SET packed = ?", (b"x",))
        again = connection.executemany(either, [*new, ("more", b"")])
        assert again.rowcount == 1
    assert count(database) == rows + 1


@pytest.mark.parametrize("statements", [0, 1, 200])
def test_a_write_whose_connection_breaks_is_undone_and_the_next_one_gets_another(
    database, statements: int
) -> None:
    with pytest.raises(StoreError), database.write() as connection:
        connection.execute(INSERT, ("before", b""))
        ((pid,),) = connection.execute("SELECT pg_backend_pid()").fetchall()
        end(database, pid)
        for number in range(statements):
            connection.execute(INSERT, (f"after {number}", b""))
    assert count(database) == 0
    with database.write() as connection:
        connection.executemany(INSERT, [(str(n), b"") for n in range(COPIED)])
    assert count(database) == COPIED


def end(database: PostgresDatabase, pid: int) -> None:
    with psycopg.connect(database._address, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))


def test_a_reading_goes_on_after_its_server_ended_the_connection(database) -> None:
    with database.snapshot() as connection:
        ((pid,),) = connection.execute("SELECT pg_backend_pid()").fetchall()
    end(database, pid)
    with database.snapshot() as connection:
        assert connection.execute(COUNT).fetchone() == (0,)
        with database.snapshot() as same:  # within it, one and the same state
            assert same.execute(COUNT).fetchone() == (0,)
        assert connection.execute(COUNT).fetchone() == (0,)
