"""A crawl of a web of a few pages held in a dictionary, with a real store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from books import BOOK
from plain_order import PlainOrder
from plans import any_plan
from polite import policy

from geohound import plugins
from geohound.contracts import Follows
from geohound.crawler.crawl_plan import CrawlParts
from geohound.crawler.engine import Crawl
from geohound.crawler.examiner import ExaminerParts, LocalExaminer
from geohound.frontier import FrontierLimits
from geohound.frontier.recovery import open_frontier
from geohound.mining.map_page import Explorer
from geohound.model.crawl.task import CrawlGoal, TaskSpec
from geohound.model.failure import FailureReason
from geohound.model.service import Service
from geohound.model.visit import Candidate, Failure, Response, Visit
from geohound.net.clock import SystemClock
from geohound.politeness import Politeness, TaskPoliteness
from geohound.stores.sqlite import Store, open_store
from geohound.tasks.progress import Progress
from geoweb import Request, ServiceSpec, services

NOW = datetime(2026, 1, 1, tzinfo=UTC)
WMS = ServiceSpec("wms", "1.3.0", 5, "http://gis.test/ows", topic="rivers")
Answer = Callable[[str], Visit]


def html(body: str, status: int = 200, **headers: str) -> Answer:
    def answer(url: str) -> Visit:
        named = {
            "content-type": "text/html",
            **{k.replace("_", "-"): v for k, v in headers.items()},
        }
        body_of_it = f"<html>{body} {url}</html>".encode()
        return Response(url, url, status, named, body_of_it, NOW, address="192.0.2.7")

    return answer


def service(spec: ServiceSpec) -> Answer:
    def answer(url: str) -> Visit:
        head, _, query = url.partition("?")
        path = "/" + head.split("/", 3)[3]
        reply = services.answer(spec, Request("GET", "gis.test", path, query))
        assert reply is not None
        return Response(
            url,
            url,
            reply.status,
            {"content-type": reply.content_type},
            reply.body,
            NOW,
        )

    return answer


class SmallWeb:
    """A fetcher over a dictionary: exact address, else the address without its query."""

    def __init__(self, pages: dict[str, Answer]) -> None:
        self.pages = pages
        self.asked: list[str] = []
        self.follows: list[Follows | None] = []

    async def fetch(
        self, url: str, *, accept="*/*", max_bytes=None, follows=None, known=None
    ) -> Visit:
        self.asked.append(url)
        self.follows.append(follows)
        await asyncio.sleep(0)
        answer = self.pages.get(url) or self.pages.get(url.partition("?")[0])
        if answer is None and any(
            page.split("/")[2] == url.split("/")[2] for page in self.pages
        ):
            answer = html("no such page", 404)
        return (
            answer(url)
            if answer
            else Failure(url, FailureReason.DNS, "no such host", NOW)
        )

    async def close(self) -> None: ...


async def no_sitemaps(url: str) -> list[str]:
    return []


def no_topics(service: Service) -> list[tuple[str, str]]:
    return []


SEED = "http://a.test/"
NEAR = FrontierLimits(max_attempts=3, max_depth=5)


async def crawl(
    store: Store,
    web: SmallWeb,
    task: int,
    kinds=None,
    order=None,
    bounds=NEAR,
    *,
    seed=SEED,
    begun=(),
    topics_of=no_topics,
    **plan,
) -> Crawl:
    order = order or PlainOrder()
    patient = policy(retry_after_s=0.01, max_retry_after_s=600)
    hosts = TaskPoliteness(Politeness(SystemClock()), patient, SystemClock())
    frontier = open_frontier(store, task, bounds, hosts, order)
    harvesters = plugins.discover("harvesters")
    asked = any_plan(task=task, **plan)
    tools = ExaminerParts(
        web, kinds or plugins.discover("kinds"), BOOK, harvesters, Explorer(BOOK).explore, no_sitemaps,
    )  # fmt: skip
    examiner = LocalExaminer(asked, tools)
    parts = CrawlParts(
        examiner, frontier, store.requests, store.catalogue, order, BOOK, SystemClock(), patient,
        harvesters, robots=store.robots, topics_of=topics_of, kept_pages=store.kept_pages,
    )  # fmt: skip
    running = Crawl(asked, parts, Progress())
    frontier.admit([*begun] or [Candidate(seed)])
    await frontier.flush()
    await running.run()
    running.final_drops = frontier.stats().drops  # type: ignore[attr-defined]
    await frontier.flush()
    return running


def run(tmp_path: Path, web: SmallWeb, kinds=None, **plan) -> tuple[Crawl, Store]:
    store = open_store(tmp_path / "c.db", SystemClock())
    task = store.tasks.create(TaskSpec(CrawlGoal(("http://a.test/",)))).id
    return asyncio.run(crawl(store, web, task, kinds, **plan)), store
