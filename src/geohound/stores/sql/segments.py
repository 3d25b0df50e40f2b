"""The search index in SQLite: parts of segments as blobs, and the manifest that names the segments that count."""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from geohound.contracts import SegmentGoneError
from geohound.model.search.segment import Manifest, Segment

from .database import Database

_WRITE_MANIFEST = """
INSERT INTO manifest ("only", version, format, upto, segments) VALUES (1, ?, ?, ?, ?)
ON CONFLICT ("only") DO UPDATE SET version = excluded.version, format = excluded.format, upto = excluded.upto,
  segments = excluded.segments"""
_WRITE_PART = "INSERT INTO segment_part (segment, part, body) VALUES (?, ?, ?)"


class SqlSegments:
    """Every method may be called from any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._last = Manifest()

    def manifest(self) -> Manifest:
        connection = self._database.read()
        row = connection.execute(
            "SELECT version, format, upto, segments FROM manifest"
        ).fetchone()
        if row is None:
            return Manifest()
        last = self._last
        if last.version != row[0]:
            version, format_, upto, segments = row
            last = self._last = Manifest(
                version,
                format_,
                upto,
                tuple(Segment(*s) for s in orjson.loads(segments)),
            )
        return last

    def read(self, segment: str, part: str) -> memoryview:
        sql = "SELECT body FROM segment_part WHERE segment = ? AND part = ?"
        row = self._database.read().execute(sql, (segment, part)).fetchone()
        if row is None:
            raise SegmentGoneError(f"There is no part {part} of segment {segment}.")
        return memoryview(row[0])

    def publish(
        self, manifest: Manifest, parts: Mapping[str, Mapping[str, bytes]]
    ) -> bool:
        kept = [
            [segment.id, segment.entries, segment.services]
            for segment in manifest.segments
        ]
        with self._database.write() as connection:
            self._database.lock(connection, "index")
            row = connection.execute(
                "SELECT version, segments FROM manifest"
            ).fetchone()
            version, before = (
                (row[0], {id_ for id_, *_ in orjson.loads(row[1])})
                if row
                else (0, set())
            )
            if manifest.version != version + 1:
                return False
            connection.execute(
                _WRITE_MANIFEST,
                (
                    manifest.version,
                    manifest.format,
                    manifest.upto,
                    orjson.dumps(kept).decode(),
                ),
            )
            gone = before - {segment.id for segment in manifest.segments}
            connection.executemany(
                "DELETE FROM segment_part WHERE segment = ?", [(id_,) for id_ in gone]
            )
            connection.executemany(
                _WRITE_PART,
                (
                    (id_, part, body)
                    for id_, named in parts.items()
                    for part, body in named.items()
                ),
            )
        return True
