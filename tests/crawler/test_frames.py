"""What crosses between a crawl and the processes that read for it."""

from __future__ import annotations

import pickle

from geohound.crawler.frames import pack_report, unpack_report
from geohound.crawler.report import Report
from geohound.model.visit import Link, Page, Place


def test_links_and_pages_cross_with_all_that_orders_weigh() -> None:
    link = Link("http://a.test/x", "words", "around", Place.AREA, line=3, way="li<ul<..nav")
    page = Page("http://a.test/", "title", "text", "en", software="ckan")
    crossed = unpack_report(pickle.loads(pickle.dumps(pack_report(Report(page=page, found=[link])))))
    assert crossed.found == [link]
    assert crossed.page == page
