"""A catalogue in one SQLite file."""

from geohound.stores.sql.store import Store

from .database import StoreError, make_folder
from .opening import open_host_claims, open_store

__all__ = ["Store", "StoreError", "make_folder", "open_host_claims", "open_store"]
