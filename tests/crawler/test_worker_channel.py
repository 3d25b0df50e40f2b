"""What crosses between a crawl and the processes that read for it."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime

import pytest

from geohound.crawler.workers.channel import (
    pack_job,
    pack_report,
    unpack_job,
    unpack_report,
)
from geohound.model.crawl.job import (
    CachedRobots,
    Job,
    PageRead,
    Redirected,
    Report,
    Sketch,
)
from geohound.model.failure import FailureReason
from geohound.model.service import CachedProof, KnownProofs, Service
from geohound.model.visit import Failure, Link, LinkPlace, Page, Purpose, Validators

WMS = Service("wms", "http://a.test/ows", "1.3.0", title="Maps")
LINK = Link(
    "http://a.test/x",
    "words",
    "around",
    LinkPlace.AREA,
    line=3,
    dom_path="li<ul<..nav",
    confidence=0.7,
)
PAGE = Page("http://a.test/", "title", "text", "en", software="ckan")


@pytest.mark.parametrize(
    "result",
    [
        PageRead(
            (WMS,),
            (),
            None,
            "http://a.test/y",
            PAGE,
            (LINK,),
            ("http://a.test/f.js",),
            Sketch(1, 2, 3, "t"),
            True,
        ),
        PageRead(),
        Redirected("http://b.test/"),
        Failure(
            "http://a.test/",
            FailureReason.RESET,
            "lost",
            datetime(2026, 1, 1, tzinfo=UTC),
        ),
    ],
)
def test_a_report_crosses_with_all_that_was_learned(
    result: PageRead | Redirected | Failure,
) -> None:
    robots = (CachedRobots("http://a.test", b"Disallow: /"),)
    drops = {FailureReason.MEDIA: 3}
    report = Report(
        result,
        200,
        0.5,
        ("http://c.test/",),
        "a list",
        drops,
        1,
        10,
        frozenset({"a.test"}),
        (),
        robots,
    )
    assert unpack_report(pickle.loads(pickle.dumps(pack_report(report)))) == report


def test_a_job_crosses_with_all_that_must_be_recalled() -> None:
    known = KnownProofs(
        {"http://a.test/ows": CachedProof(Validators('"1"', ""), (WMS,))},
        frozenset({"http://a.test/ows"}),
    )
    job = Job(
        "http://a.test/ows",
        Purpose.PROBE,
        3,
        False,
        "csw",
        known,
        (CachedRobots("http://a.test", b"", 60.0),),
    )
    assert unpack_job(pickle.loads(pickle.dumps(pack_job(job)))) == job
