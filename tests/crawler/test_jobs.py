"""What a job brings to a worker, which has no database to look things up."""

from __future__ import annotations

import asyncio
import pickle
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from loopback import serving
from plans import any_plan

from geohound.app import task_politeness
from geohound.crawler.job_maker import Jobs
from geohound.crawler.workers.pool import WorkerPool
from geohound.model.crawl.job import CachedRobots, Job, Report
from geohound.model.failure import FailureReason
from geohound.model.service import KnownProofs
from geohound.model.visit import Candidate, Purpose, Via
from geohound.settings import Settings

ROBOTS = {
    "http://a.test": b"Disallow: /",
    "https://www.a.test": b"Disallow: /x",
    "http://b.test": b"",
}


class Cache:
    """A catalogue and a cache of robots.txt that remember what they were asked for."""

    def __init__(self) -> None:
        self.origins: list[str] = []
        self.urls: list[str] = []

    def cached(self, origins) -> list[CachedRobots]:
        self.origins += origins
        return [
            CachedRobots(origin, ROBOTS[origin], 60.0)
            for origin in origins
            if origin in ROBOTS
        ]

    def known_at(self, url: str) -> KnownProofs:
        self.urls.append(url)
        return KnownProofs(endpoints=frozenset({url}))


class Examiner:
    restarts = 0


@pytest.fixture
def made() -> tuple[Jobs, Cache, Examiner]:
    cache, examiner = Cache(), Examiner()
    return Jobs(cache, cache, examiner), cache, examiner  # type: ignore[arg-type]


def test_the_robots_txt_of_a_host_travels_once_with_and_without_www(
    made: tuple[Jobs, Cache, Examiner],
) -> None:
    jobs, cache, examiner = made
    first = jobs.make(Candidate("http://a.test/x"))
    assert {read.origin for read in first.robots} == {
        "http://a.test",
        "https://www.a.test",
    }
    asked = len(cache.origins)
    assert jobs.make(Candidate("http://a.test/y")).robots == ()
    assert len(cache.origins) == asked
    examiner.restarts += 1
    assert jobs.make(Candidate("http://a.test/z")).robots == first.robots, (
        "a new process has to learn it again"
    )


def test_what_is_known_of_a_service_travels_with_its_probe(
    made: tuple[Jobs, Cache, Examiner],
) -> None:
    jobs, cache, _ = made
    job = jobs.make(
        Candidate("http://a.test/ows", Via.SCRIPT, depth=2, purpose=Purpose.PROBE)
    )
    assert (job.url, job.purpose, job.depth, job.is_file) == (
        "http://a.test/ows",
        Purpose.PROBE,
        2,
        True,
    )
    assert job.known.endpoints == {"http://a.test/ows"}
    assert cache.urls == ["http://a.test/ows"]


@contextmanager
def site() -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<html>a page</html>")

        def log_message(self, *_: object) -> None: ...

    with serving(Handler) as origin:
        yield origin, asked


def examined(settings: Settings, *jobs: Job) -> list[Report]:
    """By a process as a crawl starts it, which says what it imports."""

    async def run() -> list[Report]:
        setup = pickle.dumps((settings, any_plan(), 2))
        pool = WorkerPool(
            [sys.executable, "-X", "importtime", "-m", "geohound.worker"],
            setup,
            1,
            task_politeness(settings).turns,
        )
        try:
            return [await asyncio.wait_for(pool.examine(job), 60) for job in jobs]
        finally:
            await pool.close()

    return asyncio.run(run())


@pytest.mark.slow
def test_a_worker_has_no_database(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    catalogue = tmp_path / "c.db"
    settings = Settings(catalogue=str(catalogue), allow_nets=("127.0.0.0/8",))
    with site() as (origin, _):
        (report,) = examined(settings, Job(f"{origin}/"))
    assert report.status == 200
    imported = {
        line.rpartition("|")[2].strip()
        for line in capfd.readouterr().err.splitlines()
        if "|" in line
    }
    assert "geohound.crawler.examiner" in imported
    names_only = {"geohound.stores", "geohound.stores.address"}
    assert not {
        name
        for name in imported - names_only
        if "sqlite" in name or name.startswith("geohound.stores")
    }
    assert not catalogue.exists(), "it is made by whoever opens it"


@pytest.mark.slow
def test_a_worker_obeys_the_robots_txt_of_its_job_and_asks_for_none(
    tmp_path: Path,
) -> None:
    settings = Settings(catalogue=str(tmp_path / "c.db"), allow_nets=("127.0.0.0/8",))
    with site() as (origin, asked):
        robots = (CachedRobots(origin, b"User-agent: *\nDisallow: /no", 60.0),)
        refused, read = examined(
            settings, Job(f"{origin}/no", robots=robots), Job(f"{origin}/yes")
        )
    assert refused.failure is not None
    assert refused.failure.reason is FailureReason.ROBOTS
    assert read.status == 200
    assert asked == ["/yes"]


@pytest.mark.slow
def test_a_worker_sends_back_the_robots_txt_that_it_read(tmp_path: Path) -> None:
    settings = Settings(catalogue=str(tmp_path / "c.db"), allow_nets=("127.0.0.0/8",))
    with site() as (origin, _):
        (report,) = examined(settings, Job(f"{origin}/"))
    assert [(read.origin, read.age_s) for read in report.robots] == [(origin, 0.0)]
