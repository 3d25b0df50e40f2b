"""How a cluster stands, in the portal: what the supervisor noted and what the shards did, for administrators."""

from __future__ import annotations

import json

import pytest
from starlette.testclient import TestClient

from geohound.accounts import Accounts
from geohound.model.crawl.task import Checkpoint, TaskSpec
from geohound.portal.app import PortalTasks, TaskEvents, create_app
from geohound.search.index import CatalogueIndex
from geohound.tasks.cluster_status import cluster_status
from geohound.tasks.control import TaskControl

TROUBLE = "the database cannot be reached <b>"
NODES = [
    {"id": "abc", "address": "10.0.0.1<b>", "workers": 2, "shards": 3, "trouble": ""},
    {"id": "d", "address": "10.0.0.2", "workers": 0, "shards": 0, "trouble": TROUBLE},
]


@pytest.fixture
def visit(store):
    """Addresses of a portal with one user, who is its administrator."""
    control = TaskControl(store.tasks)

    def status():
        return cluster_status(
            store.shards.status(), store.shards, store.tasks, store.clock
        )

    index = CatalogueIndex(store.catalogue, store.segments)
    tasks = PortalTasks(control, TaskEvents(control), may_write=True)
    with TestClient(
        create_app(store.catalogue, index, {}, tasks=tasks, cluster=status)
    ) as client:
        yield client.get


def divide(store):
    whole = store.tasks.claim(store.tasks.create(TaskSpec()).id, "supervisor", 60.0)
    claims = [
        store.tasks.claim(shard, "worker", 60.0)
        for shard in store.shards.divide(whole, 3)
    ]
    for number, claim in enumerate(claims):
        store.tasks.save(claim, Checkpoint({"pages": 1000 * number, "queue": 7}))
    return whole.task


def note(store, age_s=0.0):
    status = {"nodes": NODES, "at": store.clock.now().timestamp() - age_s, "pid": 1}
    store.shards.write_status(json.dumps(status).encode())


def test_nodes_shards_rates_and_lag_are_shown(store, visit) -> None:
    task = divide(store)
    note(store)
    page = visit("/cluster").text
    for text in (
        "10.0.0.1&lt;b&gt;",
        "cannot be reached &lt;b&gt;",
        f'href="/tasks/{task}"',
        "2,000",
        "3,000",
        "Batches of links under way",
    ):
        assert text in page
    said = visit("/api/v1/cluster").json()
    assert said["nodes"] == NODES
    assert not said["is_stale"]
    (found,) = said["tasks"]
    assert (found["shards"], found["pages"], found["queue"], found["parcels"]) == (
        3,
        3000,
        21,
        0,
    )
    assert [part["pages"] for part in found["parts"]] == [0, 1000, 2000]


def test_a_supervisor_that_is_gone_is_not_taken_for_one_that_is_there(
    store, visit
) -> None:
    note(store, age_s=300)
    assert visit("/api/v1/cluster").json()["is_stale"]
    assert "is the head running?" in visit("/cluster").text


def test_without_a_cluster_the_page_says_so(visit) -> None:
    assert "No cluster works for this catalogue." in visit("/cluster").text
    assert visit("/api/v1/cluster").json()["age_s"] is None
    assert "kein Cluster" in visit("/cluster?lang=de").text


@pytest.mark.parametrize(("has_account", "status"), [(False, 200), (True, 303)])
def test_where_nobody_has_an_account_everybody_sees_it(
    store, has_account, status
) -> None:
    accounts = Accounts(store.users, store.clock)
    if has_account:
        accounts.add("ada", "correct horse battery")
    index = CatalogueIndex(store.catalogue, store.segments)
    client = TestClient(create_app(store.catalogue, index, {}, accounts=accounts))
    assert client.get("/cluster", follow_redirects=False).status_code == status
    api = client.get("/api/v1/cluster").status_code
    assert api == (401 if has_account else 200)


def test_the_crawls_lead_to_the_cluster_where_there_is_one(store, visit) -> None:
    assert 'href="/cluster"' not in visit("/tasks").text
    note(store)
    assert 'href="/cluster"' in visit("/tasks").text
