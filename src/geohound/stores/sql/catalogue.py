"""What has been confirmed: services, where they were seen, how they fare."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from geohound.model.catalogue import (
    ALL,
    CandidateCounts,
    Changes,
    CheckCounts,
    Counts,
    Discovered,
    Entry,
    Filter,
    Observation,
    Recorded,
    Revision,
    ServiceSummary,
)
from geohound.model.health import Check, assess
from geohound.model.service import KnownProofs, Service, Sighting
from geohound.model.visit import Via

from .database import Connection, Database, marks
from .group_commit import GroupCommit, awaited
from .services.proofs import known_at
from .services.reading import (
    SUMMARY_COLUMNS,
    find_num,
    nums_at,
    read_changes,
    read_excerpts,
    read_services,
    read_summaries,
    read_topics,
)
from .services.writing import record

if TYPE_CHECKING:  # who only searches does without both
    import asyncio

    from geohound.model.crawl.task import TaskId

_DAY_S = 86400.0
_PAGE_SERVICES = 200
_PAGE_ENDPOINTS = 10_000
_CHECKS = """
SELECT c.service, s.id, c.at, c.ok, c.reason, c.elapsed_s, c.fingerprint
FROM health_check c JOIN service s ON s.num = c.service"""


# The task that saw a service first has written its first sighting.
_DISCOVERED = """
SELECT kind, via, count(*), CAST(sum((SELECT count(*) FROM layer WHERE layer.service = service.num)) AS BIGINT)
FROM met JOIN service ON service.num = met.service JOIN sighting
  ON sighting.num = (SELECT min(num) FROM sighting AS first WHERE first.service = met.service)
WHERE met.task = ? AND sighting.task = ? GROUP BY kind, via"""


_ANSWERED = "answered, no service"
# Of a candidate that several tasks have tested, the last test counts: the row with the greatest id of each key.
_TESTED = """
WITH tested AS (
  SELECT coalesce(reason, '') AS reason, coalesce(services, 0) > 0 AS is_alive,
         substr(url, instr(url, '//') + 2) AS rest
  FROM (SELECT reason, services, url, row_number() OVER (PARTITION BY key ORDER BY id DESC) AS place
        FROM url WHERE purpose = 1 AND state IN (1, 2)) AS test
  WHERE place = 1
), hosted AS (SELECT reason, is_alive, substr(rest, 1, instr(rest || '/', '/') - 1) AS host FROM tested)
"""
_BY_REASON = (
    _TESTED  # noqa: S608
    + "SELECT reason, is_alive, count(*) AS n FROM hosted GROUP BY 1, 2 ORDER BY n DESC, reason"
)
_HOSTS = (
    _TESTED  # noqa: S608
    + "SELECT count(DISTINCT host), count(DISTINCT CASE WHEN is_alive THEN host END) FROM hosted"
)


class SqlCatalogue:
    """Every method may be called from any thread; readers never wait for writers."""

    def __init__(self, database: Database, commits: GroupCommit) -> None:
        self._database = database
        self._commits = commits

    def record(
        self, met: Sequence[Observation | Check]
    ) -> asyncio.Future[list[Recorded]]:
        """On disk when awaited, in one commit with what others bring meanwhile."""
        return awaited(self._commits.submit(partial(self._record, met)))

    def record_now(self, met: Iterable[Observation | Check]) -> Sequence[Recorded]:
        """The same for who has no event loop, in a transaction of its own."""
        with self._database.write() as connection:
            return self._record(met, connection)

    def _record(
        self, met: Iterable[Observation | Check], connection: Connection
    ) -> list[Recorded]:
        # readers of `changes` rely on it: revisions are committed in order
        self._database.lock(connection, "catalogue")
        return record(connection, met)

    def get(self, service_id: str) -> Service | None:
        with self._database.snapshot() as connection:
            num = find_num(connection, service_id)
            return read_services(connection, [num])[num] if num is not None else None

    def at(self, url: str, *, with_layers: bool = True) -> Sequence[Service]:
        with self._database.snapshot() as connection:
            nums = nums_at(connection, url)
            found = read_services(connection, nums, with_layers=with_layers)
        return list(found.values())

    def known_at(self, url: str) -> KnownProofs:
        with self._database.snapshot() as connection:
            return known_at(connection, url, nums_at(connection, url))

    def sightings(self, service_id: str) -> Sequence[Sighting]:
        connection = self._database.read()
        rows = connection.execute(
            """SELECT home.id, url, found_on, via, evidence, at, task, depth
               FROM alias JOIN service home ON home.num = alias.service JOIN sighting s ON s.service = home.num
               WHERE alias.id = ? ORDER BY s.num""",
            (service_id,),
        )
        return [_sighting(row) for row in rows]

    def met_at(self, limit: int) -> Sequence[str]:
        sql = "SELECT CASE via WHEN ? THEN found_on ELSE url END FROM sighting ORDER BY num DESC LIMIT ?"
        rows = self._database.read().execute(sql, (Via.GUESS, limit)).fetchall()
        return [url for (url,) in reversed(rows)]

    def checks(self, service_id: str, since: datetime | None = None) -> Sequence[Check]:
        connection = self._database.read()
        rows = connection.execute(
            f"{_CHECKS} WHERE c.service = ? AND c.at >= ? ORDER BY c.at, c.num",
            (find_num(connection, service_id), since.timestamp() if since else 0.0),
        )
        return [_check(*columns) for _, *columns in rows]

    def count_checked(self, since: datetime) -> int:
        sql = "SELECT count(DISTINCT service) FROM health_check WHERE at >= ?"
        return int(
            self._database.read().execute(sql, (since.timestamp(),)).fetchone()[0]
        )

    def count_checks(self, since: datetime, days: int) -> Sequence[CheckCounts]:
        if not days:
            return []
        begins = [since.timestamp() + day * _DAY_S for day in range(days)]
        # Databases round differently, so days are compared and not computed.
        ladder = " ".join(
            f"WHEN at >= {begin!r} THEN {day}"
            for day, begin in reversed([*enumerate(begins)])
        )
        sql = f"""SELECT CASE {ladder} END, sum(CASE WHEN ok THEN 1 ELSE 0 END), sum(CASE WHEN ok THEN 0 ELSE 1 END),
                  sum(CASE WHEN ok IS NULL THEN 1 ELSE 0 END)
                  FROM health_check WHERE at >= ? AND at < ? GROUP BY 1"""  # noqa: S608 - only numbers
        rows = self._database.read().execute(sql, (begins[0], begins[-1] + _DAY_S))
        found = {
            day: CheckCounts(int(good), int(bad) - int(unclear), int(unclear))
            for day, good, bad, unclear in rows
        }
        return [found.get(day, CheckCounts()) for day in range(days)]

    def entries(self, which: Filter = ALL) -> Iterator[Entry]:
        """Read page by page, so that a slow consumer holds up neither memory nor the write-ahead log."""
        where, values = _conditions(which)
        last = 0
        while True:
            # A page is read whole before it is given out: the consumer may take its time.
            sql = f"SELECT num, first_seen, last_seen FROM service WHERE {where} ORDER BY num LIMIT {_PAGE_SERVICES}"  # noqa: S608 - only marks
            with self._database.snapshot() as connection:
                rows = connection.execute(sql, (last, *values)).fetchall()
                page = _read_entries(connection, rows)
            if not rows:
                return
            yield from page
            last = rows[-1][0]

    def endpoints(self) -> Iterator[tuple[str, str]]:
        """Page by page, as `entries`."""
        sql = (
            "SELECT num, kind, endpoint FROM service WHERE num > ? ORDER BY num LIMIT ?"
        )
        last = 0
        while (
            rows := self._database.read()
            .execute(sql, (last, _PAGE_ENDPOINTS))
            .fetchall()
        ):
            yield from ((kind, endpoint) for _, kind, endpoint in rows)
            last = rows[-1][0]

    def summaries(self, which: Filter = ALL) -> Iterator[ServiceSummary]:
        """Page by page, as `entries`."""
        where, values = _conditions(which)
        sql = f"SELECT {SUMMARY_COLUMNS} FROM service WHERE {where} ORDER BY num LIMIT {_PAGE_ENDPOINTS}"  # noqa: S608 - only marks
        last = 0
        while True:
            with self._database.snapshot() as connection:
                rows = connection.execute(sql, (last, *values)).fetchall()
                page = read_summaries(connection, rows)
            if not rows:
                return
            yield from page
            last = rows[-1][0]

    def excerpts(self, wanted: Mapping[int, Sequence[int]]) -> Mapping[int, Service]:
        with self._database.snapshot() as connection:
            return read_excerpts(connection, wanted)

    def changes(self, since: Revision, limit: int) -> Changes:
        with self._database.snapshot() as connection:
            return read_changes(connection, since, limit)

    def discovered(self, task: TaskId) -> Sequence[Discovered]:
        return [
            Discovered(*row)
            for row in self._database.read().execute(_DISCOVERED, (task, task))
        ]

    def count(self) -> Counts:
        row = self._database.read().execute(
            "SELECT (SELECT count(*) FROM service), (SELECT count(*) FROM layer)"
        )
        return Counts(*row.fetchone())

    def count_classes(self) -> dict[tuple[str, str], int]:
        return _count_classes(self._database.read())

    def count_candidates(self) -> CandidateCounts:
        return _count_candidates(self._database.read())


def _conditions(which: Filter) -> tuple[str, tuple[Any, ...]]:
    """What a row must fulfil, with marks, and what stands for the marks after the first."""
    conditions = ["num > ?"]
    for column, values in (("kind", which.kinds), ("state", which.states)):
        if values:
            conditions.append(f"{column} IN ({marks(values)})")
    if which.task is not None:
        conditions.append(
            "EXISTS (SELECT 1 FROM met WHERE met.task = ? AND met.service = service.num)"
        )
    task = () if which.task is None else (which.task,)
    return " AND ".join(conditions), (*which.kinds, *which.states, *task)


def _read_entries(
    connection: Connection, rows: Sequence[tuple[int, float, float]]
) -> list[Entry]:
    nums = [num for num, _, _ in rows]
    services, topics = read_services(connection, nums), read_topics(connection, nums)
    checks: dict[int, list[Check]] = defaultdict(list)
    sql = f"{_CHECKS} WHERE c.service IN ({marks(nums)}) ORDER BY c.at, c.num"
    for num, *columns in connection.execute(sql, nums):
        checks[num].append(_check(*columns))
    return [
        Entry(
            services[num],
            assess(checks[num]),
            topics.get(num, ()),
            _time(first),
            _time(last),
        )
        for num, first, last in rows
    ]


def _check(*columns: Any) -> Check:
    id_, at, ok, reason, elapsed_s, fingerprint = columns
    return Check(
        id_, _time(at), None if ok is None else bool(ok), reason, elapsed_s, fingerprint
    )


def _sighting(row: tuple[Any, ...]) -> Sighting:
    id_, url, found_on, via, evidence, at, task, depth = row
    return Sighting(id_, url, found_on, Via(via), evidence, _time(at), task, depth)


def _time(timestamp: float) -> datetime:
    return datetime.fromtimestamp(timestamp, UTC)


def _count_classes(connection: Connection) -> dict[tuple[str, str], int]:
    """Services by topic and class."""
    rows = connection.execute(
        "SELECT topic, class, count(*) FROM topic GROUP BY topic, class"
    )
    return {(topic, class_): count for topic, class_, count in rows}


def _count_candidates(connection: Connection) -> CandidateCounts:
    """All candidates that were tested, by what became of them."""
    rows = connection.execute(_BY_REASON).fetchall()
    available = sum(count for _, is_alive, count in rows if is_alive)
    dead: dict[str, int] = {}
    for reason, is_alive, count in rows:
        if not is_alive:
            dead[reason or _ANSWERED] = dead.get(reason or _ANSWERED, 0) + count
    hosts, alive = connection.execute(_HOSTS).fetchone()
    return CandidateCounts(
        available + sum(dead.values()), available, dead, hosts, alive
    )
