"""A harvest by the real engine over a real store; the catalogue is a function from an address to an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from books import BOOK
from plain_order import PlainOrder
from plans import any_plan
from polite import policy

from geohound import plugins
from geohound.crawler.crawl_plan import CrawlParts
from geohound.crawler.engine import Crawl
from geohound.crawler.examiner import ExaminerParts, LocalExaminer
from geohound.frontier import FrontierLimits
from geohound.frontier.recovery import open_frontier
from geohound.mining.map_page import Explorer
from geohound.model.crawl.frontier import VisitRecord
from geohound.model.crawl.harvest import HarvestPage
from geohound.model.crawl.task import CrawlGoal, TaskSpec
from geohound.model.failure import FailureReason
from geohound.model.visit import Candidate, Failure, Purpose, Response, Via, Visit
from geohound.net.clock import SystemClock
from geohound.politeness import Politeness, TaskPoliteness
from geohound.stores.sqlite import open_store
from geohound.tasks.progress import Progress

NOW = datetime(2026, 1, 1, tzinfo=UTC)
Answer = Callable[[str], Visit | None]


def response(
    url: str, body: bytes | str, content_type: str = "", status: int = 200
) -> Response:
    data = body.encode() if isinstance(body, str) else body
    return Response(
        url,
        url,
        status,
        {"content-type": content_type} if content_type else {},
        data,
        NOW,
    )


class Answering:
    """A fetcher over a function; what it does not know is not found."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.asked: list[str] = []

    async def fetch(
        self,
        url: str,
        *,
        accept="*/*",
        max_bytes=None,
        follows=None,
        known=None,
        span=None,
    ) -> Visit:
        self.asked.append(url)
        await asyncio.sleep(0)
        found = self._answer(url)
        return (
            found
            if found is not None
            else response(url, "<html>not here</html>", "text/html", 404)
        )

    async def close(self) -> None: ...


def read_page(
    harvester: str, source: str, answer: Answer, cursor: bytes = b""
) -> HarvestPage | Failure:
    """One page, as a worker reads it."""
    part = plugins.discover("harvesters")[harvester]
    return asyncio.run(part.page(source, cursor, Answering(answer)))


class Harvested(NamedTuple):
    """What a harvest came to."""

    pages: list[VisitRecord]  # of the catalogue
    found: set[str]  # addresses that it proposed
    drops: dict[FailureReason, int]
    asked: list[str]


async def _crawl(
    store,
    web: Answering,
    task: int,
    first: Candidate | None,
    bounds: FrontierLimits,
    *,
    is_harvest: bool = False,
) -> dict[FailureReason, int]:
    patient = policy(retry_after_s=0.01, max_retry_after_s=600)
    hosts = TaskPoliteness(Politeness(SystemClock()), patient, SystemClock())
    frontier = open_frontier(store, task, bounds, hosts, PlainOrder())
    harvesters = plugins.discover("harvesters")
    plan = any_plan(task=task, is_harvest=is_harvest)

    async def no_sitemaps(_: str) -> list[str]:
        return []

    tools = ExaminerParts(
        web,
        plugins.discover("kinds"),
        BOOK,
        harvesters,
        Explorer(BOOK).explore,
        no_sitemaps,
    )
    examiner = LocalExaminer(plan, tools)
    parts = CrawlParts(
        examiner, frontier, store.requests, store.catalogue, PlainOrder(), BOOK, SystemClock(), patient, harvesters,
        robots=store.robots,
    )  # fmt: skip
    if first is not None:
        frontier.admit([first])
        await frontier.flush()
    await Crawl(plan, parts, Progress()).run()
    await frontier.flush()
    return dict(frontier.stats().drops)


def crawl(folder: Path, page: str, answer: Answer, *, is_harvest: bool) -> list[str]:
    """Crawl from a page, or harvest what stands behind it; all that was asked."""
    store = open_store(folder / "c.db", SystemClock())
    task = store.tasks.create(TaskSpec(CrawlGoal((page,)))).id
    web = Answering(answer)
    bounds = FrontierLimits(max_attempts=1, max_depth=0 if is_harvest else 5)
    first = Candidate(page, Via.SEED)
    asyncio.run(_crawl(store, web, task, first, bounds, is_harvest=is_harvest))
    store.close()
    return web.asked


def harvest(
    folder: Path,
    harvester: str,
    source: str,
    answer: Answer,
    *,
    cursor: bytes = b"",
    bounds: FrontierLimits | None = None,
) -> Harvested:
    """Harvest a source to its end."""
    store = open_store(folder / "c.db", SystemClock())
    task = store.tasks.create(TaskSpec(CrawlGoal((source,)))).id
    first = Candidate(
        source, Via.SEED, purpose=Purpose.HARVEST, harvester=harvester, cursor=cursor
    )
    web = Answering(answer)
    drops = asyncio.run(
        _crawl(
            store,
            web,
            task,
            first,
            bounds or FrontierLimits(max_attempts=3, max_depth=5),
        )
    )
    visits = list(store.tasks.visits(task))
    store.close()
    pages = [visit for visit in visits if visit.purpose is Purpose.HARVEST]
    found = {visit.url for visit in visits if visit.purpose is not Purpose.HARVEST}
    return Harvested(pages, found, drops, web.asked)
