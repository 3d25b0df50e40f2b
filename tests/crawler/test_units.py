"""The five units of Alqaraleh, Ramadan & Salamah 2015, section 2.2, as modules: what has nothing to do sleeps."""

from __future__ import annotations

import re
from pathlib import Path

from small_web import SEED, WMS, SmallWeb, html, run, service

from geohound.browser.pool import BrowserPool
from geohound.model.visit import Lane, Visit

ROOT = Path(__file__).parents[2]


def test_the_documents_say_which_modules_are_the_five_units() -> None:
    """WBC-5, section 2.2: controller, crawler, link extractor, AJAX unit, link sorter."""
    text = (
        (ROOT / "docs" / "architecture.md")
        .read_text("utf-8")
        .partition("## The five units")[2]
        .partition("\n## ")[0]
    )
    rows = re.findall(r"^\| (\w[\w ]+):.*?\| (.+?) \|", text, re.MULTILINE)
    assert [unit for unit, _ in rows] == [
        "controller",
        "crawler",
        "link extractor",
        "AJAX unit",
        "link sorter",
    ]
    for _, modules in rows:
        assert all(
            (ROOT / "src" / "geohound" / name).exists()
            for name in re.findall(r"`([^`]+)`", modules)
        )


def test_a_group_of_crawlers_without_work_is_inactive_and_wakes_when_there_is_some(
    tmp_path: Path,
) -> None:
    """WBC-5, section 2.3, property 10: a unit whose queue is empty is inactive until new data are added to it."""
    groups: dict[str, list[Lane]] = {}
    crawls = []

    class SeenWeb(SmallWeb):
        async def fetch(self, url: str, **more) -> Visit:
            groups[url.partition("?")[0]] = crawls[0].asleep
            return await super().fetch(url, **more)

    pages = {
        SEED: html("<a href='http://gis.test/ows?service=WMS'>Rivers</a>"),
        "http://gis.test/ows": service(WMS),
    }
    web = SeenWeb(pages)

    from geohound.crawler.engine import Crawl

    real = Crawl.run

    async def noted(self: Crawl) -> str:
        crawls.append(self)
        return await real(self)

    Crawl.run = noted  # type: ignore[method-assign]
    try:
        done, store = run(tmp_path, web)
    finally:
        Crawl.run = real  # type: ignore[method-assign]
    store.close()
    assert groups[SEED] == [
        Lane.PROBES
    ]  # testers sleep while there is nothing but a page
    assert groups["http://gis.test/ows"] == [
        Lane.PAGES
    ]  # and fetchers while there is nothing but a test
    assert set(done.asleep) == {Lane.PAGES, Lane.PROBES}


def test_the_ajax_unit_starts_no_browser_before_a_page_has_to_be_run() -> None:
    import asyncio

    from geohound.browser import PageBudget, check

    async def story() -> object:
        pool = BrowserPool(
            check(""),
            1,
            PageBudget(time_s=1, requests=1, bytes=1, memory_bytes=10**9, events=1),
        )
        return pool._chromium

    assert asyncio.run(story()) is None
