"""What was admitted to the frontier of each task and how it ended, in order."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

import orjson

from geohound.contracts import StoreError
from geohound.model.frontier import (
    MAX_MEMOS,
    FrontierBatch,
    FrontierState,
    LoggedUrl,
    Memo,
    NewUrl,
    QueuedUrl,
    UrlEnd,
    UrlState,
    VisitCounts,
    VisitRecord,
)
from geohound.model.task import Claim, TaskId
from geohound.model.visit import AS_IF_CUT_OFF, Candidate, FailureReason, Via

from . import claims
from .codec import clean
from .database import Database
from .group_commit import GroupCommit, awaited
from .sources import Sources
from .visits import PURPOSES, bounds_of, id_of, page_of_visits

MAX_CLUE_CHARS = 300

# The number of a URL is what its id has in the lower 32 bits.
_REPLAY = "SELECT id & 0xFFFFFFFF, key, shape, state, purpose > 0, score, url, depth FROM url WHERE id BETWEEN ? AND ?"
_LOAD = """
SELECT u.id & 0xFFFFFFFF, u.url, u.via, s.url, u.clue, u.score, u.depth, u.purpose, u.harvester, u.attempts
FROM url u LEFT JOIN source s ON s.id = u.source
WHERE u.id IN (SELECT value FROM json_each(?))"""
_INSERT_URL = """
INSERT INTO url (id, key, shape, state, purpose, score, url, depth, via, source, clue, harvester, reason, at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_END = "UPDATE url SET state = ?, attempts = ?, reason = ?, status = ?, services = ?, address = ?, at = ? WHERE id = ?"
_MARK = "INSERT OR REPLACE INTO mark (url, body, words) VALUES (?, ?, ?)"
_PAUSE = "INSERT OR REPLACE INTO pause (task, host, until) VALUES (?, ?, ?)"
_DROPS = "INSERT OR REPLACE INTO drops (task, reason, count) VALUES (?, ?, ?)"
_MEMO = "INSERT OR REPLACE INTO memo (task, kind, key, state) VALUES (?, ?, ?, ?)"
_GIVE_UP_MEMOS = """
DELETE FROM memo WHERE task = :task
  AND num <= (SELECT num FROM memo WHERE task = :task ORDER BY num DESC LIMIT 1 OFFSET :most)"""
_LINKS = """
SELECT url FROM url WHERE id BETWEEN ? AND ? AND via NOT IN ('seed', 'harvest', 'service') ORDER BY id DESC LIMIT ?"""
_LAST_VISITED = "SELECT url FROM url WHERE id BETWEEN ? AND ? AND state = ? ORDER BY id DESC LIMIT 1"
# What failed on the way has a status only where an earlier question of the same visit was answered.
_COUNT = f"""
SELECT
  coalesce(sum(purpose = 0 AND status > 0 AND status NOT BETWEEN 300 AND 399
    AND coalesce(reason, '') NOT IN ({",".join("?" * len(AS_IF_CUT_OFF))})), 0),
  coalesce(sum(CASE WHEN purpose = 0 AND reason IS NOT ? THEN attempts END), 0),
  coalesce(sum(CASE WHEN purpose = 1 THEN attempts END), 0)
FROM url WHERE id BETWEEN ? AND ?"""  # noqa: S608 - only marks


class SqliteFrontierLog:
    """The logs of all tasks of a file. Numbers of URLs are those of their task."""

    def __init__(self, database: Database, commits: GroupCommit) -> None:
        self._database = database
        self._commits = commits
        self._sources: dict[TaskId, tuple[Claim, Sources]] = {}  # of the writing thread alone

    def replay(self, task: TaskId) -> Iterator[LoggedUrl]:
        return map(LoggedUrl._make, self._database.read().execute(_REPLAY, bounds_of(task)))

    def load(self, task: TaskId, numbers: Sequence[int]) -> Sequence[QueuedUrl]:
        ids = orjson.dumps([id_of(task, number) for number in numbers])
        found = {row[0]: row for row in self._database.read().execute(_LOAD, (ids,))}
        return [_queued(found[number]) for number in numbers]

    def append(self, claim: Claim, batch: FrontierBatch) -> asyncio.Future[None]:
        written = self._commits.submit(partial(self._write, claim, batch))
        written.add_done_callback(partial(self._note_end, claim))
        return awaited(written)

    def visits(self, task: TaskId, after: int = 0, limit: int = 1000) -> Sequence[VisitRecord]:
        return page_of_visits(self._database.read(), task, after, limit)

    def marks(self, task: TaskId) -> Iterator[tuple[int, int]]:
        sql = "SELECT body, words FROM mark WHERE url BETWEEN ? AND ?"
        return iter(self._database.read().execute(sql, bounds_of(task)))

    def memos(self, task: TaskId) -> Iterator[Memo]:
        sql = "SELECT kind, key, state FROM memo WHERE task = ? ORDER BY num"
        return map(Memo._make, self._database.read().execute(sql, (task,)))

    def links(self, task: TaskId, limit: int) -> Iterator[str]:
        rows = self._database.read().execute(_LINKS, (*bounds_of(task), limit))
        return (url for (url,) in rows)

    def state(self, task: TaskId) -> FrontierState:
        connection = self._database.read()
        drops = connection.execute("SELECT reason, count FROM drops WHERE task = ?", (task,))
        pauses = connection.execute("SELECT host, until FROM pause WHERE task = ?", (task,))
        last = connection.execute(_LAST_VISITED, (*bounds_of(task), UrlState.DONE)).fetchone()
        return FrontierState(
            {FailureReason(reason): count for reason, count in drops}, dict(pauses.fetchall()), last[0] if last else ""
        )

    def counts(self, task: TaskId) -> VisitCounts:
        values = (*AS_IF_CUT_OFF, FailureReason.TRAP, *bounds_of(task))
        return VisitCounts(*self._database.read().execute(_COUNT, values).fetchone())

    def _write(self, claim: Claim, batch: FrontierBatch, connection: sqlite3.Connection) -> None:
        claims.check(connection, claim)
        task, sources = claim.task, self._sources_of(claim, connection)
        try:
            urls = [_url_row(task, new, sources) for new in batch.urls]
            connection.executemany("INSERT INTO source (id, url) VALUES (?, ?)", sources.take_new())
            connection.executemany(_INSERT_URL, urls)
        except sqlite3.IntegrityError:
            raise StoreError("Another process crawls this task; end one of the two.") from None
        connection.executemany(_END, [_end_row(task, end) for end in batch.ends])
        connection.executemany(_MARK, [(id_of(task, end.number), *end.marks) for end in batch.ends if end.marks])
        connection.executemany(_PAUSE, [(task, clean(host), until) for host, until in batch.pauses.items()])
        if batch.memos:
            connection.executemany(_MEMO, [(task, *memo) for memo in batch.memos])
            connection.execute(_GIVE_UP_MEMOS, {"task": task, "most": MAX_MEMOS})
        connection.executemany(_DROPS, [(task, reason, count) for reason, count in batch.drops.items()])

    def _sources_of(self, claim: Claim, connection: sqlite3.Connection) -> Sources:
        held = self._sources.get(claim.task)
        if held is None or held[0] != claim:
            held = self._sources[claim.task] = claim, Sources(connection, *bounds_of(claim.task))
        return held[1]

    def _note_end(self, claim: Claim, written: Future[None]) -> None:
        """What was not written has given numbers to pages that are not there."""
        if written.exception() is not None:
            self._sources.pop(claim.task, None)


def _url_row(task: TaskId, new: NewUrl, sources: Sources) -> tuple[Any, ...]:
    found = new.candidate
    score = found.score if found.score == found.score else 0.0
    purpose = PURPOSES.index(found.purpose)
    return (
        id_of(task, new.number), new.key, new.shape, int(new.state), purpose, score, found.url, found.depth,
        found.via.value, sources.number(found.found_on), clean(found.clue[:MAX_CLUE_CHARS]), found.harvester,
        new.reason, new.at,
    )  # fmt: skip


def _end_row(task: TaskId, end: UrlEnd) -> tuple[Any, ...]:
    brought = end.status, end.services, end.address, end.at
    return int(end.state), end.attempts, end.reason, *brought, id_of(task, end.number)


def _queued(row: tuple[Any, ...]) -> QueuedUrl:
    number, url, via, found_on, clue, score, depth, purpose, harvester, attempts = row
    found = Candidate(url, Via(via), found_on or "", clue, score, depth, PURPOSES[purpose], harvester)
    return QueuedUrl(number, found, attempts)
