"""What search agents have learned, one row for each knowledge base."""

from __future__ import annotations

import asyncio
import zlib

from .database import Connection, Database
from .group_commit import GroupCommit, awaited
from .services.codec import clean

_KEEP = """
INSERT INTO knowledge (name, packed) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET packed = excluded.packed"""
_FIND = "SELECT packed FROM knowledge WHERE name = ?"


class SqlKnowledge:
    """The knowledge bases of this file."""

    def __init__(self, database: Database, commits: GroupCommit) -> None:
        self._database = database
        self._commits = commits

    def keep(self, name: str, body: bytes) -> asyncio.Future[None]:
        packed = zlib.compress(body)

        def write(connection: Connection) -> None:
            connection.execute(_KEEP, (clean(name), packed))

        return awaited(self._commits.submit(write))

    def replace(self, name: str, was: bytes, body: bytes) -> asyncio.Future[bool]:
        packed = zlib.compress(body)

        def write(connection: Connection) -> bool:
            self._database.lock(connection, "knowledge")
            if _found(connection, name) != was:
                return False
            connection.execute(_KEEP, (clean(name), packed))
            return True

        return awaited(self._commits.submit(write))

    def find(self, name: str) -> bytes:
        return _found(self._database.read(), name)


def _found(connection: Connection, name: str) -> bytes:
    found = connection.execute(_FIND, (clean(name),)).fetchone()
    return zlib.decompress(found[0]) if found else b""
