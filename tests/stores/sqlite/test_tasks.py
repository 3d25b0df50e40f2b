"""What a catalogue file of before says of its tasks, and what deleting a task leaves."""

import asyncio
import gzip
import sqlite3
from pathlib import Path

import orjson
from frontiers import open_with_delay

from geohound.frontier import FrontierLimits
from geohound.model.catalogue import Observation
from geohound.model.crawl.event import ServiceFound
from geohound.model.crawl.task import (
    Budget,
    CrawlGoal,
    Ending,
    Policy,
    Scope,
    TaskSpec,
    TaskState,
    Wanted,
)
from geohound.model.service import Service, Sighting
from geohound.model.visit import Candidate, Via
from geohound.stores.sqlite import open_store

BEFORE = Path(__file__).parents[1] / "captures" / "catalogue-v6.db.gz"
STORED = {
    "settings": {
        "order": "fifo", "learned": "", "max_depth": 3, "max_pages": 40, "connect_to": ["*.test=127.0.0.1:1"],
        "allow_nets": [], "host_delay_s": 0.5, "user_agent": "Yesterday/1",
    },
    "ask": {"scope": "host", "kinds": ["wms"], "bbox": [1.0, 2.0, 3.0, 4.0]},
}  # fmt: skip


def test_the_tasks_of_a_catalogue_of_version_6_are_what_was_asked_for(tmp_path, clock):
    (tmp_path / "c.db").write_bytes(gzip.decompress(BEFORE.read_bytes()))
    with sqlite3.connect(tmp_path / "c.db") as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (6,)
        ((task,),) = connection.execute("SELECT id FROM task").fetchall()
        connection.execute(
            "UPDATE task SET settings = ?, seeds = ?, state = 'stopped'",
            (orjson.dumps(STORED), orjson.dumps(["http://a.test/"])),
        )
        connection.execute(
            "UPDATE progress SET counters = ?",
            (orjson.dumps({"ended": "page budget"}),),
        )
    connection.close()
    store = open_store(tmp_path / "c.db", clock)
    found = store.tasks.get(task)
    goal = CrawlGoal(
        ("http://a.test/",), Scope.HOST, ("wms",), (1.0, 2.0, 3.0, 4.0), "fifo", "", 3
    )
    assert found.spec == TaskSpec(
        goal, Budget(max_pages=40), Policy(("*.test=127.0.0.1:1",))
    )
    assert (found.state, found.ending, found.wanted) == (
        TaskState.STOPPED,
        Ending.PAGE_BUDGET,
        Wanted.RUN,
    )
    assert [event.event.state for event in store.tasks.events(task).events] == [
        TaskState.STOPPED
    ]
    assert store.tasks.claim(task, "one", 30.0) is not None
    store.close()


def test_deleting_a_task_deletes_its_log_and_leaves_services_and_other_tasks(
    tmp_path, clock
):
    async def crawl(task):
        frontier = open_with_delay(store, task, FrontierLimits())
        frontier.admit([Candidate("http://a.test/", found_on="http://b.test/")])
        await frontier.flush()

    store = open_store(tmp_path / "c.db", clock)
    first, second = (store.tasks.create(TaskSpec()).id for _ in range(2))
    for task in (first, second):
        asyncio.run(crawl(task))
    service = Service("wms", "http://a.test/wms")
    sighting = Sighting(
        service.id, service.endpoint, "", Via.LINK, "", clock.now(), first
    )
    store.catalogue.record_now([Observation(service, sighting)])
    assert store.tasks.delete(first)
    assert store.catalogue.get(service.id) is not None
    store.close()
    with sqlite3.connect(tmp_path / "c.db") as connection:
        for table, column in (
            ("url", "id >> 32"),
            ("source", "id >> 32"),
            ("event", "task"),
            ("claim", "task"),
        ):
            left = connection.execute(
                f"SELECT DISTINCT {column} FROM {table}"
            ).fetchall()
            assert left == [(second,)], table
    connection.close()


def test_an_event_may_hold_what_no_file_can(tmp_path, clock):
    store = open_store(tmp_path / "c.db", clock)
    task = store.tasks.create(TaskSpec()).id
    claim = store.tasks.claim(task, "one", 30.0)
    store.tasks.emit(
        claim,
        [
            ServiceFound(
                "1", "http://a.test/", "wms", "lone \ud800 surrogate", 1, 1, 0.5
            )
        ],
    )
    (*_, last) = store.tasks.events(task).events
    assert last.event.title == "lone ? surrogate"
    store.close()
