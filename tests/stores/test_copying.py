"""A catalogue is copied whole, from SQLite to PostgreSQL and back."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from itertools import pairwise

import pytest
from command_line import geohound
from postgres_server import free_port, shared_server

from geohound import app
from geohound.model.crawl.event import Warned
from geohound.model.crawl.task import TaskFilter, TaskSpec
from geohound.net.clock import SystemClock
from geohound.settings import Settings
from geohound.stores import postgres, sqlite
from geohound.stores.copying import LEFT_OUT, TABLES, copy_catalogue


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    """The catalogue of the demo: every table that a crawl fills has rows."""
    path = tmp_path_factory.mktemp("copied") / "geoweb.db"
    done = geohound("demo", "--once", "--quiet", "--catalogue", str(path))
    assert done.returncode == 0, done.stderr
    return path


def rows_of(path):
    """Every row of every table, read with nothing of ours."""
    with closing(sqlite3.connect(path)) as connection:
        tables = [
            name
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
            )
        ]
        return {
            table: sorted(map(repr, connection.execute(f"SELECT * FROM {table}")))
            for table in tables
            if table not in LEFT_OUT and not table.startswith("sqlite_")
        }


@pytest.mark.slow
def test_there_and_back_nothing_is_lost_and_search_finds_the_same(crawled, tmp_path):
    address, back = shared_server().new_schema(), tmp_path / "back.db"
    there = geohound("store", "copy", str(crawled), address, "--json")
    assert there.returncode == 0, there.stderr
    assert geohound("store", "copy", address, str(back)).returncode == 0
    assert rows_of(back) == rows_of(crawled)
    summary = json.loads(there.stdout.splitlines()[-1])["summary"]
    assert summary["rows"] == sum(map(len, rows_of(crawled).values())) > 1000
    ours, theirs = (
        geohound("search", "rivers", "--json", "--catalogue", str(where))
        for where in (crawled, address)
    )
    hits = [json.loads(line) for line in ours.stdout.splitlines()[:-1]]
    assert hits
    assert [json.loads(line) for line in theirs.stdout.splitlines()[:-1]] == hits


def sample(kind: str, nullable: bool, n: int):
    """The n-th value of a column of this type; where it may be empty, the third one is."""
    if nullable and n == 3:
        return None
    match kind:
        case "boolean":
            return n % 2
        case "bytea":
            return bytes([0, 255, n]) * n
        case "double precision":
            return 1e9 + n / 3
        case "text":
            return f"é ☃ \N{EARTH GLOBE EUROPE-AFRICA} '%s' ? :x \\N\t\n {n}"
    return n


def fill(path, columns) -> None:
    """Three rows in every table, with what each type of column may hold at worst."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for table in TABLES:
            of_log = {"url": "id", "source": "id", "mark": "url"}.get(table)
            for n in range(1, 2 if table == "manifest" else 4):
                row = {
                    name: (n << 32) + n if name == of_log else sample(kind, null, n)
                    for name, kind, null in columns[table]
                }
                row |= {"key": -(2**62) + n} if "key" in row else {}
                names = ", ".join(f'"{name}"' for name in row)
                marks = ", ".join("?" * len(row))
                insert = f"INSERT INTO {table} ({names}) VALUES ({marks})"
                connection.execute(insert, [*row.values()])


COLUMNS = """
SELECT table_name, column_name, data_type, is_nullable = 'YES'
FROM information_schema.columns WHERE table_schema = current_schema()"""


@pytest.mark.slow  # both databases, made anew for each example
@pytest.mark.parametrize("via_postgres", [1, 2])
def test_rows_of_every_table_come_back_as_they_were(tmp_path, via_postgres) -> None:
    """Who adds a table or column need not think of this test: it fills all that there are."""
    addresses = [shared_server().new_schema() for _ in range(via_postgres)]
    with closing(postgres.open_store(addresses[0], SystemClock())) as store:
        columns = {table: [] for table in TABLES}
        for table, *column in store.database.read().execute(COLUMNS).fetchall():
            if table in columns and (table, column[0]) != ("kept_page", "rowid"):
                columns[table].append(column)
    first, last = tmp_path / "first.db", tmp_path / "last.db"
    with closing(sqlite.open_store(first, SystemClock())):
        pass
    fill(first, columns)
    for one, other in pairwise([str(first), *addresses, str(last)]):
        done = geohound("store", "copy", one, other)
        assert done.returncode == 0, done.stderr
    assert rows_of(last) == rows_of(first)
    assert {table for table, rows in rows_of(last).items() if not rows} == set()


def test_every_table_is_copied_or_left_out_on_purpose(tmp_path):
    with closing(sqlite.open_store(tmp_path / "c.db", SystemClock())):
        known = set(rows_of(tmp_path / "c.db"))
    assert known == set(TABLES)


@pytest.mark.slow
@pytest.mark.parametrize("tasks", [1, 3])
def test_no_number_of_a_task_is_given_again_after_a_copy_though_the_task_be_gone(
    tmp_path, tasks
):
    """What it met says by its number where it comes from."""
    first, last = tmp_path / "c.db", tmp_path / "back.db"
    with closing(sqlite.open_store(first, SystemClock())) as store:
        numbers = [store.tasks.create(TaskSpec()).id for _ in range(tasks)]
        assert store.tasks.delete(numbers[-1])
    address = shared_server().new_schema()
    assert geohound("store", "copy", str(first), address).returncode == 0
    with closing(postgres.open_store(address, SystemClock())) as store:
        given = store.tasks.create(TaskSpec()).id
        assert given == numbers[-1] + 1
        assert store.tasks.delete(given)
    assert geohound("store", "copy", address, str(last)).returncode == 0
    with closing(sqlite.open_store(last, SystemClock())) as store:
        assert store.tasks.create(TaskSpec()).id == given + 1


@pytest.mark.slow
def test_what_is_not_empty_is_not_written_over(tmp_path):
    address = shared_server().new_schema()
    with closing(sqlite.open_store(tmp_path / "c.db", SystemClock())) as store:
        store.tasks.create(TaskSpec())
    assert geohound("store", "copy", str(tmp_path / "c.db"), address).returncode == 0
    again = geohound("store", "copy", str(tmp_path / "c.db"), address)
    assert again.returncode == 2
    assert "is not empty; name a new catalogue." in again.stderr


@pytest.mark.slow
@pytest.mark.parametrize("is_postgres", [False, True])
def test_what_is_written_meanwhile_is_not_in_the_copy_and_harms_nothing(
    tmp_path, is_postgres
):
    """A crawl goes on while its catalogue is copied: the copy has all of one moment."""
    file, address = str(tmp_path / "c.db"), shared_server().new_schema()
    source, target = (address, file) if is_postgres else (file, address)
    with (
        closing(app.open_store(Settings(catalogue=source))) as writer,
        closing(app.open_store(Settings(catalogue=source))) as one,
        closing(app.open_store(Settings(catalogue=target))) as other,
    ):
        first = writer.tasks.create(TaskSpec()).id
        claim = writer.tasks.claim(first, "we", 30.0)
        copying = copy_catalogue(one.database, other.database)
        table = next(copying)  # copied, and not yet compared but the first
        assert (table.name, table.rows) == ("task", 1)
        writer.tasks.create(TaskSpec())
        writer.tasks.emit(claim, [Warned("so it is")])
        rows = {each.name: each.rows for each in copying}
        assert rows["event"] == 2  # created and claimed
        assert [task.id for task in other.tasks.list(TaskFilter())] == [first]
        assert len(writer.tasks.list(TaskFilter())) == 2


@pytest.mark.slow
def test_a_password_is_never_printed():
    port = shared_server().port
    done = geohound(
        "search",
        "x",
        "--catalogue",
        f"postgresql://eve:secret@127.0.0.1:{port}/nowhere",
    )
    assert done.returncode == 2
    assert "secret" not in done.stderr
    assert "cannot be reached" in done.stderr


def test_a_server_that_the_environment_names_is_named_where_it_cannot_be_reached(
    monkeypatch,
):
    port = str(free_port())
    monkeypatch.setenv("PGPORT", port)
    monkeypatch.setenv("PGHOST", "127.0.0.1")
    done = geohound("search", "x", "--catalogue", "postgresql:///nowhere")
    assert f"postgresql://127.0.0.1:{port}/nowhere cannot be reached" in done.stderr


@pytest.mark.slow
def test_tasks_that_ran_are_copied_beside_tasks_that_never_did(tmp_path):
    """What a task has counted is bytes; in SQLite the default of one that has counted nothing is text."""
    path, address = tmp_path / "c.db", shared_server().new_schema()
    with closing(sqlite.open_store(path, SystemClock())) as store:
        ran, waits = (store.tasks.create(TaskSpec()).id for _ in range(2))
    with closing(sqlite3.connect(path)) as connection, connection:
        counted = "UPDATE progress SET counters = CAST('{\"pages\":3}' AS BLOB) WHERE task = ?"
        connection.execute(counted, (ran,))
    done = geohound("store", "copy", str(path), address)
    assert done.returncode == 0, done.stderr
    with closing(postgres.open_store(address, SystemClock())) as store:
        copied = {task: store.tasks.get(task).counters for task in (ran, waits)}
    assert copied == {ran: {"pages": 3}, waits: {}}
