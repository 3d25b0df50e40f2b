"""What a task keeps of the settings it was begun with, and what is always today's."""

from __future__ import annotations

from dataclasses import replace

from geohound.model.crawl.shard import Shard
from geohound.model.crawl.task import Budget
from geohound.settings import Settings
from geohound.tasks.spec import crawl_spec, for_task, share_of, thrift_of

THEN = replace(
    Settings(), order="fifo", max_depth=3, max_pages=10, max_pages_per_host=7, browser="auto", host_delay_s=0.1,
    user_agent="Yesterday/1", connect_to=("*.test=127.0.0.1:1",), allow_nets=("127.0.0.0/8",),
)  # fmt: skip
SPEC = crawl_spec(THEN, ("http://a.test/",), kinds=("wms",))


def test_what_was_asked_for_is_kept() -> None:
    now = for_task(Settings(), SPEC, Budget())
    assert (now.order, now.max_depth, now.max_pages, now.max_pages_per_host) == (
        "fifo",
        3,
        10,
        7,
    )
    assert (now.browser, now.connect_to, now.allow_nets) == (
        "auto",
        THEN.connect_to,
        THEN.allow_nets,
    )


def test_politeness_is_always_that_of_today() -> None:
    today = replace(
        Settings(), host_delay_s=5.0, user_agent="Today/1", obey_robots=True
    )
    now = for_task(today, SPEC, Budget())
    assert (now.host_delay_s, now.user_agent) == (5.0, "Today/1")
    assert for_task(Settings(), SPEC, Budget()).host_delay_s == Settings().host_delay_s


def test_a_budget_is_overridden_where_one_is_given_also_where_it_is_the_default() -> (
    None
):
    usual = Settings().max_pages
    now = for_task(Settings(), SPEC, Budget(max_pages=usual, max_time_s=0.0))
    assert (now.max_pages, now.max_time_s, now.max_pages_per_host) == (usual, 0.0, 7)


def test_networks_of_today_come_before_those_of_the_task() -> None:
    now = for_task(
        replace(Settings(), connect_to=("*.test=127.0.0.1:2",)), SPEC, Budget()
    )
    assert now.connect_to == ("*.test=127.0.0.1:2",)
    assert now.allow_nets == THEN.allow_nets


def test_a_share_of_a_task_whose_pages_nobody_limited_asks_every_host_that_is_due() -> (
    None
):
    shard = Shard(parent=1, number=0, count=4)
    unlimited = share_of(Settings(), shard)
    limited = share_of(Settings(max_pages=100), shard)
    assert (unlimited.max_pages, limited.max_pages) == (25_000, 25)
    assert [
        thrift_of(each, ranks_hosts=True).share for each in (unlimited, limited)
    ] == [0.0, None]
