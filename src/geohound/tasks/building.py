"""Builds a crawl that a runner can run, from its seeds or from where it was left, out of parts that it is given."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from geohound.contracts import (
    CatalogueStore,
    Clock,
    DataFileStore,
    Examiner,
    Fetcher,
    FrontierLog,
    Harvester,
    KeptPages,
    KnowledgeStore,
    Order,
    RequestLog,
    RobotsCache,
    SearchCache,
    Searcher,
    ShardStore,
    TaskStore,
    WatchedSiteStore,
)
from geohound.crawler import harvesting, link_scoring
from geohound.crawler.crawl_plan import CrawlParts, Plan
from geohound.crawler.engine import Crawl
from geohound.crawler.observer import CrawlObserver
from geohound.crawler.workers.pool import WorkerPool
from geohound.frontier import Frontier
from geohound.frontier.recovery import open_frontier
from geohound.frontier.shard_frontier import ShardFrontier
from geohound.model.crawl.shard import Shard
from geohound.model.crawl.task import Budget, Claim, Task, TaskKind
from geohound.model.location import HostLocation
from geohound.model.service import Service
from geohound.model.visit import Candidate
from geohound.politeness import PolitenessPolicy, TaskPoliteness, Turns
from geohound.settings import Settings, SettingsError
from geohound.urls.address_book import AddressBook

from . import seeds
from .crawling import CrawlWork
from .event_feed import EventFeed
from .order_state import learned_order
from .progress import Progress
from .recounting import recount
from .shard_work import ShardParts, ShardWork
from .spec import bounds_of, for_task, plan_of, share_of

if TYPE_CHECKING:
    from .hunts.hunt import Hunt
    from .hunts.work import HuntWork

MAX_RECALLED = 100_000  # addresses of services that the catalogue has


class CrawlStore(Protocol):
    """What a crawl needs of a store."""

    @property
    def clock(self) -> Clock: ...
    @property
    def log(self) -> FrontierLog: ...
    @property
    def tasks(self) -> TaskStore: ...
    @property
    def requests(self) -> RequestLog: ...
    @property
    def catalogue(self) -> CatalogueStore: ...
    @property
    def robots(self) -> RobotsCache: ...
    @property
    def files(self) -> DataFileStore: ...
    @property
    def kept_pages(self) -> KeptPages: ...
    @property
    def watched_sites(self) -> WatchedSiteStore: ...
    @property
    def searches(self) -> SearchCache: ...
    @property
    def knowledge(self) -> KnowledgeStore: ...
    @property
    def shards(self) -> ShardStore: ...


@dataclass(frozen=True, slots=True)
class HuntParts:
    """What hunts are built from, beside their crawl."""

    searchers: Callable[[Settings], Mapping[str, Searcher]]
    fetcher: Callable[[Settings, Turns], Fetcher]  # for requests to search providers


@dataclass(frozen=True, slots=True)
class CrawlBuilder:
    """What crawls are built from, and the settings of this process."""

    settings: Settings
    given: Budget | None  # of this run, where it is not the task's
    store: CrawlStore
    order: Callable[[Settings], Order]  # as the settings of a task ask for it
    book: AddressBook
    # with the recipes that the settings name
    harvesters: Callable[[Settings], Mapping[str, Harvester]]
    topics_of: Callable[[Service], Sequence[tuple[str, str]]]
    policy: Callable[[Settings], PolitenessPolicy]
    # turns at hosts for one task
    hosts: Callable[[Settings], AbstractAsyncContextManager[TaskPoliteness]]
    examiner: Callable[[Settings, Plan, TaskPoliteness], Examiner]
    offer_metrics: Callable[[Callable[[], bytes], int], Awaitable[asyncio.Server]]
    hunting: HuntParts
    locate: Callable[[str, str], HostLocation | None]  # where a host stands

    @asynccontextmanager
    async def build(
        self, task: Task, claim: Claim, feed: EventFeed
    ) -> AsyncIterator[CrawlWork | HuntWork | ShardWork]:
        """A crawl ready to run."""
        store, goal = self.store, task.spec.goal
        left = store.tasks.checkpoint(task.id)
        whole = for_task(self.settings, task.spec, self.given or Budget())
        settings = share_of(whole, task.shard) if task.shard else whole
        harvesters = self.harvesters(settings)
        missed = partial(seeds.missed, store.log, task.id, task.spec, harvesters)
        await seeds.try_again(
            store.log, claim, [visit for visits in missed() for visit in visits]
        )
        order = learned_order(self.order(settings), left.order_state, settings.learned)
        if order.has_terms and settings.learn_from_catalogue and not left.order_state:
            order.recall(store.catalogue.met_at(MAX_RECALLED))
        # before what waits is scored
        begun = seeds.candidates(goal.seeds, order, self.book, _width(settings, task))
        async with self.hosts(settings) as hosts:
            is_hunt = task.spec.kind is TaskKind.HUNT
            bounds = replace(
                bounds_of(settings, ranks_hosts=order.ranks_hosts), holds_links=is_hunt
            )
            frontier = open_frontier(store, task.id, bounds, hosts, order, claim)
            plan = plan_of(settings, task, counts_links=order.counts_links)
            # Published orders run as published: they ask for what somebody names.
            plan = replace(
                plan, likely_addresses=plan.likely_addresses and order.ranks_hosts
            )
            examiner = self.examiner(settings, plan, hosts)
            counted = Progress(feed.add)
            if claim.epoch > 1:
                self._go_on(counted, task, left.counters, frontier)
            hunt = (
                self._hunt(settings, task, left.counters, hosts, (order, counted, feed))
                if is_hunt
                else None
            )
            observer: CrawlObserver = hunt.observer if hunt else counted
            crawl = Crawl(
                plan,
                self._parts(settings, examiner, frontier, order, harvesters),
                observer,
                counted.visits,
            )
            _begin(
                frontier, begun, harvesters=harvesters, plan=plan, named=goal.harvester
            )
            await frontier.flush()
            pids = examiner.pids if isinstance(examiner, WorkerPool) else ()
            crawling = CrawlWork(crawl, counted, missed, pids, settings.learned, hosts)
            admit = partial(_admit_found, frontier, harvesters, plan)
            work: CrawlWork | HuntWork | ShardWork = (
                _hunting(crawling, hunt, admit) if hunt else crawling
            )
            if task.shard:
                work = ShardWork(
                    crawling, self._shard_parts(task.shard, claim, whole, frontier)
                )
            try:
                async with self._offered(work, settings.metrics_port):
                    yield work
            finally:
                try:
                    await frontier.flush()
                finally:
                    await examiner.close()
                    if hunt:
                        await hunt.providers.fetcher.close()

    def _hunt(
        self,
        settings: Settings,
        task: Task,
        counters: Mapping[str, Any],
        hosts: TaskPoliteness,
        crawl: tuple[Order, Progress, EventFeed],
    ) -> Hunt:
        """The agent that asks the search providers."""
        from .hunts.making import Asking, HuntAround, HuntLeft, make_hunt  # noqa: PLC0415 - most tasks are no hunts

        around = HuntAround(self.store, self.book, *crawl)
        searchers = self.hunting.searchers(settings)
        fetcher = self.hunting.fetcher(settings, hosts.turns())
        visits = list(seeds.all_visits(self.store.log, task.id))
        left = HuntLeft(task.id, counters, visits)
        return make_hunt(
            settings, task.spec.goal, around, left, Asking(searchers, fetcher)
        )

    def _shard_parts(
        self, shard: Shard, claim: Claim, whole: Settings, frontier: Frontier
    ) -> ShardParts:
        store = self.store
        return ShardParts(
            shard,
            claim,
            store.shards,
            store.tasks,
            store.clock,
            whole.page_limit,
            frontier.admit,
        )

    def _go_on(
        self,
        counted: Progress,
        task: Task,
        counters: Mapping[str, Any],
        frontier: Frontier,
    ) -> None:
        """Count from where earlier runs of the task left off."""
        was_killed = task.finished_at is None
        if was_killed:
            counters = recount(self.store, task.id, counters)
        counted.go_on(
            counters, frontier.stats().pages, self.store.requests.hosts(task.id)
        )

    def _parts(
        self,
        settings: Settings,
        examiner: Examiner,
        frontier: Frontier,
        order: Order,
        harvesters: Mapping[str, Harvester],
    ) -> CrawlParts:
        store = self.store
        return CrawlParts(
            examiner, frontier, store.requests, store.catalogue, order, self.book, store.clock,
            self.policy(settings), harvesters, self.topics_of, store.robots if settings.obey_robots else None,
            store.files,
            store.kept_pages, self.locate, store.watched_sites,
        )  # fmt: skip

    @asynccontextmanager
    async def _offered(
        self, work: CrawlWork | HuntWork | ShardWork, port: int
    ) -> AsyncIterator[None]:
        """The numbers for Prometheus, where the settings name a port for them."""
        if not port:
            yield
            return
        try:
            server = await self.offer_metrics(work.metrics, port)
        except OSError as error:
            raise SettingsError(
                f"Port {port} cannot be used for metrics: {error.strerror}. Choose another metrics_port."
            ) from None
        try:
            yield
        finally:
            server.close()


def _hunting(
    crawl: CrawlWork, hunt: Hunt, admit: Callable[[Sequence[Candidate]], None]
) -> HuntWork:
    from .hunts.work import HuntWork  # noqa: PLC0415 - most tasks are no hunts

    return HuntWork(crawl, hunt, admit)


def _width(settings: Settings, task: Task) -> int:
    """The width of a hunt is that of its search results: seeds that the user gave are all taken up."""
    return 0 if task.spec.kind is TaskKind.HUNT else settings.max_width


def _begin(
    frontier: Frontier,
    begun: Sequence[Candidate],
    *,
    harvesters: Mapping[str, Harvester],
    plan: Plan,
    named: str = "",
) -> None:
    """Admit the seeds, and what can be harvested at them; those that are known already stay as they are."""
    if isinstance(frontier, ShardFrontier):
        begun = [seed for seed in begun if frontier.owns(seed.url)]
    harvests = harvesting.begin(
        begun, harvesters, named, plan.since, is_harvest=plan.is_harvest
    )
    frontier.admit(harvests if named else [*begun, *harvests])


def _admit_found(
    frontier: Frontier,
    harvesters: Mapping[str, Harvester],
    plan: Plan,
    found: Sequence[Candidate],
) -> None:
    """What a hunt brings, and what can be harvested at it; results outside the scope are counted and left out."""
    seeds_of_search = [each for each in found if not each.depth]
    harvests = harvesting.begin(seeds_of_search, harvesters, "", plan.since)
    link_scoring.admit([*found, *harvests], plan.scope, frontier)
