"""Services made findable: weighed together when the transaction that writes them ends, and put in the short list."""

from __future__ import annotations

import logging
import sqlite3
import time
from typing import NamedTuple

import numpy as np

from geohound.model.catalogue import Topics
from geohound.model.service import Service

from .codec import clean
from .entries import Document, document
from .facets import FacetIds, facets_of, few_spans, quality_of, twin_key, years_of
from .lexicon import Lexicon
from .reading import read_services, read_topics
from .segments import LANGUAGES, RECORD, seal

_MOST_ENTRIES = 4_096  # weighed at once; a service is never parted
_REBUILT_SERVICES = 100
_MANY_SERVICES = 1_000  # which take a second or two
_TELL_EVERY_S = 10.0
log = logging.getLogger(__name__)


class _Due(NamedTuple):
    service: Service
    topics: Topics


class Indexer:
    """What the writer of one file remembers from service to service; `finish` must end every transaction."""

    def __init__(self) -> None:
        self._lexicon = Lexicon()
        self._facets = FacetIds()
        self._due: dict[int, _Due] = {}
        self._entries = 0
        self._revision = 0

    def add(self, connection: sqlite3.Connection, num: int, service: Service, topics: Topics = ()) -> None:
        """Make a service findable as it is now, by the end of the transaction."""
        self._due.pop(num, None)
        self._due[num] = _Due(service, topics)
        self._entries += 1 + len(service.layers)
        if self._entries >= _MOST_ENTRIES:
            self._write(connection)

    def revision(self, connection: sqlite3.Connection) -> int:
        """A number that marks what this transaction changes; searches learn of what has a higher one than they know."""
        if not self._revision:
            row = connection.execute("SELECT coalesce(max(revision), 0) + 1 FROM service").fetchone()
            self._revision = row[0]
        return self._revision

    def touch(self, connection: sqlite3.Connection, num: int) -> None:
        """Let searches know that this service has changed."""
        connection.execute("UPDATE service SET revision = ? WHERE num = ?", (self.revision(connection), num))

    def finish(self, connection: sqlite3.Connection) -> None:
        """The last act of a transaction."""
        self._write(connection)
        self._revision = 0

    def forget(self) -> None:
        """The transaction was undone, and with it what was given out in it."""
        self._due, self._entries, self._revision = {}, 0, 0
        self._facets = FacetIds()

    def _write(self, connection: sqlite3.Connection) -> None:
        while self._due:
            due, self._due, self._entries = self._due, {}, 0
            self._write_fresh(connection, list(due), list(due.values()))
            self._write_topics(connection, due)
            for num, service in read_services(connection, seal(connection)).items():
                self._due[num] = _Due(service, _topics(connection, num))

    def _write_fresh(self, connection: sqlite3.Connection, nums: list[int], due: list[_Due]) -> None:
        services = [each.service for each in due]
        made = document(services, self._lexicon)
        ids: list[int] = []
        records = []
        for num, (service, topics), size, language in zip(nums, due, made.sizes, made.languages, strict=True):
            quality, years = quality_of(service), years_of(service)
            values = facets_of(service, language, topics, quality, years)
            ids += self._facets.of(connection, values)
            records.append(
                (
                    num,
                    size,
                    twin_key(num, service),
                    len(values),
                    quality,
                    LANGUAGES.index(language),
                    few_spans(years),
                )
            )
        connection.execute(
            "INSERT INTO fresh (service, size, record, facets, boxes, terms, counts, offsets, worths) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (nums[0], sum(made.sizes), np.array(records, RECORD).tobytes(), np.array(ids, "<u4").tobytes(),
             *_packed(made)),
        )  # fmt: skip

    def _write_topics(self, connection: sqlite3.Connection, due: dict[int, _Due]) -> None:
        connection.executemany("DELETE FROM topic WHERE service = ?", [(num,) for num in due])
        connection.executemany(
            "INSERT OR IGNORE INTO topic (service, topic, class) VALUES (?, ?, ?)",
            [(num, topic, class_) for num, (_, topics) in due.items() for topic, class_ in topics],
        )


def _packed(made: Document) -> tuple[bytes, str, bytes, bytes, bytes]:
    return (
        made.boxes.tobytes(), clean("\n".join(made.terms)), made.counts.tobytes(), made.offsets.tobytes(),
        made.worths.tobytes(),
    )  # fmt: skip


def _topics(connection: sqlite3.Connection, num: int) -> Topics:
    return read_topics(connection, [num]).get(num, ())


def rebuild(connection: sqlite3.Connection) -> None:
    """Make all services findable anew, from what is kept of them."""
    (count,) = connection.execute("SELECT count(*) FROM service").fetchone()
    if count > _MANY_SERVICES:
        log.warning("An earlier Geohound wrote this catalogue: its %d services are indexed anew, once.", count)
    done, told_at = 0, time.monotonic()
    for table in ("fresh", "posting", "block", "facet"):
        connection.execute(f"DELETE FROM {table}")  # noqa: S608 - our own names
    indexer = Indexer()
    last = 0
    while True:
        rows = connection.execute(
            "SELECT num FROM service WHERE num > ? ORDER BY num LIMIT ?", (last, _REBUILT_SERVICES)
        ).fetchall()
        if not rows:
            break
        for num, service in read_services(connection, [num for (num,) in rows]).items():
            indexer.add(connection, num, service, _topics(connection, num))
            indexer.touch(connection, num)
        last = rows[-1][0]
        done += len(rows)
        if time.monotonic() > told_at + _TELL_EVERY_S:
            told_at = time.monotonic()
            log.warning("%d of %d services are indexed.", done, count)
    indexer.finish(connection)
