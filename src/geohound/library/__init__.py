"""Geohound from Python: search a catalogue, identify an address, crawl; each also for code that awaits."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import fields, replace
from functools import partial
from typing import Any, Self, TypeVar

from geohound import assembly, probe, settings
from geohound.model.catalogue import Filter
from geohound.model.health import Health, State, assess
from geohound.model.query import Query
from geohound.model.service import Layer, Service
from geohound.model.task import Scope
from geohound.opening import Opening, open_layer
from geohound.settings import Settings, SettingsError
from geohound.urls import canonical

from .asking import Box, Words, Years, choose, read_box, read_filters, read_query, read_words
from .found import Crawled, Found, Identified

__all__ = ["Catalogue", "Crawled", "Found", "Identified", "acrawl", "aidentify", "crawl", "identify"]

T = TypeVar("T")


class Catalogue:
    """A catalogue file, open for reading.

    >>> with Catalogue("geoweb.db") as catalogue:
    ...     for hit in catalogue.search("land cover", bbox=(-75, -34, -34, 6), kind="wms"):
    ...         print(hit.service.title)
    """

    def __init__(self, path: str | None = None, **options: Any) -> None:
        given = {"catalogue": str(path)} if path is not None else {}
        self._settings = _settings({**options, **given})
        self._stack = ExitStack()
        shelf = self._stack.enter_context(assembly.open_shelf(self._settings))
        self._catalogue, self._index = shelf.catalogue, shelf.index

    def search(  # noqa: PLR0913 - each is what somebody types in a notebook
        self,
        text: str = "",
        bbox: Box = None,
        relation: str = "overlaps",
        *,
        limit: int = 20,
        offset: int = 0,
        years: Years = None,
        expand: bool = True,
        **filters: Words,
    ) -> Found:
        """The best services for words, a box, or both.

        Filters go by facet: kind="wms", topic="land_cover", class_="forest", country="br", state=["alive"] …;
        `expand=False` leaves synonyms and translations out.
        """
        query = read_query(text, bbox, relation, (limit, offset), years, expand=expand)
        query = replace(query, **read_filters(filters, self._known(filters)))
        return Found(query, self._index.search(query))

    def _known(self, facets: Iterable[str]) -> dict[str, list[str]]:
        """The facets of these whose values are fixed; a catalogue may hold topics of other people's files."""
        known = {"kind": sorted(assembly.kinds()), "state": [str(s) for s in State]}
        if "topic" in facets:
            held = self._index.search(Query(limit=0)).facets["topic"]
            known["topic"] = sorted({*assembly.topics(self._settings.topic_files), *held})
        return known

    async def asearch(self, text: str = "", bbox: Box = None, relation: str = "overlaps", **more: Any) -> Found:
        """The same without holding up the event loop."""
        return await asyncio.to_thread(self.search, text, bbox, relation, **more)

    def get(self, service_id: str) -> Service:
        """A service with all its layers; KeyError where there is none of this id."""
        found = self._catalogue.get(service_id)
        if found is None:
            raise KeyError(f"There is no service {service_id} in {self._settings.catalogue}.")
        return found

    def at(self, url: str) -> list[Service]:
        """The services known at an address."""
        return list(self._catalogue.at(canonical(url) or url))

    def health(self, service_id: str) -> Health:
        return assess(self._catalogue.checks(service_id))

    def open(self, service: Service | str, layer: Layer | str | None = None, bbox: Box = None) -> Opening:
        """The ways into a layer: requests that work and snippets for other programs."""
        found = self.get(service if isinstance(service, str) else service.id)
        if isinstance(layer, str):
            named = next((la for la in found.layers if la.name == layer), None)
            if named is None:
                raise KeyError(f"The service {found.id} has no layer {layer!r}.")
            layer = named
        return open_layer(found, layer, read_box(bbox))

    def __iter__(self) -> Iterator[Service]:
        return (entry.service for entry in self._catalogue.entries())

    def __len__(self) -> int:
        return self._catalogue.count()[0]

    def __repr__(self) -> str:
        services, layers = self._catalogue.count()
        return f"<Catalogue {self._settings.catalogue}: {services:,} services, {layers:,} layers>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        self._stack.close()


def identify(url: str, **options: Any) -> Identified:
    """What lives at an address, asked of the address itself; settings by name, such as allow_nets=("127.0.0.0/8",)."""
    return _run(aidentify(url, **options))


async def aidentify(url: str, **options: Any) -> Identified:
    chosen = _settings({"host_delay_s": 0.0, **options})
    address = _address(url)
    fetcher = assembly.fetcher(chosen)
    try:
        verdict = await probe.identify(address, fetcher, assembly.kinds(), chosen.max_service_bytes)
    finally:
        await fetcher.close()
    return Identified(address, verdict)


def crawl(*seeds: str, catalogue: str | None = None, **options: Any) -> Crawled:
    """Crawl from these addresses into a catalogue; scope, kinds, bbox and settings as on the command line."""
    return _run(acrawl(*seeds, catalogue=catalogue, **options))


async def acrawl(
    *seeds: str,
    catalogue: str | None = None,
    scope: str = "any",
    kinds: Words = (),
    bbox: Box = None,
    **options: Any,
) -> Crawled:
    if not seeds:
        raise ValueError("Name at least one address to start from.")
    chosen = _settings({**options, **({"catalogue": str(catalogue)} if catalogue else {})})
    box = read_box(bbox)
    wanted = tuple(choose("kind", kind, sorted(assembly.kinds())) for kind in read_words(kinds))
    chosen_scope = Scope(choose("scope", scope, [str(s.value) for s in Scope]))
    addresses = tuple(_address(seed) for seed in seeds)
    spec = assembly.crawl_spec(chosen, addresses, chosen_scope, wanted, box.as_tuple() if box else None)
    with assembly.task_runner(chosen) as (runner, tasks):
        task = assembly.new_task(chosen, spec)
        await runner.run(task)
        found = tasks.get(task)
        told = dict(found.counters) if found else {}
    return Crawled(chosen.catalogue, told, partial(_services_of, chosen, int(told["task"])))


def _services_of(chosen: Settings, task: int) -> Iterator[Service]:
    """The services that a crawl met."""
    with assembly.open_catalogue(chosen) as catalogue:
        yield from (entry.service for entry in catalogue.entries(Filter(task=task)))


def _run(work: Coroutine[Any, Any, T]) -> T:
    """Wait for it; in a notebook, whose own loop runs already, on another thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return assembly.run_async(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(assembly.run_async, work).result()


def _settings(options: dict[str, Any]) -> Settings:
    known = {field.name for field in fields(Settings)}
    for name in options:
        if name not in known:
            raise SettingsError(f"There is no setting called {name!r}; docs/operating.md lists all of them.")
    lists = {k: read_words(v) for k, v in options.items() if isinstance(getattr(Settings(), k), tuple)}
    return replace(settings.load(), **{**options, **lists})


def _address(url: str) -> str:
    clean = canonical(url if "://" in url else f"https://{url}")
    if clean is None:
        raise ValueError(f"{url!r} is not a web address; it should begin with http:// or https://.")
    return clean
