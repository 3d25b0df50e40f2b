"""SQLite and PostgreSQL keep the same: every table and column of one is in the other."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

from geohound.stores import postgres
from geohound.stores.postgres import schema
from geohound.stores.sqlite.database import SqliteDatabase

SCRIPTS = [Path(postgres.__file__).with_name(name) for name in schema._SCRIPTS]
TABLE = re.compile(r"CREATE TABLE (\w+) \((.*?)\)(?: PARTITION BY [^;]*)?;", re.DOTALL)
NO_COLUMNS = ("PRIMARY KEY", "UNIQUE", "CHECK")


def columns_of(body: str) -> set[str]:
    # Without comments, and without what stands in brackets, where there are commas too.
    plain = re.sub(r"\([^()]*(\([^()]*\))?[^()]*\)", "", re.sub(r"--.*", "", body))
    parts = [part.strip() for part in plain.split(",")]
    return {
        part.split()[0].strip('"')
        for part in parts
        if part and not part.startswith(NO_COLUMNS)
    }


def test_every_table_and_column_is_in_both_databases(tmp_path) -> None:
    """Who adds one to stores/sqlite adds it to stores/postgres as well: both read the same statements."""
    text = "".join(script.read_text("utf-8") for script in SCRIPTS)
    ours = {table: columns_of(body) for table, body in TABLE.findall(text)}
    with closing(SqliteDatabase(tmp_path / "c.db")) as database:
        tables = [
            name
            for (name,) in database.read().execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
            )
        ]
        theirs = {
            table: {
                column[1]
                for column in database.read().execute(f"PRAGMA table_info({table})")
            }
            for table in tables
            if not table.startswith("sqlite_")
        }
    ours["kept_page"].discard("rowid")  # which every table of SQLite has
    assert ours == theirs
