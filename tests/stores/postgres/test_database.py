"""A catalogue in PostgreSQL: rights, what is refused, backup and upgrade."""

from __future__ import annotations

import os
import re
import subprocess
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from postgres_server import programs, shared_server

from geohound import app
from geohound.contracts import StoreError
from geohound.model.account import Role, UserAccount
from geohound.model.catalogue import Observation
from geohound.model.crawl.shard import Shard
from geohound.model.crawl.task import TaskSpec, TaskState
from geohound.model.search.query import Query
from geohound.model.service import Service, Sighting
from geohound.model.visit import Purpose, Via
from geohound.net.clock import SystemClock
from geohound.settings import Settings
from geohound.stores.postgres import open_store, schema

GUIDE = Path(__file__).parents[3] / "docs" / "cluster.md"


def sql(address: str, *statements: str) -> list[tuple[object, ...]]:
    with psycopg.connect(address, autocommit=True) as connection:
        found = [connection.execute(statement) for statement in statements][-1]
        return found.fetchall() if found.description else []


def schema_of(address: str) -> str:
    return address.rpartition("%3D")[2]


@pytest.fixture
def roles(address):
    """As the guide says; each may do no more than it needs."""
    with closing(open_store(address, SystemClock())):
        pass
    name = schema_of(address)
    grants = re.search(r"```sql\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)[
        1
    ].replace("public", name)
    with psycopg.connect(address, autocommit=True) as connection:
        for role in ("geohound_crawler", "geohound_reader"):
            connection.execute(
                f"DO $$ BEGIN CREATE ROLE {role} LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$"
            )
        connection.execute(grants)
    yield {
        role: address.replace("geohound@", f"geohound_{role}@")
        for role in ("crawler", "reader")
    }
    sql(address, "DROP OWNED BY geohound_crawler, geohound_reader")


def test_who_crawls_writes_rows_and_their_partitions_but_changes_no_table(
    roles,
) -> None:
    with closing(open_store(roles["crawler"], SystemClock())) as store:
        task = store.tasks.create(TaskSpec()).id
        assert store.tasks.delete(task)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        sql(roles["crawler"], "DROP TABLE service")


def test_who_only_reads_opens_the_catalogue_and_writes_nothing(roles) -> None:
    with closing(open_store(roles["reader"], SystemClock())) as store:
        assert store.database.is_read_only
        assert store.catalogue.count() == (0, 0)
        with pytest.raises(StoreError, match="may not do that"):
            store.tasks.create(TaskSpec())


def test_tables_of_something_else_and_of_a_newer_geohound_are_refused(address) -> None:
    sql(address, "CREATE TABLE theirs (x integer)")
    with pytest.raises(StoreError, match="holds tables of something else"):
        open_store(address, SystemClock())
    sql(address, "DROP TABLE theirs")
    with closing(open_store(address, SystemClock())):
        pass
    sql(address, "UPDATE geohound_catalogue SET version = 1000")
    with pytest.raises(StoreError, match="newer Geohound"):
        open_store(address, SystemClock())


def test_an_upgrade_is_done_whole_or_not_at_all(address, monkeypatch) -> None:
    with closing(open_store(address, SystemClock())) as store:
        task = store.tasks.create(TaskSpec()).id

    def fail(connection) -> None:
        connection.execute("ALTER TABLE service ADD COLUMN half integer")
        raise psycopg.OperationalError("power cut")

    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    monkeypatch.setitem(schema.UPGRADES, schema.VERSION - 1, fail)
    with pytest.raises(StoreError):
        open_store(address, SystemClock())
    columns = "SELECT count(*) FROM information_schema.columns WHERE table_schema = current_schema() AND column_name = "
    assert sql(address, f"{columns} 'half'") == [(0,)]
    adding = "ALTER TABLE service ADD COLUMN rating integer"
    monkeypatch.setitem(
        schema.UPGRADES,
        schema.VERSION - 1,
        lambda connection: connection.execute(adding),
    )
    with closing(open_store(address, SystemClock())) as store:
        assert store.tasks.get(task) is not None
    assert sql(address, f"{columns} 'rating'") == [(1,)]


COLUMNS = """
SELECT table_name, column_name, data_type FROM information_schema.columns
WHERE table_schema = current_schema() ORDER BY table_name, column_name"""


def test_a_catalogue_of_version_3_is_upgraded_with_all_that_it_holds(address) -> None:
    """What was there before: counts of changes, no notes, a queue that was not divided."""
    hosts = [f"h{n}.test" for n in range(20)]
    with closing(open_store(address, SystemClock())) as store:
        store.catalogue.record_now(observed(host) for host in hosts)
        assert store.check_queue.enrol({Purpose.CHECK: 0.0}) == 20
    now, version = sql(address, COLUMNS), schema.VERSION
    sql(
        address,
        "ALTER TABLE check_queue DROP COLUMN part, ALTER COLUMN changes TYPE bigint",
        "DROP TABLE saved_search, judgement",
        "UPDATE geohound_catalogue SET version = 3",
    )
    with closing(open_store(address, SystemClock())) as store:
        queue, late = store.check_queue, datetime(2100, 1, 1, tzinfo=UTC)
        parts = [queue.of(Shard(1, number, 2)).hosts(late, 100) for number in range(2)]
        assert store.catalogue.count().services == 20
    assert sorted(host for of in parts for host in of) == sorted(hosts)
    assert min(map(len, parts)) >= 4
    assert sql(address, COLUMNS) == now
    assert sql(address, "SELECT version FROM geohound_catalogue") == [(version,)]


def test_names_of_accounts_that_were_removed_before_are_not_given_again(
    address,
) -> None:
    """As version 7 left it: ada is there, bob, eve, tim and joe are gone."""
    with closing(open_store(address, SystemClock())) as store:
        for owner in ("", "ada", "bob"):
            store.tasks.create(TaskSpec(owner=owner))
    sql(
        address,
        "INSERT INTO account (name, role, created_at, subject, password_hash) VALUES ('ada', 'user', 0, '', '')",
        "INSERT INTO saved_search (owner, title, parameters, saved_at, opened_at) VALUES ('eve', '', '', 0, 0)",
        "INSERT INTO judgement VALUES ('lakes', 'wms', '1', 1, 'tim', 0)",
        "INSERT INTO audit (at, who, what, about, address) VALUES (0, 'ada', 'account removed', 'joe', '')",
        "UPDATE geohound_catalogue SET version = 7",
    )
    at = datetime(2026, 3, 1, tzinfo=UTC)
    with closing(open_store(address, SystemClock())) as store:
        tried = ("ada", "bob", "eve", "tim", "joe", "new")
        given = [
            name for name in tried if store.users.add(UserAccount(name, Role.USER, at))
        ]
        assert [account.name for account in store.users.list()] == ["ada", "new"]
    assert given == ["new"]


def observed(host: str) -> Observation:
    service = Service("wms", f"http://{host}/wms", title=host, fingerprint=host)
    at = datetime(2026, 3, 1, tzinfo=UTC)
    return Observation(
        service, Sighting(service.id, service.endpoint, "", Via.LINK, "", at)
    )


def test_many_changes_of_one_kind_are_one_statement_and_none_is_sent_for_none(
    address,
) -> None:
    with closing(open_store(address, SystemClock())) as store:
        with store.database.write() as connection:
            rows = [(0.0, b"", "queued", "") for _ in range(50)]
            connection.executemany(
                "INSERT INTO task (created_at, spec, state, ending) VALUES (?, ?, ?, ?)",
                rows,
            )
        ids = [
            task
            for (task,) in store.database.read().execute(
                "SELECT id FROM task ORDER BY id"
            )
        ]
        sent = []
        with store.database.write() as connection:
            connection.raw.cursor = lambda *_, **__: Recorder(connection.raw, sent)
            change = "UPDATE task SET state = ?, ending = ? WHERE id = ?"
            connection.executemany(change, [("done", "finished", task) for task in ids])
            connection.executemany(change, [])
            del connection.raw.cursor
        assert len(sent) == 1
        states = (
            store.database.read()
            .execute("SELECT DISTINCT state, ending FROM task")
            .fetchall()
        )
        assert states == [("done", "finished")]


class Recorder:
    """A cursor that keeps what is sent."""

    def __init__(self, raw, sent) -> None:
        self._cursor = type(raw).cursor(raw)
        self._sent = sent

    def execute(self, statement, values=(), **options):
        if statement.startswith("UPDATE"):
            self._sent.append(statement)
        return self._cursor.execute(statement, values, **options)

    def executemany(self, statement, rows):
        rows = list(rows)
        self._sent += [statement] * len(rows)
        return self._cursor.executemany(statement, rows)


def test_two_portals_on_one_catalogue_see_at_once_what_the_other_wrote(address) -> None:
    settings = Settings(catalogue=address)
    service = Service("wms", "http://gis.test/wms", title="Rivers of Utopia")
    seen = Sighting(
        service.id, service.endpoint, "http://a.test/", Via.LINK, "", datetime.now(UTC)
    )
    with (
        app.open_catalogue(settings, make=True) as one,
        app.open_catalogue(settings) as other,
    ):
        for portal in (one, other):
            assert portal.index.search(Query("rivers")).total == 0
        one.catalogue.record_now([Observation(service, seen)])
        assert [
            portal.index.search(Query("rivers")).total for portal in (one, other)
        ] == [1, 1]
        task = app.new_task(settings, TaskSpec(), is_queued=True)
        assert other.tasks.find(task).state is TaskState.QUEUED


def test_a_catalogue_is_restored_from_its_backup(address, tmp_path) -> None:
    with closing(open_store(address, SystemClock())) as store:
        task = store.tasks.create(TaskSpec()).id
    name, plain = schema_of(address), shared_server().address
    dump = tmp_path / "geoweb.dump"
    backup = [programs() / "pg_dump", "-Fc", "-n", name, "-f", dump, plain]
    subprocess.run(backup, check=True, env={**os.environ, "PGOPTIONS": ""})
    sql(plain, f"DROP SCHEMA {name} CASCADE")
    subprocess.run(
        [programs() / "pg_restore", "-d", plain, dump],
        check=True,
        env={**os.environ, "PGOPTIONS": ""},
    )
    with closing(open_store(address, SystemClock())) as store:
        assert [each.id for each in store.tasks.list()] == [task]
        assert store.tasks.create(TaskSpec()).id == task + 1
