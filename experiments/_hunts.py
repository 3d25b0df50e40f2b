"""Hunts and crawls over a geoweb on loopback, run in this process, with every event in order."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import _frame  # noqa: F401  puts the rig within reach
from geoweb_rig import Observed, calm

from geohound import app
from geohound.agent.measures import relative_noise
from geohound.contracts import Fetcher, Searcher
from geohound.model.crawl.event import Event, QueryAnswered, ServiceFound
from geohound.model.crawl.task import TaskSpec
from geohound.model.crawl.web_search import SearchPage, SearchRequest
from geohound.settings import Settings
from geohound.stores.merge_rules import loose_endpoint
from geohound.tasks.spec import crawl_spec, hunt_spec
from geoweb import World
from geoweb.addresses import url_of

SEARCHER = "searxng=http://search.test"


@dataclass(slots=True)
class Run:
    """What one run found, and when."""

    # endpoints; with www or without, it is one service
    services: set[str] = field(default_factory=set)
    # services after so many requests to the provider
    by_request: list[int] = field(default_factory=list)
    counters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def steps(self) -> list[dict[str, Any]]:
        return list(self.counters.get("steps", ()))

    @property
    def live_share(self) -> float:
        """Of what was tested, as services per test."""
        ways = self.counters["ways"].values()
        tested = sum(way["tested"] for way in ways)
        return sum(way["confirmed"] for way in ways) / tested if tested else 0.0


@contextmanager
def web(seed: int, hosts: int, pages: int) -> Iterator[tuple[World, int]]:
    """A geoweb and its port; its search engine answers as often as it is asked."""
    world = World(seed, hosts=hosts, pages=pages, trouble=calm())
    with Observed(world, only_count=True) as observed:
        yield world, observed.port


def settings_for(port: int, folder: str, **more: Any) -> Settings:
    quick = Settings(
        catalogue=str(Path(folder) / "c.db"), connect_to=(f"*.test=127.0.0.1:{port}",), allow_nets=("127.0.0.0/8",),
        host_delay_s=0.0, address_share=0.0, slow_host_factor=0.0, processes=1, max_depth=2, max_width=0,
    )  # fmt: skip
    return replace(quick, **more)


def hunt(
    port: int,
    queries: tuple[str, ...],
    *,
    steps: tuple[str, ...] = ("search",),
    words: str = "",
    **more: Any,
) -> Run:
    """A hunt with these first queries; further settings by name."""
    with tempfile.TemporaryDirectory() as folder:
        settings = settings_for(port, folder, **more)
        spec = hunt_spec(
            crawl_spec(settings, ()),
            queries,
            (SEARCHER,),
            steps=steps,
            words=words,
            knowledge="main",
        )
        return _run(settings, spec)


def crawl(port: int, seeds: tuple[str, ...], depth: int, **more: Any) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        settings = settings_for(port, folder, max_depth=depth, **more)
        return _run(settings, crawl_spec(settings, seeds))


def _run(settings: Settings, spec: TaskSpec) -> Run:
    run = Run()

    def listen(event: Event) -> None:
        match event:
            case QueryAnswered() if not event.cached:
                run.by_request.append(len(run.services))
            case ServiceFound():
                run.services.add(loose_endpoint(event.endpoint))
            case _:
                pass

    async def story() -> None:
        with app.task_runner(settings, listen) as (runner, tasks):
            task = tasks.create(spec).id
            await runner.run(task)
            found = tasks.get(task)
            run.counters = dict(found.counters) if found else {}

    asyncio.run(story())
    run.by_request.append(len(run.services))
    return run


def list_pages(world: World, count: int) -> tuple[str, ...]:
    """The pages that name most services: what a person would find as public lists."""
    named = [
        (len(mentions), host, page)
        for host in range(world.hosts)
        for page, mentions in world.mentions_on(host).items()
        if page < world.host(host).layout.total
    ]
    best = sorted(named, reverse=True)[:count]
    return tuple(url_of(world.host(host), page) for _, host, page in best)


def noise_of(port: int, queries: list[str]) -> list[list[float]]:
    """Each query asked twice: how many results in all, and the relative noise between the two answers."""

    async def answers() -> list[list[float]]:
        with tempfile.TemporaryDirectory() as folder:
            settings = settings_for(port, folder)
            fetcher = app.search_fetcher(settings)
            searcher = app.searchers(())["searxng"]
            try:
                return [await _noise(searcher, fetcher, query) for query in queries]
            finally:
                await fetcher.close()

    return asyncio.run(answers())


async def _noise(searcher: Searcher, fetcher: Fetcher, query: str) -> list[float]:
    found: list[set[str]] = []
    for _ in range(2):
        urls: set[str] = set()
        for page in range(1, 4):
            answer = await searcher.page(
                SearchRequest(query, page, "http://search.test"), fetcher
            )
            urls |= (
                {result.url for result in answer.results}
                if isinstance(answer, SearchPage)
                else set()
            )
        found.append(urls)
    return [len(found[0] | found[1]), round(relative_noise(*found), 3)]
