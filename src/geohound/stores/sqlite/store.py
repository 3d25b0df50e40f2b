"""Open a store: tasks, log and catalogue of one file."""

from __future__ import annotations

from pathlib import Path

from geohound.contracts import Clock
from geohound.model.visit import RequestRecord

from .catalogue import SqliteCatalogue
from .database import Database
from .requests import hosts_that_answered, requests_to
from .robots import SqliteRobotsCache
from .tasks import SqliteTasks


class Store:
    def __init__(self, database: Database, clock: Clock) -> None:
        self.database = database
        self.clock = clock
        self.catalogue = SqliteCatalogue(database)
        self.tasks = SqliteTasks(database, clock)
        self.robots = SqliteRobotsCache(database, clock)

    def hosts_that_answered(self, task_id: int) -> set[str]:
        return hosts_that_answered(self.database, task_id)

    def requests(self, host: str, limit: int = 0) -> list[RequestRecord]:
        """What was asked of a host, the latest first."""
        return requests_to(self.database, host, limit)

    def close(self) -> None:
        self.catalogue.close()


def open_store(path: str | Path, clock: Clock) -> Store:
    """Open or create the file; StoreError says why it cannot be used."""
    return Store(Database(path), clock)
