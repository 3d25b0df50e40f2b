"""A catalogue in one SQLite file."""

from pathlib import Path

from geohound.contracts import Clock
from geohound.stores.sql.host_claims import SqlHostClaims
from geohound.stores.sql.store import Store

from .database import SqliteDatabase, StoreError, make_folder

__all__ = ["Store", "StoreError", "make_folder", "open_host_claims", "open_store"]


def open_store(path: str | Path, clock: Clock) -> Store:
    """Open or create the file; StoreError says why it cannot be used."""
    return Store(SqliteDatabase(path), clock)


def open_host_claims(path: Path, clock: Clock) -> SqlHostClaims:
    """Claims of the catalogue, by a connection of their own: they need not outlive a power cut."""
    return SqlHostClaims(SqliteDatabase(path, durable=False), clock)
