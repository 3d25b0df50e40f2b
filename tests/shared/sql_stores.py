"""The databases that contract tests run over, each opened by its name."""

from __future__ import annotations

from pathlib import Path

from postgres_server import shared_server

from geohound.contracts import Clock
from geohound.stores import postgres, sqlite
from geohound.stores.postgres.database import PostgresDatabase
from geohound.stores.sql.database import Database
from geohound.stores.sql.store import Store
from geohound.stores.sqlite.database import SqliteDatabase

SQL_STORES = ("sqlite", "postgres")
STORES = ("memory", *SQL_STORES)
_schemas: dict[str, str] = {}  # of PostgreSQL, by the folder that stands for it


def open_sql(name: str, folder: str | Path, clock: Clock) -> Store:
    """The store of this folder, as often as it is called: each as another process would have it."""
    if name == "sqlite":
        return sqlite.open_store(Path(folder) / "c.db", clock)
    return postgres.open_store(_address(folder), clock, is_shared=False)


def open_database(name: str, folder: str | Path, *, durable: bool = True) -> Database:
    if name == "sqlite":
        return SqliteDatabase(Path(folder) / "c.db", durable=durable)
    return PostgresDatabase(_address(folder), durable=durable)


def _address(folder: str | Path) -> str:
    key = str(folder)
    if key not in _schemas:
        _schemas[key] = shared_server().new_schema()
    return _schemas[key]
