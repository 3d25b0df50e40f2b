"""Wiring of the network: fetcher, politeness and browser as the settings say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from geohound.net.clock import CLOCK
from geohound.settings import Settings, SettingsError

if TYPE_CHECKING:
    from geohound.browser import PageRunner
    from geohound.contracts import HistoryStore, KnowledgeStore
    from geohound.model.service import Service
    from geohound.model.visit import RequestRecord
    from geohound.monitor.notifying import Notifier
    from geohound.net.address_guard import Guard
    from geohound.net.connect_to import Route
    from geohound.net.fetcher import CurlFetcher
    from geohound.politeness import (
        Politeness,
        PolitenessPolicy,
        SharedHosts,
        TaskPoliteness,
        Turns,
    )

T = TypeVar("T")


def politeness_policy(settings: Settings) -> PolitenessPolicy:
    from geohound.politeness import PolitenessPolicy

    return PolitenessPolicy(
        **{
            field.name: getattr(settings, field.name)
            for field in fields(PolitenessPolicy)
        }
    )


@cache
def politeness() -> Politeness:
    """The politeness of this process, shared by all that make requests in it."""
    from geohound.politeness import Politeness

    return Politeness(CLOCK)


def task_politeness(
    settings: Settings, shared: SharedHosts | None = None
) -> TaskPoliteness:
    """The politeness of one task of this process; `shared` if other processes may request the same hosts."""
    from geohound.politeness import TaskPoliteness

    return TaskPoliteness(politeness(), politeness_policy(settings), CLOCK, shared)


def fetcher(
    settings: Settings,
    turns: Turns | None = None,
    on_request: Callable[[RequestRecord], None] | None = None,
) -> CurlFetcher:
    """A fetcher with the limits, policies and exceptions of the settings."""
    from geohound.net.fetcher import ClientPolicy, CurlFetcher
    from geohound.net.limits import MAX_WIRE_BYTES, Limits

    limits = Limits(
        connect_s=settings.connect_timeout_s,
        first_byte_s=settings.first_byte_timeout_s,
        total_s=settings.total_timeout_s,
        redirects=settings.max_redirects,
        max_wire_bytes=max(MAX_WIRE_BYTES, settings.max_service_bytes),
        max_bytes_in_flight=settings.max_bytes_in_flight,
    )
    guard, routes = _guard_and_routes(settings)
    policy = ClientPolicy(
        user_agent=settings.user_agent,
        obey_robots=settings.obey_robots,
        verify_tls=settings.verify_tls,
        politeness=politeness_policy(settings),
        routes=routes,
    )
    return CurlFetcher(
        policy,
        guard,
        limits,
        on_request=on_request,
        turns=turns or task_politeness(settings).turns(),
    )


def _guard_and_routes(settings: Settings) -> tuple[Guard, tuple[Route, ...]]:
    """The address guard, and the routes of --connect-to."""
    from geohound.net.address_guard import Guard
    from geohound.net.connect_to import parse_routes

    ports = _checked(
        lambda: list(map(int, settings.allow_ports)),
        "The setting allow_ports must be a list of numbers such as 8899",
    )
    guard = _checked(
        lambda: Guard.opening(settings.allow_nets, ports),
        "--allow-net needs a network such as 127.0.0.0/8",
    )
    routes = _checked(
        lambda: parse_routes(settings.connect_to),
        "--connect-to needs PATTERN=HOST:PORT, such as *.test=127.0.0.1:8123",
    )
    return guard, routes


def search_fetcher(settings: Settings, turns: Turns | None = None) -> CurlFetcher:
    """A fetcher for search providers, guarded and polite as any other.

    Their robots.txt is for those who crawl their pages of results; whoever names one here uses its programming
    interface, and is bound by its terms.
    """
    return fetcher(replace(settings, obey_robots=False), turns)


def _checked(read: Callable[[], T], needed: str) -> T:
    try:
        return read()
    except ValueError as error:
        raise SettingsError(f"{needed}: {error}.") from None


def share_memory_between_threads() -> None:
    """Before threads begin: what one of them frees serves the others."""
    from geohound.net.memory_release import share_between_threads

    share_between_threads()


def find_browser(path: str = "") -> str:
    """The browser's program; SettingsError says what to do to have one."""
    from geohound.browser import BrowserError, check

    try:
        return check(path)
    except BrowserError as error:
        raise SettingsError(str(error)) from None


def page_runner(settings: Settings, processes: int = 1) -> PageRunner | None:
    """The browser, where the settings want one; SettingsError says what is missing."""
    if settings.browser == "never":
        return None
    from geohound.browser import (
        MODES,
        BrowserPool,
        PageBudget,
        PageRunner,
        StateArchive,
    )

    if settings.browser not in MODES:
        raise SettingsError(
            f"The setting browser must be never, auto or always, not {settings.browser!r}."
        )
    budget = PageBudget(
        time_s=settings.browser_time_s, requests=settings.browser_requests, bytes=settings.browser_bytes,
        memory_bytes=settings.browser_memory_bytes, events=settings.browser_events,
    )  # fmt: skip
    program = find_browser(settings.browser_path)
    pool = BrowserPool(program, max(1, settings.browser_pages // processes), budget)
    folder = Path(settings.browser_states).expanduser()
    room = settings.browser_states_bytes // processes
    archive = StateArchive(folder, room) if settings.browser_states else None
    return PageRunner(settings.browser, pool, settings.query_forms, archive)


def notifier(
    settings: Settings,
    history: HistoryStore,
    kept: KnowledgeStore,
    concerns: Callable[[str], Callable[[str], bool]],
    service: Callable[[str], Service | None],
) -> Notifier:
    """Lets others know what happened to services, as the settings say; webhooks go through the guard."""
    from geohound.monitor.notifying import Notifier, PersonalDigest
    from geohound.net.mailer import Mailer
    from geohound.net.poster import Poster
    from geohound.tasks.monitoring import notice_plan_of

    guard, routes = _guard_and_routes(settings)
    poster = Poster(guard, settings.user_agent, routes)
    mailer = partial(
        Mailer, settings.smtp_host, settings.smtp_port, settings.digest_from
    )
    to_all = [each for each in settings.digest_to if "=" not in each]
    own = dict(each.split("=", 1) for each in settings.digest_to if "=" in each)
    personal = {
        account: PersonalDigest(mailer([address]).mail, partial(concerns, account))
        for account, address in own.items()
    }
    mail = mailer(to_all).mail if to_all else None
    plan = notice_plan_of(settings)
    return Notifier(plan, history, kept, poster.post, mail, personal, service)
