"""From the catalogue of an older Geohound to that of this one."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import orjson

from geohound.model.task import Ending


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


def forget_text_index(connection: sqlite3.Connection) -> None:
    """Version 1 searched with FTS5 and R*Tree."""
    for table in ("words", "box_index", "box"):
        connection.execute(f"DROP TABLE {table}")
    connection.execute("ALTER TABLE layer DROP COLUMN box")
    connection.execute("ALTER TABLE service ADD COLUMN popularity INTEGER NOT NULL DEFAULT 0")
    connection.execute(
        "UPDATE service SET popularity = (SELECT count(*) FROM sighting s WHERE s.service = service.num)"
    )


_GOAL = ("order", "learned", "max_depth", "max_width", "max_pages_per_depth", "browser")
_BUDGET = (
    "max_pages", "max_pages_per_host", "max_hosts_per_domain", "max_pages_per_pattern", "fetchers", "testers",
)  # fmt: skip
_POLICY = ("connect_to", "allow_nets", "allow_ports")


def specify(connection: sqlite3.Connection) -> None:
    """Version 7 kept all settings of a task; version 8 keeps what was asked for."""
    connection.execute("ALTER TABLE task ADD COLUMN ending TEXT NOT NULL DEFAULT ''")
    connection.execute("ALTER TABLE task RENAME COLUMN settings TO spec")
    rows = connection.execute("SELECT id, spec, seeds, counters FROM task LEFT JOIN progress ON task = id").fetchall()
    for task, stored, seeds, counters in rows:
        spec = _spec(orjson.loads(stored), orjson.loads(seeds))
        ending = orjson.loads(counters or b"{}").get("ended", "")
        ended = ending if ending in set(Ending) else ""
        connection.execute("UPDATE task SET spec = ?, ending = ? WHERE id = ?", (orjson.dumps(spec), ended, task))
    connection.execute("ALTER TABLE task DROP COLUMN seeds")
    run_scripts(connection, ["event.sql"])
    connection.execute(
        "INSERT INTO event "
        "SELECT id, 1, coalesce(finished_at, created_at), 'state', json_object('state', state) FROM task"
    )


def _spec(stored: dict[str, Any], seeds: list[str]) -> dict[str, Any]:
    settings, asked = stored.get("settings", {}), stored.get("ask", {})
    goal = {name: asked[name] for name in ("scope", "kinds", "bbox") if asked.get(name)}
    goal |= {name: settings[name] for name in _GOAL if name in settings}
    return {
        "goal": {"seeds": seeds, **goal},
        "budget": {name: settings[name] for name in _BUDGET if name in settings},
        "policy": {name: settings[name] for name in _POLICY if name in settings},
        "kind": "crawl",
    }


def follow_changes(connection: sqlite3.Connection) -> None:
    """From version 10 on the index follows the changes of the catalogue: that of before goes, a new one is built."""
    for table in ("fresh", "posting", "block", "facet"):
        connection.execute(f"DROP TABLE IF EXISTS {table}")
    connection.execute("DROP INDEX IF EXISTS service_by_revision")
    columns = [name for _, name, *_ in connection.execute("PRAGMA table_info(service)")]
    if "revision" in columns:
        connection.execute("ALTER TABLE service DROP COLUMN revision")
    run_scripts(connection, ["index.sql"])
    # A manifest of no known format: whoever searches next builds the index, and says so.
    connection.execute("INSERT INTO manifest VALUES (1, 1, 0, 0, '[]')")


_HARVEST = "#harvest="


def tell_purposes(connection: sqlite3.Connection) -> None:
    """Version 11 knew pages and probes, and named the harvester in the address of what was to be harvested."""
    connection.execute("ALTER TABLE url RENAME COLUMN probe TO purpose")
    connection.execute("ALTER TABLE url ADD COLUMN harvester TEXT NOT NULL DEFAULT ''")
    connection.execute(
        """UPDATE url SET purpose = 2, harvester = substr(url, instr(url, :mark) + length(:mark)),
             url = substr(url, 1, instr(url, :mark) - 1)
           WHERE purpose = 1 AND instr(url, :mark)""",
        {"mark": _HARVEST},
    )
