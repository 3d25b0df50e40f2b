"""Tasks, log of the frontier and catalogue in one SQLite file."""

from .catalogue import SqliteCatalogue
from .database import StoreError
from .host_claims import open_host_claims
from .store import Store, open_store
from .tasks import SqliteTasks

__all__ = ["SqliteCatalogue", "SqliteTasks", "Store", "StoreError", "open_host_claims", "open_store"]
