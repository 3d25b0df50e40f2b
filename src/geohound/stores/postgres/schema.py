"""The tables of a catalogue in PostgreSQL: made in an empty schema, upgraded, and refused where they are not ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg

from geohound.contracts import StoreError

VERSION = 8


def _name_tasks(connection: psycopg.Connection[Any]) -> None:
    """Version 1 did not keep which task had asked for a page of search results."""
    connection.execute(
        "ALTER TABLE search_page ADD COLUMN IF NOT EXISTS task bigint NOT NULL DEFAULT 0"
    )


def _announce_nothing(connection: psycopg.Connection[Any]) -> None:
    """Version 2 announced changes, to which nobody listened: whoever follows asks anyway, and commits had to queue."""
    connection.execute("DROP FUNCTION IF EXISTS announce() CASCADE")


def _weigh_changes(connection: psycopg.Connection[Any]) -> None:
    """Version 3 counted changes that looks had found; now old ones count for less."""
    connection.execute(
        "ALTER TABLE check_queue ALTER COLUMN changes TYPE double precision"
    )


def _keep_notes(connection: psycopg.Connection[Any]) -> None:
    """Version 4 knew no saved searches and no judgements."""
    run_script(connection, "notes.sql")


def _divide_checks(connection: psycopg.Connection[Any]) -> None:
    """Version 5 did not know which part of a divided monitor a host falls to."""
    from geohound.stores.divisions import part_of  # noqa: PLC0415 - once in the life of a catalogue

    connection.execute(
        "ALTER TABLE check_queue ADD COLUMN IF NOT EXISTS part integer NOT NULL DEFAULT 0"
    )
    hosts = connection.execute("SELECT DISTINCT host FROM check_queue").fetchall()
    connection.execute(
        "UPDATE check_queue SET part = given.part FROM unnest(%s::text[], %s::int[]) AS given (host, part) "
        "WHERE check_queue.host = given.host",
        ([host for (host,) in hosts], [part_of(host) for (host,) in hosts]),
    )


def _prove_pages(connection: psycopg.Connection[Any]) -> None:
    """Version 6 read each page whole at each look of the monitor."""
    for column in (
        "etag words NOT NULL DEFAULT ''",
        "last_modified words NOT NULL DEFAULT ''",
        "read_at double precision",
    ):
        connection.execute(f"ALTER TABLE check_queue ADD COLUMN IF NOT EXISTS {column}")


def _keep_removed_names(connection: psycopg.Connection[Any]) -> None:
    """Version 7 gave the name of a removed account again, and with it what was of the old one."""
    from geohound.stores import removed_names as names  # noqa: PLC0415 - once in the life of a catalogue

    specs, known, given = (
        [value for (value,) in connection.execute(sql)]
        for sql in (names.SPECS, names.NAMES, names.GIVEN)
    )
    for name in names.gone(specs, known, given):
        connection.execute(f"{names.KEEP} (%s, 'removed', 0, '', '')", (name,))


# From version N to N + 1.
UPGRADES: dict[int, Callable[[psycopg.Connection[Any]], None]] = {
    1: _name_tasks,
    2: _announce_nothing,
    3: _weigh_changes,
    4: _keep_notes,
    5: _divide_checks,
    6: _prove_pages,
    7: _keep_removed_names,
}
_SCRIPTS = ("schema.sql", "log.sql", "notes.sql")
_LOCK = 0x47484E44
_WITH_POSTGIS = """
SELECT set_config('search_path', quote_ident(current_schema()) || ', ' || quote_ident(nspname), TRUE)
FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'postgis'"""
_VERSION = "SELECT version FROM geohound_catalogue"


def prepare_schema(connection: psycopg.Connection[Any], name: str) -> None:
    """Make the tables where there are none, bring them up to date, or say why they cannot be used."""
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        if _has_table(connection):
            _upgrade(connection, name)
            return
        row = connection.execute(
            "SELECT current_schema(), count(*) FROM pg_tables WHERE schemaname = current_schema()"
        )
        schema, tables = row.fetchone() or (None, 0)
        if schema is None:
            raise StoreError(
                f"{name} has no schema in which this user may work; ask its owner to make one."
            )
        if tables > _foreign_tables(connection):
            raise StoreError(
                f"{name} holds tables of something else; name a database, or a schema, of its own."
            )
        for script in _SCRIPTS:
            run_script(connection, script)
        connection.execute("CREATE TABLE geohound_catalogue (version integer NOT NULL)")
        connection.execute("INSERT INTO geohound_catalogue VALUES (%s)", (VERSION,))
    add_map(connection)


def check_schema(connection: psycopg.Connection[Any], name: str) -> None:
    """Who only reads cannot upgrade."""
    if not _has_table(connection):
        raise StoreError(f"No catalogue in {name}, and this user may not make one.")
    row = connection.execute(_VERSION).fetchone()
    if row is None or row[0] != VERSION:
        raise StoreError(
            f"{name} has to be upgraded by a user that may write it: open it once with that one."
        )


def add_map(connection: psycopg.Connection[Any]) -> bool:
    """Views for readers of PostGIS, where the database has it or this user may add it; False where neither."""
    try:
        with connection.transaction():
            connection.execute("CREATE EXTENSION IF NOT EXISTS postgis SCHEMA public")
            connection.execute(_WITH_POSTGIS)
            run_script(connection, "map.sql")
    except psycopg.Error:
        return False
    return True


def run_script(connection: psycopg.Connection[Any], name: str) -> None:
    """The statements of a file beside this one."""
    text = Path(__file__).with_name(name).read_text("utf-8")
    connection.execute(text)


def schema_of(connection: psycopg.Connection[Any]) -> str:
    row = connection.execute("SELECT current_schema()").fetchone()
    return str(row[0]) if row else ""


def _has_table(connection: psycopg.Connection[Any]) -> bool:
    row = connection.execute("SELECT to_regclass('geohound_catalogue')").fetchone()
    return row is not None and row[0] is not None


def _foreign_tables(connection: psycopg.Connection[Any]) -> int:
    """Tables of extensions, such as those of PostGIS, which may be in the same schema."""
    row = connection.execute(
        "SELECT count(*) FROM pg_class c JOIN pg_depend d ON d.objid = c.oid AND d.deptype = 'e' "
        "WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace"
    ).fetchone()
    return int(row[0]) if row else 0


def _upgrade(connection: psycopg.Connection[Any], name: str) -> None:
    row = connection.execute(_VERSION).fetchone()
    version = int(row[0]) if row else 0
    if version > VERSION:
        raise StoreError(
            f"{name} was written by a newer Geohound (catalogue version {version}, this one knows {VERSION}); "
            "install the newer Geohound or name another database."
        )
    for step in range(version, VERSION):
        UPGRADES[step](connection)
        connection.execute("UPDATE geohound_catalogue SET version = %s", (step + 1,))
