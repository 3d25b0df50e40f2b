"""Opening a store: what is no catalogue is refused with a sentence, and two may open at once."""

from __future__ import annotations

import asyncio
import gzip
import os
import socket
import sqlite3
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from frontiers import open_with_delay

from geohound.frontier import FrontierLimits
from geohound.model.account import Role, UserAccount
from geohound.model.bbox import BBox
from geohound.model.catalogue import Observation
from geohound.model.crawl.frontier import Settled
from geohound.model.crawl.shard import Shard
from geohound.model.crawl.task import TaskSpec
from geohound.model.health import HealthState
from geohound.model.search.query import Query
from geohound.model.service import Extent, Layer, Service, Sighting
from geohound.model.visit import Candidate, Lane, Purpose, Settlement, Via
from geohound.search import index
from geohound.stores.sql.services import codec
from geohound.stores.sqlite import StoreError, database, open_store


def refusal(path, clock):
    with pytest.raises(StoreError) as caught:
        open_store(path, clock)
    assert str(path) in str(caught.value)
    return str(caught.value)


def step_back_before_declared(connection):
    """To version 16."""
    connection.execute("ALTER TABLE url DROP COLUMN host_role")
    connection.execute("DROP TABLE search_page")
    for table in ("life_event", "check_total", "layer_check"):
        connection.execute(f"DROP TABLE {table}")
    connection.execute("DROP TABLE data_file")
    connection.execute("DROP TABLE kept_page")
    connection.execute("DROP INDEX service_by_declared")
    connection.execute("ALTER TABLE service DROP COLUMN declared")
    connection.execute("ALTER TABLE service DROP COLUMN host")


def step_back_to_probes(connection):
    connection.execute("ALTER TABLE alias RENAME TO door")
    for column in ("endpoint", "service"):
        connection.execute(f"DROP INDEX alias_by_{column}")
        connection.execute(f"CREATE INDEX door_by_{column} ON door ({column})")
    connection.execute("DROP TABLE memo")
    connection.execute("ALTER TABLE url RENAME COLUMN purpose TO probe")
    connection.execute("ALTER TABLE url DROP COLUMN harvester")
    step_back_before_declared(connection)
    connection.execute("ALTER TABLE url DROP COLUMN cursor")


def step_back_to_version_4(connection):
    """What later versions added to the file is taken away."""
    for table in (
        "proof",
        "met",
        "claim",
        "event",
        "host_claim",
        "change",
        "segment_part",
        "manifest",
    ):
        connection.execute(f"DROP TABLE {table}")
    # the index of that time, which nobody reads any more
    for table in ("fresh", "block", "posting", "facet"):
        connection.execute(
            f"CREATE TABLE {table} (id INTEGER PRIMARY KEY, records BLOB)"
        )
    connection.execute(
        "ALTER TABLE service ADD COLUMN revision INTEGER NOT NULL DEFAULT 0"
    )
    connection.execute(
        "CREATE INDEX service_by_revision ON service (revision, num, state, popularity)"
    )
    connection.execute("ALTER TABLE url DROP COLUMN address")
    step_back_to_probes(connection)
    connection.execute("ALTER TABLE task RENAME COLUMN spec TO settings")
    connection.execute("ALTER TABLE task DROP COLUMN ending")
    connection.execute("ALTER TABLE task ADD COLUMN seeds BLOB")
    connection.execute("PRAGMA user_version = 4")


def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path, clock):
    path = tmp_path / "notes.txt"
    path.write_text("Dear diary, " * 500)
    assert "not a Geohound catalogue" in refusal(path, clock)
    assert path.read_text().startswith("Dear diary, ")


def test_the_database_of_another_program_is_refused_and_left_as_it_is(tmp_path, clock):
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()
    before = path.read_bytes()
    assert "not a Geohound catalogue" in refusal(path, clock)
    assert path.read_bytes() == before


def test_a_catalogue_of_a_newer_version_is_refused(tmp_path, clock):
    path = tmp_path / "new.db"
    open_store(path, clock).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    assert "newer Geohound" in refusal(path, clock)


def test_a_catalogue_of_an_older_version_is_upgraded_or_refused(
    tmp_path, clock, monkeypatch
):
    path = tmp_path / "old.db"
    open_store(path, clock).close()
    now = database.VERSION
    monkeypatch.setattr(database, "VERSION", now + 1)
    assert "too old" in refusal(path, clock)
    upgrade = {now: lambda connection: connection.execute("CREATE TABLE novelty (x)")}
    monkeypatch.setattr(database, "UPGRADES", upgrade)
    open_store(path, clock).close()
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA user_version").fetchone() == (now + 1,)
    assert connection.execute("SELECT count(*) FROM novelty").fetchone() == (0,)
    connection.close()


def test_visits_of_a_catalogue_without_addresses_are_told_without_and_new_ones_with_theirs(
    tmp_path, clock
):
    path = tmp_path / "c.db"
    store = open_store(path, clock)
    task = store.tasks.create(TaskSpec()).id

    async def visit(store, url, address):
        frontier = open_with_delay(store, task, FrontierLimits())
        frontier.admit([Candidate(url)])
        await frontier.flush()
        (leased,) = frontier.lease(1, Lane.PAGES)
        frontier.settle(leased, Settled(Settlement.DONE, address=address))
        await frontier.flush()

    asyncio.run(visit(store, "http://a.test/", "192.0.2.1"))
    store.close()
    connection = sqlite3.connect(path)
    step_back_to_probes(connection)
    connection.execute("ALTER TABLE url DROP COLUMN address")
    connection.execute("PRAGMA user_version = 10")
    connection.close()
    store = open_store(path, clock)
    asyncio.run(visit(store, "http://b.test/", "192.0.2.2"))
    assert [(v.url, v.address) for v in store.log.visits(task)] == [
        ("http://a.test/", ""), ("http://b.test/", "192.0.2.2"),
    ]  # fmt: skip
    store.close()


def test_a_harvest_of_a_catalogue_without_cursors_begins_and_new_pages_are_kept(
    tmp_path, clock
):
    path = tmp_path / "c.db"
    store = open_store(path, clock)
    task = store.tasks.create(TaskSpec()).id
    first = Candidate(
        "http://a.test/csw", Via.HARVEST, purpose=Purpose.HARVEST, harvester="csw"
    )

    async def admit(store, candidate):
        frontier = open_with_delay(store, task, FrontierLimits())
        assert frontier.admit([candidate]).count == 1
        await frontier.flush()

    asyncio.run(admit(store, first))
    store.close()
    connection = sqlite3.connect(path)
    step_back_before_declared(connection)
    connection.execute("ALTER TABLE url DROP COLUMN cursor")
    connection.execute("PRAGMA user_version = 15")
    connection.close()
    store = open_store(path, clock)
    second = replace(first, cursor=b"\x00second\xff")
    asyncio.run(admit(store, second))
    assert store.log.load(task, [1, 2]) == [first, second]
    store.close()


def test_services_of_a_catalogue_of_before_are_recognised_by_the_address_that_they_give(
    tmp_path, clock
):
    path = tmp_path / "c.db"
    layers = (Layer("soil", "Soils"),)
    first = Service(
        "wms",
        "http://a.test/wms",
        "1.3.0",
        layers=layers,
        online_resource="http://gis.test/wms?",
    )
    second = replace(first, endpoint="http://b.test/wms", version="1.1.1")

    def put(service):
        store = open_store(path, clock)
        sighting = Sighting(service.id, service.endpoint, "", Via.LINK, "", clock.now())
        (recorded,) = store.catalogue.record_now([Observation(service, sighting)])
        store.close()
        return recorded.is_new

    assert put(first)
    connection = sqlite3.connect(path)
    step_back_before_declared(connection)
    connection.execute("PRAGMA user_version = 16")
    connection.close()
    assert not put(second)


def test_who_waits_for_an_index_to_be_made_anew_is_told(
    tmp_path, clock, open_searched, monkeypatch, caplog
):
    path = tmp_path / "c.db"
    store = open_store(path, clock)
    for number in range(3):
        service = Service("wms", f"http://h{number}.test/wms", title=f"Rivers {number}")
        store.catalogue.record_now(
            [
                Observation(
                    service,
                    Sighting(
                        service.id, service.endpoint, "", Via.LINK, "", clock.now()
                    ),
                )
            ]
        )
    store.close()
    with sqlite3.connect(path) as connection:
        step_back_to_version_4(connection)
    connection.close()
    monkeypatch.setattr(index, "_MANY_SERVICES", 2)
    monkeypatch.setattr(index, "_PROGRESS_EVERY_S", -1.0)
    store = open_searched(path)
    for _ in range(2):
        assert store.search(Query("rivers")).total == 3
    told = [record.getMessage() for record in caplog.records]
    assert told[0].endswith("its 3 services are indexed anew, once.")
    assert told[1:] == ["3 of 3 services are indexed."], "once"
    store.close()


def test_a_queue_that_was_not_divided_is_divided_by_the_hosts_it_has(tmp_path, clock):
    """As version 31 left it."""
    path = tmp_path / "c.db"
    hosts = [f"h{n}.test" for n in range(20)]
    store = open_store(path, clock)
    with store.database.write() as connection:
        add = "INSERT INTO check_queue (purpose, target, host, due_at) VALUES ('check', ?, ?, 0)"
        connection.executemany(add, [(host, host) for host in hosts])
        connection.execute("ALTER TABLE check_queue DROP COLUMN part")
        connection.execute("PRAGMA user_version = 31")
    store.close()
    store = open_store(path, clock)
    parts = [
        store.check_queue.of(Shard(1, number, 2)).hosts(clock.now(), 100)
        for number in range(2)
    ]
    store.close()
    assert sorted(host for of in parts for host in of) == sorted(hosts)
    assert min(map(len, parts)) >= 4


def test_pages_of_a_queue_without_tags_are_read_whole_once(tmp_path, clock):
    """As version 32 left it."""
    path = tmp_path / "c.db"
    store = open_store(path, clock)
    with store.database.write() as connection:
        connection.execute(
            "INSERT INTO check_queue (purpose, target, host, due_at) VALUES ('page', 'http://a.test/', 'a.test', 0)"
        )
        for column in ("etag", "last_modified", "read_at"):
            connection.execute(f"ALTER TABLE check_queue DROP COLUMN {column}")
        connection.execute("PRAGMA user_version = 32")
    store.close()
    store = open_store(path, clock)
    (page,) = store.check_queue.due("a.test", clock.now(), 1)
    store.close()
    assert (page.target, page.proof) == ("http://a.test/", None)


def test_names_of_accounts_that_were_removed_before_are_not_given_again(
    tmp_path, clock
):
    """As version 33 left it: ada is there, bob, eve, tim and joe are gone."""
    path = tmp_path / "c.db"
    store = open_store(path, clock)
    for owner in ("", "ada", "bob"):
        store.tasks.create(TaskSpec(owner=owner))
    with store.database.write() as connection:
        for statement in (
            "INSERT INTO account (name, role, created_at, subject, password_hash) VALUES ('ada', 'user', 0, '', '')",
            "INSERT INTO saved_search (owner, title, parameters, saved_at, opened_at) VALUES ('eve', '', '', 0, 0)",
            "INSERT INTO judgement VALUES ('lakes', 'wms', '1', 1, 'tim', 0)",
            "INSERT INTO audit (at, who, what, about, address) VALUES (0, 'ada', 'account removed', 'joe', '')",
            "PRAGMA user_version = 33",
        ):
            connection.execute(statement)
    store.close()
    store = open_store(path, clock)
    tried = ("ada", "bob", "eve", "tim", "joe", "new")
    given = [
        name
        for name in tried
        if store.users.add(UserAccount(name, Role.USER, clock.now()))
    ]
    names = [account.name for account in store.users.list()]
    owners = sorted(task.spec.owner for task in store.tasks.list())
    store.close()
    assert given == ["new"]
    assert names == ["ada", "new"]
    assert owners == ["", "ada", "bob"]


def test_an_upgrade_that_fails_changes_nothing(tmp_path, clock, monkeypatch):
    path = tmp_path / "old.db"
    open_store(path, clock).close()

    def stumble(connection):
        connection.execute("CREATE TABLE half (x)")
        connection.execute("SELECT nonsense")

    now = database.VERSION
    monkeypatch.setattr(database, "VERSION", now + 1)
    monkeypatch.setattr(database, "UPGRADES", {now: stumble})
    refusal(path, clock)
    connection = sqlite3.connect(path)
    assert connection.execute(
        "SELECT count(*) FROM sqlite_master WHERE name = 'half'"
    ).fetchone() == (0,)
    assert connection.execute("PRAGMA user_version").fetchone() == (now,)
    connection.close()


def test_a_folder_and_a_path_that_leads_nowhere_are_refused(tmp_path, clock):
    assert "folder" in refusal(tmp_path, clock)
    with pytest.raises(StoreError, match="no folder"):
        open_store(tmp_path / "missing" / "c.db", clock)


@pytest.fixture
def open_folder():
    """A folder that any user of the machine may look into."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@contextmanager
def without_privileges():
    """Root may write everything: for a moment be nobody."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


def test_a_file_that_may_only_be_read_is_refused(open_folder, clock):
    path = open_folder / "c.db"
    open_store(path, clock).close()
    path.chmod(0o444)
    with without_privileges():
        told = refusal(path, clock)
    assert "only be read" in told


def test_a_file_in_a_folder_that_is_closed_to_this_user_is_refused(open_folder, clock):
    folder = open_folder / "closed"
    folder.mkdir(0o700)
    folder.chmod(0)
    with without_privileges():
        assert "may not be looked at" in refusal(folder / "c.db", clock)


def test_a_file_that_cannot_be_made_says_what_to_do(open_folder, clock):
    folder = open_folder / "read"
    folder.mkdir()
    folder.chmod(0o555)
    with without_privileges():
        told = refusal(folder / "new.db", clock)
    assert "the right to write it and its folder, or name another file" in told


def test_an_empty_file_becomes_a_catalogue(tmp_path, clock):
    path = tmp_path / "c.db"
    path.touch()
    store = open_store(path, clock)
    assert store.catalogue.count() == (0, 0)
    store.close()


def test_many_may_create_the_same_file_at_once(tmp_path, clock):
    with ThreadPoolExecutor(6) as pool:
        stores = list(
            pool.map(lambda _: open_store(tmp_path / "c.db", clock), range(6))
        )
    for store in stores:
        assert store.catalogue.count() == (0, 0)
        store.close()


def test_a_closed_store_says_so(tmp_path, clock):
    store = open_store(tmp_path / "c.db", clock)
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.tasks.create(TaskSpec())


def test_a_catalogue_of_version_1_is_searched_like_a_new_one_after_the_upgrade(
    tmp_path, clock, open_searched
):
    path = tmp_path / "old.db"
    service = Service(
        "wms", "https://maps.example.org/wms", title="Gewässer in Bayern",
        layers=(Layer("rivers", "Flüsse", extent=Extent(BBox(9, 47, 14, 51))), Layer("lakes", "Seen")),
    )  # fmt: skip
    connection = sqlite3.connect(path)
    connection.executescript(
        Path(__file__).with_name("version_1.sql").read_text("utf-8")
    )
    connection.execute(
        "INSERT INTO service VALUES (1, ?, ?, ?, '', '', ?, '', '', 'alive', 1.0, 2.0, ?)",
        (
            service.id,
            service.kind,
            service.endpoint,
            service.title,
            codec.dump_service(service, codec.CrsLists(service)),
        ),
    )
    connection.execute(
        "INSERT INTO door VALUES (?, ?, 1)", (service.id, service.endpoint)
    )
    for number, layer in enumerate(service.layers):
        connection.execute(
            "INSERT INTO layer VALUES (?, 1, ?, ?, ?, '', '[]', 7, ?)",
            (
                number + 1,
                number,
                layer.name,
                layer.title,
                codec.dump_layer(layer, codec.CrsLists(service)),
            ),
        )
    connection.execute(
        "INSERT INTO sighting VALUES (1, 1, 'u', 'p', 'link', '', 1.0, 1, 0)"
    )
    connection.execute(f"PRAGMA application_id = {database.APPLICATION_ID}")
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    connection.close()
    store = open_searched(path)
    (hit,) = store.search(Query("Fluss", bbox=BBox(10, 48, 12, 50))).hits
    assert hit.service.id == service.id
    assert [layer.name for layer in hit.layers] == ["rivers"]
    assert hit.state is HealthState.ALIVE
    assert store.catalogue.get(service.id).layers == service.layers
    store.close()
    open_store(path, clock).close()


def test_a_catalogue_of_version_4_is_indexed_anew(tmp_path, clock, open_searched):
    store = open_store(tmp_path / "c.db", clock)
    service = Service(
        "wms",
        "http://a.test/wms",
        title="Roads",
        cors="yes",
        layers=(Layer("r", times=("1990",)),),
    )
    store.catalogue.record_now(
        [
            Observation(
                service,
                Sighting(service.id, service.endpoint, "", Via.LINK, "", clock.now()),
            )
        ]
    )
    store.close()
    connection = sqlite3.connect(tmp_path / "c.db")
    step_back_to_version_4(connection)
    connection.commit()
    connection.close()
    store = open_searched(tmp_path / "c.db")
    found = store.search(Query("roads", where={"cors": ("yes",)}, years=(1990, 1990)))
    assert [hit.service.id for hit in found.hits] == [service.id]
    store.close()


def test_the_index_of_before_is_gone_from_a_catalogue_of_version_6(
    tmp_path, open_searched
):
    path = tmp_path / "before.db"
    path.write_bytes(
        gzip.decompress(
            (Path(__file__).parents[1] / "captures" / "catalogue-v6.db.gz").read_bytes()
        )
    )
    store = open_searched(path)
    entries = list(store.catalogue.entries())
    found = store.search(Query(fold=False, limit=1000))
    assert [hit.service.id for hit in found.hits] and found.total == len(
        entries
    ) == store.catalogue.count().services
    assert {hit.service.id: hit.state for hit in found.hits} == {
        e.service.id: e.health.state for e in entries
    }
    tables = {
        name
        for (name,) in store.database.read().execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'"
        )
    }
    assert not tables & {"fresh", "block", "posting", "facet"}
    store.close()


def test_a_catalogue_that_is_a_socket_is_said_to_be_no_file(tmp_path, clock):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "odd"))
        with pytest.raises(StoreError, match="is no file"):
            open_store(tmp_path / "odd", clock)
