"""Processes that read for a crawl: what comes back, and what is left when one dies."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest
from polite import NO_PAUSES

from geohound.crawler import pool as pool_module
from geohound.crawler.pool import ExaminerError, Pool
from geohound.model.job import Job, PageRead, Report
from geohound.model.visit import FailureReason, Link, Place
from geohound.net.clock import SystemClock
from geohound.politeness import Politeness, TaskPoliteness

COMMAND = [sys.executable, str(Path(__file__).with_name("fragile_reader.py"))]


def with_pool(story, processes: int = 2, setup: bytes = b"x"):
    async def run():
        clock = SystemClock()
        politeness = Politeness(clock)
        pool = Pool(COMMAND, setup, processes, TaskPoliteness(politeness, NO_PAUSES, clock).turns)
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
    async def story(pool: Pool) -> Report:
        return await pool.examine(Job("http://a.test/", depth=2))

    report = with_pool(story)
    assert isinstance(report.result, PageRead)
    assert report.result.links == (Link("http://a.test/x", "words", "more", Place.SITEMAP, False, 7),)
    assert report.status == 200


def test_a_site_stays_with_one_process_and_sites_are_spread_over_all() -> None:
    async def story(pool: Pool) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for page in range(3):
            for site in range(8):
                for host in ("www", "maps"):
                    report = await pool.examine(Job(f"http://{host}.s{site}.org/{page}"))
                    found.setdefault(f"s{site}", set()).add(reader(report))
        return found

    found = with_pool(story)
    assert {len(readers) for readers in found.values()} == {1}
    assert len(set.union(*found.values())) == 2


def test_a_page_that_ends_its_reader_is_dropped_and_its_neighbours_are_read_by_the_next() -> None:
    async def story(pool: Pool) -> list[Report]:
        urls = ["http://a.test/1", "http://a.test/bomb", *(f"http://a.test/{n}" for n in range(2, 30))]
        return await asyncio.gather(*(pool.examine(Job(url)) for url in urls))

    first, bomb, *others = with_pool(story, processes=1)
    assert bomb.failure is not None
    assert bomb.failure.reason is FailureReason.BUG
    assert all(report.failure is None and report.status == 200 for report in (first, *others))


def test_a_killed_process_is_replaced_and_nothing_is_lost() -> None:
    async def story(pool: Pool) -> tuple[str, str]:
        before = reader(await pool.examine(Job("http://a.test/1")))
        os.kill(int(before), signal.SIGKILL)
        after = reader(await pool.examine(Job("http://a.test/2")))
        return before, after

    before, after = with_pool(story, processes=1)
    assert before != after


def test_a_process_that_reads_without_end_is_ended(monkeypatch) -> None:
    monkeypatch.setattr(pool_module, "SILENCE_S", 2.5)

    async def story(pool: Pool) -> list[Report]:
        await pool.examine(Job("http://a.test/1"))
        urls = ("http://a.test/endless", "http://a.test/2")
        return await asyncio.gather(*(pool.examine(Job(url)) for url in urls))

    endless, other = with_pool(story, processes=1)
    assert endless.failure is not None
    assert endless.failure.reason is FailureReason.BUG
    assert other.status == 200


def test_what_the_crawl_gives_up_is_given_up_by_the_process_too() -> None:
    async def story(pool: Pool) -> Report:
        waiting = asyncio.create_task(pool.examine(Job("http://a.test/slow")))
        await pool.examine(Job("http://a.test/1"))
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        return await pool.examine(Job("http://a.test/2"))

    assert with_pool(story, processes=1).status == 200


def test_processes_that_cannot_begin_end_the_crawl_with_a_sentence() -> None:
    async def story(pool: Pool) -> Report:
        return await pool.examine(Job("http://a.test/"))

    with pytest.raises(ExaminerError, match="end as soon as they begin"):
        with_pool(story, setup=b"cannot")
