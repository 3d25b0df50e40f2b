"""Open a store: tasks, log and catalogue of one file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from geohound.contracts import Clock
from geohound.model.service import Service

from .catalogue import SqliteCatalogue
from .database import Database
from .frontier_log import SqliteFrontierLog
from .group_commit import GroupCommit
from .request_log import SqliteRequestLog
from .robots import SqliteRobotsCache
from .segments import SqliteSegments
from .tasks import SqliteTasks
from .visits import services_seen_at


class Store:
    def __init__(self, database: Database, clock: Clock) -> None:
        self.database = database
        self.clock = clock
        self._commits = GroupCommit(database)
        self.catalogue = SqliteCatalogue(database, self._commits)
        self.segments = SqliteSegments(database)
        self.log = SqliteFrontierLog(database, self._commits)
        self.requests = SqliteRequestLog(database, self._commits)
        self.robots = SqliteRobotsCache(database, self._commits, clock)
        self.tasks = SqliteTasks(database, clock)

    def services_seen_at(self, url: str) -> Sequence[Service]:
        """The services that a visit of this URL has proved, without their layers."""
        return services_seen_at(self.database.read(), url)

    def close(self) -> None:
        """Return when all that came is on disk."""
        self._commits.close()
        self.database.close()


def open_store(path: str | Path, clock: Clock) -> Store:
    """Open or create the file; StoreError says why it cannot be used."""
    return Store(Database(path), clock)
