"""Tasks, log of the frontier and catalogue in one SQLite file."""

from .catalogue import SqliteCatalogue
from .database import StoreError
from .store import Store, open_store
from .tasks import SqliteTasks

__all__ = ["SqliteCatalogue", "SqliteTasks", "Store", "StoreError", "open_store"]
