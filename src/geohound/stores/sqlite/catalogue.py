"""What has been confirmed: services, where they were seen, how they fare; and search over it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from geohound.contracts import TopicsOf
from geohound.model.health import Check, Health, State, assess
from geohound.model.query import LayerResults, Query, Results
from geohound.model.service import Remembered, Service, Sighting
from geohound.model.visit import Via

from .codec import clean
from .database import Database
from .doors import content_key, find_door, find_twin
from .indexing import Indexer
from .intake import Intake
from .layers import search_layers
from .proofs import note_proof, recall
from .reading import nums_at, read_services
from .search import Index, search
from .writing import Seen, Writing, add_door, insert_service, leave_home, no_topics, refresh_service

Met = tuple[Service, Sighting, Check | None]
_PAGE_SERVICES = 200
_ADD_SIGHTING = """
INSERT OR IGNORE INTO sighting (service, url, found_on, via, evidence, at, task, depth)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""


class SqliteCatalogue:
    """Every method may be called from any thread; readers never wait for writers."""

    def __init__(self, database: Database, topics_of: TopicsOf = no_topics) -> None:
        self._database = database
        self._topics_of = topics_of
        self._index = Index()
        self._indexer = Indexer()
        self._lock = threading.RLock()
        self._intake = Intake(self._put_each)

    def put(self, service: Service, sighting: Sighting) -> bool:
        """Add or refresh a service and record the sighting; True if the service is new.

        One met through another door (see `doors`) is not new: the address is added to the known one. A door
        that shows something else than it did is one no longer.
        """
        return self._put_each([(service, sighting, None)])[0]

    def put_all(self, met: Iterable[tuple[Service, Sighting]]) -> int:
        """The same for many, in one transaction: all of them or none; how many are new."""
        return sum(self._put_each((service, sighting, None) for service, sighting in met))

    async def keep(self, service: Service, sighting: Sighting, check: Check | None = None) -> bool:
        """As `put`, with a look at the service; on disk when awaited, in one commit with what arrives meanwhile."""
        return await self._intake.keep((service, sighting, check))

    def _put_each(self, met: Iterable[Met]) -> list[bool]:
        with self._writing() as to:
            return [_put(to, *each) for each in met]

    @contextmanager
    def _writing(self) -> Iterator[Writing]:
        """A transaction, at whose end the services written in it are findable."""
        with self._lock:
            try:
                with self._database.write() as connection:
                    yield Writing(connection, self._indexer, self._topics_of)
                    self._indexer.finish(connection)
            except BaseException:
                self._indexer.forget()
                raise

    def get(self, service_id: str) -> Service | None:
        """By its id, or by the id that it would have at one of its other doors."""
        with self._database.snapshot() as connection:
            num = _num(connection, service_id)
            return read_services(connection, [num])[num] if num is not None else None

    def find_endpoint(self, url: str) -> Sequence[Service]:
        """The services behind an address: an endpoint, another door, or any request to one of them."""
        with self._database.snapshot() as connection:
            return list(read_services(connection, nums_at(connection, url)).values())

    def recall(self, url: str) -> Remembered | None:
        """What a request proved of late and may be asked about with validators; None where it must be asked in full."""
        with self._database.snapshot() as connection:
            return recall(connection, url)

    def sightings(self, service_id: str) -> Sequence[Sighting]:
        """Where a service was met, in the order in which it was."""
        connection = self._database.read()
        rows = connection.execute(
            """SELECT home.id, url, found_on, via, evidence, at, task, depth
               FROM door JOIN service home ON home.num = door.service JOIN sighting s ON s.service = home.num
               WHERE door.id = ? ORDER BY s.num""",
            (service_id,),
        )
        return [_sighting(row) for row in rows]

    def record_check(self, check: Check) -> None:
        """Keep a look at a service; a look at a service that is not here is not kept."""
        with self._writing() as to:
            num = _num(to.connection, check.service_id)
            if num is not None:
                _note_check(to, num, check)

    def checks(self, service_id: str) -> Sequence[Check]:
        """All looks at a service, oldest first."""
        connection = self._database.read()
        num = _num(connection, service_id)
        return _checks(connection, num) if num is not None else []

    def health(self, service_id: str) -> Health:
        return assess(self.checks(service_id))

    def seen(self, service_id: str) -> tuple[datetime, datetime] | None:
        """When a service was met first and last."""
        row = (
            self._database.read()
            .execute(
                "SELECT first_seen, last_seen FROM door JOIN service ON num = service WHERE door.id = ?",
                (service_id,),
            )
            .fetchone()
        )
        return (_time(row[0]), _time(row[1])) if row else None

    def services(
        self, kinds: Sequence[str] = (), states: Sequence[State] = (), task: int | None = None
    ) -> Iterator[Service]:
        """All services, or those of some kinds and states or met by a task, in the order in which they were found.

        Read page by page, so that a slow consumer holds up neither memory nor the write-ahead log.
        """
        conditions = [f"{column} IN ({','.join('?' * len(values))})" for column, values in _filters(kinds, states)]
        if task is not None:
            conditions.append("EXISTS (SELECT 1 FROM met WHERE met.task = ? AND met.service = service.num)")
        where = " AND ".join(["num > ?", *conditions])
        values = (*kinds, *states, *(() if task is None else (task,)))
        last = 0
        while True:
            # A page is read whole before it is given out: the consumer may take its time.
            sql = f"SELECT num FROM service WHERE {where} ORDER BY num LIMIT {_PAGE_SERVICES}"  # noqa: S608 - only marks
            with self._database.snapshot() as connection:
                nums = [num for (num,) in connection.execute(sql, (last, *values))]
                page = read_services(connection, nums)
            if not nums:
                return
            yield from page.values()
            last = nums[-1]

    def search(self, query: Query) -> Results:
        with self._database.snapshot() as connection:
            return search(connection, query, self._index)

    def search_layers(self, query: Query) -> LayerResults:
        with self._database.snapshot() as connection:
            return search_layers(connection, query, self._index)

    def count(self) -> tuple[int, int]:
        """Services and layers."""
        row = self._database.read().execute("SELECT (SELECT count(*) FROM service), (SELECT count(*) FROM layer)")
        services, layers = row.fetchone()
        return services, layers

    def close(self) -> None:
        self._intake.close()
        self._database.close()


def _filters(kinds: Sequence[str], states: Sequence[State]) -> list[tuple[str, Sequence[str]]]:
    return [(column, values) for column, values in (("kind", kinds), ("state", states)) if values]


def _put(to: Writing, service: Service, sighting: Sighting, check: Check | None) -> bool:
    connection, content = to.connection, content_key(service)
    at = sighting.at.timestamp()
    home = find_door(connection, service, content)
    left = home if home is not None and not home.is_proved else None
    if left is not None:
        home = None
        connection.execute("DELETE FROM door WHERE id = ?", (service.id,))
    home = home or find_twin(connection, service, content)
    if home is None:
        num, stands = insert_service(to, service, content, Seen(at, at, 1 if left is None else 0)), True
    else:
        num = home.num
        add_door(connection, num, service.kind, service.endpoint)
        stands = home.is_own and refresh_service(to, num, service)
    if home is None and left is None:
        connection.execute(_ADD_SIGHTING, _sighting_row(num, sighting))
    else:
        if left is not None:
            leave_home(connection, left.num, num, [service.endpoint])
        _note_sighting(connection, num, sighting)
    connection.execute("INSERT OR IGNORE INTO met (task, service) VALUES (?, ?)", (sighting.task, num))
    if check is not None:
        _note_check(to, num, check)
        if stands:
            note_proof(connection, num, check, is_new=home is None)
    return home is None


def _note_check(to: Writing, num: int, check: Check) -> None:
    connection = to.connection
    connection.execute(
        "INSERT INTO health_check (service, at, ok, reason, elapsed_s, fingerprint) VALUES (?, ?, ?, ?, ?, ?)",
        (num, check.at.timestamp(), check.ok, clean(check.reason), check.elapsed_s, clean(check.fingerprint)),
    )
    # The last look that told something decides, however many there were.
    last = connection.execute(
        "SELECT ok FROM health_check WHERE service = ? AND ok IS NOT NULL ORDER BY at DESC, num DESC LIMIT 1", (num,)
    ).fetchone()
    state = assess([replace(check, ok=bool(last[0]) if last else None)]).state
    connection.execute(
        "UPDATE service SET state = ?, revision = ? WHERE num = ? AND state <> ?", (state, to.revision(), num, state)
    )


def _note_sighting(connection: sqlite3.Connection, num: int, sighting: Sighting) -> None:
    at = sighting.at.timestamp()
    added = connection.execute(_ADD_SIGHTING, _sighting_row(num, sighting)).rowcount
    connection.execute(
        "UPDATE service SET first_seen = min(first_seen, ?), last_seen = max(last_seen, ?), "
        "popularity = popularity + ? WHERE num = ?",
        (at, at, max(added, 0), num),
    )


def _sighting_row(num: int, sighting: Sighting) -> tuple[Any, ...]:
    return (
        num, clean(sighting.url), clean(sighting.found_on), sighting.via, clean(sighting.evidence),
        sighting.at.timestamp(), sighting.task, sighting.depth,
    )  # fmt: skip


def _num(connection: sqlite3.Connection, service_id: str) -> int | None:
    row = connection.execute("SELECT service FROM door WHERE id = ?", (clean(service_id),)).fetchone()
    return row[0] if row else None


def _checks(connection: sqlite3.Connection, num: int) -> list[Check]:
    rows = connection.execute(
        """SELECT s.id, c.at, c.ok, c.reason, c.elapsed_s, c.fingerprint
           FROM health_check c JOIN service s ON s.num = c.service
           WHERE c.service = ? ORDER BY c.at, c.num""",
        (num,),
    )
    return [
        Check(id_, _time(at), None if ok is None else bool(ok), reason, elapsed_s, fingerprint)
        for id_, at, ok, reason, elapsed_s, fingerprint in rows
    ]


def _sighting(row: tuple[Any, ...]) -> Sighting:
    id_, url, found_on, via, evidence, at, task, depth = row
    return Sighting(id_, url, found_on, Via(via), evidence, _time(at), task, depth)


def _time(timestamp: float) -> datetime:
    return datetime.fromtimestamp(timestamp, UTC)
