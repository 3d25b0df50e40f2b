"""Wiring of stores: the catalogue that the settings name, its index and its tasks."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from geohound.contracts import StoreError
from geohound.net.clock import CLOCK
from geohound.settings import Settings, default_catalogue
from geohound.stores.address import is_postgres, is_there, may_exist, path_of
from geohound.text.keyword_groups import NO_KEYWORDS

if TYPE_CHECKING:
    from geohound.accounts import Accounts
    from geohound.contracts import DataFileStore, NoteStore, SearchIndex
    from geohound.model.crawl.kept_page import KeptPage
    from geohound.model.visit import RequestRecord
    from geohound.search.background_indexer import BackgroundIndexer
    from geohound.stores.copying import CopiedTable
    from geohound.stores.sql.store import Store
    from geohound.tasks.control import TaskControl
    from geohound.views.known import Past


class OpenCatalogue:
    """A catalogue that is open: its services, the index over them, and its tasks."""

    def __init__(self, store: Store, usual_pages: int) -> None:
        self._store = store
        self._usual_pages = usual_pages
        self.catalogue = store.catalogue

    @property
    def files(self) -> DataFileStore:
        return self._store.files

    @cached_property
    def index(self) -> SearchIndex:
        from geohound.search.index import CatalogueIndex

        return CatalogueIndex(
            self._store.catalogue,
            self._store.segments,
            may_publish=not self.is_read_only,
        )

    @property
    def past(self) -> Past:
        from geohound.views.known import Past

        return Past(self._store.history, self._store.check_queue)

    def listen(self, heard: Callable[[Collection[str]], None]) -> Callable[[], bool]:
        """Call `heard` where other processes say that they wrote something; the answer says whether we would hear it."""
        return self._store.database.listen(heard)

    @property
    def is_read_only(self) -> bool:
        return self._store.database.is_read_only

    @cached_property
    def tasks(self) -> TaskControl:
        from geohound.tasks.control import TaskControl
        from geohound.tasks.recounting import recount

        return TaskControl(
            self._store.tasks,
            lambda task: recount(self._store, task.id, task.counters),
            self._usual_pages,
        )

    @cached_property
    def accounts(self) -> Accounts:
        from geohound.accounts import Accounts

        return Accounts(self._store.users, CLOCK)

    @property
    def notes(self) -> NoteStore:
        return self._store.notes

    def requests(self, host: str, limit: int) -> Sequence[RequestRecord]:
        """The requests that were made to a host, the latest first."""
        return self._store.requests.to_host(host, limit)

    def cluster_status(self) -> dict[str, Any]:
        """The nodes of the cluster that works for this catalogue, and its divided tasks."""
        from geohound.tasks.cluster_status import cluster_status

        return cluster_status(
            self._store.shards.status(),
            self._store.shards,
            self._store.tasks,
            self._store.clock,
        )

    def kept_pages(self) -> Iterator[KeptPage]:
        """The pages that crawls have kept for a second look, the most promising first."""
        return self._store.kept_pages.pages(NO_KEYWORDS)


@contextmanager
def open_catalogue(
    settings: Settings, *, make: bool = False
) -> Iterator[OpenCatalogue]:
    """The catalogue; where it is missing it is made only if `make` says so."""
    opening = open_store(settings) if make else open_existing_store(settings)
    with closing(opening) as store, store.database.explaining():
        yield OpenCatalogue(store, settings.page_limit)


def open_store(settings: Settings) -> Store:
    """The catalogue for writing, made where it is missing."""
    address = settings.catalogue
    if is_postgres(address):
        from geohound.stores import postgres

        return postgres.open_store(address, CLOCK)
    from geohound.stores.sqlite import make_folder, open_store

    path = path_of(address)
    if str(path) == default_catalogue():
        make_folder(path.parent)
    return open_store(path, CLOCK)


def open_existing_store(settings: Settings) -> Store:
    address = settings.catalogue
    if not may_exist(address):
        path = str(path_of(address))
        named = (
            "" if path == default_catalogue() else f" --catalogue {shlex.quote(path)}"
        )
        raise StoreError(
            f"No catalogue at {path}. To create one: geohound crawl URL{named}"
        )
    return open_store(settings)


def has_catalogue(settings: Settings) -> bool:
    """Is there a catalogue to open?"""
    return is_there(settings.catalogue)


def copy_catalogue(source: Settings, target: Settings) -> Iterator[CopiedTable]:
    """Copy all of a catalogue into an empty one."""
    from geohound.stores.copying import copy_catalogue

    with ExitStack() as opened:
        one = opened.enter_context(closing(open_existing_store(source)))
        other = open_store(target)
        opened.enter_context(closing(other))
        for store in (one, other):
            opened.enter_context(store.database.explaining())
        yield from copy_catalogue(one.database, other.database)


def background_indexer(store: Store, settings: Settings) -> BackgroundIndexer:
    """Indexes in the background what is written to this store."""
    from geohound.search.background_indexer import BackgroundIndexer, unpublished

    def behind() -> int:
        try:
            with store.database.explaining():
                return unpublished(store.catalogue, store.segments)
        except StoreError:  # the writer will report it
            return 0

    command = [sys.executable, "-m", "geohound.indexer"]
    return BackgroundIndexer(
        command, behind, {"GEOHOUND_CATALOGUE": settings.catalogue}
    )
