"""Those who follow a task get each event once and in order, and cost the store one reader however many they are."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import aclosing
from typing import Any

import pytest

from geohound.model.crawl.event import EventPage, Warned
from geohound.model.crawl.task import Claim, Ending, TaskSpec, TaskState, Wanted
from geohound.net.clock import SystemClock
from geohound.portal import task_events
from geohound.portal.task_events import TaskEvents, TooManyFollowersError
from geohound.stores.memory.tasks import MemoryTasks
from geohound.tasks.claiming import this_process
from geohound.tasks.control import TaskControl


class CountingControl(TaskControl):
    reads = 0

    def events(self, task: int, after: int = 0, limit: int = 1000) -> EventPage:
        self.reads += 1
        return super().events(task, after, limit)


class Rig:
    """A store with a running task, and whoever hands out its events."""

    def __init__(self) -> None:
        self.tasks = MemoryTasks(SystemClock())
        self.control = CountingControl(self.tasks)
        self.events = TaskEvents(self.control)
        self.task = self.tasks.create(TaskSpec()).id
        self.claim = self.claimed()

    def claimed(self, holder: str = "") -> Claim:
        claim = self.tasks.claim(self.task, holder or str(this_process()), 30.0)
        assert claim is not None
        return claim

    def happen(self, times: int = 1) -> None:
        self.tasks.emit(self.claim, [Warned("so it is")] * times)

    def end(self, state: TaskState = TaskState.DONE) -> None:
        self.tasks.release(self.claim, state, Ending.FINISHED)

    async def follow(self, after: int = 0) -> list[int]:
        return [
            event.n
            async for batch in self.events.follow(self.task, after)
            for event in batch
        ]


@pytest.fixture(autouse=True)
def swift(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_events, "POLL_S", 0.02)


def told(story: Callable[[Rig], Coroutine[Any, Any, None]]) -> None:
    async def whole() -> None:
        async with asyncio.timeout(20):
            await story(Rig())

    asyncio.run(whole())


def test_all_who_follow_get_all_events_and_share_one_reader() -> None:
    async def story(rig: Rig) -> None:
        following = [asyncio.create_task(rig.follow()) for _ in range(50)]
        for _ in range(20):
            rig.happen(3)
            await asyncio.sleep(0.03)
        rig.end()
        assert await asyncio.gather(*following) == [list(range(1, 64))] * 50
        # Two reads for each of twenty bursts, some in between; fifty readers of their own would need thousands.
        assert rig.control.reads < 200

    told(story)


@pytest.mark.slow
def test_who_is_slow_or_comes_late_misses_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(task_events, "MAX_RECENT", 10)
    monkeypatch.setattr(task_events, "PAGE", 25)

    async def slowly(rig: Rig) -> list[int]:
        found = []
        async for batch in rig.events.follow(rig.task, 0):
            found += [event.n for event in batch]
            await asyncio.sleep(0.1)
        return found

    async def story(rig: Rig) -> None:
        first = asyncio.create_task(rig.follow())
        slow = asyncio.create_task(slowly(rig))
        for _ in range(10):
            rig.happen(30)
            await asyncio.sleep(0.03)
        late = asyncio.create_task(rig.follow(100))
        rig.end()
        whole = list(range(1, 304))
        assert await asyncio.gather(first, slow, late) == [whole, whole, whole[100:]]

    told(story)


def test_a_pause_is_not_the_end_and_a_stop_is() -> None:
    async def story(rig: Rig) -> None:
        following = asyncio.create_task(rig.follow())
        rig.tasks.want(rig.task, Wanted.PAUSE)
        rig.end(TaskState.PAUSED)
        await asyncio.sleep(0.2)
        assert not following.done()
        rig.tasks.want(rig.task, Wanted.RUN)
        rig.claim = rig.claimed()
        rig.end(TaskState.STOPPED)
        assert await following == [
            1,
            2,
            3,
            4,
            5,
            6,
        ]  # queued, running, paused, queued, running, stopped

    told(story)


def test_a_task_whose_process_was_killed_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def story(rig: Rig) -> None:
        rig.tasks.expire(rig.claim)
        # of a process that is gone
        rig.claimed(str(this_process()._replace(started="1")))
        following = asyncio.create_task(rig.follow())
        await asyncio.sleep(0.2)
        assert not following.done(), "another process may take it up"
        monkeypatch.setattr(task_events, "KILLED_S", 0.1)
        assert await following == [1, 2, 3], "nobody has"

    told(story)


def test_where_nothing_comes_a_sign_of_life_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(task_events, "HEARTBEAT_S", 0.1)

    async def story(rig: Rig) -> None:
        async with aclosing(rig.events.follow(rig.task, 2)) as batches:
            assert [await anext(batches) for _ in range(3)] == [(), (), ()]

    told(story)


def test_a_task_that_is_deleted_is_at_its_end() -> None:
    async def story(rig: Rig) -> None:
        rig.end(TaskState.PAUSED)
        following = asyncio.create_task(rig.follow())
        await asyncio.sleep(0.1)
        rig.tasks.delete(rig.task)
        assert await following == [1, 2, 3]

    told(story)


def test_a_reader_ends_with_the_last_who_follows() -> None:
    async def story(rig: Rig) -> None:
        following = [asyncio.create_task(rig.follow()) for _ in range(3)]
        await asyncio.sleep(0.1)
        for each in following:
            each.cancel()
        await asyncio.gather(*following, return_exceptions=True)
        await asyncio.sleep(0.05)
        before = rig.control.reads
        await asyncio.sleep(0.2)
        assert rig.control.reads == before
        assert not rig.events._readers

    told(story)


def test_whoever_waits_hears_of_the_next_event_or_that_there_was_none() -> None:
    """PH-15: the client-pull of PolarHub (Li, Wang & Bhatia 2016), section 4.3.2, by long polling."""

    async def story(rig: Rig) -> None:
        loop = asyncio.get_running_loop()
        assert [
            event.n for event in (await rig.events.wait(rig.task, 0, 30)).events
        ] == [1, 2]
        waiting = asyncio.create_task(rig.events.wait(rig.task, 2, 30))
        await asyncio.sleep(0.1)
        rig.happen()
        assert [event.n for event in (await waiting).events] == [3]
        began = loop.time()
        assert (await rig.events.wait(rig.task, 3, 0.3)).events == ()
        assert 0.3 <= loop.time() - began < 5

    told(story)


def test_only_so_many_may_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_events, "MAX_FOLLOWERS", 2)

    async def story(rig: Rig) -> None:
        first, _ = rig.events.place(), rig.events.place()
        with pytest.raises(TooManyFollowersError):
            rig.events.place()
        with pytest.raises(TooManyFollowersError):
            await rig.events.wait(rig.task, 2, 30)
        assert (await rig.events.wait(rig.task, 2, 0)).events == (), (
            "who does not wait needs no place"
        )
        first.leave()
        first.leave()
        rig.events.place()
        with pytest.raises(TooManyFollowersError):
            rig.events.place()

    told(story)


def test_one_visitor_cannot_take_all_places() -> None:
    async def story(rig: Rig) -> None:
        places = [rig.events.place("ada") for _ in range(task_events.MOST_OF_VISITOR)]
        with pytest.raises(TooManyFollowersError):
            rig.events.place("ada")
        with pytest.raises(TooManyFollowersError):
            await rig.events.wait(rig.task, 2, 30, "ada")
        rig.events.place("bob")
        places[0].leave()
        rig.events.place("ada")

    told(story)


def test_all_who_follow_are_sent_away_when_the_portal_ends() -> None:
    async def story(rig: Rig) -> None:
        closing = False
        rig.events.is_closing = lambda: closing
        following = [asyncio.create_task(rig.follow()) for _ in range(3)]
        waiting = asyncio.create_task(rig.events.wait(rig.task, 2, 60))
        await asyncio.sleep(0.1)
        closing = True
        assert await asyncio.gather(*following) == [[1, 2]] * 3
        assert (await waiting).events == ()

    told(story)


def test_who_is_hinted_of_events_looks_at_once_and_otherwise_now_and_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(task_events, "POLL_S", 60.0)

    async def story(rig: Rig) -> None:
        rig.events.is_hinted = lambda: True
        following = asyncio.create_task(rig.follow())
        await asyncio.sleep(0.1)
        reads = rig.control.reads
        for _ in range(5):
            rig.happen()
            await asyncio.to_thread(rig.events.heard, ["task 77", f"task {rig.task}"])
            await asyncio.sleep(0.05)
        assert rig.control.reads >= reads + 5
        reads = rig.control.reads
        await asyncio.to_thread(rig.events.heard, ["task 77"])
        await asyncio.sleep(0.05)
        assert rig.control.reads == reads
        monkeypatch.setattr(task_events, "HINTED_POLL_S", 0.02)
        await asyncio.to_thread(rig.events.heard, ["*"])
        rig.happen()  # and nobody hints
        rig.end()
        assert await following == list(range(1, 10))

    told(story)
