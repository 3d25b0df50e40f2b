"""What arrives together is committed together, and whoever waits hears of his own write."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from datetime import UTC, datetime

import pytest

from geohound.contracts import FencedError, StoreError
from geohound.model.catalogue import Observation
from geohound.model.crawl.frontier import FrontierBatch, NewUrl, UrlState
from geohound.model.crawl.job import CachedRobots
from geohound.model.crawl.task import TaskSpec
from geohound.model.health import Check, HealthState, assess
from geohound.model.service import Layer, Service, Sighting
from geohound.model.visit import Candidate, RequestRecord, Via
from geohound.net.clock import SystemClock
from geohound.stores.sql.group_commit import GroupCommit, awaited
from geohound.stores.sqlite import open_store
from geohound.stores.sqlite.database import SqliteDatabase

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def database(tmp_path):
    database = SqliteDatabase(tmp_path / "c.db")
    with database.write() as connection:
        connection.execute(
            "CREATE TABLE line (number INTEGER PRIMARY KEY, transaction_ INTEGER)"
        )
    yield database
    database.close()


@pytest.fixture
def commits(database):
    commits = GroupCommit(database)
    yield commits
    commits.close()


def insert(number):
    def write(connection):
        connection.execute("INSERT INTO line (number) VALUES (?)", (number,))
        return number * 10

    return write


def lines(database):
    return [
        number
        for (number,) in database.read().execute(
            "SELECT number FROM line ORDER BY number"
        )
    ]


def test_what_was_awaited_is_on_disk_and_each_hears_of_his_own(database, commits):
    written = [
        commits.submit(insert(number), linger_s=0.02 * (number % 2))
        for number in range(30)
    ]
    assert [each.result(10) for each in written] == [
        number * 10 for number in range(30)
    ]
    assert lines(database) == list(range(30))


def test_those_who_come_during_a_commit_share_the_next_one(database, commits):
    begun, go_on = threading.Event(), threading.Event()
    transactions = []

    def slow(connection):
        begun.set()
        go_on.wait(10)

    def count(connection):
        transactions.append(connection.total_changes)
        connection.execute("INSERT INTO line (number) VALUES (NULL)")

    first = commits.submit(slow)
    assert begun.wait(10)
    commits_before = _commits(database)
    others = [commits.submit(count) for _ in range(20)]
    go_on.set()
    for each in (first, *others):
        each.result(10)
    assert _commits(database) - commits_before == 1
    assert transactions == list(range(transactions[0], transactions[0] + 20)), (
        "in the order in which they came"
    )


def _commits(database):
    """How often the file was changed, as another connection sees it."""
    return database.read().execute("PRAGMA data_version").fetchone()[0]


def test_what_may_linger_goes_with_the_first_that_may_not(database, commits):
    slow = commits.submit(insert(1), linger_s=60)
    fast = commits.submit(insert(2))
    assert (slow.result(10), fast.result(10)) == (10, 20)


@pytest.mark.parametrize(
    "error",
    [ValueError("three"), FencedError("stale"), sqlite3.IntegrityError("twice")],
)
def test_one_that_cannot_be_written_takes_no_other_with_it(database, commits, error):
    def half(connection):
        insert(3)(connection)
        raise error

    writes = [insert(1), insert(2), half, insert(4)]
    written = [commits.submit(write, linger_s=0.05) for write in writes]
    outcomes = [each.exception(10) for each in written]
    assert [type(outcome) for outcome in outcomes] == [
        type(None),
        type(None),
        type(error),
        type(None),
    ]
    assert lines(database) == [1, 2, 4]


def test_a_file_that_cannot_be_written_fails_all_with_a_sentence(database, commits):
    def full(connection):
        raise sqlite3.OperationalError("database or disk is full")

    written = [
        commits.submit(write, linger_s=0.05) for write in (insert(1), full, insert(2))
    ]
    for each in written:
        with pytest.raises(StoreError, match="make room"):
            each.result(10)
    assert lines(database) == []
    assert commits.submit(insert(5)).result(10) == 50, "it may be well again"


def test_closing_writes_what_came_and_takes_nothing_more(database):
    commits = GroupCommit(database)
    late = [commits.submit(insert(number), linger_s=60) for number in range(1200)]
    commits.close()
    assert [each.result(0) for each in late] == [number * 10 for number in range(1200)]
    with pytest.raises(StoreError, match="closed"):
        commits.submit(insert(9999))


def test_whoever_gives_up_waiting_does_not_undo_it(database, commits):
    async def story():
        written = awaited(commits.submit(insert(1), linger_s=0.05))
        written.cancel()
        await asyncio.sleep(0)

    asyncio.run(story())
    commits.submit(insert(2)).result(10)
    assert lines(database) == [1, 2]


def met(number: int) -> Observation:
    service = Service(
        kind="wms", endpoint=f"http://h{number}.test/wms", version="1.3.0", title=f"Rivers {number}",
        fingerprint=str(number), layers=(Layer(f"r{number}", "Rivers"),),
    )  # fmt: skip
    sighting = Sighting(service.id, service.endpoint, "", Via.LINK, "", NOON)
    return Observation(service, sighting, Check(service.id, NOON, True))


def test_what_was_awaited_is_on_disk_with_its_health(tmp_path):
    store = open_store(tmp_path / "a.db", SystemClock())

    async def story():
        return await asyncio.gather(
            *(store.catalogue.record([met(n % 30)]) for n in range(60))
        )

    told = asyncio.run(story())
    assert [recorded.is_new for (recorded,) in told] == [True] * 30 + [False] * 30
    # another connection sees only what is committed
    again = open_store(tmp_path / "a.db", SystemClock())
    assert again.catalogue.count() == (30, 30)
    assert all(
        assess(again.catalogue.checks(met(n).service.id)).state is HealthState.ALIVE
        for n in range(30)
    )
    assert len(again.catalogue.checks(met(0).service.id)) == 2
    again.close()
    store.close()


def test_what_a_stopped_worker_brought_is_written_all_the_same(tmp_path):
    store = open_store(tmp_path / "a.db", SystemClock())

    async def story():
        work = asyncio.ensure_future(store.catalogue.record([met(1)]))
        await asyncio.sleep(0)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(story())
    store.close()
    again = open_store(tmp_path / "a.db", SystemClock())
    assert again.catalogue.count() == (1, 1)
    again.close()


def test_log_requests_robots_and_catalogue_share_one_commit(tmp_path):
    store = open_store(tmp_path / "a.db", SystemClock())
    claim = store.tasks.claim(store.tasks.create(TaskSpec()).id, "somebody", 60)
    url = NewUrl(1, 1, 1, UrlState.PENDING, Candidate("http://a.test/"))
    request = RequestRecord(
        NOON, "a.test", "http://a.test/", 200, None, 9, 0.1, "192.0.2.1"
    )

    async def story():
        with store.database.write():  # the writer waits meanwhile
            before = _commits(store.database)
            together = [
                store.requests.record(claim.task, [request]),
                store.robots.keep([CachedRobots("http://a.test", b"x")]),
                store.log.append(claim, FrontierBatch([url])),
                store.catalogue.record([met(1)]),
            ]
        await asyncio.gather(*together)
        return _commits(store.database) - before

    assert asyncio.run(story()) <= 2, "one may be under way when the others come"
    assert [found.url for found in store.log.replay(claim.task)] == ["http://a.test/"]
    assert store.catalogue.count() == (1, 1)
    assert store.requests.hosts(claim.task) == {"a.test"}
    store.close()


def test_requests_of_many_visits_share_a_write(tmp_path):
    store = open_store(tmp_path / "c.db", SystemClock())

    async def story():
        asked = [
            RequestRecord(NOON, f"{n}.org", f"http://{n}.org/", 200, None, 10, 0.1, "")
            for n in range(50)
        ]
        await asyncio.gather(*{store.requests.record(1, [each]) for each in asked})
        assert store.requests.counts(1).requests == 50
        again = {store.requests.record(1, [each]) for each in asked}
        assert len(again) == 1, "all wait for one and the same write"
        await asyncio.gather(*again)
        assert store.requests.counts(1).requests == 100

    asyncio.run(story())
    store.close()
