"""A task that is crawled in several runs, and one that begins without a network."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from books import BOOK
from plain_order import PlainOrder
from test_engine import NOW, SmallWeb, crawl, html, run

from geohound.crawler import engine
from geohound.model.crawl.event import Event, VisitEnded
from geohound.model.crawl.job import PageRead, Report
from geohound.model.crawl.task import TaskSpec
from geohound.model.failure import FailureReason
from geohound.model.visit import Candidate, Failure, Purpose, Response, Via
from geohound.net.clock import SystemClock
from geohound.stores.sqlite import open_store
from geohound.tasks.progress import Progress
from geohound.tasks.seeds import candidates as seeds_of


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "START_CHECK_S", 0.02)
    monkeypatch.setattr(engine, "START_PATIENCE_S", 1.5)


@pytest.mark.slow
def test_a_crawl_that_begins_without_a_network_is_interrupted_not_finished(
    impatient: None, tmp_path: Path
) -> None:
    done, store = run(tmp_path, SmallWeb({}))
    assert done.ending == "network lost"
    assert done.parts.frontier.stats().queued == 1, "the seed waits for the next run"
    assert done.final_drops == {}  # type: ignore[attr-defined]
    store.close()


def test_a_network_that_comes_soon_after_the_start_is_waited_for(
    impatient: None, tmp_path: Path
) -> None:
    web = SmallWeb({})
    answers = iter([FailureReason.UNREACHABLE, FailureReason.DNS])

    def at_last(url: str):
        reason = next(answers, None)
        return (
            Failure(url, reason, "", NOW) if reason else html("<a href=/b>b</a>")(url)
        )

    web.pages = {"http://a.test/": at_last, "http://a.test/b": html("b")}
    done, store = run(tmp_path, web)
    assert (done.ending, done.observer.pages) == ("finished", 2)
    assert not done.is_cut_off
    store.close()


def test_the_counts_of_a_task_go_on_over_its_runs_and_those_of_a_run_stand_beside_them() -> (
    None
):
    seconds = iter([100.0, 104.0, 200.0, 201.0])
    heard: list[Event] = []
    first = Progress(heard.append, now=lambda: next(seconds))
    first.begin()
    page = Candidate("http://a.test/")
    test = Candidate("http://a.test/wms", Via.SCRIPT, purpose=Purpose.PROBE)
    for candidate in (page, test):
        first.on_report(
            candidate,
            Report(PageRead(), 200, asked=1, bytes=10, hosts=frozenset({"a.test"})),
        )
    before = first.summary()
    assert before["run"]["pages"] == before["pages"] == 1
    assert heard == [
        VisitEnded("http://a.test/", "page", 200, "", 0, 0.0),
        VisitEnded("http://a.test/wms", "probe", 200, "", 0, 0.0),
    ]

    second = Progress(now=lambda: next(seconds))
    second.go_on(before, visits=1, hosts={"a.test"})
    second.begin()
    report = Report(PageRead(), 200, asked=2, bytes=5, hosts=frozenset({"b.test"}))
    second.on_report(Candidate("http://b.test/"), report)
    now = second.summary()
    assert (
        now["pages"],
        now["visits"],
        now["requests"],
        now["bytes"],
        now["hosts"],
    ) == (2, 2, 4, 25, 2)
    assert (now["elapsed_s"], now["pages_per_s"]) == (5.0, 0.4)
    assert now["run"] == {
        "pages": 1,
        "requests": 2,
        "services": 0,
        "elapsed_s": 1.0,
        "pages_per_s": 1.0,
    }
    assert now["ways"]["script"]["tested"] == 1


def test_what_a_kill_cost_the_counts_is_not_given_to_the_budget() -> None:
    resumed = Progress()
    resumed.go_on({"visits": 3, "pages": 3}, visits=9, hosts=set())
    assert resumed.visits == 9


def test_width_is_how_many_segments_of_ten_seeds_are_taken_up() -> None:
    seeds = tuple(f"http://s{i}.test/" for i in range(25))
    taken = {
        width: [c.url for c in seeds_of(seeds, PlainOrder(), BOOK, width)]
        for width in (0, 1, 2, 9)
    }
    assert [len(taken[width]) for width in (0, 1, 2, 9)] == [25, 10, 20, 25]
    assert taken[1] == list(seeds[:10])


def test_a_crawl_that_is_cancelled_leaves_nothing_running(tmp_path: Path) -> None:
    class Endless(SmallWeb):
        async def fetch(self, url: str, **_: object) -> Response:
            await asyncio.sleep(60)
            raise AssertionError(url)

    async def story() -> set[str]:
        store = open_store(tmp_path / "c.db", SystemClock())
        running = asyncio.create_task(
            crawl(store, Endless({}), store.tasks.create(TaskSpec()).id)
        )
        await asyncio.sleep(0.3)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        left = {task.get_coro().__qualname__ for task in asyncio.all_tasks()} - {
            "story"
        }
        store.close()
        return {name for name in left if name.startswith("Crawl.")}

    assert asyncio.run(story()) == set()
