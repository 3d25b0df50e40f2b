"""A crawl with its task: begun, gone on with, and told about."""

from __future__ import annotations

import asyncio
import math
import pickle
import sys
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from geohound import urls
from geohound.contracts import Examiner, Order
from geohound.crawler.engine import Crawl
from geohound.crawler.follow import Fence
from geohound.crawler.plan import Parts, Plan
from geohound.crawler.pool import Pool
from geohound.frontier import Bounds, open_frontier
from geohound.model.bbox import BBox
from geohound.model.exposition import exposition
from geohound.model.task import (
    UNFINISHED,
    Budget,
    Checkpoint,
    Claim,
    CrawlGoal,
    Ending,
    Policy,
    Scope,
    TaskSpec,
    TaskState,
    Wanted,
)
from geohound.model.visit import Candidate, Via
from geohound.net.clock import SystemClock
from geohound.net.scrape import offer
from geohound.orders.polarhub import SEEDS_PER_SEGMENT
from geohound.settings import Settings, SettingsError
from geohound.stores.sqlite import Store, StoreError, VisitRecord
from geohound.tasks.claiming import BEAT_S, TTL_S, claim_task
from geohound.urls.clue import looks_like_service

from .browser import browsing
from .examiner import fetcher, harvesters, local_examiner, politeness_policy, process_count
from .parts import open_house, open_known_house, orders, sorter

SAVE_EVERY_S = 5.0
MAX_REASONS = 6  # that are told of a link


def _examiner(settings: Settings, plan: Plan) -> Examiner:
    processes = process_count(settings)
    if processes == 1:
        return local_examiner(settings, plan)
    browsing(settings)
    fetcher(settings)  # what is wrong with the settings had better be said by this process
    setup = pickle.dumps((settings, plan, processes))
    return Pool([sys.executable, "-m", "geohound.worker"], setup, processes)


def crawl_spec(
    settings: Settings,
    seeds: tuple[str, ...],
    scope: Scope = Scope.ANY,
    kinds: tuple[str, ...] = (),
    bbox: tuple[float, float, float, float] | None = None,
) -> TaskSpec:
    """A crawl as these settings describe it, to be stored with its task."""
    said = asdict(settings)
    goal = {field.name: said[field.name] for field in fields(CrawlGoal) if field.name in said}
    budget = {field.name: said[field.name] for field in fields(Budget)}
    policy = {field.name: said[field.name] for field in fields(Policy)}
    return TaskSpec(CrawlGoal(seeds, scope, kinds, bbox, **goal), Budget(**budget), Policy(**policy))


def for_task(settings: Settings, spec: TaskSpec, given: Budget) -> Settings:
    """The settings of today with what was asked of the task; `given` is the budget of this run where it differs.

    Networks of today come before those of the task: the machine may have changed. Politeness is always today's.
    """
    known = {field.name for field in fields(Settings)}
    asked = {**asdict(spec.goal), **asdict(spec.budget), **_said(given)}
    networks = {name: value for name, value in asdict(spec.policy).items() if not getattr(settings, name)}
    told = {name: value for name, value in (asked | networks).items() if name in known and value is not None}
    return replace(settings, **told)


def _said(budget: Budget) -> dict[str, Any]:
    return {name: value for name, value in asdict(budget).items() if value is not None}


class RunningCrawl:
    """A crawl with its task: knows its numbers and saves them as it goes."""

    def __init__(self, crawl: Crawl, store: Store, parts: Parts, settings: Settings, claim: Claim) -> None:
        self._crawl = crawl
        self._claim = claim
        self._store = store
        self._parts = parts
        self._metrics_port = settings.metrics_port
        self._learned = settings.learned
        self.task = crawl.plan.task

    async def run(self) -> None:
        saving = asyncio.create_task(self._save_regularly())
        beating = asyncio.create_task(self._beat())
        scraped = await self._offer_metrics() if self._metrics_port else None
        try:
            await self._crawl.run()
        finally:
            saving.cancel()
            beating.cancel()
            if scraped is not None:
                scraped.close()
            self.save()
            self._keep_learned()
        finished = self._parts.frontier.due_in() is None
        state = TaskState.DONE if finished else TaskState.STOPPED
        self._store.tasks.release(self._claim, state, Ending(self._crawl.progress.ending))

    async def _offer_metrics(self) -> asyncio.Server:
        try:
            return await offer(self.metrics, self._metrics_port)
        except OSError as error:
            raise SettingsError(
                f"Port {self._metrics_port} cannot be used for metrics: {error.strerror}. Choose another metrics_port."
            ) from None

    def _keep_learned(self) -> None:
        """Leave what was learned for the next crawl, where the user names a file for it."""
        if self._learned:
            Path(self._learned).expanduser().write_bytes(self._parts.order.state())

    def stop(self) -> None:
        self._crawl.stop()

    def save(self) -> None:
        self._store.tasks.save(self._claim, Checkpoint(self.summary(), self._parts.order.state()))

    def summary(self) -> dict[str, Any]:
        """The numbers so far, those of the whole task; `run` has those of this run."""
        progress = self._crawl.progress
        elapsed = self._parts.clock.monotonic() - progress.started if progress.started else 0.0
        told = progress.summary(elapsed)
        numbers = self._parts.frontier.stats()
        told["drops"] = {str(reason): n for reason, n in Counter(numbers.drops).most_common() if n}
        waiting = numbers.queued
        return told | {
            "queue": waiting,
            "task": self.task,
            "finished": waiting == 0,
            "in_flight": self._crawl.in_flight,
            "fetchers": self._crawl.crews[False].size,
            "testers": self._crawl.crews[True].size,
            "cut_off": progress.is_cut_off,
        }

    def metrics(self) -> str:
        """The numbers as Prometheus reads them."""
        return exposition(self._crawl.progress.metrics(self.summary()))

    @property
    def pids(self) -> list[int]:
        """The processes that read pages for this crawl, beside this one."""
        examiner = self._parts.examiner
        return examiner.pids if isinstance(examiner, Pool) else []

    async def _beat(self) -> None:
        """Keep the claim, and stop where that is wanted."""
        while True:
            await asyncio.sleep(BEAT_S)
            if await asyncio.to_thread(self._store.tasks.renew, self._claim, TTL_S) is not Wanted.RUN:
                self.stop()

    async def _save_regularly(self) -> None:
        while True:
            await asyncio.sleep(SAVE_EVERY_S)
            self.save()


@asynccontextmanager
async def crawling(
    settings: Settings,
    task: int,
    listener: Callable[[dict[str, Any]], None] | None = None,
    given: Budget = Budget(),  # noqa: B008 - frozen
) -> AsyncIterator[RunningCrawl]:
    """A crawl ready to run, from its seeds or from where it was left."""
    with closing(open_house(settings)) as store:
        claim = claim_task(store.tasks, task, SystemClock().now)
        row = store.tasks.get(task)
        if row is None:
            raise StoreError(f"There is no task {task} in {settings.catalogue}.")
        store.tasks.want(task, Wanted.RUN)
        left = store.tasks.checkpoint(task)
        settings, goal = for_task(settings, row.spec, given), row.spec.goal
        order = _order(settings, left.order_state)
        frontier = open_frontier(store, row.id, _bounds(settings), order)
        plan = replace(_plan(settings, goal, row.id), counts_links=order.counts_links)
        examiner = _examiner(settings, plan)
        parts = Parts(
            examiner, frontier, store.catalogue, order, SystemClock(), politeness_policy(settings),
            frozenset(harvesters()), sorter(settings).classify, store.robots if settings.obey_robots else None,
        )  # fmt: skip
        crawl = Crawl(plan, parts, listener)
        if left.counters:
            crawl.progress.go_on(left.counters, frontier.stats().pages, store.hosts_that_answered(row.id))
        frontier.admit(_seeds(goal.seeds, order, settings.max_width))
        await frontier.flush()
        try:
            yield RunningCrawl(crawl, store, parts, settings, claim)
        finally:
            await frontier.close()
            await examiner.close()


def new_task(settings: Settings, spec: TaskSpec) -> int:
    """Keep what is asked for; whoever asks also runs it."""
    with closing(open_house(settings)) as store:
        return store.tasks.create(spec, TaskState.STOPPED).id


def _order(settings: Settings, state: bytes) -> Order:
    """The order of this crawl with what it has learned, here or in another crawl."""
    order = orders()[settings.order].fresh()
    if state:
        try:
            order.restore(state)
        except ValueError:  # of another version of Geohound: learned anew
            order = order.fresh()
    if settings.learned:
        _take_over(order, settings, is_resumed=bool(state))
    return order


def _take_over(order: Order, settings: Settings, *, is_resumed: bool) -> None:
    """Begin with what an earlier crawl has learned; said before anything is crawled, if the file will not do."""
    path = Path(settings.learned).expanduser()
    if not order.state():
        raise SettingsError(f"The order {settings.order!r} learns nothing: leave --learned out, or take another order.")
    if not path.parent.is_dir() or path.is_dir():
        raise SettingsError(f"{settings.learned} cannot be written at the end of the crawl; name another file.")
    if is_resumed or not path.exists():
        return
    try:
        order.restore(path.read_bytes())
    except (ValueError, OSError, zlib.error):
        raise SettingsError(
            f"{settings.learned} holds nothing that the order {settings.order!r} has learned; name another file."
        ) from None


def _seeds(seeds: tuple[str, ...], order: Order, max_width: int) -> list[Candidate]:
    taken = seeds[: max_width * SEEDS_PER_SEGMENT] if max_width else seeds
    scored = ((url, order.seed(url, place)) for place, url in enumerate(taken))
    return [
        Candidate(url, Via.SEED, score=score, probe=looks_like_service(url))
        for url, score in scored
        if score > -math.inf
    ]


def _bounds(settings: Settings) -> Bounds:
    return Bounds(
        max_depth=settings.max_depth,
        max_pages_per_depth=settings.max_pages_per_depth or None,
        max_pages_per_host=settings.max_pages_per_host,
        max_hosts_per_domain=settings.max_hosts_per_domain,
        max_pages_per_pattern=settings.max_pages_per_pattern,
        max_probes_per_pattern=settings.max_pages_per_pattern,
        host_delay_s=settings.host_delay_s,
        max_attempts=settings.retries + 1,
    )


def _plan(settings: Settings, goal: CrawlGoal, task: int) -> Plan:
    return Plan(
        task=task,
        max_pages=settings.max_pages,
        max_time_s=settings.max_time_s,
        fetchers=settings.fetchers,
        testers=settings.testers,
        max_page_bytes=settings.max_page_bytes,
        max_service_bytes=settings.max_service_bytes,
        kinds=frozenset(goal.kinds),
        bbox=BBox(*goal.bbox) if goal.bbox else None,
        fence=Fence.around(goal.scope, list(goal.seeds)),
    )


def unfinished_task(settings: Settings, task: int | None) -> int | None:
    """The task to go on with: the one named if it is not done, else the latest unfinished one."""
    store = open_known_house(settings)
    try:
        found = store.tasks.get(task) if task else next(iter(store.tasks.list(UNFINISHED)), None)
        return found.id if found and found.state is not TaskState.DONE else None
    finally:
        store.close()


def visits(settings: Settings, task: int | None, *, why: bool = False) -> Iterator[dict[str, Any]]:
    """What became of each URL of a task, the last one by default (PH-5), and what spoke for it if wanted."""
    store = open_known_house(settings)
    try:
        known = [row.id for row in store.tasks.list()]
        number = task if task is not None else next(iter(known), 0)
        row = store.tasks.get(number)
        if row is None:
            there = f"There is no task {number}" if task is not None else "There has been no crawl"
            raise StoreError(f"{there} in {settings.catalogue}.")
        then = replace(settings, order=row.spec.goal.order or settings.order, learned="")
        order = _order(then, store.tasks.checkpoint(number).order_state) if why else None
        for visit in store.tasks.visits(number):
            told = asdict(visit) | {"at": visit.at.isoformat(timespec="seconds")}
            yield told | {"why": _reasons(order, visit)} if order is not None else told
    finally:
        store.close()


def _reasons(order: Order, visit: VisitRecord) -> list[dict[str, Any]]:
    """What spoke for a URL and against it, weightiest first, by what its order has learned up to now."""
    if visit.via is Via.SEED:
        return [{"what": "seed", "weight": round(visit.score, 3)}]
    found = Candidate(visit.url, visit.via, visit.parent, visit.clue, visit.score, visit.depth, visit.probe)
    return [{"what": what, "weight": round(weight, 3)} for what, weight in order.explain(found)[:MAX_REASONS]]


def requests(settings: Settings, host: str, limit: int = 0) -> list[dict[str, Any]]:
    """Every request that was made to a host, or to the host of a URL, the latest first."""
    host = urls.host(host) if "://" in host else host
    store = open_known_house(settings)
    try:
        return [
            made._asdict() | {"at": made.at.isoformat(timespec="milliseconds")} for made in store.requests(host, limit)
        ]
    finally:
        store.close()
