"""From settings to the specification that is stored with a task, and back to the settings it is run with."""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from datetime import date
from pathlib import Path
from typing import Any

from geohound.crawler.crawl_plan import FileLimits, Plan
from geohound.crawler.link_filter import ScopeFilter
from geohound.frontier import FrontierLimits
from geohound.frontier.thrift import Thrift
from geohound.model.bbox import BBox
from geohound.model.crawl.kept_page import PageRoom
from geohound.model.crawl.shard import Shard
from geohound.model.crawl.task import (
    Budget,
    CrawlGoal,
    Policy,
    Scope,
    Task,
    TaskKind,
    TaskSpec,
)
from geohound.model.crawl.watched import (
    NO_WATCHERS,
    AskWatchers,
    FlagReset,
    WatcherPolicy,
)
from geohound.settings import Settings, SettingsError
from geohound.urls.sinks import sinks

_OWN_RULES = "static"  # a crawl by published rules asks for nothing else


def crawl_spec(
    settings: Settings,
    seeds: tuple[str, ...],
    scope: Scope = Scope.ANY,
    kinds: tuple[str, ...] = (),
    bbox: tuple[float, float, float, float] | None = None,
    topic: str = "",
) -> TaskSpec:
    """A crawl as these settings describe it, to be stored with its task; SettingsError where they make no sense."""
    thrift_share(settings.thrift)
    said = asdict(settings)
    goal = {
        field.name: said[field.name]
        for field in fields(CrawlGoal)
        if field.name in said
    }
    budget = {field.name: said[field.name] for field in fields(Budget)}
    policy = {field.name: said[field.name] for field in fields(Policy)}
    return TaskSpec(
        CrawlGoal(seeds, scope, kinds, bbox, topic=topic, **goal),
        Budget(**budget),
        Policy(**policy),
    )


def harvest_spec(
    settings: Settings,
    sources: tuple[str, ...],
    harvester: str = "",
    since: date | None = None,
) -> TaskSpec:
    """A harvest: catalogues are read completely, what they list is tested, no link is followed."""
    crawl = crawl_spec(settings, sources)
    changed = since.isoformat() if since else ""
    goal = replace(crawl.goal, harvester=harvester, since=changed, max_depth=0)
    return replace(crawl, goal=goal, kind=TaskKind.HARVEST)


def hunt_spec(
    crawl: TaskSpec, queries: tuple[str, ...], searchers: tuple[str, ...], **more: Any
) -> TaskSpec:
    """A hunt: a crawl from the results of these queries and of those that the agent adds.

    `more` are further fields of the goal: words, steps, knowledge, catalogue_hosts, excluded.
    """
    goal = replace(crawl.goal, queries=queries, searchers=searchers, **more)
    if goal.steps and "crawl" not in goal.steps:
        goal = replace(goal, max_depth=0)
    return replace(crawl, goal=goal, kind=TaskKind.HUNT)


def for_task(settings: Settings, spec: TaskSpec, given: Budget) -> Settings:
    """The settings of today with what was asked of the task; `given` is the budget of this run where it differs.

    Networks of today come before those of the task: the machine may have changed. Politeness is always today's.
    """
    known = {field.name for field in fields(Settings)}
    asked = {**asdict(spec.goal), **asdict(spec.budget), **_said(given)}
    networks = {
        name: value
        for name, value in asdict(spec.policy).items()
        if not getattr(settings, name)
    }
    of_task = {
        name: value
        for name, value in (asked | networks).items()
        if name in known and value is not None
    }
    merged = replace(settings, **of_task)
    return (
        merged
        if merged.relevance_topic
        else replace(merged, relevance_topic=spec.goal.topic)
    )


def share_of(settings: Settings, shard: Shard) -> Settings:
    """What one shard of a task may use; pages are granted while it runs, and the whole task watches the time."""
    is_unlimited = not settings.max_pages and thrift_share(settings.thrift) is None
    return replace(
        settings,
        max_time_s=0.0,
        max_pages=max(1, settings.page_limit // shard.count),
        thrift="0" if is_unlimited else settings.thrift,
        active_hosts=-(-settings.active_hosts // shard.count),
        max_pages_per_depth=-(-settings.max_pages_per_depth // shard.count),
        max_bytes_in_flight=settings.max_bytes_in_flight // min(shard.count, 4),
        learned="",
        metrics_port=0,
    )


def _said(budget: Budget) -> dict[str, Any]:
    return {name: value for name, value in asdict(budget).items() if value is not None}


def thrift_share(text: str) -> float | None:
    """From 0 to 1; None for auto."""
    if text == "auto":
        return None
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= 1.0:
        raise SettingsError(
            f"Thrift must be a number from 0 to 1, or auto, not {text!r}."
        )
    return share


def thrift_of(settings: Settings, *, ranks_hosts: bool) -> Thrift | None:
    """How few hosts are crawled at a time; orders from papers run as published unless the user says otherwise."""
    is_auto = thrift_share(settings.thrift) is None
    if is_auto and not settings.active_hosts and not ranks_hosts:
        return None
    return Thrift(
        active_hosts=settings.active_hosts,
        share=thrift_share(settings.thrift),
        max_pages=settings.max_pages or None,
        max_time_s=settings.max_time_s,
        usual_page_s=1.5 * settings.host_delay_s,
    )


def bounds_of(settings: Settings, *, ranks_hosts: bool = False) -> FrontierLimits:
    """What the frontier of a crawl admits, and how many hosts it asks."""
    return FrontierLimits(
        thrift=thrift_of(settings, ranks_hosts=ranks_hosts),
        max_depth=settings.max_depth,
        max_pages_per_depth=settings.max_pages_per_depth or None,
        max_pages_per_host=settings.max_pages_per_host,
        max_hosts_per_domain=settings.max_hosts_per_domain,
        max_pages_per_pattern=settings.max_pages_per_pattern,
        max_probes_per_pattern=settings.max_tests_per_pattern,
        max_harvest_pages=settings.max_harvest_pages,
        max_attempts=settings.retries + 1,
    )


def plan_of(settings: Settings, task: Task, *, counts_links: bool) -> Plan:
    """What the engine of a crawl is asked for."""
    goal = task.spec.goal
    return Plan(
        task=task.shard.parent
        if task.shard
        else task.id,  # a shard works for the whole task, under its number
        since=date.fromisoformat(goal.since) if goal.since else None,
        is_harvest=task.spec.kind is TaskKind.HARVEST,
        main_pages_only=settings.main_pages_only,
        max_pages=0
        if task.shard
        else settings.page_limit,  # a shard is granted each page
        max_time_s=settings.max_time_s,
        fetchers=settings.fetchers,
        testers=settings.testers,
        max_page_bytes=settings.max_page_bytes,
        max_service_bytes=settings.max_service_bytes,
        kinds=frozenset(goal.kinds),
        bbox=BBox(*goal.bbox) if goal.bbox else None,
        topic=goal.topic,
        scope=_scope_of(settings, goal),
        files=FileLimits(
            settings.max_data_files,
            settings.max_file_requests,
            settings.max_file_requests_per_host,
        ),
        page_room=PageRoom(
            settings.kept_pages_days,
            settings.kept_pages_bytes,
            settings.revisit_after / 24,
        ),
        revisit_after_s=_revisit_after_s(settings),
        counts_links=counts_links,
        counts_depths=settings.max_pages_per_depth > 0,
        likely_addresses=settings.likely_addresses
        and task.spec.kind is not TaskKind.HARVEST,
        watchers=watchers_of(settings) if settings.rules == _OWN_RULES else NO_WATCHERS,
    )


def _revisit_after_s(settings: Settings) -> float:
    """A page that is run in a browser has to come from its server."""
    return settings.revisit_after * 3600 if settings.browser == "never" else 0.0


def watchers_of(settings: Settings) -> WatcherPolicy:
    """How a crawl uses watchers; SettingsError where that makes no sense."""
    key = b""
    try:
        ask, reset = AskWatchers(settings.watchers), FlagReset(settings.watcher_reset)
        key = (
            Path(settings.watcher_key).expanduser().read_bytes().strip()
            if settings.watcher_key
            else b""
        )
    except OSError as error:
        raise SettingsError(
            f"The file {settings.watcher_key} of watcher_key cannot be read: {error.strerror}."
        ) from None
    except ValueError:
        raise SettingsError(
            f"The setting watchers must be {', '.join(AskWatchers)}, and watcher_reset {' or '.join(FlagReset)}, not "
            f"{settings.watchers!r} and {settings.watcher_reset!r}."
        ) from None
    times = settings.watcher_period_s, settings.watcher_full_after_s
    return WatcherPolicy(ask, settings.watcher_leaves_taken, reset, *times, key)


def _scope_of(settings: Settings, goal: CrawlGoal) -> ScopeFilter:
    left_out = [name for name in goal.excluded if "://" not in name]
    around = ScopeFilter.around(
        goal.scope, list(goal.seeds), sinks((*settings.sinks, *left_out))
    )
    excluded = frozenset(goal.excluded) - frozenset(left_out)
    return replace(
        around,
        excluded=excluded,
        filters_requests=settings.order == "oss",
        keeps_reserved=bool(settings.allow_nets),
    )
