"""Wiring of tasks: examiners, hosts and the runner, out of stores, network and plug-ins."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    asynccontextmanager,
    closing,
    contextmanager,
    nullcontext,
)
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geohound.net.clock import CLOCK
from geohound.settings import Settings, SettingsError
from geohound.stores.address import is_postgres, one_name, without_password

from .catalogue import (
    background_indexer,
    open_existing_store,
    open_store,
)
from .locations import locator
from .network import (
    fetcher,
    notifier,
    page_runner,
    politeness,
    politeness_policy,
    search_fetcher,
    task_politeness,
)
from .registries import (
    address_book,
    classifier,
    crawl_order,
    harvesters,
    kinds,
    searchers,
)

if TYPE_CHECKING:
    from geohound.contracts import Examiner, Order, TaskStore
    from geohound.crawler.crawl_plan import Plan
    from geohound.crawler.examiner import LocalExaminer
    from geohound.crawler.workers.loop import Reading
    from geohound.mining.map_page import Explorer
    from geohound.mining.published_page import PublishedExplorer
    from geohound.model.crawl.task import Budget, Claim, Task, TaskSpec
    from geohound.model.service import Service
    from geohound.politeness import TaskPoliteness, Turns
    from geohound.reports import EndedVisit
    from geohound.stores.sql.host_claims import SqlHostClaims
    from geohound.stores.sql.store import Store
    from geohound.tasks.event_feed import EventFeed, Listener
    from geohound.tasks.hosts import HostsInUse
    from geohound.tasks.runner import TaskRunner, Work
    from geohound.tasks.visits import HostLeft

MAX_PROCESSES = 4  # by default; more would wait for the one process that runs the crawl


def local_examiner(
    settings: Settings,
    plan: Plan,
    turns: Turns,
    reading: Reading | None = None,
    processes: int = 1,
) -> LocalExaminer:
    """Visits, reads and reports in this process; call it inside the event loop. It has no way to the catalogue."""
    from geohound.crawler.examiner import ExaminerParts, LocalExaminer
    from geohound.mining.browser_run import links_of_run
    from geohound.net.request_recorder import RequestRecorder

    log = RequestRecorder()
    explorer = _explorer(settings.rules)
    browser = page_runner(settings, processes)
    share = replace(
        settings, max_bytes_in_flight=settings.max_bytes_in_flight // processes
    )
    net = fetcher(share, turns, log.append)
    parts = ExaminerParts(
        net, kinds(), address_book(), harvesters(settings.harvester_files),
        explorer.explore, net.robots.sitemaps, log.take,
        net.robots.take_news, net.robots.recall, net.robots.forget_troubles,
        partial(links_of_run, browser, address_book()) if browser else None, browser.close if browser else None,
        reading or (lambda _: None), net.budget.account, explorer.forget, net.fetch_start,
    )  # fmt: skip
    return LocalExaminer(plan, parts)


def _explorer(rules: str) -> Explorer | PublishedExplorer:
    """Reads documents by the rules that the settings name."""
    from geohound.mining.published_page import EXPLORERS

    if rules not in EXPLORERS:
        raise SettingsError(
            f"The setting rules must be {' or '.join(EXPLORERS)}, not {rules!r}."
        )
    return EXPLORERS[rules](address_book())


def examiner(settings: Settings, plan: Plan, hosts: TaskPoliteness) -> Examiner:
    """Examines in as many processes as the settings say, by default one for each core."""
    import pickle

    from geohound.crawler.workers.pool import WorkerPool

    processes = settings.processes or min(len(os.sched_getaffinity(0)), MAX_PROCESSES)
    if processes == 1:
        return local_examiner(settings, plan, hosts.turns())
    page_runner(settings)
    fetcher(settings)  # finds mistakes in the settings here, not in each worker
    setup = pickle.dumps((settings, plan, processes))
    return WorkerPool(
        [sys.executable, "-m", "geohound.worker"], setup, processes, hosts.turns
    )


@cache
def _hosts_in_use() -> HostsInUse:
    from geohound.tasks.hosts import HostsInUse

    return HostsInUse(_open_host_claims, politeness(), CLOCK)


def _open_host_claims(catalogue: str) -> SqlHostClaims:
    if is_postgres(catalogue):
        from geohound.stores import postgres

        return postgres.open_host_claims(catalogue, CLOCK)
    from geohound.stores import sqlite

    return sqlite.open_host_claims(Path(catalogue), CLOCK)


@asynccontextmanager
async def task_hosts(settings: Settings) -> AsyncIterator[TaskPoliteness]:
    """The politeness of one task, shared with all other processes that write to its catalogue."""
    async with _hosts_in_use().share(one_name(settings.catalogue)) as shared:
        with closing(task_politeness(settings, shared)) as hosts:
            yield hosts


@contextmanager
def task_runner(
    settings: Settings,
    listener: Listener | None = None,
    given: Budget | None = None,
    *,
    indexes: bool = True,
) -> Iterator[tuple[TaskRunner, TaskStore]]:
    """Runs tasks of the catalogue in this process; `given` is the budget of this run where it is not the task's.

    Where it `indexes`, what is written is indexed in the background.
    """
    from geohound.net.metrics_endpoint import offer
    from geohound.tasks.building import CrawlBuilder, HuntParts
    from geohound.tasks.runner import TaskRunner, builder_of

    classify = _classify(settings)
    with (
        closing(open_store(settings)) as store,
        background_indexer(store, settings) if indexes else nullcontext(),
    ):
        hunting = HuntParts(
            lambda asked: searchers(asked.searcher_files), search_fetcher
        )
        builder = CrawlBuilder(
            settings, given, store, crawl_order, address_book(), lambda asked: harvesters(asked.harvester_files),
            classify, politeness_policy, task_hosts, examiner, offer, hunting, locator(settings).locate,
        )  # fmt: skip

        def monitor(
            task: Task, claim: Claim, feed: EventFeed
        ) -> AbstractAsyncContextManager[Work]:
            from geohound.tasks.monitoring import MonitorBuilder

            return MonitorBuilder(
                settings, given, store, kinds(), classify, task_hosts, fetcher, address_book(), local_examiner, notifier,
            ).build(task, claim, feed)  # fmt: skip

        build = builder_of(builder.build, monitor)
        yield TaskRunner(store.tasks, build, store.clock, listener), store.tasks


def _classify(settings: Settings) -> Callable[[Service], Sequence[tuple[str, str]]]:
    """The topics of a service. Our own are read for the first one; what a user names is looked at beforehand."""
    named = (settings.topic_files, settings.topic_match)
    if named != ((), "words"):
        return classifier(*named).classify
    return lambda service: classifier(*named).classify(service)


@contextmanager
def divided_runner(settings: Settings) -> Iterator[TaskRunner]:
    """Divides tasks of the catalogue into shards, for others to run."""
    from geohound.tasks.divided_work import DividedBuilder, DividedParts
    from geohound.tasks.runner import TaskRunner

    with closing(open_store(settings)) as store, background_indexer(store, settings):
        parts = DividedParts(
            store.tasks, store.shards, store, store.clock, settings.shards
        )
        build = DividedBuilder(parts).build
        yield TaskRunner(store.tasks, build, store.clock, suspects=False)


def new_task(settings: Settings, spec: TaskSpec, *, is_queued: bool = False) -> int:
    """Create a task; the caller runs it, unless it is queued for others."""
    from geohound.model.crawl.task import TaskState

    with closing(open_store(settings)) as store:
        return store.tasks.create(
            spec, TaskState.QUEUED if is_queued else TaskState.STOPPED
        ).id


def queue_monitor(settings: Settings, *, make: bool) -> None:
    """A monitor without end, for whoever runs the tasks of this catalogue; `make` where there is none yet."""
    from geohound.tasks import monitoring

    with closing(
        open_store(settings) if make else open_existing_store(settings)
    ) as store:
        monitoring.queue_monitor(store.tasks, settings)


def visits(
    settings: Settings, task: int | None, *, why: bool = False
) -> Iterator[dict[str, Any]]:
    """What became of each URL of a task, the last one by default, and what spoke for it if wanted."""
    from geohound.tasks.visits import explain_visit, find_task, visit_records

    with closing(open_existing_store(settings)) as store:
        found = find_task(store.tasks, task, without_password(settings.catalogue))
        explain = (
            partial(explain_visit, _learned(settings, store, found)) if why else None
        )
        yield from visit_records(
            store.tasks.visits(found.id), store.services_seen_at, explain
        )


def ended_visits(settings: Settings, task: int | None) -> list[EndedVisit]:
    """The same for reports, which are made from all of them at once: a crawl may have a million."""
    from geohound.tasks.visits import find_task

    with closing(open_existing_store(settings)) as store:
        found = find_task(store.tasks, task, without_password(settings.catalogue))
        return list(store.tasks.ended_visits(found.id))


def hosts_left(settings: Settings, task: int | None) -> list[HostLeft]:
    """The hosts of a task, the last one by default, whose pages are still queued, the most promising first."""
    from geohound.model.crawl.task import Budget
    from geohound.tasks import visits as visits_of
    from geohound.tasks.spec import bounds_of, for_task

    with closing(open_existing_store(settings)) as store:
        found = visits_of.find_task(
            store.tasks, task, without_password(settings.catalogue)
        )
        order = _learned(settings, store, found)
        bounds = bounds_of(
            for_task(settings, found.spec, Budget()), ranks_hosts=order.ranks_hosts
        )
        return visits_of.hosts_left(
            store.log, found.id, order, bounds.active_limit(store.clock)
        )


def _learned(settings: Settings, store: Store, task: Task) -> Order:
    """The order of a task, with what it has learned."""
    from geohound.model.crawl.task import Budget
    from geohound.tasks.order_state import learned_order
    from geohound.tasks.spec import for_task

    order = crawl_order(for_task(settings, task.spec, Budget()))
    return learned_order(order, store.tasks.checkpoint(task.id).order_state)
