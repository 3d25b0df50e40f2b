"""From the catalogue of an older Geohound to that of this one."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson


def run_scripts(connection: sqlite3.Connection, names: Sequence[str]) -> None:
    """The statements of files beside this one, within the transaction that is open."""
    # Not executescript: it commits first, and then two processes could create the tables at once.
    for name in names:
        statement = ""
        for line in (
            Path(__file__).with_name(name).read_text("utf-8").splitlines(keepends=True)
        ):
            statement += line
            if sqlite3.complete_statement(statement):
                connection.execute(statement)
                statement = ""


def forget_text_index(connection: sqlite3.Connection) -> None:
    """Version 1 searched with FTS5 and R*Tree."""
    for table in ("words", "box_index", "box"):
        connection.execute(f"DROP TABLE {table}")
    connection.execute("ALTER TABLE layer DROP COLUMN box")
    connection.execute(
        "ALTER TABLE service ADD COLUMN popularity INTEGER NOT NULL DEFAULT 0"
    )
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
    rows = connection.execute(
        "SELECT id, spec, seeds, counters FROM task LEFT JOIN progress ON task = id"
    ).fetchall()
    from geohound.model.crawl.task import Ending  # noqa: PLC0415 - few files are of that age

    for task, stored, seeds, counters in rows:
        spec = _spec(orjson.loads(stored), orjson.loads(seeds))
        ending = orjson.loads(counters or b"{}").get("ended", "")
        ended = ending if ending in set(Ending) else ""
        connection.execute(
            "UPDATE task SET spec = ?, ending = ? WHERE id = ?",
            (orjson.dumps(spec), ended, task),
        )
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


def rename_aliases(connection: sqlite3.Connection) -> None:
    """Version 14 had another word for the further addresses of a service."""
    connection.execute("ALTER TABLE door RENAME TO alias")
    for column in ("endpoint", "service"):
        connection.execute(f"DROP INDEX door_by_{column}")
        connection.execute(f"CREATE INDEX alias_by_{column} ON alias ({column})")


def note_declared(connection: sqlite3.Connection) -> None:
    """Version 16 did not know the same service behind several hosts by the address that its document gives."""
    from geohound.stores.merge_rules import host_of  # noqa: PLC0415 - once in the life of a file
    from geohound.urls.declared import declared_endpoint  # noqa: PLC0415

    run_scripts(connection, ["declared.sql"])
    rows = connection.execute("SELECT num, endpoint, body FROM service").fetchall()
    for num, endpoint, body in rows:
        declared = declared_endpoint(
            str(orjson.loads(body).get("online_resource") or "")
        )
        connection.execute(
            "UPDATE service SET host = ?, declared = ? WHERE num = ?",
            (host_of(endpoint), declared, num),
        )


def write_lives(connection: sqlite3.Connection) -> None:
    """Catalogues of before had checks and no events: those that follow from the checks are written."""
    from datetime import UTC, datetime  # noqa: PLC0415 - once in the life of a file
    from itertools import groupby  # noqa: PLC0415

    from geohound.model.biography import state_change  # noqa: PLC0415
    from geohound.model.health import Check, HealthState, states  # noqa: PLC0415

    run_scripts(connection, ["biography.sql"])
    rows = connection.execute(
        "SELECT service, at, ok, reason FROM health_check ORDER BY service, at, num"
    ).fetchall()
    for num, looks in groupby(rows, lambda row: row[0]):
        checks = [
            Check(
                "",
                datetime.fromtimestamp(at, UTC),
                None if ok is None else bool(ok),
                reason,
            )
            for _, at, ok, reason in looks
        ]
        was = HealthState.UNKNOWN
        for check, state in zip(checks, states(checks), strict=True):
            if state is not was:
                change, detail = state_change(was, state, check.reason)
                connection.execute(
                    "INSERT INTO life_event (service, at, change, detail) VALUES (?, ?, ?, ?)",
                    (num, check.at.timestamp(), change, detail),
                )
            was = state


def divide_checks(connection: sqlite3.Connection) -> None:
    """Version 31 did not know which part of a divided monitor a host falls to."""
    from geohound.stores.divisions import part_of  # noqa: PLC0415 - once in the life of a file

    known = connection.execute("SELECT name FROM pragma_table_info('check_queue')")
    if ("part",) not in known.fetchall():
        run_scripts(connection, ["check_part.sql"])
    hosts = connection.execute("SELECT DISTINCT host FROM check_queue").fetchall()
    connection.executemany(
        "UPDATE check_queue SET part = ? WHERE host = ?",
        [(part_of(host), host) for (host,) in hosts],
    )


def prove_pages(connection: sqlite3.Connection) -> None:
    """Version 32 kept nothing by which the server of a page knows it."""
    known = connection.execute("SELECT name FROM pragma_table_info('check_queue')")
    if ("etag",) not in known.fetchall():
        run_scripts(connection, ["page_proof.sql"])


def keep_removed_names(connection: sqlite3.Connection) -> None:
    """Version 33 gave the name of a removed account again, and with it what was of the old one."""
    from geohound.stores import removed_names as names  # noqa: PLC0415 - once in the life of a file

    specs, known, given = (
        [value for (value,) in connection.execute(sql)]
        for sql in (names.SPECS, names.NAMES, names.GIVEN)
    )
    connection.executemany(
        f"{names.KEEP} (?, 'removed', 0, '', '')",
        [(name,) for name in names.gone(specs, known, given)],
    )
