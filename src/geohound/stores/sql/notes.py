"""What people who use the portal keep: saved searches and judgements."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from geohound.model.notes import Judgement, SavedSearch

from .database import Database
from .services.codec import clean

_SEARCH = "SELECT num, owner, title, parameters, saved_at, opened_at FROM saved_search"
_SAME = "SELECT num FROM saved_search WHERE owner = ? AND parameters = ?"
_ADD = (
    "INSERT INTO saved_search (owner, title, parameters, saved_at, opened_at) "
    "VALUES (?, ?, ?, ?, ?) RETURNING num"
)
_JUDGE = """
INSERT INTO judgement (topic, class, service, is_real, judge, at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (topic, class, service) DO UPDATE SET
  is_real = excluded.is_real, judge = excluded.judge, at = excluded.at"""
_UNJUDGE = "DELETE FROM judgement WHERE topic = ? AND class = ? AND service = ?"
_JUDGEMENTS = (
    "SELECT topic, class, service, is_real, judge, at FROM judgement "
    "ORDER BY topic, class, service"
)


class SqlNotes:
    """Those of one catalogue."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep_search(self, search: SavedSearch) -> int:
        owner, parameters = clean(search.owner), clean(search.parameters)
        title = clean(search.title)
        times = search.saved_at.timestamp(), search.opened_at.timestamp()
        with self._database.write() as connection:
            same = connection.execute(_SAME, (owner, parameters)).fetchone()
            if same is None:
                row = owner, title, parameters, *times
                return int(connection.execute(_ADD, row).fetchone()[0])
            renaming = "UPDATE saved_search SET title = ? WHERE num = ?"
            connection.execute(renaming, (title, same[0]))
            return int(same[0])

    def searches(self, owner: str) -> Sequence[SavedSearch]:
        sql = f"{_SEARCH} WHERE owner = ? ORDER BY num DESC"
        return list(map(_search, self._database.read().execute(sql, (clean(owner),))))

    def open_search(self, owner: str, num: int, at: datetime) -> SavedSearch | None:
        which = clean(owner), num
        noting = "UPDATE saved_search SET opened_at = ? WHERE owner = ? AND num = ?"
        with self._database.write() as connection:
            found = f"{_SEARCH} WHERE owner = ? AND num = ?"
            row = connection.execute(found, which).fetchone()
            connection.execute(noting, (at.timestamp(), *which))
        return _search(row) if row else None

    def forget_search(self, owner: str, num: int) -> bool:
        sql = "DELETE FROM saved_search WHERE owner = ? AND num = ?"
        with self._database.write() as connection:
            return connection.execute(sql, (clean(owner), num)).rowcount > 0

    def judge(self, judgements: Sequence[Judgement]) -> None:
        with self._database.write() as connection:
            connection.executemany(_JUDGE, [_row(each) for each in judgements])

    def unjudge(self, topic: str, class_id: str, services: Sequence[str]) -> None:
        rows = [tuple(map(clean, (topic, class_id, each))) for each in services]
        with self._database.write() as connection:
            connection.executemany(_UNJUDGE, rows)

    def judgements(self) -> Sequence[Judgement]:
        return list(map(_judgement, self._database.read().execute(_JUDGEMENTS)))


def _search(row: tuple[Any, ...]) -> SavedSearch:
    num, owner, title, parameters, saved_at, opened_at = row
    return SavedSearch(owner, title, parameters, _time(saved_at), _time(opened_at), num)


def _row(judgement: Judgement) -> tuple[Any, ...]:
    at = judgement.at or datetime.now(UTC)
    names = judgement.topic, judgement.class_id, judgement.service_id
    is_real = int(judgement.is_real)
    return *map(clean, names), is_real, clean(judgement.judge), at.timestamp()


def _judgement(row: tuple[Any, ...]) -> Judgement:
    topic, class_id, service, is_real, judge, at = row
    return Judgement(topic, class_id, service, bool(is_real), judge, _time(at))


def _time(timestamp: float) -> datetime:
    return datetime.fromtimestamp(timestamp, UTC)
