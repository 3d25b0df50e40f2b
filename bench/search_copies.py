"""A larger catalogue out of a written one: its rows and blocks again and again under new numbers.

Writing a million and a half layers takes a while on a busy machine; searching them does not care who wrote them.
Copies are no near-duplicates of each other.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np

from geohound.stores.sqlite.segments import RECORD, seal

_BLOCK_STEP = 10**7
_ODD = 0x9E3779B97F4A7C15


def multiply(path: Path, copies: int) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("BEGIN")
    seal(connection)
    highest = connection.execute("SELECT max(num) FROM service").fetchone()[0]
    blocks = connection.execute("SELECT id, size, records, facets, boxes FROM block ORDER BY id").fetchall()
    for copy in range(1, copies):
        _copy_rows(connection, copy, highest)
        for block, size, records, facets, boxes in blocks:
            renamed = np.frombuffer(records, RECORD).copy()
            renamed["num"] += copy * highest
            renamed["twin"] ^= np.uint64(copy * _ODD % 2**64)
            new = block + copy * _BLOCK_STEP
            connection.execute(
                "INSERT INTO block VALUES (?, 1, ?, ?, ?, ?)", (new, size, renamed.tobytes(), facets, boxes)
            )
            connection.execute("INSERT INTO posting SELECT ?, term, hits FROM posting WHERE block = ?", (new, block))
    # New rows must come after all blocks.
    connection.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'fresh'", (copies * _BLOCK_STEP,))
    connection.execute("COMMIT")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def _copy_rows(connection: sqlite3.Connection, copy: int, highest: int) -> None:
    step = copy * highest
    connection.execute(
        "INSERT INTO service (num, id, kind, endpoint, loose_endpoint, version, title, fingerprint, content_key, "
        "state, first_seen, last_seen, popularity, revision, body) "
        f"SELECT num + {step}, id || '-{copy}', kind, endpoint || '/{copy}', loose_endpoint || '/{copy}', version, "
        f"title, fingerprint || '-{copy}', content_key || '-{copy}', state, first_seen, last_seen, popularity, "
        f"revision + {copy * _BLOCK_STEP}, body FROM service WHERE num <= {highest}"
    )
    connection.execute(
        "INSERT INTO layer (service, ordinal, name, title, abstract, keywords, body) "
        f"SELECT service + {step}, ordinal, name, title, abstract, keywords, body FROM layer WHERE service <= {highest}"
    )
