"""Copies all rows of a catalogue into an empty one of either database, and compares them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from geohound.contracts import StoreError
from geohound.stores.sql.database import Connection, Database, Stream

# Each after those whose rows it refers to. What is left out is of the moment: which process asks which host.
TABLES = (
    "task", "progress", "claim", "shard", "parcel", "event", "drops", "pause", "memo", "source", "url", "mark",
    "service", "alias", "layer", "sighting", "met", "health_check", "check_queue", "life_event", "check_total",
    "layer_check", "proof", "topic", "change",
    "segment_part", "manifest", "request", "robots", "search_page", "knowledge", "data_file", "kept_page",
    "watched_site", "watched_page", "owed_page",
    "account", "credential", "audit", "sample_task",
    "saved_search", "judgement",
)  # fmt: skip
LEFT_OUT = ("host_claim", "cluster_status")
_BATCH = 5000


class CopiedTable(NamedTuple):
    name: str
    rows: int


def copy_catalogue(source: Database, target: Database) -> Iterator[CopiedTable]:
    """Copy table by table what one moment has, then compare every row; StoreError where the target is not empty."""
    for table in TABLES:
        if next(iter(target.read().execute(f"SELECT 1 FROM {table} LIMIT 1")), None):  # noqa: S608 - our own names
            raise StoreError(f"{target.name} is not empty; name a new catalogue.")
    with source.frozen() as moment:
        with target.copying(source.last_numbers()) as connection:
            copied = [
                _copy_table(source, moment, target, connection, table)
                for table in TABLES
            ]
        for each in copied:
            there = digest_of(target, target.stream, each.name)
            if digest_of(source, moment, each.name) != there:
                raise StoreError(
                    f"The table {each.name} of {target.name} is not what was copied: does something else write to it?"
                )
            yield each


def _copy_table(
    source: Database,
    moment: Stream,
    target: Database,
    connection: Connection,
    table: str,
) -> CopiedTable:
    columns = target.columns(table)
    missing = set(columns) ^ set(source.columns(table))
    if missing:
        raise StoreError(
            f"The table {table} differs in {', '.join(sorted(missing))}; upgrade both catalogues first."
        )
    named = ", ".join(f'"{column}"' for column in columns)
    holes = ", ".join("?" * len(columns))
    rows, count = _rows(source, moment, table, columns), 0
    while batch := list(islice(rows, _BATCH)):
        connection.executemany(f"INSERT INTO {table} ({named}) VALUES ({holes})", batch)  # noqa: S608 - our own names
        count += len(batch)
    return CopiedTable(table, count)


def _rows(
    database: Database, stream: Stream, table: str, columns: Sequence[str]
) -> Iterator[tuple[Any, ...]]:
    """The rows of a table, truth values and bytes as such: SQLite keeps the default of a column of bytes as text."""
    truths = [columns.index(column) for column in database.booleans(table)]
    blobs = [columns.index(column) for column in database.blobs(table)]
    named = ", ".join(f'"{column}"' for column in columns)
    for row in stream(f"SELECT {named} FROM {table}"):  # noqa: S608 - our own names
        if not truths and not blobs:
            yield tuple(row)
            continue
        values = list(row)
        for place in truths:
            values[place] = None if values[place] is None else bool(values[place])
        for place in blobs:
            if isinstance(values[place], str):
                values[place] = values[place].encode()
        yield tuple(values)


def digest_of(database: Database, stream: Stream, table: str) -> tuple[int, int]:
    """How many rows a table has, and the sum of their hashes: the same in whatever order they come."""
    columns = sorted(database.columns(table))
    count = total = 0
    for row in _rows(database, stream, table, columns):
        count += 1
        hashed = hashlib.blake2b(
            repr(tuple(map(_plain, row))).encode("utf-8", "surrogatepass"),
            digest_size=8,
        )
        total = (total + int.from_bytes(hashed.digest(), "big")) % 2**64
    return count, total


def _plain(value: Any) -> Any:
    """A value as both databases give it back."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, (int, float)):
        return float(value) if abs(value) < 2**53 else int(value)
    return (
        value.encode("utf-8", "surrogatepass")
        if isinstance(value, str)
        else bytes(value)
    )
