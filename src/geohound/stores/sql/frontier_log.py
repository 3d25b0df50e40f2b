"""What was admitted to the frontier of each task and how it ended, in order."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime
from functools import partial
from typing import Any

from geohound.contracts import StoreError
from geohound.model.compact_sets import Recent
from geohound.model.crawl.frontier import (
    MAX_MEMOS,
    EndedVisit,
    FrontierBatch,
    FrontierState,
    HostRole,
    LoggedUrl,
    Memo,
    NewUrl,
    UrlEnd,
    UrlState,
    VisitCounts,
    VisitRecord,
)
from geohound.model.crawl.task import Claim, TaskId
from geohound.model.failure import NOT_ASKED, FailureReason
from geohound.model.service import Service
from geohound.model.visit import (
    MAX_URL_CHARS,
    READING,
    Candidate,
    Purpose,
    Settlement,
    Via,
)

from . import claims, parcels
from .database import Connection, Database, marks
from .group_commit import GroupCommit, awaited
from .parcels import MAX_CLUE_CHARS
from .services.codec import clean
from .services.reading import read_services

# The number of a URL is what its id has in the lower 32 bits.
_REPLAY = """
SELECT id & 4294967295, key, shape, state, CASE WHEN purpose > 0 THEN 1 ELSE 0 END, score, url, depth
FROM url WHERE id BETWEEN ? AND ? ORDER BY id"""
_LOAD = """
SELECT u.id & 4294967295, u.url, u.via, s.url, u.clue, u.score, u.depth, u.purpose, u.harvester, u.cursor,
  u.attempts
FROM url u LEFT JOIN source s ON s.id = u.source
WHERE u.id IN"""
_INSERT_URL = """
INSERT INTO url (id, key, shape, state, purpose, score, url, depth, via, source, clue, harvester, cursor, reason, at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_END = """
UPDATE url SET state = ?, attempts = ?, reason = ?, status = ?, services = ?, address = ?, at = ?, host_role = ?
WHERE id = ?"""
_MARK = """
INSERT INTO mark (url, body, words) VALUES (?, ?, ?)
ON CONFLICT (url) DO UPDATE SET body = excluded.body, words = excluded.words"""
_PAUSE = """
INSERT INTO pause (task, host, until) VALUES (?, ?, ?) ON CONFLICT (task, host) DO UPDATE SET until = excluded.until"""
_DROPS = """
INSERT INTO drops (task, reason, count) VALUES (?, ?, ?)
ON CONFLICT (task, reason) DO UPDATE SET count = excluded.count"""
_FORGET_MEMO = "DELETE FROM memo WHERE task = ? AND kind = ? AND key = ?"
_MEMO = "INSERT INTO memo (task, kind, key, state) VALUES (?, ?, ?, ?)"
_GIVE_UP_MEMOS = """
DELETE FROM memo WHERE task = :task
  AND num <= (SELECT num FROM memo WHERE task = :task ORDER BY num DESC LIMIT 1 OFFSET :most)"""
_LINKS = """
SELECT url FROM url WHERE id BETWEEN ? AND ? AND via NOT IN ('seed', 'harvest', 'service') ORDER BY id DESC LIMIT ?"""
_LAST_VISITED = "SELECT url FROM url WHERE id BETWEEN ? AND ? AND state = ? ORDER BY id DESC LIMIT 1"
_OUTAGES = tuple(reason for reason in FailureReason if reason.means.is_outage)
# What failed on the way has a status only where an earlier question of the same visit was answered.
_COUNT = f"""
SELECT
  count(*) FILTER (WHERE purpose = 0 AND status > 0 AND status NOT BETWEEN 300 AND 399
    AND coalesce(reason, '') NOT IN ({marks(_OUTAGES)})),
  CAST(coalesce(sum(CASE WHEN purpose = 0 AND coalesce(reason, '') NOT IN (?, ?) THEN attempts END), 0) AS BIGINT),
  CAST(coalesce(sum(CASE WHEN purpose = 1 THEN attempts END), 0) AS BIGINT)
FROM url WHERE id BETWEEN ? AND ?"""  # noqa: S608 - only marks


class SqlFrontierLog:
    """The logs of all tasks of a file. Numbers of URLs are those of their task."""

    def __init__(self, database: Database, commits: GroupCommit) -> None:
        self._database = database
        self._commits = commits
        # of the writing thread alone
        self._sources: dict[TaskId, tuple[Claim, Sources]] = {}

    def replay(self, task: TaskId) -> Iterator[LoggedUrl]:
        return map(LoggedUrl._make, self._database.stream(_REPLAY, bounds_of(task)))

    def load(self, task: TaskId, numbers: Sequence[int]) -> Sequence[Candidate]:
        ids = [id_of(task, number) for number in numbers]
        found = {
            row[0]: row
            for row in self._database.read().execute(f"{_LOAD} ({marks(ids)})", ids)
        }
        return [_queued(found[number]) for number in numbers]

    def append(self, claim: Claim, batch: FrontierBatch) -> asyncio.Future[None]:
        written = self._commits.submit(partial(self._write, claim, batch))
        written.add_done_callback(partial(self._note_end, claim))
        return awaited(written)

    def visits(
        self, task: TaskId, after: int = 0, limit: int = 1000
    ) -> Sequence[VisitRecord]:
        return page_of_visits(self._database.read(), task, after, limit)

    def marks(self, task: TaskId) -> Iterator[tuple[int, int]]:
        sql = "SELECT body, words FROM mark WHERE url BETWEEN ? AND ?"
        return self._database.stream(sql, bounds_of(task))

    def memos(self, task: TaskId) -> Iterator[Memo]:
        sql = "SELECT kind, key, state FROM memo WHERE task = ? ORDER BY num"
        return map(Memo._make, self._database.stream(sql, (task,)))

    def links(self, task: TaskId, limit: int) -> Iterator[str]:
        rows = self._database.read().execute(_LINKS, (*bounds_of(task), limit))
        return (url for (url,) in rows)

    def state(self, task: TaskId) -> FrontierState:
        connection = self._database.read()
        drops = connection.execute(
            "SELECT reason, count FROM drops WHERE task = ?", (task,)
        )
        pauses = connection.execute(
            "SELECT host, until FROM pause WHERE task = ?", (task,)
        )
        last = connection.execute(
            _LAST_VISITED, (*bounds_of(task), UrlState.DONE)
        ).fetchone()
        return FrontierState(
            {FailureReason(reason): count for reason, count in drops},
            dict(pauses.fetchall()),
            last[0] if last else "",
        )

    def counts(self, task: TaskId) -> VisitCounts:
        values = (*_OUTAGES, *NOT_ASKED, *bounds_of(task))
        return VisitCounts(*self._database.read().execute(_COUNT, values).fetchone())

    def _write(
        self, claim: Claim, batch: FrontierBatch, connection: Connection
    ) -> None:
        self._database.lock(connection, claims.lock_name(claim.task))
        claims.check(connection, claim)
        task, sources = claim.task, self._sources_of(claim, connection)
        try:
            urls = [_url_row(task, new, sources) for new in batch.urls]
            connection.executemany(
                "INSERT INTO source (id, url) VALUES (?, ?)", sources.take_new()
            )
            connection.executemany(_INSERT_URL, urls)
            self._database.settle(connection)
        except Exception as error:
            if self._database.is_duplicate(error):
                raise StoreError(
                    "Another process crawls this task; end one of the two."
                ) from None
            raise
        connection.executemany(_END, [_end_row(task, end) for end in batch.ends])
        connection.executemany(
            _MARK,
            [(id_of(task, end.number), *end.marks) for end in batch.ends if end.marks],
        )
        connection.executemany(
            _PAUSE, [(task, clean(host), until) for host, until in batch.pauses.items()]
        )
        if batch.memos:
            memos = {(task, memo.kind, memo.key): memo.state for memo in batch.memos}
            connection.executemany(_FORGET_MEMO, memos)
            connection.executemany(
                _MEMO, [(*key, state) for key, state in memos.items()]
            )
            connection.execute(_GIVE_UP_MEMOS, {"task": task, "most": MAX_MEMOS})
        for (parent, number), links in batch.sent.items():
            parcels.send(connection, parent, number, links)
        connection.executemany(
            _DROPS, [(task, reason, count) for reason, count in batch.drops.items()]
        )

    def _sources_of(self, claim: Claim, connection: Connection) -> Sources:
        held = self._sources.get(claim.task)
        if held is None or held[0] != claim:
            held = self._sources[claim.task] = (
                claim,
                Sources(connection, *bounds_of(claim.task)),
            )
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
        found.cursor, new.reason, new.at,
    )  # fmt: skip


def _end_row(task: TaskId, end: UrlEnd) -> tuple[Any, ...]:
    brought = end.status, end.services, end.address, end.at, int(end.role)
    return int(end.state), end.attempts, end.reason, *brought, id_of(task, end.number)


def _queued(row: tuple[Any, ...]) -> Candidate:
    _, url, via, found_on, clue, score, depth, purpose, harvester, cursor, attempts = (
        row
    )
    return Candidate(
        url, Via(via), found_on or "", clue, score, depth, PURPOSES[purpose], harvester, cursor, attempts
    )  # fmt: skip


TASK_BITS = 32
PURPOSES = tuple(Purpose)  # by the number with which they are kept
_PAGE_ROWS = 1000
_UNASKED = (UrlState.UNASKED, UrlState.REFUSED)

_SELECT = """
SELECT u.id, u.state, u.purpose, u.score, u.url, u.depth, u.attempts, u.via, s.url, u.clue, u.reason, u.status,
  u.services, u.address, u.at, u.host_role
FROM url u LEFT JOIN source s ON s.id = u.source
WHERE u.id > ? AND u.id <= ? AND u.state <> 0 ORDER BY u.id LIMIT ?"""

_ENDED = """
SELECT u.id, u.state, u.purpose, u.url, u.depth, u.attempts, s.url, u.reason, u.services, u.at
FROM url u LEFT JOIN source s ON s.id = u.source
WHERE u.id > ? AND u.id <= ? AND u.state <> 0 ORDER BY u.id LIMIT ?"""


def id_of(task: int, number: int) -> int:
    return task << TASK_BITS | number


def bounds_of(task: int) -> tuple[int, int]:
    """The first and the last id that belong to a task."""
    return id_of(task, 0), id_of(task + 1, 0) - 1


def page_of_visits(
    connection: Connection, task: int, after: int, limit: int
) -> Sequence[VisitRecord]:
    """In order of admission, those with greater numbers than `after`."""
    rows = connection.execute(_SELECT, (id_of(task, after), bounds_of(task)[1], limit))
    return [_record(task, row) for row in rows.fetchall()]


def iterate_visits(connection: Connection, task: int) -> Iterator[VisitRecord]:
    """All of them, read page by page: a long read would keep the write-ahead log growing."""
    last = 0
    while page := page_of_visits(connection, task, last, _PAGE_ROWS):
        yield from page
        last = page[-1].number


def ended_visits(connection: Connection, task: int) -> Iterator[EndedVisit]:
    """What reports are made from: of a long crawl, what else is kept would take most of the time."""
    first, last = bounds_of(task)
    while True:
        rows = connection.execute(_ENDED, (first, last, _PAGE_ROWS)).fetchall()
        for (
            id_,
            state,
            purpose,
            url,
            depth,
            attempts,
            parent,
            reason,
            services,
            at,
        ) in rows:
            first = id_
            was_asked = state not in _UNASKED
            kept_purpose = PURPOSES[purpose]
            if kept_purpose is Purpose.FILE or (was_asked and not attempts):
                continue  # files that came with a page, and targets of redirects
            yield EndedVisit(
                url,
                parent or "",
                depth,
                kept_purpose not in READING,
                was_asked,
                reason or "",
                tuple(service_ids_seen_at(connection, url)) if services else (),
                at or 0.0,
            )
        if len(rows) < _PAGE_ROWS:
            return


def services_seen_at(connection: Connection, url: str) -> Sequence[Service]:
    """The services that a visit of this URL has proved, without their layers."""
    rows = connection.execute(
        "SELECT DISTINCT service FROM sighting WHERE url = ? ORDER BY service", (url,)
    ).fetchall()
    return list(
        read_services(connection, [num for (num,) in rows], with_layers=False).values()
    )


def service_ids_seen_at(connection: Connection, url: str) -> Sequence[str]:
    """The ids of the services that a visit of this URL has proved."""
    rows = connection.execute(
        "SELECT DISTINCT s.num, s.id FROM sighting g JOIN service s ON s.num = g.service WHERE g.url = ? ORDER BY s.num",
        (url,),
    )
    return [id_ for _, id_ in rows.fetchall()]


def _record(task: int, row: tuple[Any, ...]) -> VisitRecord:
    (
        id_,
        state,
        purpose,
        score,
        url,
        depth,
        attempts,
        via,
        parent,
        clue,
        reason,
        status,
        services,
        *rest,
    ) = row
    address, at, role = rest
    return VisitRecord(
        number=id_ - id_of(task, 0),
        url=url,
        task=task,
        parent=parent or "",
        via=Via(via),
        clue=clue,
        depth=depth,
        purpose=PURPOSES[purpose],
        score=score,
        settlement=Settlement.DONE
        if state in (UrlState.DONE, UrlState.REDIRECTED)
        else Settlement.DROPPED,
        was_asked=state not in _UNASKED,
        reason=FailureReason(reason) if reason else None,
        status=status or 0,
        services=services or 0,
        attempts=attempts,
        address=address,
        at=datetime.fromtimestamp(at or 0.0, UTC),
        host_role=HostRole(role),
    )


_RECENT = 2048


class Sources:
    """Numbers of pages from `first` to `last`, after those that are written; the latest are remembered."""

    def __init__(self, connection: Connection, first: int, last: int) -> None:
        row = connection.execute(
            "SELECT max(id) FROM source WHERE id BETWEEN ? AND ?", (first, last)
        ).fetchone()
        self._next = (row[0] or first) + 1
        self._recent: Recent[str, int] = Recent(_RECENT)
        self._new: list[tuple[int, str]] = []

    def number(self, url: str) -> int | None:
        """The number of a page, a new one where it has none of late; None if there is no page."""
        if not url:
            return None
        known = self._recent.get(url)
        if known is None:
            known, self._next = self._next, self._next + 1
            self._recent.put(url, known)
            self._new.append((known, clean(url[:MAX_URL_CHARS])))
        return known

    def take_new(self) -> list[tuple[int, str]]:
        """The pages that have been given a number since the last time, to be written."""
        new, self._new = self._new, []
        return new
