"""What every store of sites with a watcher must do, whatever database is behind it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sql_stores import STORES, open_sql

from geohound.model.crawl.watched import WatchedSite
from geohound.net.clock import SystemClock
from geohound.stores.memory.watched_sites import MemoryWatchedSites

NOON = datetime(2026, 7, 15, 12, tzinfo=UTC)
SITE = WatchedSite("http://a.test", 1, "abc", NOON, NOON, NOON)


@pytest.fixture(params=STORES)
def sites(request, tmp_path):
    if request.param == "memory":
        yield MemoryWatchedSites()
        return
    store = open_sql(request.param, tmp_path, SystemClock())
    yield store.watched_sites
    store.close()


def test_a_site_is_kept_as_it_was_last_written(sites) -> None:
    async def story() -> None:
        assert sites.site("http://a.test") is None
        await sites.keep(SITE)
        await sites.keep(replace(SITE, task=2, read_to=None))
        await sites.keep(replace(SITE, origin="http://b.test"))

    asyncio.run(story())
    assert sites.site("http://a.test") == replace(SITE, task=2, read_to=None)
    assert sites.site("http://b.test") == replace(SITE, origin="http://b.test")
    assert sorted(sites.origins()) == ["http://a.test", "http://b.test"]


def test_pages_belong_to_their_site_and_are_kept_once(sites) -> None:
    async def story() -> None:
        for key in (5, -(2**63), 2**63 - 1, 5):
            await sites.keep_page("http://a.test", key)
        await sites.keep_page("http://b.test", 7)
        await sites.owe("http://a.test", {5: "http://a.test/5", 9: "http://a.test/9"})
        await sites.keep_page("http://a.test", 9)
        await sites.owe("http://a.test", {5: "http://a.test/5"})

    asyncio.run(story())
    assert sorted(sites.pages("http://a.test")) == [-(2**63), 9, 2**63 - 1]
    assert sites.owed("http://a.test") == ["http://a.test/5"]
    assert sites.owed("http://b.test") == []
    assert list(sites.pages("http://b.test")) == [7]
