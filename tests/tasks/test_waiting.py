"""What a crawl that seems to stand still says: for which hosts it waits, and why."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from geohound.model.crawl.event import waiting_text
from geohound.model.crawl.frontier import FrontierStats
from geohound.model.visit import Candidate
from geohound.tasks.crawling import CrawlWork

LAST = [
    Candidate("http://slow.test/a"),
    Candidate("http://slow.test/b"),
    Candidate("http://drip.test/"),
]


def work(
    *,
    queued: int,
    fetching: list[Candidate],
    is_last: bool = False,
    is_quiet: bool = False,
    inactive: int = 0,
    elsewhere: int = 0,
) -> CrawlWork:
    stats = FrontierStats(queued, len(fetching), 9, 9, 0, {}, 2, inactive)
    frontier = SimpleNamespace(
        stats=lambda: stats, awaited=lambda limit: ["best.test", "good.test"][:limit]
    )
    crawl = SimpleNamespace(
        is_cut_off=False, in_flight=len(fetching), fetching=fetching, awaits_last_pages=is_last,
        is_quiet=is_quiet,
        parts=SimpleNamespace(frontier=frontier),
    )  # fmt: skip
    hosts = SimpleNamespace(elsewhere=elsewhere)
    return CrawlWork(crawl, None, None, hosts=hosts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("crawling", "text"),
    [
        (
            work(queued=900, fetching=LAST, is_last=True),
            "waiting for slow responses: slow.test, drip.test",
        ),
        (
            work(queued=0, fetching=LAST, is_last=False),
            "waiting for slow responses: slow.test, drip.test",
        ),
        (
            work(queued=900, fetching=LAST, is_quiet=True),
            "waiting for slow responses: slow.test, drip.test",
        ),
        (work(queued=900, fetching=LAST, is_last=False), ""),
        (
            work(queued=900, fetching=[], is_last=False, inactive=40),
            "the best hosts are rate-limited, the others are left for later: best.test, good.test",
        ),
        (
            work(queued=9, fetching=[], elsewhere=1),
            "all queued hosts are in use by another process: best.test, good.test",
        ),
        (
            work(queued=9, fetching=[], is_last=False),
            "all queued hosts are rate-limited: best.test, good.test",
        ),
    ],
)
def test_the_hosts_that_are_waited_for_are_named_with_the_reason(
    crawling: CrawlWork, text: str
) -> None:
    assert waiting_text(*crawling._waiting()) == text
