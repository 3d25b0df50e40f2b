"""A crawl with its task: begun, gone on with, and told about."""

from __future__ import annotations

import math
import pickle
import sys
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import asdict, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from geohound import urls
from geohound.contracts import Examiner, Order, TaskStore
from geohound.crawler.engine import Crawl
from geohound.crawler.follow import Fence
from geohound.crawler.plan import Parts, Plan
from geohound.crawler.pool import Pool
from geohound.frontier import Bounds
from geohound.frontier.opening import open_frontier
from geohound.model.bbox import BBox
from geohound.model.frontier import VisitRecord
from geohound.model.service import Service
from geohound.model.task import (
    UNFINISHED,
    Budget,
    Claim,
    CrawlGoal,
    Policy,
    Scope,
    Task,
    TaskSpec,
    TaskState,
)
from geohound.model.visit import Candidate, Purpose, Via
from geohound.net.clock import SystemClock
from geohound.net.scrape import offer
from geohound.orders.polarhub import SEEDS_PER_SEGMENT
from geohound.politeness import TaskPoliteness
from geohound.settings import Settings, SettingsError
from geohound.stores.sqlite import Store, StoreError
from geohound.tasks import seeds
from geohound.tasks.crawling import CrawlWork
from geohound.tasks.feed import Feed, Listener
from geohound.tasks.progress import Progress
from geohound.tasks.recounting import recount
from geohound.tasks.runner import TaskRunner
from geohound.urls.clue import looks_like_service

from .browser import browsing
from .examiner import fetcher, harvesters, local_examiner, politeness_policy, process_count
from .hosts import task_hosts
from .parts import follower, open_house, open_known_house, orders, sorter

MAX_REASONS = 6  # that are told of a link


def _examiner(settings: Settings, plan: Plan, hosts: TaskPoliteness) -> Examiner:
    processes = process_count(settings)
    if processes == 1:
        return local_examiner(settings, plan, hosts.turns())
    browsing(settings)
    fetcher(settings)  # what is wrong with the settings had better be said by this process
    setup = pickle.dumps((settings, plan, processes))
    return Pool([sys.executable, "-m", "geohound.worker"], setup, processes, hosts.turns)


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


@asynccontextmanager
async def _crawl(
    store: Store, settings: Settings, given: Budget, task: Task, claim: Claim, feed: Feed
) -> AsyncIterator[CrawlWork]:
    """A crawl ready to run, from its seeds or from where it was left."""
    left = store.tasks.checkpoint(task.id)
    settings, goal = for_task(settings, task.spec, given), task.spec.goal
    unreached = partial(seeds.unreached, store.log, task.id, len(goal.seeds))
    await seeds.try_again(store.log, claim, unreached())
    order = _order(settings, left.order_state)
    async with task_hosts(settings) as hosts:
        frontier = open_frontier(store, task.id, _bounds(settings), hosts, order, claim)
        plan = replace(_plan(settings, goal, task.id), counts_links=order.counts_links)
        examiner = _examiner(settings, plan, hosts)
        parts = Parts(
            examiner, frontier, store.requests, store.catalogue, order, SystemClock(), politeness_policy(settings),
            frozenset(harvesters()), sorter(settings).classify, store.robots if settings.obey_robots else None,
        )  # fmt: skip
        counted = Progress(feed.add)
        if claim.epoch > 1:
            was_killed = task.finished_at is None
            counters = recount(store, task.id, left.counters) if was_killed else left.counters
            counted.go_on(counters, frontier.stats().pages, store.requests.hosts(task.id))
        crawl = Crawl(plan, parts, counted, counted.visits)
        frontier.admit(_seeds(goal.seeds, order, settings.max_width))
        await frontier.flush()
        pids = examiner.pids if isinstance(examiner, Pool) else ()
        work = CrawlWork(crawl, counted, unreached, pids, settings.learned, hosts)
        try:
            async with _offered(work.metrics, settings.metrics_port):
                yield work
        finally:
            try:
                await frontier.flush()
            finally:
                await examiner.close()


@asynccontextmanager
async def _offered(metrics: Callable[[], str], port: int) -> AsyncIterator[None]:
    """The numbers for Prometheus, where the settings name a port for them."""
    if not port:
        yield
        return
    try:
        server = await offer(metrics, port)
    except OSError as error:
        raise SettingsError(
            f"Port {port} cannot be used for metrics: {error.strerror}. Choose another metrics_port."
        ) from None
    try:
        yield
    finally:
        server.close()


@contextmanager
def task_runner(
    settings: Settings,
    listener: Listener | None = None,
    given: Budget = Budget(),  # noqa: B008 - frozen
) -> Iterator[tuple[TaskRunner, TaskStore]]:
    """Runs tasks of the catalogue in this process; `given` is the budget of this run where it is not the task's."""
    with closing(open_house(settings)) as store, follower(store):
        build = partial(_crawl, store, settings, given)
        yield TaskRunner(store.tasks, build, SystemClock(), listener), store.tasks


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
        Candidate(url, Via.SEED, score=score, purpose=Purpose.PROBE if looks_like_service(url) else Purpose.PAGE)
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
            met = store.services_seen_at(visit.url) if visit.services else ()
            told = asdict(visit) | {"at": visit.at.isoformat(timespec="seconds"), "met": [_met(s) for s in met]}
            told["probe"] = visit.purpose is not Purpose.PAGE
            del told["number"]
            yield told | {"why": _reasons(order, visit)} if order is not None else told
    finally:
        store.close()


def _met(service: Service) -> dict[str, Any]:
    """A service that a visit proved: what it is, and the middle of its box where it has one."""
    box = service.extent.box if service.extent else None
    if box is None:
        return {"id": service.id, "kind": service.kind, "latitude": None, "longitude": None}
    latitude, longitude = (box.south + box.north) / 2, box.west + box.width / 2
    around = longitude - 360 if longitude > 180 else longitude
    return {"id": service.id, "kind": service.kind, "latitude": round(latitude, 6), "longitude": round(around, 6)}


def _reasons(order: Order, visit: VisitRecord) -> list[dict[str, Any]]:
    """What spoke for a URL and against it, weightiest first, by what its order has learned up to now."""
    if visit.via is Via.SEED:
        return [{"what": "seed", "weight": round(visit.score, 3)}]
    found = Candidate(visit.url, visit.via, visit.parent, visit.clue, visit.score, visit.depth, visit.purpose)
    return [{"what": what, "weight": round(weight, 3)} for what, weight in order.explain(found)[:MAX_REASONS]]


def requests(settings: Settings, host: str, limit: int = 0) -> list[dict[str, Any]]:
    """Every request that was made to a host, or to the host of a URL, the latest first."""
    host = urls.host(host) if "://" in host else host
    store = open_known_house(settings)
    try:
        found = store.requests.to_host(host, limit)
        return [made._asdict() | {"at": made.at.isoformat(timespec="milliseconds")} for made in found]
    finally:
        store.close()
