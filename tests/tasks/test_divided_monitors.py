"""A monitor divided by host, in one process: each service is looked at once, by whoever has its host."""

from __future__ import annotations

import asyncio
from contextlib import closing
from dataclasses import replace

import pytest
from divided import story

from geohound import app
from geohound.cli.demo import geoweb_running
from geohound.model.crawl.task import MonitorGoal
from geohound.settings import Settings
from geohound.tasks.monitoring import monitor_spec
from geohound.tasks.spec import crawl_spec
from geoweb import World
from geoweb.trouble import NO_TROUBLE

pytestmark = pytest.mark.slow  # whole crawls and monitors

CALM = World(seed=3, hosts=40, pages=300, trouble=NO_TROUBLE)
SHARDS = 4


@pytest.mark.parametrize("takeovers", [(), (3, 8)])
def test_every_service_is_looked_at_once_also_where_shards_change_hands(
    tmp_path, takeovers
) -> None:
    with geoweb_running(CALM) as port:
        settings = Settings(
            catalogue=str(tmp_path / "c.db"), shards=SHARDS, processes=1, host_delay_s=0.05, slow_host_factor=0.0,
            connect_to=(f"*.test=127.0.0.1:{port}",), allow_nets=("127.0.0.0/8",),
        )  # fmt: skip
        crawled = replace(settings, host_delay_s=0.0)
        asyncio.run(crawl(crawled))
        spec = monitor_spec(settings, MonitorGoal(everything=True))
        done, _ = asyncio.run(story(settings, spec, takeovers, counter="checked"))
    with closing(app.open_store(settings)) as store:
        looks = {
            entry.service.id: len(
                store.catalogue.checks(entry.service.id, done.created_at)
            )
            for entry in store.catalogue.entries()
        }
        shards = [
            store.tasks.checkpoint(shard).counters
            for shard in store.shards.shards(done.id)
        ]
    assert len(looks) >= 15
    assert set(looks.values()) == {1}
    assert str(done.ending) == "finished"
    assert len(shards) == SHARDS
    assert sum(of["checked"] > 0 for of in shards) >= 3
    # whoever is killed loses what it has counted since it last said so
    if not takeovers:
        assert done.counters["checked"] == done.counters["ok"] == len(looks)


async def crawl(settings: Settings) -> None:
    task = app.new_task(settings, crawl_spec(settings, tuple(CALM.seeds)))
    with app.task_runner(settings, indexes=False) as (runner, _):
        await runner.run(task)
