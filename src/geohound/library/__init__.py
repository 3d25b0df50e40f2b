"""Geohound from Python: search a catalogue, identify an address, crawl; each also as a coroutine."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import fields, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Self, TypeVar

from geohound import app, probe, settings
from geohound.event_loop import run_async
from geohound.model.bbox import BBox
from geohound.model.catalogue import Filter
from geohound.model.crawl.task import Scope
from geohound.model.health import Health, assess
from geohound.model.search.query import Query
from geohound.model.service import Layer, Service
from geohound.settings import Settings, SettingsError
from geohound.tasks.spec import crawl_spec
from geohound.urls import canonical
from geohound.views.encoding import plain
from geohound.views.known import Criteria, known_service
from geohound.views.opening import Opener, Opening
from geohound.views.params import LIBRARY, read_query
from geohound.views.parsing import check_choice, read_box, split_ids

from .arguments import (
    Box,
    Values,
    Years,
    as_text,
    as_texts,
    collect_arguments,
    years_as_text,
)
from .results import Crawled, Identified, SearchResult

__all__ = [
    "Catalogue",
    "Crawled",
    "Identified",
    "SearchResult",
    "acrawl",
    "aidentify",
    "crawl",
    "identify",
]

T = TypeVar("T")


class Catalogue:
    """A catalogue file, open for reading.

    >>> with Catalogue("geoweb.db") as catalogue:
    ...     for hit in catalogue.search("land cover", bbox=(-75, -34, -34, 6), kind="wms"):
    ...         print(hit.service.title)
    """

    def __init__(self, path: str | None = None, **options: Any) -> None:
        arguments = {"catalogue": str(path)} if path is not None else {}
        self._settings = _settings({**options, **arguments})
        self._stack = ExitStack()
        opened = self._stack.enter_context(app.open_catalogue(self._settings))
        self._catalogue = opened.catalogue
        self._index = opened.index
        self._past = opened.past

    def search(  # noqa: PLR0913 - arguments that users type in a notebook
        self,
        text: str = "",
        bbox: Box = None,
        relation: str = "overlaps",
        *,
        limit: int = 20,
        offset: int = 0,
        years: Years = None,
        expand: bool = True,
        **filters: Values,
    ) -> SearchResult:
        """The best services for words, a box, or both.

        Filters go by facet: kind="wms", topic="land_cover", class_="forest", country="br", state=["alive"] …;
        `expand=False` leaves synonyms and translations out.
        """
        arguments = {
            "bbox": bbox,
            "relation": relation,
            "limit": limit,
            "offset": offset,
            "expand": expand,
        }
        texts = collect_arguments(
            text, {**arguments, "years": years_as_text(years)}, filters
        )
        query = replace(read_query(texts, LIBRARY, self._known(texts)), related=True)
        return SearchResult(query, self._index.search(query))

    def _known(self, facets: Iterable[str]) -> dict[str, list[str]]:
        """The valid values of some facets; a catalogue may contain topics of other files."""
        known = {"kind": sorted(app.kinds())}
        if "topic" in facets:
            in_catalogue = self._index.search(Query(limit=0)).facets["topic"]
            known["topic"] = sorted(
                {*app.topics(self._settings.topic_files), *in_catalogue}
            )
        return known

    async def asearch(
        self, text: str = "", bbox: Box = None, relation: str = "overlaps", **more: Any
    ) -> SearchResult:
        """The same without blocking the event loop."""
        return await asyncio.to_thread(self.search, text, bbox, relation, **more)

    def get(self, service_id: str) -> Service:
        """A service with all its layers; KeyError where there is none of this id."""
        found = self._catalogue.get(service_id)
        if found is None:
            raise KeyError(
                f"There is no service {service_id} in {app.without_password(self._settings.catalogue)}."
            )
        return found

    def describe(self, service_id: str) -> dict[str, Any]:
        """Everything known about a service, as `geohound show --json` prints it."""
        classifier = app.classifier(
            self._settings.topic_files, self._settings.topic_match
        )
        criteria = Criteria(classifier.classify, app.address_book().response_limit_s)
        service, now = self.get(service_id), datetime.now(UTC)
        return dict(
            plain(
                known_service(
                    self._catalogue,
                    service,
                    criteria,
                    now,
                    None,
                    self._past.of(service.id),
                )
            )
        )

    def at(self, url: str) -> list[Service]:
        """The services known at an address."""
        return list(self._catalogue.at(canonical(url) or url))

    def health(self, service_id: str) -> Health:
        return assess(self._catalogue.checks(service_id))

    def open(
        self, service: Service | str, layer: Layer | str | None = None, bbox: Box = None
    ) -> Opening:
        """How to open a layer: requests that work and snippets for other programs."""
        found = self.get(service if isinstance(service, str) else service.id)
        if isinstance(layer, str):
            named = next((la for la in found.layers if la.name == layer), None)
            if named is None:
                raise KeyError(f"The service {found.id} has no layer {layer!r}.")
            layer = named
        opener = Opener(app.kinds(), app.snippets())
        return opener.open(found, layer, _box(bbox))

    def __iter__(self) -> Iterator[Service]:
        return (entry.service for entry in self._catalogue.entries())

    def __len__(self) -> int:
        return self._catalogue.count()[0]

    def __repr__(self) -> str:
        services, layers = self._catalogue.count()
        return f"<Catalogue {app.without_password(self._settings.catalogue)}: {services:,} services, {layers:,} layers>"

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
    """Identify the services at an address by requests to it; settings by name, such as allow_nets=("127.0.0.0/8",)."""
    return _run(aidentify(url, **options))


async def aidentify(url: str, **options: Any) -> Identified:
    chosen = _settings({"host_delay_s": 0.0, **options})
    address = _address(url)
    fetcher = app.fetcher(chosen)
    try:
        verdict = await probe.identify(
            address, fetcher, app.kinds(), chosen.max_service_bytes
        )
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
    kinds: Values = (),
    bbox: Box = None,
    **options: Any,
) -> Crawled:
    if not seeds:
        raise ValueError("Name at least one address to start from.")
    chosen = _settings(
        {**options, **({"catalogue": str(catalogue)} if catalogue else {})}
    )
    box = _box(bbox)
    wanted = split_ids(as_texts(kinds))
    for kind in wanted:
        check_choice("kinds", kind, app.kinds())
    check_choice("scope", scope, [str(each.value) for each in Scope])
    addresses = tuple(_address(seed) for seed in seeds)
    spec = crawl_spec(
        chosen,
        addresses,
        Scope(scope.lower()),
        tuple(wanted),
        box.as_tuple() if box else None,
    )
    with app.task_runner(chosen) as (runner, tasks):
        task = app.new_task(chosen, spec)
        await runner.run(task)
        found = tasks.get(task)
        counters = dict(found.counters) if found else {}
    return Crawled(
        chosen.catalogue, counters, partial(_services_of, chosen, int(counters["task"]))
    )


def _services_of(chosen: Settings, task: int) -> Iterator[Service]:
    """The services that a crawl found."""
    with app.open_catalogue(chosen) as opened:
        yield from (
            entry.service for entry in opened.catalogue.entries(Filter(task=task))
        )


def _run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine; on another thread where an event loop runs already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run_async(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run_async, work).result()


def _settings(options: dict[str, Any]) -> Settings:
    known = {field.name for field in fields(Settings)}
    for name in options:
        if name not in known:
            raise SettingsError(
                f"There is no setting called {name!r}; docs/operating.md lists all of them."
            )
    lists = {
        k: as_texts(v)
        for k, v in options.items()
        if isinstance(getattr(Settings(), k), tuple)
    }
    return replace(settings.load(), **{**options, **lists})


def _box(bbox: Box) -> BBox | None:
    return read_box(as_text(bbox)) if bbox is not None else None


def _address(url: str) -> str:
    clean = canonical(url if "://" in url else f"https://{url}")
    if clean is None:
        raise ValueError(
            f"{url!r} is not a web address; it should begin with http:// or https://."
        )
    return clean
