"""One process at a time runs a task, and a process that has lost its claim writes nothing."""

import sqlite3

import pytest

from geohound.contracts import FencedError
from geohound.stores.sqlite import claims, open_store
from geohound.stores.sqlite.database import Database


def test_a_task_has_one_holder_until_its_claim_runs_out(tmp_path, clock):
    store = open_store(tmp_path / "c.db", clock)
    task = store.tasks.create_task({}, []).id
    first = store.tasks.claim(task, "one", 30.0)
    assert first is not None
    assert store.tasks.claim(task, "two", 30.0) is None
    clock.passed_s += 31.0
    second = store.tasks.claim(task, "two", 30.0)
    assert second is not None
    assert second.epoch == first.epoch + 1
    database = Database(tmp_path / "c.db")
    with database.write() as connection:
        claims.check(connection, second)
    with pytest.raises(FencedError, match="run by another"), database.write() as connection:
        claims.check(connection, first)
    database.close()
    store.close()


def test_the_tasks_of_a_catalogue_of_version_6_can_be_claimed(tmp_path, clock):
    store = open_store(tmp_path / "c.db", clock)
    task = store.tasks.create_task({}, ["http://a.test/"]).id
    store.close()
    with sqlite3.connect(tmp_path / "c.db") as connection:
        connection.execute("DROP TABLE claim")
        connection.execute("PRAGMA user_version = 6")
    connection.close()
    store = open_store(tmp_path / "c.db", clock)
    assert store.tasks.claim(task, "one", 30.0) is not None
    store.close()
