"""A crawl on two nodes with a real Ray and a real PostgreSQL: one is cut off for longer than its claims hold."""

from __future__ import annotations

import os
import signal
from collections import defaultdict
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from cluster_rig import ClusterRig
from geoweb_rig import Observed, calm
from postgres_server import free_port, shared_server

from geohound import app
from geohound.cluster.sessions import processes_of
from geohound.model.crawl.task import UNDER_WAY, TaskFilter, TaskState
from geohound.settings import Settings
from geoweb import World, ground_truth

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(400),
    pytest.mark.xdist_group("cluster"),
]

DELAY_S = 0.1
WORLD = World(seed=3, hosts=24, pages=500, trouble=calm())


def test_a_node_that_is_cut_off_loses_its_shards_and_nothing_is_lost_or_asked_too_fast(
    tmp_path: Path,
) -> None:
    """WBC-9: the work of a crawler that fails is taken over, and what it does later has no effect."""
    with Observed(WORLD) as web:
        values = values_for(web)
        settings = Settings(catalogue=shared_server().new_schema())
        with ClusterRig(tmp_path, settings, free_port()) as rig:
            rig.write_config(values)
            rig.start(nodes=2)
            task = rig.queue(WORLD.seeds)
            rig.wait(lambda: rig.pages(task) > 40, "the first pages", 60)
            # Ray starts another one
            os.kill(rig.status()["supervisor_pid"], signal.SIGKILL)
            rig.signal("127.0.0.3", signal.SIGSTOP)
            taken_over_s = rig.wait(lambda: only_on_head(settings), "the takeover", 90)
            # the former owner goes on, and can write nothing more
            rig.signal("127.0.0.3", signal.SIGCONT)
            counters = rig.wait_done(task, 200)
            found = rig.services(task)
    assert taken_over_s < 60
    assert counters["ending"] == "finished"
    there = {
        service["endpoint"]
        for service in ground_truth(WORLD)["services"]
        if service["alive"]
    }
    assert len(there) >= 10
    assert {endpoint for _, endpoint in found} >= there
    assert min(gaps(web.asked)) >= DELAY_S - 0.005
    assert no_url_is_settled_twice(settings)


def values_for(web: Observed) -> dict[str, Any]:
    return {
        "host_delay_s": DELAY_S, "slow_host_factor": 0.0, "shards": 6,
        "connect_to": [f"*.test=127.0.0.1:{web.port}"], "allow_nets": ["127.0.0.0/8"],
    }  # fmt: skip


def only_on_head(settings: Settings) -> bool:
    """Has every shard that is left an owner, one and the same?"""
    with closing(app.open_store(settings)) as store:
        shards = [
            task for task in store.tasks.list(UNDER_WAY) if task.shard is not None
        ]
        now = store.clock.now()
        return (
            all(shard.is_held(now) for shard in shards)
            and len({shard.claim.holder for shard in shards}) <= 1
        )


def gaps(asked) -> list[float]:
    times = defaultdict(list)
    for one in asked:
        times[one.host].append(one.at_s)
    return [
        later - earlier
        for of in times.values()
        for earlier, later in pairwise(sorted(of))
    ]


def no_url_is_settled_twice(settings: Settings) -> bool:
    """Over all shards, each URL stands in one log, once."""
    with closing(app.open_store(settings)) as store:
        rows = store.database.read().execute(
            "SELECT count(*), count(DISTINCT key) FROM url WHERE state IN (1, 2)"
        )
        urls, keys = rows.fetchone()
    return urls == keys > 100


def refusal_of(rig: ClusterRig, *words: str, token: str = "") -> str:
    """What is said to whoever starts a third node in a way that cannot work."""
    with pytest.raises(AssertionError) as refused:
        rig.add("127.0.0.4", *words, token=token)
    return str(refused.value)


def test_a_cluster_that_is_stopped_queues_its_work_again_and_says_that_no_node_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if other programs had used up the memory of the machine.
    monkeypatch.setenv("RAY_memory_usage_threshold", "0.01")
    with Observed(WORLD) as web:
        values = values_for(web)
        settings = Settings(catalogue=shared_server().new_schema())
        with ClusterRig(tmp_path, settings, free_port()) as rig:
            rig.write_config(values)
            rig.start(nodes=2)
            assert "token" in refusal_of(rig, "join", rig.head, token="wrong")
            assert rig.head in refusal_of(rig, "start", "--port", str(free_port()))
            task = rig.queue(WORLD.seeds)
            rig.wait(lambda: rig.pages(task) > 20, "the first pages", 60)
            sessions = rig.sessions
            said = rig.stop()
            left = [pid for session in sessions for pid in processes_of(session)]
            status = rig.status()
    assert said.startswith("2 nodes ended")
    assert left == []
    assert status["nodes"] == []
    with closing(app.open_store(settings)) as store:
        parts = store.tasks.list(TaskFilter(parts=None))
        assert len(parts) == 7
        assert {part.claim for part in parts} == {None}
        assert {part.state for part in parts} == {TaskState.QUEUED}
