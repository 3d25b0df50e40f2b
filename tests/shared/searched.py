"""A store that can be searched."""

from __future__ import annotations

from geohound.contracts import Clock
from geohound.search.index import CatalogueIndex
from geohound.stores.sqlite import Store
from geohound.stores.sqlite.database import SqliteDatabase


class Searched(Store):
    def __init__(self, database: SqliteDatabase, clock: Clock) -> None:
        super().__init__(database, clock)
        self.index = CatalogueIndex(self.catalogue, self.segments)
        self.search, self.layers = self.index.search, self.index.layers
