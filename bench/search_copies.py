"""A larger catalogue out of a written one: its rows and segments again and again under new numbers.

Writing a million and a half layers takes a while on a busy machine; searching them does not care who wrote them.
Copies are no near-duplicates of each other.
"""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np

from geohound.model.search.segment import Segment
from geohound.net.clock import SystemClock
from geohound.search.segments import RECORD, STATE, decode, encode, read_states
from geohound.stores.sqlite import Store, open_store

_ODD = 0x9E3779B97F4A7C15


def multiply(path: Path, copies: int) -> None:
    """All services of the file must be in segments."""
    store = open_store(path, SystemClock())
    highest = max(change.number for change in store.catalogue.changes(0, 10**9).changes)
    with sqlite3.connect(path, isolation_level=None) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        for copy in range(1, copies):
            _copy_rows(connection, copy, highest)
        connection.execute("COMMIT")
    connection.close()
    for copy in range(1, copies):
        _copy_segments(store, copy, highest)
    store.close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def _copy_segments(store: Store, copy: int, highest: int) -> None:
    manifest, read = store.segments.manifest(), store.segments.read
    added, parts = [], {}
    for segment in [segment for segment in manifest.segments if "-" not in segment.id]:
        piece = decode(read, segment.id)
        records = piece.records.astype(RECORD)
        states = read_states(read, segment.id).astype(STATE)
        records["num"] += copy * highest
        states["num"] += copy * highest
        for name in ("duplicate_key", "id"):
            records[name] ^= np.uint64(copy * _ODD % 2**64)
        added.append(Segment(f"{segment.id}-{copy}", segment.entries, segment.services))
        parts[added[-1].id] = encode(piece._replace(records=records), states)
    following = replace(
        manifest, version=manifest.version + 1, segments=(*manifest.segments, *added)
    )
    if not store.segments.publish(following, parts):
        raise RuntimeError("Another process has published a manifest meanwhile.")


def _copy_rows(connection: sqlite3.Connection, copy: int, highest: int) -> None:
    step = copy * highest
    connection.execute(
        "INSERT INTO service (num, id, kind, endpoint, loose_endpoint, version, title, fingerprint, content_key, "
        "state, first_seen, last_seen, popularity, body) "
        f"SELECT num + {step}, id || '-{copy}', kind, endpoint || '/{copy}', loose_endpoint || '/{copy}', version, "
        f"title, fingerprint || '-{copy}', content_key || '-{copy}', state, first_seen, last_seen, popularity, "
        f"body FROM service WHERE num <= {highest}"
    )
    connection.execute(
        "INSERT INTO layer (service, ordinal, name, title, abstract, keywords, body) "
        f"SELECT service + {step}, ordinal, name, title, abstract, keywords, body FROM layer WHERE service <= {highest}"
    )
