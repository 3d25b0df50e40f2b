"""What a hunt says that it waits for."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace

import pytest

from geohound.model.crawl.event import Progressed
from geohound.model.crawl.task import Ending
from geohound.tasks.hunts.work import HuntWork

NOW = Progressed(
    1, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, ""
)  # fmt: skip


@pytest.mark.parametrize(
    ("waiting", "in_flight", "is_done", "pages", "said"),
    [
        ("hosts", 0, False, 1, "hosts"),
        ("hosts", 0, False, 0, "search"),
        ("hosts", 0, True, 0, "hosts"),
        ("network", 0, False, 0, "network"),
        ("", 0, False, 1, "search"),
        ("", 3, False, 1, ""),
        ("", 0, True, 1, ""),
    ],
)
def test_providers_are_waited_for_where_no_host_of_the_crawl_is(
    waiting: str, in_flight: int, is_done: bool, pages: int, said: str
) -> None:
    crawl = SimpleNamespace(
        in_flight=in_flight,
        progress=lambda: replace(NOW, waiting=waiting, pages=pages),
    )
    hunt = SimpleNamespace(is_done=is_done)
    assert HuntWork(crawl, hunt, print).progress().waiting == said  # type: ignore[arg-type]


@pytest.mark.parametrize("left", [Ending.PAGE_BUDGET, Ending.FINISHED])
def test_nobody_is_asked_for_pages_that_may_not_be_read(left: Ending) -> None:
    """A hunt that was resumed with its pages spent sent further queries."""

    async def crawled() -> Ending:
        return left

    crawl = SimpleNamespace(
        visits=200, allowance=200, run=crawled, parts=SimpleNamespace(frontier=None)
    )
    hunt = SimpleNamespace(is_done=False)  # which cannot be run
    work = HuntWork(crawl, hunt, print)  # type: ignore[arg-type]
    assert asyncio.run(work.run()) is Ending.PAGE_BUDGET
