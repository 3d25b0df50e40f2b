"""Puts the house together: the only place that knows every concrete part."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from geohound.crawl.engine import Crawl
from geohound.crawl.follow import Fence, Scope
from geohound.crawl.plan import Parts, Plan
from geohound.document import Document
from geohound.mining import mine
from geohound.model.bbox import BBox
from geohound.model.clue import looks_like_service
from geohound.model.contracts import Catalogue, Harvester, Kind, Order
from geohound.model.topic import Topic
from geohound.model.visit import Candidate, Response, Via
from geohound.net.clock import SystemClock
from geohound.net.fetcher import CurlFetcher, Manners
from geohound.net.guard import Guard
from geohound.net.limits import Limits
from geohound.net.pace import PaceRules
from geohound.net.routes import parse_routes
from geohound.plugins import discover
from geohound.settings import Settings, SettingsError, default_catalogue
from geohound.stores.sqlite import Bounds, Store, StoreError, Task, TaskState, open_store
from geohound.topics import Classifier
from geohound.topics.files import TopicError, read_topic

__all__ = ["Ask", "RunningCrawl", "StoreError", "crawling", "fetcher", "kinds", "open_catalogue", "orders"]

T = TypeVar("T")
SAVE_EVERY_S = 5.0


def kinds() -> Mapping[str, Kind]:
    return discover("kinds")


def orders() -> Mapping[str, Order]:
    return discover("orders")


def harvesters() -> Mapping[str, Harvester]:
    return discover("harvesters")


def topics(files: Sequence[str] = ()) -> Mapping[str, Topic]:
    """What services are sorted by: our topics, those of plug-ins, and the user's own files."""
    try:
        own = [read_topic(Path(name).expanduser()) for name in files]
    except TopicError as error:
        raise SettingsError(str(error)) from None
    return {**discover("topics"), **{topic.id: topic for topic in own}}


def fetcher(settings: Settings) -> CurlFetcher:
    """The way to the network, with the limits, manners and exceptions that the settings give."""
    limits = replace(
        Limits(),
        connect_s=settings.connect_timeout_s,
        first_byte_s=settings.first_byte_timeout_s,
        total_s=settings.total_timeout_s,
        max_wire_bytes=max(Limits().max_wire_bytes, settings.max_service_bytes),
    )
    try:
        guard = Guard.opening(settings.allow_nets)
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
        pace=PaceRules(
            min_delay_s=settings.host_delay_s,
            elapsed_factor=settings.slow_host_factor,
            max_retry_after_s=settings.max_retry_after_s,
        ),
        routes=routes,
    )
    return CurlFetcher(guard, limits, manners)


@contextmanager
def open_catalogue(settings: Settings) -> Iterator[Catalogue]:
    """The catalogue for reading; the default one is made where it is missing."""
    with open_shelf(settings) as shelf:
        yield shelf.catalogue


@dataclass(frozen=True, slots=True)
class Shelf:
    """What a portal shows: the catalogue, what its services are sorted by, and its crawls."""

    catalogue: Catalogue
    sorter: Classifier
    tasks: Callable[[], list[dict[str, Any]]]


@contextmanager
def open_shelf(settings: Settings) -> Iterator[Shelf]:
    """The catalogue and what stands beside it, for reading."""
    path = Path(settings.catalogue).expanduser()
    if str(path) != default_catalogue() and "://" not in settings.catalogue and not path.exists():
        raise StoreError(f"There is no catalogue at {path}. A crawl makes one: geohound crawl URL --catalogue {path}")
    store = _store(settings)
    try:
        yield Shelf(store.catalogue, sorter(settings), lambda: [_told(task) for task in store.tasks.list_tasks()])
    finally:
        store.close()


def _told(task: Task) -> dict[str, Any]:
    """What the world may know of a crawl: how far it is, not how it was set."""
    return {
        "id": task.id,
        "state": task.state,
        "created_at": task.created_at,
        "finished_at": task.finished_at,
        "seeds": list(task.seeds),
        "counters": dict(task.counters),
    }


def sorter(settings: Settings) -> Classifier:
    """Sorts services by all topics; each set of files is read once."""
    return _sorter(settings.topic_files)


@cache
def _sorter(files: tuple[str, ...]) -> Classifier:
    return Classifier(topics(files).values())


def _store(settings: Settings) -> Store:
    if "://" in settings.catalogue:
        raise SettingsError(f"{settings.catalogue} is not a file; catalogues are SQLite files, such as geoweb.db.")
    path = Path(settings.catalogue).expanduser()
    if str(path) == default_catalogue():
        path.parent.mkdir(parents=True, exist_ok=True)
    return open_store(path, SystemClock(), lambda service: sorter(settings).classify(service))


def catalogue_size(path: str) -> tuple[int, int]:
    """Services and layers in a catalogue file."""
    with open_catalogue(Settings(catalogue=path)) as catalogue:
        return catalogue.count()


@dataclass(frozen=True, slots=True)
class Ask:
    """What a user asks of a crawl, stored with its task."""

    seeds: tuple[str, ...]
    scope: Scope = Scope.ANY
    kinds: tuple[str, ...] = ()
    bbox: tuple[float, float, float, float] | None = None


class RunningCrawl:
    """A crawl with its task: knows its numbers and saves them as it goes."""

    def __init__(self, crawl: Crawl, store: Store, parts: Parts, task: int) -> None:
        self._crawl = crawl
        self._store = store
        self._parts = parts
        self.task = task

    async def run(self) -> None:
        saving = asyncio.create_task(self._save_regularly())
        try:
            await self._crawl.run()
        finally:
            saving.cancel()
            self.save()
        finished = self._parts.frontier.seconds_until_due() is None
        self._store.tasks.finish(self.task, TaskState.DONE if finished else TaskState.STOPPED)

    def stop(self) -> None:
        self._crawl.stop()

    def save(self) -> None:
        self._store.tasks.save_progress(self.task, self._parts.order.state(), self.summary())

    def summary(self) -> dict[str, Any]:
        """The numbers so far; drops are those of the whole task."""
        progress = self._crawl.progress
        elapsed = self._parts.clock.monotonic() - progress.started if progress.started else 0.0
        told = progress.summary(elapsed)
        drops = progress.drops + self._parts.frontier.drops
        told["drops"] = {str(reason): n for reason, n in drops.most_common() if n}
        waiting = self._parts.frontier.queued
        return told | {"queue": waiting, "task": self.task, "finished": waiting == 0}

    async def _save_regularly(self) -> None:
        while True:
            await asyncio.sleep(SAVE_EVERY_S)
            self.save()


@asynccontextmanager
async def crawling(
    settings: Settings,
    ask: Ask | None,
    task: int | None,
    listener: Callable[[dict[str, Any]], None] | None = None,
) -> AsyncIterator[RunningCrawl]:
    """A crawl ready to run: a new one for `ask`, or the one numbered `task` from where it was left."""
    store = _store(settings)
    try:
        if ask is not None:
            asked = _as_stored(settings, ask)
            task = store.tasks.create_task(asked, ask.seeds).id
        row = store.tasks.get_task(task or 0)
        if row is None:
            raise StoreError(f"There is no task {task} in {settings.catalogue}.")
        is_new = ask is not None
        settings, ask = _from_stored(settings, row.settings, row.seeds, is_new=is_new)
        if not is_new and row.counters.get("pages", 0) < settings.max_pages:
            settings = replace(settings, max_pages=settings.max_pages - row.counters.get("pages", 0))
        store.tasks.finish(row.id, TaskState.RUNNING)
        order = orders()[settings.order]
        order.restore(row.order_state)
        way = fetcher(settings)
        frontier = store.frontier(row.id, _bounds(settings))
        parts = Parts(
            way,
            frontier,
            store.catalogue,
            kinds(),
            order,
            harvesters(),
            mine,
            SystemClock(),
            way.robots.sitemaps,
            way.pace.next_at,
        )
        crawl = Crawl(_plan(settings, ask, row.id), parts, listener)
        await frontier.admit([Candidate(url, Via.SEED, probe=looks_like_service(url)) for url in ask.seeds])
        try:
            yield RunningCrawl(crawl, store, parts, row.id)
        finally:
            await frontier.close()
            await way.close()
    finally:
        store.close()


def _as_stored(settings: Settings, ask: Ask) -> dict[str, Any]:
    return {"settings": asdict(settings), "ask": {"scope": ask.scope, "kinds": ask.kinds, "bbox": ask.bbox}}


# What a resumed crawl takes from the new command line, because the machine around it may have changed.
_FRESH = ("catalogue", "connect_to", "allow_nets", "max_time_s")


def _from_stored(
    settings: Settings, stored: Mapping[str, Any], seeds: tuple[str, ...], *, is_new: bool
) -> tuple[Settings, Ask]:
    """The settings with which the task was begun, but for what must come from today."""
    then: dict[str, Any] = {
        k: tuple(v) if isinstance(v, list) else v for k, v in stored["settings"].items() if hasattr(settings, k)
    }
    if not is_new:
        for name in _FRESH:
            if getattr(settings, name) or name == "max_time_s":
                then[name] = getattr(settings, name)
        if settings.max_pages != Settings().max_pages:
            then["max_pages"] = settings.max_pages
    asked = stored["ask"]
    box = tuple(asked["bbox"]) if asked.get("bbox") else None
    ask = Ask(seeds, Scope(asked["scope"]), tuple(asked["kinds"]), box)
    return replace(settings, **then), ask


def _bounds(settings: Settings) -> Bounds:
    return Bounds(
        max_depth=settings.max_depth,
        max_pages_per_host=settings.max_pages_per_host,
        max_pages_per_pattern=settings.max_pages_per_pattern,
        max_probes_per_pattern=settings.max_pages_per_pattern,
        host_delay_s=settings.host_delay_s,
        max_attempts=settings.retries + 1,
    )


def _plan(settings: Settings, ask: Ask, task: int) -> Plan:
    return Plan(
        task=task,
        max_pages=settings.max_pages,
        max_time_s=settings.max_time_s,
        fetchers=settings.fetchers,
        testers=settings.testers,
        retry_after_s=settings.retry_after_s,
        max_retry_after_s=settings.max_retry_after_s,
        max_page_bytes=settings.max_page_bytes,
        max_service_bytes=settings.max_service_bytes,
        kinds=frozenset(ask.kinds),
        bbox=BBox(*ask.bbox) if ask.bbox else None,
        fence=Fence.around(ask.scope, list(ask.seeds)),
    )


def unfinished_task(settings: Settings, task: int | None) -> int | None:
    """The task to go on with: the one named if it is not done, else the latest unfinished one."""
    store = _store(settings)
    try:
        found = store.tasks.get_task(task) if task else store.tasks.latest_unfinished()
        return found.id if found and found.state is not TaskState.DONE else None
    finally:
        store.close()


def document_from_file(path: Path, max_bytes: int) -> Document:
    """A saved answer, read as if it had just come."""
    with path.open("rb") as file:
        body = file.read(max_bytes + 1)
    address = path.resolve().as_uri()
    return Document(
        Response(address, address, 200, {}, body[:max_bytes], datetime.now(UTC), truncated=len(body) > max_bytes)
    )


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; OSError where the address cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener


def portal_is_built() -> bool:
    """Have the portal's scripts and styles been built?"""
    return any((Path(__file__).parent / "web" / "static").glob("**/*.js"))


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run on the fast event loop where there is one."""
    try:
        import uvloop  # noqa: PLC0415 - not there on Windows
    except ImportError:
        return asyncio.run(work)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)
