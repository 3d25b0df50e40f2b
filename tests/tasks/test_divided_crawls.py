"""A crawl divided into shards, all in this process: its budget holds for all of them together, and ends them."""

from __future__ import annotations

import asyncio
from contextlib import closing
from dataclasses import replace

import pytest
from divided import story
from harvest_examples import warc_record

from geohound import app
from geohound.cli.demo import geoweb_running
from geohound.model.visit import Purpose
from geohound.settings import Settings
from geohound.tasks.spec import crawl_spec, harvest_spec
from geoweb import World
from geoweb.trouble import NO_TROUBLE

pytestmark = pytest.mark.slow  # whole crawls

FLAKY = World(seed=3, hosts=40, pages=600, trouble=replace(NO_TROUBLE, flaky=0.5))


@pytest.fixture
def crawl(tmp_path):
    """Crawl a world with these settings; the task as it was left, and how many seconds it took.

    Its shards are taken over by others as soon as so many pages were visited.
    """

    def run(world, takeovers=(), **values):
        with geoweb_running(world) as port:
            usual = {
                "host_delay_s": 0.01, "slow_host_factor": 0.0, "shards": 6, "processes": 1,
                "connect_to": (f"*.test=127.0.0.1:{port}",), "allow_nets": ("127.0.0.0/8",),
            }  # fmt: skip
            settings = Settings(catalogue=str(tmp_path / "c.db"), **{**usual, **values})
            return asyncio.run(
                story(settings, crawl_spec(settings, tuple(world.seeds)), takeovers)
            )

    return run


def test_a_spent_budget_ends_the_crawl_though_pages_wait_to_be_tried_again(
    crawl,
) -> None:
    done, took_s = crawl(FLAKY, max_pages=120, retry_after_s=300.0)
    assert str(done.ending) == "page budget"
    assert 105 <= done.counters["visits"] <= 120
    assert took_s < 30


def test_a_budget_holds_for_those_who_take_shards_over(crawl) -> None:
    done, _ = crawl(FLAKY, takeovers=(20, 50), max_pages=90, retry_after_s=0.1)
    assert str(done.ending) == "page budget"
    assert 75 <= done.counters["visits"] <= 90


def test_a_list_of_archives_is_read_by_all_shards_each_file_once_also_after_a_takeover(
    tmp_path,
) -> None:
    """Two records a file, of which each names a service of its own."""
    files = []
    for name in range(12):
        links = [
            f"http://gis{name}.test/{place}/wms?service=WMS&request=GetCapabilities"
            for place in "ab"
        ]
        pages = [
            warc_record(f"http://a{name}.test/{n}", f'<a href="{link}">Map</a>')
            for n, link in enumerate(links)
        ]
        (tmp_path / f"{name}.warc").write_bytes(b"".join(pages))
        files.append((tmp_path / f"{name}.warc").as_uri())
    with geoweb_running(FLAKY) as port:
        settings = Settings(
            catalogue=str(tmp_path / "c.db"), shards=4, processes=1, retries=0, host_delay_s=0.01,
            connect_to=(f"*.test=127.0.0.1:{port}",), allow_nets=("127.0.0.0/8",),
        )  # fmt: skip
        done, _ = asyncio.run(
            story(
                settings, harvest_spec(settings, tuple(files), "warc"), takeovers=(0,)
            )
        )
    with closing(app.open_store(settings)) as store:
        shards = [
            list(store.log.visits(shard)) for shard in store.shards.shards(done.id)
        ]
    read = [
        [visit.url for visit in visits if visit.purpose is Purpose.HARVEST]
        for visits in shards
    ]
    assert sorted(url for of in read for url in of) == sorted(files)
    assert sum(map(bool, read)) >= 3
    tested = {
        visit.url.partition("?")[0]
        for visits in shards
        for visit in visits
        if visit.purpose is Purpose.PROBE
    }
    assert tested == {
        f"http://gis{name}.test/{place}/wms" for name in range(12) for place in "ab"
    }
