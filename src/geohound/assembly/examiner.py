"""What reads pages, made as the settings say: it has a way to the network, and none to the catalogue."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import cache

from geohound.contracts import Harvester, Kind
from geohound.crawler.examine import LocalExaminer, Tools
from geohound.crawler.plan import Plan
from geohound.mining.exploring import Explorer
from geohound.model.job import Job
from geohound.model.visit import RequestRecord
from geohound.net.clock import SystemClock
from geohound.net.fetcher import CurlFetcher, Manners
from geohound.net.guard import Guard
from geohound.net.limits import Limits
from geohound.net.record import RequestLog
from geohound.net.routes import parse_routes
from geohound.plugins import discover
from geohound.politeness import Politeness, PolitenessPolicy, SharedHosts, TaskPoliteness, Turns
from geohound.settings import Settings, SettingsError

from .browser import browsing

MAX_PROCESSES = 4  # by default: beyond that the crawl that feeds them is the limit


def kinds() -> Mapping[str, Kind]:
    return discover("kinds")


def harvesters() -> Mapping[str, Harvester]:
    return discover("harvesters")


def politeness_policy(settings: Settings) -> PolitenessPolicy:
    return PolitenessPolicy(**{field.name: getattr(settings, field.name) for field in fields(PolitenessPolicy)})


@cache
def politeness() -> Politeness:
    """The one of this process: whoever asks hosts in it shares it."""
    return Politeness(SystemClock())


def task_politeness(settings: Settings, shared: SharedHosts | None = None) -> TaskPoliteness:
    """Turns at hosts for one who asks in this process; `shared` where other processes may ask them as well."""
    return TaskPoliteness(politeness(), politeness_policy(settings), SystemClock(), shared)


def fetcher(
    settings: Settings, turns: Turns | None = None, on_request: Callable[[RequestRecord], None] | None = None
) -> CurlFetcher:
    """The way to the network, with the limits, manners and exceptions that the settings give."""
    limits = replace(
        Limits(),
        connect_s=settings.connect_timeout_s,
        first_byte_s=settings.first_byte_timeout_s,
        total_s=settings.total_timeout_s,
        max_wire_bytes=max(Limits().max_wire_bytes, settings.max_service_bytes),
        max_bytes_in_flight=settings.max_bytes_in_flight,
    )
    try:
        ports = [int(port) for port in settings.allow_ports]
    except ValueError as error:
        raise SettingsError(f"The setting allow_ports must be a list of numbers such as 8899: {error}.") from None
    try:
        guard = Guard.opening(settings.allow_nets, ports)
    except ValueError as error:
        raise SettingsError(f"--allow-net needs a network such as 127.0.0.0/8: {error}.") from None
    try:
        routes = parse_routes(settings.connect_to)
    except ValueError as error:
        raise SettingsError(f"--connect-to needs PATTERN=HOST:PORT, such as *.test=127.0.0.1:8123: {error}.") from None
    manners = Manners(
        user_agent=settings.user_agent,
        obey_robots=settings.obey_robots,
        verify_tls=settings.verify_tls,
        politeness=politeness_policy(settings),
        routes=routes,
    )
    return CurlFetcher(manners, guard, limits, on_request=on_request, turns=turns or task_politeness(settings).turns())


def process_count(settings: Settings) -> int:
    """How many processes read pages: as many as there are cores, unless the settings say otherwise."""
    return settings.processes or min(len(os.sched_getaffinity(0)), MAX_PROCESSES)


def local_examiner(
    settings: Settings,
    plan: Plan,
    turns: Turns,
    reading: Callable[[Job | None], None] | None = None,
    processes: int = 1,
) -> LocalExaminer:
    """Visits, reads and reports in this process; call it inside the event loop."""
    log = RequestLog()
    browser = browsing(settings, processes)
    share = replace(settings, max_bytes_in_flight=settings.max_bytes_in_flight // processes)
    way = fetcher(share, turns, log.append)
    tools = Tools(
        way, kinds(), harvesters(), Explorer().explore, way.robots.sitemaps, log.take,
        way.robots.take_news, way.robots.recall, way.robots.forget_troubles,
        browser.look if browser else None, browser.close if browser else None, reading or (lambda _: None),
        way.budget.account,
    )  # fmt: skip
    return LocalExaminer(plan, tools)
