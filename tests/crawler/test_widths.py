"""PolarHub's widths (Li, Wang & Bhatia 2016, section 4.2 and Fig. 3 to 5) in a whole crawl."""

from __future__ import annotations

import asyncio
import math
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from test_engine import WMS, SmallWeb, crawl, html, service

from geohound.frontier import FrontierLimits
from geohound.model.crawl.task import TaskSpec
from geohound.model.failure import FailureReason
from geohound.model.visit import Candidate, Outcome
from geohound.net.clock import SystemClock
from geohound.orders.polarhub import PolarHub
from geohound.stores.sqlite import open_store


def width_of(url: str) -> int:
    """Hosts are called after the width that they belong to: w1s3.test, w2gis.test."""
    return int(url.removeprefix("http://w")[0])


@pytest.fixture
def web() -> SmallWeb:
    """Twelve seeds: ten of width 1 with two levels of pages and a service each on another host, two of width 2."""
    pages = {}
    for seed in range(12):
        width = seed // 10 + 1
        host = f"http://w{width}s{seed}.test"
        endpoint = f"http://w{width}gis{seed}.test/ows"
        pages[f"{host}/"] = html(f"seed {seed} <a href='{host}/list'>list</a>")
        pages[f"{host}/list"] = html(f"list {seed} <a href='{host}/maps'>maps</a>")
        pages[f"{host}/maps"] = html(
            f"maps {seed} <a href='{endpoint}?service=WMS&request=GetCapabilities'>WMS</a>"
        )
        pages[endpoint] = service(WMS)
    return SmallWeb(pages)


def test_width_one_is_finished_before_width_two_begins(tmp_path, web: SmallWeb) -> None:
    """PH-2: section 4.2 and Fig. 5."""
    order = PolarHub()
    seeds = [f"http://w{at // 10 + 1}s{at}.test/" for at in range(12)]
    begun = [Candidate(url, score=order.seed(url, at)) for at, url in enumerate(seeds)]
    store = open_store(tmp_path / "c.db", SystemClock())
    asyncio.run(
        crawl(store, web, store.tasks.create(TaskSpec()).id, order=order, begun=begun)
    )
    widths = [width_of(url) for url in web.asked]
    assert widths.count(1) >= 40, (
        "ten times seed, list, maps and at least one request of the service"
    )
    assert widths == sorted(widths)


def test_a_page_nearer_to_its_seed_is_read_sooner_within_a_width(
    tmp_path, web: SmallWeb
) -> None:
    """One host after the other would be depth first; the paper visits by depth."""
    order = PolarHub()
    begun = [
        Candidate(f"http://w1s{at}.test/", score=order.seed("", at)) for at in range(3)
    ]
    store = open_store(tmp_path / "c.db", SystemClock())
    asyncio.run(
        crawl(
            store,
            web,
            store.tasks.create(TaskSpec()).id,
            order=order,
            begun=begun,
            fetchers=1,
        )
    )
    read = [url.rpartition("/")[2] for url in web.asked if "gis" not in url]
    assert read == ["", "", "", "list", "list", "list", "maps", "maps", "maps"]


def test_a_subtree_without_services_is_cut_off_and_the_next_width_begins(
    tmp_path,
) -> None:
    """ "The crawling expansion tree can also easily be cut-off if we are searching for the wrong part of the Web with
    very few services found" (section 4.2). Width 1 is an endless chain without services: five pages of it are read.
    """
    words = [
        "lake",
        "hill",
        "road",
        "farm",
        "mill",
        "moor",
        "town",
        "fjord",
        "glen",
        "dune",
    ]
    chain = {
        f"http://w1s0.test/{n}": html(f"{word * 9} <a href='/{n + 1}'>next</a>")
        for n, word in enumerate(words)
    }
    maps = {
        "http://w2s10.test/": html(
            "<a href='http://w2gis.test/ows?service=WMS&request=GetCapabilities'>WMS</a>"
        )
    }
    web = SmallWeb({**chain, **maps, "http://w2gis.test/ows": service(WMS)})
    order = PolarHub(cut_after=5)
    begun = [
        Candidate("http://w1s0.test/0", score=order.seed("", 0)),
        Candidate("http://w2s10.test/", score=order.seed("", 10)),
    ]
    store = open_store(tmp_path / "c.db", SystemClock())
    task = store.tasks.create(TaskSpec()).id
    crawled = asyncio.run(
        crawl(
            store,
            web,
            task,
            order=order,
            begun=begun,
            bounds=FrontierLimits(max_attempts=3),
        )
    )
    assert [url for url in web.asked if "w1" in url] == [
        f"http://w1s0.test/{n}" for n in range(5)
    ]
    assert crawled.observer.services == 1, "the next width is crawled"
    assert crawled.final_drops[FailureReason.ORDER] == 1
    store.close()


def test_a_subtree_with_a_service_is_not_cut_off_and_a_resumed_crawl_knows_what_was_cut(
    tmp_path,
) -> None:
    def read(order: PolarHub, width: int, services: int, pages: int) -> None:
        for _ in range(pages):
            order.learn(
                Outcome(
                    Candidate("http://a.test/", score=-1000.0 * width),
                    services=services,
                )
            )

    order = PolarHub(cut_after=3)
    read(order, 1, 0, 3)
    read(order, 2, 1, 1)
    read(order, 2, 0, 9)
    resumed = PolarHub(cut_after=3)
    resumed.restore(order.state())
    for each in (order, resumed):
        assert each.rescore(Candidate("http://a.test/x", score=-1001.0)) == -math.inf
        assert each.rescore(Candidate("http://a.test/x", score=-2001.0)) == -2001.0
    assert (
        PolarHub(cut_after=0).rescore(Candidate("http://a.test/x", score=-1001.0))
        == -1001.0
    )
