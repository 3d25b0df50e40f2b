"""From the catalogue of an older Geohound to that of this one."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from importlib.resources import files

from .indexing import rebuild

__all__ = ["index_anew", "rebuild", "run_scripts"]


def run_scripts(connection: sqlite3.Connection, names: Sequence[str]) -> None:
    """The statements of files beside this one, within the transaction that is open."""
    # Not executescript: it commits first, and then two processes could create the tables at once.
    for name in names:
        statement = ""
        for line in files(__package__).joinpath(name).read_text("utf-8").splitlines(keepends=True):
            statement += line
            if sqlite3.complete_statement(statement):
                connection.execute(statement)
                statement = ""


def index_anew(connection: sqlite3.Connection) -> None:
    """Version 1 searched with FTS5 and R*Tree; version 2 has blocks of its own, which `rebuild` fills later."""
    for table in ("words", "box_index", "box"):
        connection.execute(f"DROP TABLE {table}")
    connection.execute("ALTER TABLE layer DROP COLUMN box")
    connection.execute("ALTER TABLE service ADD COLUMN popularity INTEGER NOT NULL DEFAULT 0")
    connection.execute("ALTER TABLE service ADD COLUMN revision INTEGER NOT NULL DEFAULT 0")
    connection.execute(
        "UPDATE service SET popularity = (SELECT count(*) FROM sighting s WHERE s.service = service.num)"
    )
    run_scripts(connection, ["search.sql"])
