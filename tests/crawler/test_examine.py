"""One lease: what an answer that breaks off in the middle of the questions means."""

from __future__ import annotations

import asyncio
import weakref
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from books import BOOK
from plans import any_plan

from geohound import plugins
from geohound.crawler.examiner import ExaminerParts, LocalExaminer
from geohound.mining.map_page import Explorer
from geohound.model.crawl.job import Job, Purpose, Report
from geohound.model.failure import FailureReason
from geohound.model.service import KnownProofs
from geohound.model.visit import Failure, Response, Visit
from geohound.net.clock import SystemClock
from geohound.settings import Settings
from geohound.stores.sqlite import open_store
from geohound.tasks.spec import crawl_spec, plan_of

LANDING = b"""{"title": "Roads", "links": [
{"rel": "self", "href": "http://api.test/ogc"}, {"rel": "conformance", "href": "http://api.test/ogc/conformance"},
{"rel": "data", "href": "http://api.test/ogc/collections"}]}"""
NOW = datetime(2026, 1, 1, tzinfo=UTC)
URL = "http://gis.test/maps/roads"
COMPLAINT = b"""<?xml version="1.0"?><ServiceExceptionReport version="1.1.1">
<ServiceException>Missing parameter REQUEST</ServiceException></ServiceExceptionReport>"""


class Complaining:
    """A service that complains about the bare address, and then answers no further question as it should."""

    def __init__(self, then: FailureReason | int) -> None:
        self.then = then
        self.asked: list[str] = []

    async def fetch(
        self, url: str, *, accept="*/*", max_bytes=None, follows=None, known=None
    ) -> Visit:
        self.asked.append(url)
        if url == URL:
            return Response(url, url, 200, {"content-type": "text/xml"}, COMPLAINT, NOW)
        if isinstance(self.then, int):
            return Response(
                url,
                url,
                self.then,
                {"content-type": "text/html"},
                b"<html>no</html>",
                NOW,
            )
        return Failure(url, self.then, "", NOW)

    async def close(self) -> None: ...


async def no_sitemaps(url: str) -> list[str]:
    return []


def examine(web: Complaining, url: str = URL) -> Report:
    tools = ExaminerParts(
        web, plugins.discover("kinds"), BOOK, {}, Explorer(BOOK).explore, no_sitemaps
    )
    return asyncio.run(LocalExaminer(any_plan(), tools).examine(Job(url)))


@pytest.mark.parametrize(
    ("then", "reason"),
    [
        (FailureReason.REFUSED, FailureReason.REFUSED),
        (FailureReason.RESET, FailureReason.RESET),
        (FailureReason.FIRST_BYTE_TIMEOUT, FailureReason.FIRST_BYTE_TIMEOUT),
        (503, FailureReason.UNAVAILABLE),
        (429, FailureReason.RATE_LIMITED),
    ],
)
def test_a_service_that_breaks_off_while_it_is_asked_is_asked_again_later(
    then: FailureReason | int, reason: FailureReason
) -> None:
    web = Complaining(then)
    report = examine(web)
    assert len(web.asked) > 1
    assert report.failure is not None
    assert report.failure.reason is reason


@pytest.mark.parametrize("then", [FailureReason.ROBOTS, FailureReason.TOO_LARGE, 404])
def test_what_will_be_refused_the_next_time_too_is_over(
    then: FailureReason | int,
) -> None:
    assert examine(Complaining(then)).failure is None


class HalfTold(Complaining):
    """An API whose first document can be had."""

    async def fetch(
        self, url: str, *, accept="*/*", max_bytes=None, follows=None, known=None
    ) -> Visit:
        if url == "http://api.test/ogc":
            return Response(
                url, url, 200, {"content-type": "application/json"}, LANDING, NOW
            )
        return await super().fetch(url)


@pytest.mark.parametrize(
    ("then", "is_kept"), [(FailureReason.REFUSED, False), (FailureReason.STALLED, True)]
)
def test_an_api_is_asked_again_where_the_network_was_lost_between_its_documents(
    then: FailureReason, is_kept: bool
) -> None:
    web = HalfTold(then)
    report = examine(web, "http://api.test/ogc")
    assert web.asked, "its further documents"
    assert bool(report.services) == is_kept
    assert (report.failure is None) == is_kept


API = {
    "http://api.test/ogc": LANDING,
    "http://api.test/ogc/conformance": (
        b'{"conformsTo": ["http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core"]}'
    ),
    "http://api.test/ogc/collections": b"""{"links": [{"rel": "self", "href": "http://api.test/ogc/collections"}],
"collections": [{"id": "roads", "title": "Roads", "links": [
{"rel": "items", "href": "http://api.test/ogc/collections/roads/items"}]}]}""",
}


class Api(Complaining):
    """An API with all its documents."""

    async def fetch(
        self, url: str, *, accept="*/*", max_bytes=None, follows=None, known=None
    ) -> Visit:
        plain = url.removesuffix("?f=json")
        self.asked.append(plain)
        body = API.get(plain, b"")
        return Response(
            url,
            url,
            200 if body else 404,
            {"content-type": "application/json"},
            body,
            NOW,
        )


def test_the_further_documents_of_an_api_are_asked_for_once() -> None:
    async def run() -> tuple[list[Report], list[str]]:
        web = Api(404)
        tools = ExaminerParts(
            web,
            plugins.discover("kinds"),
            BOOK,
            {},
            Explorer(BOOK).explore,
            no_sitemaps,
        )
        examiner = LocalExaminer(any_plan(), tools)
        reports = [await examiner.examine(Job("http://api.test/ogc")) for _ in range(2)]
        return reports, web.asked

    (first, second), asked = asyncio.run(run())
    assert [len(service.layers) for service in first.services] == [1]
    assert second.services == first.services
    assert asked.count("http://api.test/ogc") == 2
    assert (
        asked.count("http://api.test/ogc/conformance")
        == asked.count("http://api.test/ogc/collections")
        == 1
    )


def test_of_an_api_that_the_catalogue_knows_no_further_documents_are_asked_for() -> (
    None
):
    web = Api(404)
    tools = ExaminerParts(
        web, plugins.discover("kinds"), BOOK, {}, Explorer(BOOK).explore, no_sitemaps
    )
    job = Job(
        "http://api.test/ogc",
        known=KnownProofs(endpoints=frozenset({"http://api.test/ogc"})),
    )
    report = asyncio.run(LocalExaminer(any_plan(), tools).examine(job))
    assert web.asked == ["http://api.test/ogc"]
    assert report.services[0].companions, "the engine takes the rest from the catalogue"


class Scales:
    def add(self, size: int) -> None: ...


class Weighed(Complaining):
    """Answers by the dozen, and knows at each question how many of those before are still held."""

    def __init__(self) -> None:
        super().__init__(404)
        self.scales: list[weakref.ref[Scales]] = []
        self.held: list[int] = []

    async def fetch(
        self, url: str, *, accept="*/*", max_bytes=None, follows=None, known=None
    ) -> Visit:
        self.held.append(sum(each() is not None for each in self.scales))
        scales = Scales()
        self.scales.append(weakref.ref(scales))
        return replace(await super().fetch(url), weight=scales)


def test_whoever_asks_a_service_again_has_let_go_of_its_last_answer() -> None:
    web = Weighed()
    tools = ExaminerParts(
        web, plugins.discover("kinds"), BOOK, {}, Explorer(BOOK).explore, no_sitemaps
    )
    asyncio.run(LocalExaminer(any_plan(), tools).examine(Job(URL, Purpose.PROBE)))
    assert web.held == [0] * len(web.held)
    assert len(web.held) > 2


class Rewritten(Complaining):
    """A page and its script, which somebody rewrites."""

    def __init__(self) -> None:
        super().__init__(404)
        self.script = b"var none = 0;"

    async def fetch(
        self, url: str, *, accept="*/*", max_bytes=None, follows=None, known=None
    ) -> Visit:
        if url.endswith("/map.js"):
            kind = {"content-type": "text/javascript"}
            return Response(url, url, 200, kind, self.script, NOW)
        page = b'<script src="/map.js"></script>'
        return Response(url, url, 200, {"content-type": "text/html"}, page, NOW)


def test_who_works_for_longer_than_a_crawl_forgets_scripts_and_reads_them_again() -> (
    None
):
    web, explorer = Rewritten(), Explorer(BOOK)
    tools = ExaminerParts(
        web,
        plugins.discover("kinds"),
        BOOK,
        {},
        explorer.explore,
        no_sitemaps,
        forget=explorer.forget,
    )
    examiner = LocalExaminer(any_plan(), tools)

    def endpoints() -> list[str]:
        report = asyncio.run(examiner.examine(Job("http://a.test/")))
        return [link.url for link in report.result.links]

    assert endpoints() == []
    web.script = b'new L.TileLayer.WMS("/wms?service=WMS", {layers: "a"});'
    assert endpoints() == [], "within a crawl a script is read once"
    examiner.forget()
    assert any("/wms" in url for url in endpoints())


class Long(Complaining):
    """A page of results with a service before its first 400 kB end, and one behind; it is cut as the crawl asks."""

    async def fetch(
        self, url: str, *, accept="*/*", max_bytes=None, follows=None, known=None
    ) -> Visit:
        page = [b'<a href="/near/wms?service=WMS">a</a>', b"<!--", b" " * 399_900]
        page += [b"-->", b" " * 100, b'<a href="/far/wms?service=WMS">b</a>']
        body = b"".join(page)[:max_bytes]
        return Response(url, url, 200, {"content-type": "text/html"}, body, NOW)


@pytest.mark.parametrize(
    ("asked", "found"),
    [({"max_page_bytes": 400_000}, ["near"]), ({}, ["near", "far"])],
)
def test_pages_are_read_up_to_the_published_400_kb_where_that_is_set(
    tmp_path, asked, found
) -> None:
    """OSS-2; Sidsten 2012, appendix A.4: mtdPageSizeLimitKB, "only the first bytes with the size of the limit"."""
    store, settings = open_store(tmp_path / "c.db", SystemClock()), Settings(**asked)
    task = store.tasks.create(crawl_spec(settings, ("http://a.test/",)))
    store.close()
    tools = ExaminerParts(
        Long(404), plugins.discover("kinds"), BOOK, {}, Explorer(BOOK).explore, no_sitemaps
    )  # fmt: skip
    plan = plan_of(settings, task, counts_links=False)
    report = asyncio.run(LocalExaminer(plan, tools).examine(Job("http://a.test/")))
    assert [link.url.split("/")[3] for link in report.result.links] == found
