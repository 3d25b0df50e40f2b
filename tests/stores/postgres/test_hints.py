"""What one process writes, another hears of by LISTEN and NOTIFY; whatever is missed is asked for later."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import psycopg
import pytest

from geohound.contracts import StoreError
from geohound.model.crawl.event import Warned
from geohound.model.crawl.task import TaskSpec, Wanted
from geohound.net.clock import SystemClock
from geohound.stores.postgres import hints, open_store
from geohound.stores.sql.database import ANYTHING
from geohound.stores.sql.store import Store

END_CONNECTION = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE query LIKE 'LISTEN%' AND pid <> pg_backend_pid()"""


@pytest.fixture(autouse=True)
def swift(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "AGAIN_S", 0.1)


class Ear:
    """What a process hears."""

    def __init__(self, store: Store) -> None:
        self.heard: list[str] = []
        self.is_live = store.database.listen(self.heard.extend)

    def clear(self) -> None:
        self.wait(self.is_live)
        self.wait(lambda: bool(self.heard))
        self.heard.clear()

    def wait(self, until: Callable[[], bool]) -> None:
        end = time.monotonic() + 20
        while not until():
            assert time.monotonic() < end, self.heard
            time.sleep(0.01)


@contextmanager
def two_processes(address: str) -> Iterator[tuple[Store, Ear]]:
    """One that writes, and what another one hears."""
    with (
        closing(open_store(address, SystemClock())) as one,
        closing(open_store(address, SystemClock())) as other,
    ):
        ear = Ear(other)
        ear.clear()
        yield one, ear


def test_events_and_wishes_are_heard_of_by_their_task(address: str) -> None:
    with two_processes(address) as (store, ear):
        first, second = (store.tasks.create(TaskSpec()).id for _ in range(2))
        ear.wait(lambda: {f"task {first}", f"task {second}"} <= {*ear.heard})
        time.sleep(2 * hints.GAP_S)
        ear.heard.clear()
        claim = store.tasks.claim(second, "we", 30.0)
        store.tasks.emit(claim, [Warned("so it is")] * 100)
        ear.wait(lambda: f"task {second}" in ear.heard)
        store.tasks.want(first, Wanted.PAUSE)
        ear.wait(lambda: f"task {first}" in ear.heard)
    assert ANYTHING not in ear.heard


def test_a_hundred_writes_are_some_messages(address: str) -> None:
    with two_processes(address) as (store, ear):
        began = time.monotonic()
        for _ in range(100):
            store.tasks.create(TaskSpec())
        last = store.tasks.create(TaskSpec()).id
        ear.wait(lambda: f"task {last}" in ear.heard)
        took = time.monotonic() - began
    assert len(ear.heard) == len({*ear.heard}) == 101
    assert took < 10


def test_what_a_short_command_wrote_is_said_before_it_ends(address: str) -> None:
    with closing(open_store(address, SystemClock())) as listening:
        ear = Ear(listening)
        ear.clear()
        with closing(open_store(address, SystemClock())) as store:
            store.tasks.create(TaskSpec())
            task = store.tasks.create(TaskSpec()).id
        ear.wait(lambda: f"task {task}" in ear.heard)


def test_of_a_write_that_is_undone_nothing_is_said(address: str) -> None:
    with two_processes(address) as (store, ear):
        with pytest.raises(StoreError), store.database.write() as connection:
            store.database.hint(connection, "task 1")
            connection.execute("SELECT 1 / 0").fetchone()
        task = store.tasks.create(TaskSpec()).id
        ear.wait(lambda: f"task {task}" in ear.heard)
        assert [*ear.heard] == [f"task {task}"]


def test_another_catalogue_of_the_database_is_another_matter(address: str) -> None:
    with psycopg.connect(address.partition("?")[0], autocommit=True) as connection:
        connection.execute("CREATE SCHEMA neighbour")
    beside = f"{address.partition('?')[0]}?options=-csearch_path%3Dneighbour"
    with two_processes(address) as (store, ear):
        with closing(open_store(beside, SystemClock())) as other:
            for _ in range(3):
                other.tasks.create(TaskSpec())
        task = store.tasks.create(TaskSpec()).id
        ear.wait(lambda: f"task {task}" in ear.heard)
    assert [*ear.heard] == [f"task {task}"]


def test_whoever_lost_the_connection_knows_it_and_hears_again(address: str) -> None:
    with two_processes(address) as (store, ear):
        with psycopg.connect(address, autocommit=True) as connection:
            ended = connection.execute(END_CONNECTION).fetchall()
        assert ended
        ear.wait(lambda: ANYTHING in ear.heard)  # it may have missed some
        ear.wait(ear.is_live)
        task = store.tasks.create(TaskSpec()).id
        ear.wait(lambda: f"task {task}" in ear.heard)
