"""What every store of shards must do: links arrive once, a budget is never exceeded, the stale write nothing."""

from __future__ import annotations

import asyncio
from contextlib import closing
from datetime import UTC, datetime

import pytest
from fuzzing import fuzzed
from hypothesis import given
from hypothesis import strategies as st
from sql_stores import STORES, open_sql

from geohound.contracts import FencedError
from geohound.model.crawl.event import Warned
from geohound.model.crawl.frontier import FrontierBatch
from geohound.model.crawl.shard import ShardNumbers
from geohound.model.crawl.task import TaskFilter, TaskSpec, TaskState
from geohound.model.visit import Candidate, Purpose, Via
from geohound.stores.memory.frontier_log import MemoryFrontierLog
from geohound.stores.memory.shards import MemoryShards
from geohound.stores.memory.tasks import MemoryTasks

LINK = Candidate("http://b.test/", Via.LINK, "http://a.test/", "a \udcff clue", 0.5, 2)
HARVEST = Candidate(
    "http://b.test/csw",
    Via.HARVEST,
    purpose=Purpose.HARVEST,
    harvester="csw",
    cursor=b"\x00\xff",
)


class NoonClock:
    def now(self):
        return datetime(2026, 3, 1, 12, tzinfo=UTC)

    def monotonic(self):
        return 0.0


class MemoryStore:
    def __init__(self):
        self.tasks = MemoryTasks(NoonClock())
        self.shards = MemoryShards(self.tasks)
        self.log = MemoryFrontierLog(self.tasks, self.shards)

    def close(self):
        """Nothing is left of it anyway."""


def opened(name, folder):
    return MemoryStore() if name == "memory" else open_sql(name, folder, NoonClock())


@pytest.fixture(params=STORES)
def store(request, tmp_path):
    with closing(opened(request.param, tmp_path)) as store:
        yield store


def divided(store, count=3):
    """A task and its shards, all of them claimed."""
    whole = store.tasks.claim(store.tasks.create(TaskSpec()).id, "supervisor", 60.0)
    shards = store.shards.divide(whole, count)
    return whole, [store.tasks.claim(shard, "worker", 60.0) for shard in shards]


def send(store, claim, **batch):
    async def story():
        await store.log.append(claim, FrontierBatch(**batch))

    asyncio.run(story())


def test_a_task_is_divided_once_and_its_shards_are_no_tasks_of_their_own(store):
    whole, claims = divided(store)
    assert (
        store.shards.divide(whole, 7)
        == [claim.task for claim in claims]
        == store.shards.shards(whole.task)
    )
    (listed,) = store.tasks.list()
    assert (listed.id, listed.shards, listed.shard) == (whole.task, 3, None)
    parts = store.tasks.list(TaskFilter(parts=True))
    assert sorted(part.shard.number for part in parts) == [0, 1, 2]
    assert {part.shard.parent for part in parts} == {whole.task}
    assert {part.spec for part in parts} == {listed.spec}


def test_the_shards_of_a_task_and_what_happened_to_them_are_read_together(store):
    whole, claims = divided(store)
    other, _ = divided(store, 2)
    parts = store.tasks.list(TaskFilter(parent=whole.task))
    assert sorted(part.id for part in parts) == [claim.task for claim in claims]
    assert len(store.tasks.list(TaskFilter(parent=other.task))) == 2
    assert store.tasks.list(TaskFilter(parent=claims[0].task)) == []
    store.tasks.emit(claims[1], [Warned(f"warning {n}") for n in range(4)])
    after = {claims[0].task: 99, claims[1].task: 3, claims[2].task: 0}
    found = store.tasks.events_of(after)
    assert found.keys() == {claims[1].task, claims[2].task}
    for task, events in found.items():
        assert tuple(events) == store.tasks.events(task, after[task]).events
    assert sum(map(len, store.tasks.events_of(after, 4).values())) == 4
    assert store.tasks.events_of({}) == {}


def test_links_arrive_with_the_batch_that_settles_their_page_and_are_gone_once_acknowledged(
    store,
):
    whole, (one, two, _) = divided(store)
    target = store.tasks.get(two.task).shard
    send(store, one, sent={(whole.task, 1): [LINK, HARVEST]})
    (parcel,) = store.shards.receive(target, 10)
    assert parcel.links[1] == HARVEST
    assert (parcel.links[0].url, parcel.links[0].depth) == (LINK.url, 2)
    assert store.shards.numbers(whole.task).parcels == 1
    assert store.shards.receive(target, 10) == [parcel]  # read again after a kill
    store.shards.acknowledge(two, [parcel.number])
    assert store.shards.receive(target, 10) == []


def test_whoever_lost_its_shard_sends_acknowledges_and_is_granted_nothing(store):
    whole, (one, two, _) = divided(store)
    send(store, one, sent={(whole.task, 1): [LINK]})
    (parcel,) = store.shards.receive(store.tasks.get(two.task).shard, 1)
    for claim in (one, two):
        store.tasks.expire(claim)
        store.tasks.claim(claim.task, "another", 60.0)
    with pytest.raises(FencedError):
        send(store, one, sent={(whole.task, 1): [LINK]})
    with pytest.raises(FencedError):
        store.shards.acknowledge(two, [parcel.number])
    with pytest.raises(FencedError):
        store.shards.grant(two, 100, 10)
    with pytest.raises(FencedError):
        store.shards.note_idle(two, is_idle=True, has_more=False, used=0)
    assert store.shards.numbers(whole.task) == ShardNumbers(3, 0, 0, 1, 0)


def test_pages_that_an_idle_shard_did_not_use_go_to_others(store):
    whole, (one, two, three) = divided(store)
    assert [
        store.shards.grant(one, 25, 10),
        store.shards.grant(two, 25, 10),
        store.shards.grant(three, 25, 10),
    ] == [
        10,
        10,
        5,
    ]
    assert store.shards.grant(three, 25, 10) == 5
    store.shards.note_idle(three, is_idle=True, has_more=True, used=5)
    assert store.shards.numbers(whole.task) == ShardNumbers(3, 1, 1, 0, 25)
    store.shards.note_idle(one, is_idle=True, has_more=False, used=3)
    assert store.shards.numbers(whole.task) == ShardNumbers(3, 2, 1, 0, 18)
    assert store.shards.grant(three, 25, 10) == 12
    assert store.shards.numbers(whole.task).idle == 1  # it goes on


@pytest.mark.slow
@fuzzed(20)
@given(
    asked=st.lists(
        st.tuples(st.integers(0, 2), st.integers(1, 9), st.booleans()), max_size=25
    ),
    most=st.integers(0, 40),
    database=st.sampled_from(STORES),
)
def test_all_shards_together_never_have_more_pages_than_the_budget(
    tmp_path_factory, asked, most, database
):
    with closing(opened(database, tmp_path_factory.mktemp("budget"))) as store:
        whole, claims = divided(store)
        has = [0, 0, 0]
        for number, some, is_idle in asked:
            if is_idle:
                has[number] //= 2
                store.shards.note_idle(
                    claims[number], is_idle=True, has_more=False, used=has[number]
                )
            else:
                has[number] = store.shards.grant(claims[number], most, some)
            assert store.shards.numbers(whole.task).granted == sum(has) <= most


def test_a_task_is_deleted_with_its_shards_unless_one_of_them_runs(store):
    whole, claims = divided(store)
    send(store, claims[0], sent={(whole.task, 1): [LINK]})
    store.tasks.release(whole, TaskState.STOPPED, "stopped")
    assert not store.tasks.delete(whole.task)
    for claim in claims:
        store.tasks.release(claim, TaskState.STOPPED, "stopped")
    assert store.tasks.delete(whole.task)
    assert store.tasks.list(TaskFilter(parts=None)) == []
    assert store.shards.numbers(whole.task) == ShardNumbers(0, 0, 0, 0, 0)
