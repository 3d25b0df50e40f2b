"""One lease: what an answer that breaks off in the middle of the questions means."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from geohound import plugins
from geohound.crawler.examine import LocalExaminer, Tools
from geohound.crawler.plan import Plan
from geohound.crawler.report import Report
from geohound.mining.exploring import Explorer
from geohound.model.visit import Candidate, Failure, FailureReason, Response, Visit

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

    async def fetch(self, url: str, *, accept="*/*", max_bytes=None, follows=None, known=None) -> Visit:
        self.asked.append(url)
        if url == URL:
            return Response(url, url, 200, {"content-type": "text/xml"}, COMPLAINT, NOW)
        if isinstance(self.then, int):
            return Response(url, url, self.then, {"content-type": "text/html"}, b"<html>no</html>", NOW)
        return Failure(url, self.then, "", NOW)

    async def close(self) -> None: ...


async def no_sitemaps(url: str) -> list[str]:
    return []


def examine(web: Complaining, url: str = URL) -> Report:
    tools = Tools(web, plugins.discover("kinds"), {}, Explorer().explore, no_sitemaps, lambda host: 0.0)
    return asyncio.run(LocalExaminer(Plan(), tools).examine(Candidate(url)))


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
def test_what_will_be_refused_the_next_time_too_is_over(then: FailureReason | int) -> None:
    assert examine(Complaining(then)).failure is None


class HalfTold(Complaining):
    """An API whose first document can be had."""

    async def fetch(self, url: str, *, accept="*/*", max_bytes=None, follows=None, known=None) -> Visit:
        if url == "http://api.test/ogc":
            return Response(url, url, 200, {"content-type": "application/json"}, LANDING, NOW)
        return await super().fetch(url)


@pytest.mark.parametrize(("then", "is_kept"), [(FailureReason.REFUSED, False), (FailureReason.STALLED, True)])
def test_an_api_is_asked_again_where_the_network_was_lost_between_its_documents(
    then: FailureReason, is_kept: bool
) -> None:
    web = HalfTold(then)
    report = examine(web, "http://api.test/ogc")
    assert web.asked, "its further documents"
    assert bool(report.services) == is_kept
    assert (report.failure is None) == is_kept
