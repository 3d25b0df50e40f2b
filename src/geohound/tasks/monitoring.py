"""The monitor as a task: how it is built, its counters, and the events for those who watch it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Protocol

from geohound import urls
from geohound.contracts import (
    CatalogueStore,
    CheckQueue,
    Clock,
    Fetcher,
    HistoryStore,
    Kind,
    KnowledgeStore,
    PageExaminer,
    RequestLog,
    TaskStore,
)
from geohound.crawler.crawl_plan import Plan
from geohound.model.crawl.event import Progressed, Warned
from geohound.model.crawl.job import Job, Report
from geohound.model.crawl.task import (
    Budget,
    Checkpoint,
    Claim,
    Ending,
    MonitorGoal,
    Task,
    TaskKind,
    TaskSpec,
    TaskState,
    Wanted,
)
from geohound.model.monitoring.maintenance import Maintenance, read_maintenance
from geohound.model.service import Service
from geohound.model.visit import Purpose, RequestRecord
from geohound.monitor.monitor import Monitor
from geohound.monitor.notifying import Concerns, NoticePlan, Notifier
from geohound.monitor.parts import MonitorParts, MonitorPlan
from geohound.monitor.rates import DAY_S
from geohound.monitor.schedule import Revisiting, RevisitPolicy
from geohound.politeness import TaskPoliteness, Turns
from geohound.settings import Settings, SettingsError
from geohound.urls.address_book import AddressBook

from .event_feed import EventFeed
from .spec import crawl_spec, for_task
from .spec import plan_of as crawl_plan_of
from .usage import machine_load, measure

COUNTED = (
    "due",
    "checked",
    "ok",
    "failed",
    "changed",
    "requests",
    "pages",
    "candidates",
    "found",
)


_MAILBOX = re.compile(r"[^\s@,;:<>()\[\]\\\"]+@[^\s@,;:<>()\[\]\\\"]+")


def monitor_spec(settings: Settings, watch: MonitorGoal) -> TaskSpec:
    """A monitor as these settings describe it, to be stored with its task."""
    revisiting_of(settings)
    maintenance_of(settings)
    notice_plan_of(settings)
    return replace(crawl_spec(settings, ()), kind=TaskKind.MONITOR, watch=watch)


def unfinished_monitor(tasks: Iterable[Task], watch: MonitorGoal) -> Task | None:
    """The unfinished monitor that runs without end, if there is one, so that it is continued."""
    monitors = (
        task
        for task in tasks
        if task.spec.kind is TaskKind.MONITOR and task.spec.watch == watch
    )
    return next((task for task in monitors if task.state is not TaskState.DONE), None)


def queue_monitor(tasks: TaskStore, settings: Settings) -> Task:
    """A monitor without end for whoever serves the catalogue, be it the one that was queued or stopped before."""
    spec = monitor_spec(settings, MonitorGoal())
    known = unfinished_monitor(tasks.list(), spec.watch)
    found = tasks.want(known.id, Wanted.RUN) if known is not None else None
    return found or tasks.create(spec)


def revisiting_of(settings: Settings) -> Revisiting:
    """When to look again, as the settings say."""
    known = [str(each) for each in RevisitPolicy]
    if settings.monitor_policy not in known:
        raise SettingsError(
            f"The setting monitor_policy must be {' or '.join(known)}, not {settings.monitor_policy!r}."
        )
    return Revisiting(
        RevisitPolicy(settings.monitor_policy), max(settings.monitor_days, 1e-3) * DAY_S, settings.monitor_levels,
        settings.monitor_rank,
    )  # fmt: skip


class MonitorStore(Protocol):
    """What the monitor needs of a store."""

    @property
    def clock(self) -> Clock: ...
    @property
    def tasks(self) -> TaskStore: ...
    @property
    def requests(self) -> RequestLog: ...
    @property
    def catalogue(self) -> CatalogueStore: ...
    @property
    def check_queue(self) -> CheckQueue: ...
    @property
    def history(self) -> HistoryStore: ...
    @property
    def knowledge(self) -> KnowledgeStore: ...


@dataclass(frozen=True, slots=True)
class MonitorBuilder:
    """What monitors are built from, and the settings of this process."""

    settings: Settings
    given: Budget | None
    store: MonitorStore
    kinds: Mapping[str, Kind]
    topics_of: Callable[[Service], Sequence[tuple[str, str]]]
    hosts: Callable[[Settings], AbstractAsyncContextManager[TaskPoliteness]]
    fetcher: Callable[[Settings, Turns, Callable[[RequestRecord], None]], Fetcher]
    book: AddressBook
    examiner: Callable[[Settings, Plan, Turns], PageExaminer]
    notifier: Callable[
        [
            Settings,
            HistoryStore,
            KnowledgeStore,
            Callable[[str], Concerns],
            Callable[[str], Service | None],
        ],
        Notifier,
    ]

    @asynccontextmanager
    async def build(
        self, task: Task, claim: Claim, feed: EventFeed
    ) -> AsyncIterator[MonitorWork]:
        """A monitor ready to run."""
        store = self.store
        settings = for_task(self.settings, task.spec, self.given or Budget())
        recorded: list[RequestRecord] = []
        async with self.hosts(settings) as hosts:
            fetcher = self.fetcher(settings, hosts.turns(), recorded.append)

            async def keep_requests() -> None:
                taken, recorded[:] = recorded[:], []
                if taken:
                    await store.requests.record(task.id, taken)

            plan = crawl_plan_of(settings, task, counts_links=False)
            examiner = self.examiner(settings, plan, hosts.turns())
            notifier = self.notifier(
                settings,
                store.history,
                store.knowledge,
                partial(met_by, store),
                store.catalogue.get,
            )
            await notifier.start(store.clock.now())

            async def examine(job: Job) -> Report:
                if job.purpose is Purpose.PAGE:
                    examiner.forget()  # it was read weeks ago, and its scripts too
                report = await examiner.examine(job)
                recorded.extend(report.requests)
                return report

            async def notify() -> None:
                before = dict(notifier.problems)
                await notifier.send(store.clock.now())
                for name, problem in notifier.problems.items():
                    if before.get(name) != problem:
                        feed.add(
                            Warned(
                                f"{name} could not be notified and is tried again: {problem}"
                            )
                        )

            queue = store.check_queue.of(task.shard)
            parts = MonitorParts(
                claim, queue, store.catalogue, fetcher, self.kinds, self.topics_of, store.clock, feed.add,
                store.history, self.book, examine, notify, keep_requests,
            )  # fmt: skip
            try:
                monitor_plan = replace(
                    plan_of(settings, task.spec.watch),
                    leads=task.shard is None or task.shard.number == 0,
                )
                yield MonitorWork(Monitor(monitor_plan, parts), task, store)
            finally:
                await examiner.close()
                await fetcher.close()


def met_by(store: MonitorStore, account: str) -> Concerns:
    """Which services the tasks of this account have met."""
    own = {task.id for task in store.tasks.list() if task.spec.owner == account}

    def concerns(service_id: str) -> bool:
        return any(met.task in own for met in store.catalogue.sightings(service_id))

    return concerns


def plan_of(settings: Settings, watch: MonitorGoal) -> MonitorPlan:
    return MonitorPlan(
        revisiting_of(settings),
        once=watch.once,
        everything=watch.everything,
        deep=watch.deep or settings.monitor_deep,
        deep_layers=settings.monitor_layers,
        at_once=max(1, settings.monitor_at_once),
        max_bytes=settings.max_service_bytes,
        maintenance=maintenance_of(settings),
        looks_per_day=settings.monitor_looks_per_day,
    )


def maintenance_of(settings: Settings) -> tuple[Maintenance, ...]:
    """What is announced; SettingsError where a line cannot be read."""
    try:
        return tuple(map(read_maintenance, settings.maintenance))
    except ValueError as error:
        raise SettingsError(f"The setting maintenance: {error}") from None


def notice_plan_of(settings: Settings) -> NoticePlan:
    """Who is to hear; SettingsError where nobody could."""
    for url in settings.webhooks:
        if urls.canonical(url) is None:
            raise SettingsError(
                f"The setting webhooks: {url!r} is no http or https address."
            )
    for name in (*settings.digest_to, settings.digest_from):
        if not _MAILBOX.fullmatch(name.rpartition("=")[2]):
            raise SettingsError(
                f"The settings digest_to and digest_from: {name!r} is no e-mail address; "
                "write a@example.org or NAME=a@example.org."
            )
    return NoticePlan(
        settings.webhooks, settings.webhook_secret, settings.digest_hours * 3600.0
    )


class MonitorWork:
    """A monitor that a runner can run."""

    def __init__(self, monitor: Monitor, task: Task, store: MonitorStore) -> None:
        self._monitor = monitor
        self._task = task
        self._clock = store.clock
        self._began_s = store.clock.monotonic()
        self._before = dict(store.tasks.checkpoint(task.id).counters)
        self._monitor.counts.update(
            {name: int(self._before.get(name, 0)) for name in COUNTED}
        )
        self._ending: Ending | None = None

    async def run(self) -> Ending:
        self._ending = await self._monitor.run(self._task.created_at)
        return self._ending

    def stop(self) -> None:
        self._monitor.stop()

    def checkpoint(self) -> Checkpoint:
        return Checkpoint(self.summary())

    def summary(self) -> dict[str, Any]:
        """The numbers so far, over all runs of the task."""
        counts = {name: self._monitor.counts[name] for name in COUNTED}
        elapsed_s = float(self._before.get("elapsed_s", 0.0)) + self._run_s()
        return counts | {
            "elapsed_s": round(elapsed_s, 3),
            "task": self._task.id,
            "finished": self._ending is Ending.FINISHED,
        }

    def _run_s(self) -> float:
        return self._clock.monotonic() - self._began_s

    def progress(self) -> Progressed:
        counts, usage, run_s = self._monitor.counts, measure(), self._run_s()
        return Progressed(
            pages=counts["pages"], visits=counts["checked"], requests=counts["requests"], bytes=0,
            services=counts["checked"], layers=0, hosts=0, tested=counts["candidates"],
            queue=max(0, counts["due"] - counts["checked"]), in_flight=self._monitor.in_flight,
            fetchers=0, testers=0, elapsed_s=round(self.summary()["elapsed_s"], 1), pages_per_s=0.0,
            run_s=round(run_s, 1), run_pages_per_s=0.0, cpu_s=round(usage.cpu_s, 2),
            memory_mb=round(usage.memory_mb, 1), waiting="", machine_load=round(machine_load(), 2),
            started_at=_iso(self._task.created_at),
        )  # fmt: skip


def _iso(at: datetime) -> str:
    return at.isoformat(timespec="seconds")
