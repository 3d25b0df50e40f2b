"""The lives of services: events as they are written with checks and readings, totals, layers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from geohound.model.biography import CheckTotals, Difference, LifeChange, LifeEvent
from geohound.model.monitoring.layer_check import LayerCheck
from geohound.stores.sql.database import Connection, Database
from geohound.stores.sql.group_commit import GroupCommit, awaited

from .codec import clean

if TYPE_CHECKING:
    import asyncio

_ADD = "INSERT INTO life_event (service, at, change, detail) VALUES (?, ?, ?, ?)"
_SELECT = "SELECT service.id, at, change, detail FROM life_event JOIN service ON service.num = life_event.service"
_OF = f"""
{_SELECT} JOIN alias ON alias.service = service.num WHERE alias.id = ?
ORDER BY change <> 'found', at, life_event.num"""
_SINCE = f"{_SELECT} WHERE at >= ? ORDER BY at, life_event.num"
_AFTER = """
SELECT life_event.num, service.id, at, change, detail FROM life_event JOIN service ON service.num = life_event.service
WHERE life_event.num > ? ORDER BY life_event.num LIMIT ?"""
_HAS = "SELECT 1 FROM life_event WHERE service = ? AND change = ? AND detail = ?"
_TOTALS = """
SELECT week, good, failed, unclear, elapsed_s FROM check_total JOIN alias ON alias.service = check_total.service
WHERE alias.id = ? ORDER BY week"""
_LAYERS = """
SELECT layer, at, ok, reason, elapsed_s, request FROM layer_check JOIN alias ON alias.service = layer_check.service
WHERE alias.id = ? ORDER BY layer"""
_KEEP_LAYER = """
INSERT INTO layer_check (service, layer, at, ok, reason, elapsed_s, request) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (service, layer) DO UPDATE SET at = excluded.at, ok = excluded.ok, reason = excluded.reason,
  elapsed_s = excluded.elapsed_s, request = excluded.request"""
_LAYER = "SELECT ok, reason FROM layer_check WHERE service = ? AND layer = ?"
# A check since the last good one decides the state, however old it is.
_OLD = """
SELECT num, service, at, ok, elapsed_s FROM health_check AS old WHERE at < ? AND at < coalesce(
  (SELECT max(at) FROM health_check AS good WHERE good.service = old.service AND good.ok), -1e18
) LIMIT ?"""
_ADD_UP = """
INSERT INTO check_total (service, week, good, failed, unclear, elapsed_s) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (service, week) DO UPDATE SET good = check_total.good + excluded.good,
  failed = check_total.failed + excluded.failed, unclear = check_total.unclear + excluded.unclear,
  elapsed_s = check_total.elapsed_s + excluded.elapsed_s"""
_FORGET = "DELETE FROM health_check WHERE num = ?"
_WEEK_S = 604800.0
_AT_ONCE = 20_000


def note_events(
    connection: Connection, num: int, at: float, changes: Iterable[Difference]
) -> None:
    connection.executemany(
        _ADD, [(num, at, change, clean(detail)) for change, detail in changes]
    )


def note_once(
    connection: Connection, num: int, at: float, change: LifeChange, detail: str
) -> None:
    """The same event of the same service stands there once."""
    if connection.execute(_HAS, (num, change, clean(detail))).fetchone() is None:
        note_events(connection, num, at, [(change, detail)])


def note_layers(connection: Connection, num: int, checks: Sequence[LayerCheck]) -> None:
    """The last look at each layer; that one began to fail, or works again, is an event."""
    for check in checks:
        row = connection.execute(_LAYER, (num, clean(check.layer))).fetchone()
        was = bool(row[0]) if row and row[0] is not None else True
        if check.ok is not None and check.ok is not was:
            said = f"{check.layer}: {check.reason or 'works again'}"
            note_events(
                connection, num, check.at.timestamp(), [(LifeChange.LAYER, said)]
            )
        connection.execute(
            _KEEP_LAYER,
            (
                num,
                clean(check.layer),
                check.at.timestamp(),
                check.ok,
                clean(check.reason),
                check.elapsed_s,
                check.request,
            ),
        )


class SqlHistory:
    """The past of the services of one catalogue."""

    def __init__(self, database: Database, commits: GroupCommit) -> None:
        self._database = database
        self._commits = commits

    def events(self, service_id: str) -> Sequence[LifeEvent]:
        return [
            _event(*row) for row in self._database.read().execute(_OF, (service_id,))
        ]

    def since(self, at: datetime) -> Iterator[LifeEvent]:
        return (
            _event(*row)
            for row in self._database.read()
            .execute(_SINCE, (at.timestamp(),))
            .fetchall()
        )

    def newest(self) -> int:
        (number,) = (
            self._database.read()
            .execute("SELECT coalesce(max(num), 0) FROM life_event")
            .fetchone()
        )
        return int(number)

    def after(self, number: int, limit: int) -> Sequence[tuple[int, LifeEvent]]:
        rows = self._database.read().execute(_AFTER, (number, limit))
        return [(num, _event(*event)) for num, *event in rows]

    def totals(self, service_id: str) -> Sequence[CheckTotals]:
        return [
            CheckTotals(*row)
            for row in self._database.read().execute(_TOTALS, (service_id,))
        ]

    def layers(self, service_id: str) -> Sequence[LayerCheck]:
        rows = self._database.read().execute(_LAYERS, (service_id,))
        return [
            LayerCheck(
                layer,
                _time(at),
                None if ok is None else bool(ok),
                reason,
                elapsed_s,
                request,
            )
            for layer, at, ok, reason, elapsed_s, request in rows
        ]

    def thin(self, before: datetime) -> asyncio.Future[int]:
        """At most so many at a time that others need not wait long for the lock."""

        def write(connection: Connection) -> int:
            old = connection.execute(_OLD, (before.timestamp(), _AT_ONCE)).fetchall()
            connection.executemany(_ADD_UP, _by_week(old))
            connection.executemany(_FORGET, [(num,) for num, *_ in old])
            return len(old)

        return awaited(self._commits.submit(write))


def _by_week(
    old: Sequence[tuple[int, int, float, bool | None, float]],
) -> list[tuple[int, int, int, int, int, float]]:
    """Service, week, good, failed, unclear, seconds of the good ones."""
    sums: dict[tuple[int, int], list[float]] = {}
    for _, service, at, ok, elapsed_s in old:
        row = sums.setdefault((service, int(at // _WEEK_S)), [0, 0, 0, 0.0])
        row[2 if ok is None else 0 if ok else 1] += 1
        row[3] += elapsed_s if ok else 0.0
    return [
        (*key, int(good), int(failed), int(unclear), s)
        for key, (good, failed, unclear, s) in sums.items()
    ]


def _event(service_id: str, at: float, change: str, detail: str) -> LifeEvent:
    return LifeEvent(service_id, _time(at), LifeChange(change), detail)


def _time(timestamp: float) -> datetime:
    return datetime.fromtimestamp(timestamp, UTC)
