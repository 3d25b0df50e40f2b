"""The crawler of Li, Yang & Yang 2010 as a crawl: what its order tests, and when (sections 4.1 to 4.3)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from small_web import SEED, SmallWeb, crawl, html, service

from geohound.frontier import Frontier
from geohound.model.crawl.task import CrawlGoal, TaskSpec
from geohound.model.visit import Lane, Visit
from geohound.net.clock import SystemClock
from geohound.orders.atf import Atf
from geohound.orders.fifo import Fifo
from geohound.stores.sqlite import open_store
from geohound.tasks.progress import Progress
from geoweb import ServiceSpec

ZORK = ServiceSpec("wms", "1.3.0", 5, "http://a.test/zorkmap", topic="rivers")
ASKED = "SERVICE=WMS&REQUEST=GetCapabilities"


def crawled(tmp_path: Path, web: SmallWeb, order, **plan):
    store = open_store(tmp_path / "c.db", SystemClock())
    task = store.tasks.create(TaskSpec(CrawlGoal((SEED,)))).id
    done = asyncio.run(crawl(store, web, task, order=order, **plan))
    return done, store


def test_a_bare_address_is_asked_for_its_capabilities_once_services_have_taught_its_term(
    tmp_path: Path,
) -> None:
    """60 services at /zorkmap put the term into the first third: the link to a bare /zorkmap is in section 0, so it
    is tested before the twenty links that stand before it on the page."""

    def answer(url: str):
        return (
            service(ZORK)(url)
            if "?" in url
            else html("an entrance without a hint")(url)
        )

    links = (
        "".join(f"<a href=/p{n}>p</a>" for n in range(20)) + "<a href=/zorkmap>z</a>"
    )
    pages = {f"http://a.test/p{n}": html("p") for n in range(20)}
    web = SmallWeb({SEED: html(links), **pages, "http://a.test/zorkmap": answer})
    order = Atf()
    order.recall(f"http://s{n}.test/zorkmap" for n in range(60))
    done, store = crawled(tmp_path, web, order)
    tests = [url for url in web.asked if ASKED in url]
    assert tests[0] == f"http://a.test/zorkmap?{ASKED}"
    assert done.observer.services == 1
    (found,) = store.catalogue.entries()
    (seen,) = store.catalogue.sightings(found.service.id)
    assert (seen.found_on, seen.via) == ("http://a.test/zorkmap", "guess")
    store.close()


def test_under_fifo_what_may_be_a_service_is_tested_when_its_turn_comes(
    tmp_path: Path,
) -> None:
    """Section 6.3, pure FIFO: an address that says of itself that it is a service does not jump the queue, and a
    static page is not tested."""
    links = "<a href=/p0>p</a><a href=/p1>p</a><a href=/s.html>s</a><a href='/x?service=WMS&request=GetCapabilities'>x"
    web = SmallWeb(
        {
            SEED: html(links),
            **{
                f"http://a.test/{name}": html(name)
                for name in ("p0", "p1", "s.html", "x")
            },
        }
    )
    _, store = crawled(tmp_path, web, Fifo(), testers=1)
    tests = [
        url.lower().partition("?")[0]
        for url in web.asked
        if ASKED.lower() in url.lower()
    ]
    assert list(dict.fromkeys(tests)) == [
        "http://a.test/p0",
        "http://a.test/p1",
        "http://a.test/x",
    ]
    assert not any("s.html?" in url for url in web.asked)
    store.close()


def test_a_catalogue_remembers_under_which_addresses_services_were_found(
    tmp_path: Path,
) -> None:
    """So that the list of terms is kept from one crawl to the next."""
    web = SmallWeb(
        {SEED: html("<a href=/zorkmap>z</a>"), "http://a.test/zorkmap": service(ZORK)}
    )
    _, store = crawled(tmp_path, web, Atf())
    assert set(store.catalogue.met_at(10)) == {"http://a.test/zorkmap"}
    store.close()


def test_the_share_of_pages_with_a_wms_address_is_counted_by_keyword_group(
    tmp_path: Path,
) -> None:
    """Section 4.1: of pages with [Web Map Service] 16 % hold a WMS URL, with [WMS, Service] 13.25 %, with [WMS, Server]
    10 %, of others about none. Here by hand: one of two, one of one, none of one, none of the seed and one more.
    The second page names an address that the first has brought already: it holds it all the same."""
    link = "<a href='http://gis.test/x?service=WMS&request=GetCapabilities'>map</a>"
    texts = {
        "a": f"our Web Map Service {link}", "b": "Web Map Service", "c": f"a WMS, a fine service {link}",
        "d": "WMS server", "e": "cake",
    }  # fmt: skip
    links = "".join(f"<a href=/{name}.html>{name}</a>" for name in texts)
    pages = {f"http://a.test/{name}.html": html(text) for name, text in texts.items()}
    done, store = crawled(tmp_path, SmallWeb({SEED: html(links), **pages}), Atf())
    groups = [
        (g["keywords"], g["pages"], g["with_wms"], g["share"])
        for g in done.observer.summary()["keyword_groups"]
    ]
    assert groups == [
        ("Web Map Service", 2, 1, 0.5), ("WMS, Service", 1, 1, 1.0), ("WMS, Server", 1, 0, 0.0), ("none", 2, 0, 0.0),
    ]  # fmt: skip
    store.close()


def test_seconds_per_page_measure_politeness() -> None:
    """Section 6.1: 0.5 s per page. Here 30 pages in 15 s."""
    passed = iter([100.0, 115.0, 115.0, 115.0])
    counted = Progress(now=lambda: next(passed), pages=30)
    counted.begin()
    assert counted.summary()["seconds_per_page"] == 0.5


def test_a_group_at_the_end_of_the_queue_sleeps_until_a_url_is_inserted(
    tmp_path: Path,
) -> None:
    """Section 4.4: any group that reaches the end of the queue is suspended until a new URL is inserted.

    While the only page is on its way, nobody is to ask the queue twenty times a second."""

    class SlowWeb(SmallWeb):
        async def fetch(self, url: str, **more) -> Visit:
            if url == SEED:
                await asyncio.sleep(0.6)
            return await super().fetch(url, **more)

    asked: list[int] = []
    real = Frontier.lease

    def lease(self, limit, lane):
        asked.append(lane)
        return real(self, limit, lane)

    web = SlowWeb(
        {SEED: html("<a href=/p.html>p</a>"), "http://a.test/p.html": html("p")}
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Frontier, "lease", lease)
        done, store = crawled(tmp_path, web, Atf())
    assert web.asked == [SEED, "http://a.test/p.html"]
    assert len(asked) < 20
    assert set(done.asleep) == {Lane.PAGES, Lane.PROBES}
    store.close()
