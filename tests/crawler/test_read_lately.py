"""What another task has read lately is not asked for again (Li, Wang & Bhatia 2016, section 4.1; PH-5).

"The URL of each webpage that has been visited will be recorded in PolarHub's backend database. […] If [it] has existed
in the database, this URL has been visited and will not be crawled again." There for ever; here for `revisit_after`.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from small_web import WMS, SmallWeb, crawl, html, service

from geohound.crawler.connectivity import ConnectivityMonitor
from geohound.crawler.engine import Crawl
from geohound.model.crawl.job import PageRead, Report
from geohound.model.crawl.kept_page import PageRoom
from geohound.model.crawl.task import CrawlGoal, TaskSpec
from geohound.model.failure import FailureReason
from geohound.model.visit import Candidate
from geohound.net.clock import SystemClock
from geohound.stores.sqlite import Store, open_store

ROOM = PageRoom(30, 10**6, other_days=1)
HOUR_S = 3600.0
SEED, OTHER_SEED = "http://a.test/", "http://b.test/"
WMS_URL = "http://gis.test/ows?service=WMS&request=GetCapabilities"


def web(**more) -> SmallWeb:
    """a → hub ← b: what a's menu names first, the hub names too; the hub leads to the service."""
    menu = "<a href=http://a.test/hub>hub</a> <a href=http://a.test/common>common</a>"
    pages = {
        SEED: html(menu),
        OTHER_SEED: html("<a href=http://a.test/hub>hub</a>"),
        "http://a.test/hub": html(f"{menu} <a href='{WMS_URL}'>the map</a>"),
        "http://a.test/common": html("<a href=http://a.test/deep>deep</a>"),
        "http://a.test/deep": html("nothing more"),
        "http://gis.test/ows": service(WMS),
    }
    return SmallWeb({**pages, **more})


def run_task(
    store: Store, pages: SmallWeb, seed: str, revisit_after_s: float = HOUR_S, **plan
) -> Crawl:
    pages.asked.clear()
    task = store.tasks.create(TaskSpec(CrawlGoal((seed,)))).id
    plan = {"page_room": ROOM, "revisit_after_s": revisit_after_s, **plan}
    return asyncio.run(crawl(store, pages, task, seed=seed, **plan))


def test_a_second_task_asks_only_for_its_seed_and_for_services(tmp_path: Path) -> None:
    store, pages = open_store(tmp_path / "c.db", SystemClock()), web()
    run_task(store, pages, SEED)
    again = run_task(store, pages, SEED)
    assert [url for url in pages.asked if "gis.test" not in url] == [SEED]
    assert any("gis.test" in url for url in pages.asked), (
        "services are always asked: that is also their check"
    )
    assert again.observer.pages_known == 3  # hub, common, deep
    assert (again.visits, again.observer.pages) == (1, 1), (
        "what was not asked for spends no budget"
    )
    assert again.observer.known == 1, "and the crawl does not look empty"
    store.close()


def test_the_links_of_a_page_that_is_not_asked_for_are_followed_all_of_them(
    tmp_path: Path,
) -> None:
    """Those too that the first task found elsewhere before: the other seed reaches `common` by the hub alone."""
    store, pages = open_store(tmp_path / "c.db", SystemClock()), web()
    # seed, hub, common: `deep` is left
    first = run_task(store, pages, SEED, max_pages=3)
    assert first.ending == "page budget"
    second = run_task(store, pages, OTHER_SEED)
    assert [url for url in pages.asked if "gis.test" not in url] == [
        OTHER_SEED,
        "http://a.test/deep",
    ]
    assert second.observer.known == 1
    store.close()


def test_visits_say_which_pages_were_read_lately_and_give_them_no_status(
    tmp_path: Path,
) -> None:
    store, pages = open_store(tmp_path / "c.db", SystemClock()), web()
    run_task(store, pages, SEED)
    again = run_task(store, pages, SEED)
    told = {visit.url: (visit.status, visit.reason) for visit in store.log.visits(2)}
    assert told["http://a.test/hub"] == (0, FailureReason.READ_LATELY)
    assert told[SEED] == (200, None)
    assert again.final_drops[FailureReason.READ_LATELY] == 3  # type: ignore[attr-defined]
    store.close()


def test_a_page_that_was_kept_and_not_settled_when_a_kill_came_is_read_and_counts(
    tmp_path: Path,
) -> None:
    """Its copy is our own: nobody else has read it for us."""
    store, pages = open_store(tmp_path / "c.db", SystemClock()), web()
    first = run_task(store, pages, SEED)
    with store.database.write() as connection:  # all but the seed and the service
        connection.execute(
            "UPDATE url SET state = 0 WHERE purpose = 0 AND url <> ?", (SEED,)
        )
        connection.execute("DELETE FROM mark")
    pages.asked.clear()
    plan = {"page_room": ROOM, "revisit_after_s": HOUR_S}
    again = asyncio.run(crawl(store, pages, 1, seed=SEED, **plan))
    assert again.observer.pages_known == 0
    assert "http://a.test/hub" in pages.asked
    assert first.observer.pages == 4
    told = {visit.url: (visit.status, visit.reason) for visit in store.log.visits(1)}
    assert told["http://a.test/hub"] == (200, None)
    store.close()


def test_who_wants_every_page_fresh_gets_it(tmp_path: Path) -> None:
    store, pages = open_store(tmp_path / "c.db", SystemClock()), web()
    run_task(store, pages, SEED)
    run_task(store, pages, SEED, revisit_after_s=0)
    assert sum("a.test" in url for url in pages.asked) == 4
    store.close()


def test_what_failed_moved_or_said_more_than_its_page_is_asked_for_again(
    tmp_path: Path,
) -> None:
    more = {
        SEED: html("<a href=/gone>1</a> <a href=/tagged>2</a> <a href=/plain>3</a>"),
        "http://a.test/gone": html("gone", 404),
        "http://a.test/tagged": html("<a href=/x>x</a>", x_robots_tag="nofollow"),
        "http://a.test/plain": html("plain"),
    }
    store, pages = open_store(tmp_path / "c.db", SystemClock()), web(**more)
    run_task(store, pages, SEED)
    run_task(store, pages, SEED)
    assert sorted(pages.asked) == [SEED, "http://a.test/gone", "http://a.test/tagged"]
    store.close()


def test_a_copy_says_nothing_of_the_network() -> None:
    """Its host may be gone by now, or the network lost: only answers count as answers."""
    monitor = ConnectivityMonitor()
    assert not monitor.hold_back(Candidate(SEED), Report(PageRead(), is_copy=True))
    assert not monitor.reference
    assert not monitor.hold_back(Candidate(SEED), Report(PageRead(), status=200))
    assert monitor.reference == "http://a.test"


def test_an_address_at_which_a_service_is_known_is_always_asked(tmp_path: Path) -> None:
    """It showed a page meanwhile, which says nothing of today."""
    where = "http://gis.test/data"
    spec = replace(WMS, endpoint=where)
    pages = web(**{SEED: html(f"<a href={where}>data</a>"), where: service(spec)})
    store = open_store(tmp_path / "c.db", SystemClock())
    first = run_task(store, pages, SEED)
    assert first.observer.services == 1
    pages.pages[where] = html("closed for repairs")
    run_task(store, pages, SEED)
    pages.pages[where] = service(spec)
    run_task(store, pages, SEED)
    assert where in pages.asked
    store.close()
