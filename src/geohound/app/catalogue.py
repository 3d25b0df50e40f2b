"""Wiring of stores: the catalogue that the settings name, its index and its tasks."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geohound.contracts import StoreError
from geohound.settings import Settings, SettingsError, default_catalogue
from geohound.text.keyword_groups import NO_KEYWORDS

from .clock import CLOCK

if TYPE_CHECKING:
    from geohound.accounts import Accounts
    from geohound.contracts import NoteStore, SearchIndex
    from geohound.model.visit import RequestRecord
    from geohound.model.work.kept_page import KeptPage
    from geohound.search.background_indexer import BackgroundIndexer
    from geohound.stores.copying import CopiedTable
    from geohound.stores.sql.store import Store
    from geohound.tasks.control import TaskControl
    from geohound.views.known import Past


class OpenCatalogue:
    """A catalogue that is open: its services, the index over them, and its tasks."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.catalogue = store.catalogue
        self.files = store.files

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

    @property
    def is_read_only(self) -> bool:
        return self._store.database.is_read_only

    @cached_property
    def tasks(self) -> TaskControl:
        from geohound.tasks.control import TaskControl
        from geohound.tasks.recounting import recount

        return TaskControl(
            self._store.tasks, lambda task: recount(self._store, task.id, task.counters)
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
        yield OpenCatalogue(store)


def open_store(settings: Settings) -> Store:
    """The catalogue for writing, made where it is missing."""
    address = settings.catalogue
    if is_postgres(address):
        from geohound.stores import postgres

        return postgres.open_store(address, CLOCK)
    from geohound.stores.sqlite import make_folder, open_store

    if "://" in address:
        raise SettingsError(
            f"{without_password(address)} is no catalogue; name a SQLite file such as geoweb.db, or "
            "postgresql://user@host/database."
        )
    path = path_of(address)
    if str(path) == default_catalogue():
        make_folder(path.parent)
    return open_store(path, CLOCK)


def is_postgres(address: str) -> bool:
    return address.startswith(("postgresql://", "postgres://"))


def without_password(address: str) -> str:
    """The catalogue as people may see it."""
    return re.sub(r"//([^/@:]*):[^/@]*@", r"//\1@", address)


def has_catalogue(settings: Settings) -> bool:
    """Is there a catalogue to open? A database is one unless it says otherwise."""
    if is_postgres(settings.catalogue):
        return True
    try:
        return path_of(settings.catalogue).is_file()
    except OSError:  # whoever opens it says so
        return False


def path_of(address: str) -> Path:
    """The file of a catalogue; an error where its name starts with the home of nobody."""
    if not address.strip():
        raise SettingsError(
            "The name of the catalogue is empty; name a SQLite file such as geoweb.db."
        )
    try:
        return Path(address).expanduser()
    except RuntimeError:
        raise SettingsError(
            f"{address} is no catalogue: there is no user with the name after ~. Name another file."
        ) from None


def open_existing_store(settings: Settings) -> Store:
    path = path_of(settings.catalogue)
    if "://" not in settings.catalogue and not _may_exist(path):
        named = (
            ""
            if str(path) == default_catalogue()
            else f" --catalogue {shlex.quote(str(path))}"
        )
        raise StoreError(
            f"No catalogue at {path}. To create one: geohound crawl URL{named}"
        )
    return open_store(settings)


def copy_catalogue(source: Settings, target: Settings) -> Iterator[CopiedTable]:
    """Copy all of a catalogue into an empty one."""
    from geohound.stores.copying import copy_catalogue

    with ExitStack() as opened:
        one, other = (
            opened.enter_context(closing(open_existing_store(source))),
            open_store(target),
        )
        opened.enter_context(closing(other))
        for store in (one, other):
            opened.enter_context(store.database.explaining())
        yield from copy_catalogue(one.database, other.database)


def _may_exist(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # of its folder, or of its name; whoever opens it says so
        return True


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
