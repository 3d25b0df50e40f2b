"""What every check queue must do, whatever database is behind it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sql_stores import STORES, open_sql

from geohound.contracts import FencedError
from geohound.model.catalogue import Observation
from geohound.model.crawl.shard import Shard
from geohound.model.crawl.task import Claim, TaskSpec
from geohound.model.health import Check, HealthState
from geohound.model.monitoring.revisit import (
    EndedLook,
    LookStats,
    PageProof,
    StateStep,
)
from geohound.model.service import Service, Sighting
from geohound.model.visit import Purpose, Validators, Via
from geohound.stores.memory.catalogue import MemoryCatalogue
from geohound.stores.memory.check_queue import MemoryCheckQueue
from geohound.stores.memory.tasks import MemoryTasks

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
A = Service("wms", "http://a.test/wms", title="A", fingerprint="a")
B = Service("wfs", "http://a.test/wfs", title="B", fingerprint="b")
C = Service("wms", "http://c.test/wms", title="C", fingerprint="c")
FIRST = {Purpose.CHECK: 3600.0}


class NoonClock:
    def now(self):
        return NOON

    def monotonic(self):
        return 0.0


class Rig:
    def __init__(self, queue, catalogue, tasks):
        self.queue, self.catalogue, self.tasks = queue, catalogue, tasks
        self.claim = tasks.claim(tasks.create(TaskSpec()).id, "me", 60.0)

    def put(self, service, page="", at=NOON):
        met = Sighting(service.id, service.endpoint, page, Via.LINK, "", at)
        run(
            self.catalogue.record,
            [Observation(service, met, Check(service.id, at, True))],
        )

    def settle(self, *ended, claim=None):
        return run(self.queue.settle, claim or self.claim, ended)


def run(call, *arguments):
    async def story():
        return await call(*arguments)

    return asyncio.run(story())


@pytest.fixture(params=STORES)
def rig(request, tmp_path):
    clock = NoonClock()
    if request.param == "memory":
        catalogue, tasks = MemoryCatalogue(), MemoryTasks(clock)
        yield Rig(MemoryCheckQueue(catalogue, tasks), catalogue, tasks)
        return
    store = open_sql(request.param, tmp_path, clock)
    yield Rig(store.check_queue, store.catalogue, store.tasks)
    store.close()


def targets(found):
    return [each.target for each in found]


def test_services_of_the_catalogue_are_enrolled_once(rig):
    rig.put(A)
    rig.put(C)
    assert rig.queue.enrol(FIRST) == 2
    assert rig.queue.enrol(FIRST) == 0
    assert rig.queue.when(A.id) == NOON + HOUR
    assert rig.queue.when("0" * 16) is None


def test_a_service_that_nobody_has_checked_is_due_at_once(rig):
    rig.put(A)
    run(
        rig.catalogue.record,
        [Observation(C, Sighting(C.id, C.endpoint, "", Via.SEED, "", NOON))],
    )
    rig.queue.enrol(FIRST)
    assert (rig.queue.when(A.id), rig.queue.when(C.id)) == (NOON + HOUR, NOON)


def test_pages_that_named_services_are_enrolled_where_that_is_asked_for(rig):
    rig.put(A, "http://page.test/")
    rig.put(B, "http://page.test/")
    assert rig.queue.enrol({**FIRST, Purpose.PAGE: 0.0}) == 3
    (page,) = rig.queue.due("page.test", NOON, 10)
    assert (page.purpose, page.target) == (Purpose.PAGE, "http://page.test/")
    assert sorted(targets(rig.queue.services())) == sorted([A.id, B.id])


def test_what_is_due_is_given_host_by_host_the_longest_overdue_first(rig):
    for service, minutes in ((A, 5), (B, 9), (C, 7)):
        rig.put(service, at=NOON - timedelta(minutes=minutes))
    rig.queue.enrol(FIRST)
    then = NOON + HOUR - timedelta(minutes=7)
    assert rig.queue.count_due(NOON) == 0
    assert rig.queue.hosts(NOON, 10) == []
    assert rig.queue.next_due() == NOON + HOUR - timedelta(minutes=9)
    assert list(rig.queue.hosts(then, 10)) == ["a.test", "c.test"]
    assert list(rig.queue.hosts(then, 1)) == ["a.test"]
    assert targets(rig.queue.due("a.test", then, 10)) == [B.id]
    assert targets(rig.queue.due("a.test", NOON + HOUR, 10)) == [B.id, A.id]
    assert targets(rig.queue.due("a.test", NOON + HOUR, 1)) == [B.id]


def test_a_look_is_settled_with_its_check_and_its_next_time(rig):
    rig.put(A)
    rig.queue.enrol(FIRST)
    stats = LookStats(1, 0, 0.0, 60.0, 1, 0)
    failed = Check(A.id, NOON + HOUR, False, "not found: HTTP 404")
    (step,) = rig.settle(
        EndedLook(Purpose.CHECK, A.id, NOON + 2 * HOUR, NOON + HOUR, stats, (failed,))
    )
    assert step == StateStep(HealthState.ALIVE, HealthState.UNSURE)
    assert [check.ok for check in rig.catalogue.checks(A.id)] == [True, False]
    (due,) = rig.queue.due("a.test", NOON + 2 * HOUR, 10)
    assert (due.looked_at, due.stats) == (NOON + HOUR, stats)
    assert rig.queue.count_due(NOON + HOUR) == 0


def test_what_is_put_off_was_not_looked_at(rig):
    rig.put(A)
    rig.queue.enrol(FIRST)
    rig.settle(EndedLook(Purpose.CHECK, A.id, NOON + 3 * HOUR))
    (due,) = rig.queue.services()
    assert (due.due_at, due.looked_at, due.stats) == (
        NOON + 3 * HOUR,
        None,
        LookStats(),
    )
    assert len(rig.catalogue.checks(A.id)) == 1


def test_hastened_are_those_that_nobody_looked_at_since(rig):
    rig.put(A)
    rig.put(C)
    rig.queue.enrol(FIRST)
    rig.settle(EndedLook(Purpose.CHECK, A.id, NOON + 9 * HOUR, NOON + HOUR))
    rig.queue.hasten(NOON + HOUR)
    assert list(rig.queue.hosts(NOON + HOUR, 10)) == ["c.test"]
    rig.queue.hasten(NOON + 2 * HOUR)
    assert rig.queue.count_due(NOON + 2 * HOUR) == 2


def test_the_numbers_of_a_host_are_the_sums_over_its_services(rig):
    for service in (A, B, C):
        rig.put(service)
    rig.queue.enrol(FIRST)
    for service in (A, B, C):
        stats = LookStats(2, 1, 30.0, 70.0, 0, 1)
        rig.settle(EndedLook(Purpose.CHECK, service.id, NOON + HOUR, NOON, stats))
    assert rig.queue.of_host("a.test") == LookStats(4, 2, 60.0, 140.0, 0, 2)
    assert rig.queue.of_host("nobody.test") == LookStats()


def test_of_two_looks_at_the_same_time_one_counts(rig):
    rig.put(A)
    rig.queue.enrol(FIRST)
    stats = LookStats(1, 0, 0.0, 60.0, 0, 0)
    good = Check(A.id, NOON + HOUR, True)
    first = EndedLook(
        Purpose.CHECK,
        A.id,
        NOON + 9 * HOUR,
        NOON + HOUR,
        stats,
        (good,),
        looks_before=0,
    )
    second = EndedLook(
        Purpose.CHECK,
        A.id,
        NOON + 5 * HOUR,
        NOON + HOUR,
        stats,
        (good,),
        looks_before=0,
    )
    assert rig.settle(first, second) == [
        StateStep(HealthState.ALIVE, HealthState.ALIVE),
        None,
    ]
    assert rig.settle(second) == [None]
    assert len(rig.catalogue.checks(A.id)) == 2, "the one of the crawl and one look"
    assert rig.queue.when(A.id) == NOON + 9 * HOUR


def test_who_lost_the_task_settles_nothing(rig):
    rig.put(A)
    rig.queue.enrol(FIRST)
    stale = Claim(rig.claim.task, "me", rig.claim.epoch - 1)
    ended = EndedLook(
        Purpose.CHECK, A.id, NOON, NOON, met=(Check(A.id, NOON, False, "gone"),)
    )
    with pytest.raises(FencedError):
        rig.settle(ended, claim=stale)
    assert len(rig.catalogue.checks(A.id)) == 1
    assert rig.queue.when(A.id) == NOON + HOUR


def test_a_divided_queue_shows_each_host_to_one_shard_and_all_to_nobody_else(rig):
    hosts = [f"h{n}.test" for n in range(40)]
    for host in hosts:
        rig.put(Service("wms", f"http://{host}/wms", title=host, fingerprint=host))
    rig.put(Service("wms", "http://maps.h0.test/wms", title="more", fingerprint="m"))
    shards = [rig.queue.of(Shard(1, number, 3)) for number in range(3)]
    assert shards[2].enrol(FIRST) == 41  # of all shards, whichever asks
    late = NOON + 2 * HOUR
    seen = [set(shard.hosts(late, 100)) for shard in shards]
    assert sorted(host for of in seen for host in of) == sorted(
        [*hosts, "maps.h0.test"]
    )
    assert min(map(len, seen)) >= 5
    assert any({"h0.test", "maps.h0.test"} <= of for of in seen)
    assert sum(shard.count_due(late) for shard in shards) == 41
    assert [len(list(shard.services())) for shard in shards] == [
        shard.count_due(late) for shard in shards
    ]
    assert all(shard.next_due() == NOON + HOUR for shard in shards)
    assert len(rig.queue.of(None).hosts(late, 100)) == 41


def test_by_what_a_page_is_recognised_is_kept_until_the_next_look(rig):
    rig.put(A, "http://page.test/")
    rig.queue.enrol({Purpose.PAGE: 0.0})
    proof = PageProof(Validators('"7"', "Sun, 01 Mar 2026 11:00:00 GMT"), NOON)
    page = EndedLook(Purpose.PAGE, "http://page.test/", NOON, NOON, LookStats(1))
    rig.settle(replace(page, proof=proof))
    assert [due.proof for due in rig.queue.due("page.test", NOON, 1)] == [proof]
    rig.settle(EndedLook(Purpose.PAGE, "http://page.test/", NOON))
    assert [due.proof for due in rig.queue.due("page.test", NOON, 1)] == [proof]
    rig.settle(page)
    assert [due.proof for due in rig.queue.due("page.test", NOON, 1)] == [None]
