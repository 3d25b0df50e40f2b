"""Processes that read for a crawl: what comes back, and what is left when one dies."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest
from polite import NO_PAUSES

from geohound.crawler.workers import pool as pool_module
from geohound.crawler.workers.pool import ExaminerError, WorkerPool
from geohound.model.crawl.job import Job, PageRead, Report
from geohound.model.failure import FailureReason
from geohound.model.visit import Link, LinkPlace
from geohound.net.clock import SystemClock
from geohound.politeness import Politeness, TaskPoliteness

COMMAND = [sys.executable, str(Path(__file__).with_name("fragile_reader.py"))]


def with_pool(story, processes: int = 2, setup: bytes = b"x"):
    async def run():
        clock = SystemClock()
        politeness = Politeness(clock)
        pool = WorkerPool(
            COMMAND,
            setup,
            processes,
            TaskPoliteness(politeness, NO_PAUSES, clock).turns,
        )
        try:
            return await asyncio.wait_for(story(pool), 60)
        finally:
            await pool.close()
            assert not pool.pids

    return asyncio.run(run())


def reader(report: Report) -> str:
    assert isinstance(report.result, PageRead)
    assert report.result.page is not None
    return report.result.page.title


def test_a_report_comes_back_whole() -> None:
    async def story(pool: WorkerPool) -> Report:
        return await pool.examine(Job("http://a.test/", depth=2))

    report = with_pool(story)
    assert isinstance(report.result, PageRead)
    assert report.result.links == (
        Link("http://a.test/x", "words", "more", LinkPlace.SITEMAP, False, 7),
    )
    assert report.status == 200


@pytest.mark.slow
def test_a_site_stays_with_one_process_and_sites_are_spread_over_all() -> None:
    async def story(pool: WorkerPool) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for page in range(3):
            for site in range(8):
                for host in ("www", "maps"):
                    report = await pool.examine(
                        Job(f"http://{host}.s{site}.org/{page}")
                    )
                    found.setdefault(f"s{site}", set()).add(reader(report))
        return found

    found = with_pool(story)
    assert {len(readers) for readers in found.values()} == {1}
    assert len(set.union(*found.values())) == 2


@pytest.mark.slow
def test_a_page_that_ends_its_reader_is_dropped_and_its_neighbours_are_read_by_the_next() -> (
    None
):
    async def story(pool: WorkerPool) -> list[Report]:
        urls = [
            "http://a.test/1",
            "http://a.test/bomb",
            *(f"http://a.test/{n}" for n in range(2, 30)),
        ]
        return await asyncio.gather(*(pool.examine(Job(url)) for url in urls))

    first, bomb, *others = with_pool(story, processes=1)
    assert bomb.failure is not None
    assert bomb.failure.reason is FailureReason.BUG
    assert all(
        report.failure is None and report.status == 200 for report in (first, *others)
    )


@pytest.mark.slow
def test_a_killed_process_is_replaced_and_nothing_is_lost() -> None:
    async def story(pool: WorkerPool) -> tuple[str, str]:
        before = reader(await pool.examine(Job("http://a.test/1")))
        os.kill(int(before), signal.SIGKILL)
        after = reader(await pool.examine(Job("http://a.test/2")))
        return before, after

    before, after = with_pool(story, processes=1)
    assert before != after


@pytest.mark.slow
def test_a_page_that_was_being_read_when_somebody_killed_its_process_is_read_by_the_next() -> (
    None
):
    """WBC-9, Alqaraleh, Ramadan & Salamah 2015, section 2.3, property 6: the work of a dead crawler goes to another."""

    async def story(pool: WorkerPool) -> list[Report]:
        await pool.examine(Job("http://a.test/1"))
        (pid,) = pool.pids
        busy = [
            asyncio.create_task(pool.examine(Job(f"http://a.test/nap/{n}")))
            for n in range(3)
        ]
        await asyncio.sleep(0.3)
        os.kill(pid, signal.SIGKILL)
        return await asyncio.gather(*busy)

    reports = with_pool(story, processes=1)
    assert [report.status for report in reports] == [200, 200, 200]


@pytest.mark.slow
def test_sites_are_divided_anew_where_the_work_of_one_process_piles_up() -> None:
    """WBC-9, section 2.3, property 7: if a frontier holds a large number of addresses, they are re-divided."""

    async def story(pool: WorkerPool) -> tuple[set[str], set[str]]:
        sites = [f"s{n}.org" for n in range(40)]
        before = {
            site: reader(await pool.examine(Job(f"http://{site}/1"))) for site in sites
        }
        one = before[sites[0]]
        crowded = [site for site in sites if before[site] == one]
        waiting = [
            asyncio.create_task(pool.examine(Job(f"http://{crowded[0]}/slow/{n}")))
            for n in range(20)
        ]
        await asyncio.sleep(0)
        moved = {
            reader(await pool.examine(Job(f"http://{site}/2"))) for site in crowded[1:5]
        }
        stayed = {reader(await pool.examine(Job(f"http://{crowded[0]}/2")))}
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        return moved - {one}, stayed - {one}

    moved, stayed = with_pool(story)
    assert len(moved) == 1
    assert not stayed, "a site that is being asked stays where its connections are"


@pytest.mark.slow
def test_a_process_that_reads_without_end_is_ended(monkeypatch) -> None:
    monkeypatch.setattr(pool_module, "SILENCE_S", 2.5)

    async def story(pool: WorkerPool) -> list[Report]:
        await pool.examine(Job("http://a.test/1"))
        urls = ("http://a.test/endless", "http://a.test/2")
        return await asyncio.gather(*(pool.examine(Job(url)) for url in urls))

    endless, other = with_pool(story, processes=1)
    assert endless.failure is not None
    assert endless.failure.reason is FailureReason.BUG
    assert other.status == 200


def test_what_the_crawl_gives_up_is_given_up_by_the_process_too() -> None:
    async def story(pool: WorkerPool) -> Report:
        waiting = asyncio.create_task(pool.examine(Job("http://a.test/slow")))
        await pool.examine(Job("http://a.test/1"))
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        return await pool.examine(Job("http://a.test/2"))

    assert with_pool(story, processes=1).status == 200


def test_processes_that_cannot_begin_end_the_crawl_with_a_sentence() -> None:
    async def story(pool: WorkerPool) -> Report:
        return await pool.examine(Job("http://a.test/"))

    with pytest.raises(ExaminerError, match="end as soon as they begin"):
        with_pool(story, setup=b"cannot")
