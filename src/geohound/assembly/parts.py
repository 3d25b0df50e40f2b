"""The parts of the house, each made as the settings say."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from inspect import getdoc
from pathlib import Path

from geohound.contracts import Catalogue, Order, SearchIndex
from geohound.model.topic import Topic
from geohound.model.visit import RequestRecord
from geohound.net.clock import SystemClock
from geohound.plugins import discover
from geohound.search.follower import Follower, unpublished
from geohound.settings import Settings, SettingsError, default_catalogue
from geohound.stores.sqlite import Store, StoreError, open_store
from geohound.tasks.control import TaskControl
from geohound.tasks.recounting import recount
from geohound.topics import Classifier
from geohound.topics.files import TopicError, read_topic


def orders() -> Mapping[str, Order]:
    return discover("orders")


def about_order(order: Order) -> str:
    """What an order does, in a line: the first one of its file."""
    told = getdoc(sys.modules[type(order).__module__]) or order.title
    return told.partition("\n")[0].rstrip(".")


def topics(files: Sequence[str] = ()) -> Mapping[str, Topic]:
    """What services are sorted by: our topics, those of plug-ins, and the user's own files."""
    try:
        own = [read_topic(Path(name).expanduser()) for name in files]
    except TopicError as error:
        raise SettingsError(str(error)) from None
    return {**discover("topics"), **{topic.id: topic for topic in own}}


@contextmanager
def open_catalogue(settings: Settings) -> Iterator[Catalogue]:
    """The catalogue for reading; the default one is made where it is missing."""
    with open_shelf(settings) as shelf:
        yield shelf.catalogue


@dataclass(frozen=True, slots=True)
class Shelf:
    """What a portal shows: the catalogue, what its services are sorted by, and its crawls."""

    catalogue: Catalogue
    index: SearchIndex
    sorter: Classifier
    tasks: TaskControl
    requests: Callable[[str, int], Sequence[RequestRecord]]  # made to a host, the latest first


@contextmanager
def open_shelf(settings: Settings) -> Iterator[Shelf]:
    """The catalogue and what stands beside it, for reading."""
    store = open_known_house(settings)
    try:
        index, made = search_index(store), store.requests.to_host
        yield Shelf(store.catalogue, index, sorter(settings), _control(store), made)
    finally:
        store.close()


def search_index(store: Store) -> SearchIndex:
    from geohound.search.index import SearchIndex  # noqa: PLC0415 - a crawl does without it, and without NumPy

    return SearchIndex(store.catalogue, store.segments)


@contextmanager
def open_tasks(settings: Settings) -> Iterator[TaskControl]:
    """The tasks of a catalogue, whoever runs them."""
    with closing(open_known_house(settings)) as store:
        yield _control(store)


def _control(store: Store) -> TaskControl:
    return TaskControl(store.tasks, lambda task: recount(store, task.id, task.counters))


@contextmanager
def open_index(path: str) -> Iterator[SearchIndex]:
    """The index of a catalogue file, for who keeps it up to date."""
    with closing(open_house(Settings(catalogue=path))) as store:
        yield search_index(store)


def follower(store: Store) -> Follower:
    """What keeps the index close behind who writes to this store."""

    def behind() -> int:
        try:
            return unpublished(store.catalogue, store.segments)
        except (StoreError, sqlite3.Error):  # who writes will notice
            return 0

    return Follower([sys.executable, "-m", "geohound.indexer", str(store.database.path)], behind)


def sorter(settings: Settings) -> Classifier:
    """Sorts services by all topics; each set of files is read once."""
    return _sorter(settings.topic_files)


@cache
def _sorter(files: tuple[str, ...]) -> Classifier:
    return Classifier(topics(files).values())


def open_known_house(settings: Settings) -> Store:
    """For reading: a file that is not there is not made, but for the default one."""
    path = Path(settings.catalogue).expanduser()
    if str(path) != default_catalogue() and "://" not in settings.catalogue and not _may_exist(path):
        raise StoreError(f"There is no catalogue at {path}. A crawl makes one: geohound crawl URL --catalogue {path}")
    return open_house(settings)


def _may_exist(path: Path) -> bool:
    try:
        return path.exists()
    except PermissionError:  # of its folder; whoever opens it says so
        return True


def open_house(settings: Settings) -> Store:
    if "://" in settings.catalogue:
        raise SettingsError(f"{settings.catalogue} is not a file; catalogues are SQLite files, such as geoweb.db.")
    path = Path(settings.catalogue).expanduser()
    if str(path) == default_catalogue():
        path.parent.mkdir(parents=True, exist_ok=True)
    return open_store(path, SystemClock())


def catalogue_size(path: str) -> tuple[int, int]:
    """Services and layers in a catalogue file."""
    with open_catalogue(Settings(catalogue=path)) as catalogue:
        return catalogue.count()
