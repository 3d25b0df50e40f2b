"""Every request is recorded, and can be counted host by host."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime

from polite import behaving, bounded

from geohound.model.failure import FailureReason
from geohound.model.visit import RequestRecord
from geohound.net.address_guard import Guard
from geohound.net.connect_to import Route
from geohound.net.fetcher import CurlFetcher
from geohound.net.request_recorder import RequestRecorder


def record(n):
    return RequestRecord(
        datetime(2026, 1, 1, tzinfo=UTC),
        "a.test",
        f"http://a.test/{n}",
        200,
        None,
        1,
        0.1,
        "1.1.1.1",
    )


def test_pages_redirects_robots_and_failures_all_leave_a_record(web):
    answers = {
        "/robots.txt": web.http(b"User-agent: *\nDisallow: /no"),
        "/": web.http(b"", "Location: http://b.test/there", status="302 Found"),
        "/there": web.http(b"here" * 100),
        "/broken": b"nonsense\r\n\r\n",
    }
    log = RequestRecorder()

    async def run():
        async with web.serving(answers) as server:
            ours = behaving(routes=(Route("*.test", "127.0.0.1", server.port),))
            fetcher = CurlFetcher(
                ours, Guard.opening(["127.0.0.0/8"]), bounded(), on_request=log.append
            )
            visits = [
                await fetcher.fetch(f"http://a.test/{path}")
                for path in ("", "no", "broken")
            ]
            await fetcher.close()
            return server, visits

    server, visits = asyncio.run(run())
    assert [visit.address for visit in visits] == ["127.0.0.1", "", "127.0.0.1"], (
        "of answers and of failures"
    )
    records = log.take()
    assert [
        (r.host, r.url.partition(".test")[2], r.status, r.reason) for r in records
    ] == [
        ("a.test", "/robots.txt", 200, None),
        ("a.test", "/", 302, None),
        ("b.test", "/robots.txt", 200, None),
        ("b.test", "/there", 200, None),
        ("a.test", "/broken", 0, FailureReason.BAD_ANSWER),
    ]
    assert len(server.requests) == len(records)
    assert Counter(r.host for r in records) == {"a.test": 3, "b.test": 2}
    assert all(
        r.address == "127.0.0.1" and r.elapsed_s > 0 and r.at.tzinfo is UTC
        for r in records
    )
    assert records[3].bytes > 400
    assert len(log) == 0


def test_what_the_guard_keeps_back_is_no_request():
    log = RequestRecorder()

    async def run():
        fetcher = CurlFetcher(
            behaving(obey_robots=False), Guard(), bounded(), on_request=log.append
        )
        visits = [
            await fetcher.fetch(url)
            for url in ("http://localhost/", "http://10.0.0.1/")
        ]
        await fetcher.close()
        return fetcher.metrics, visits

    metrics, visits = asyncio.run(run())
    assert metrics.requests == 0
    assert [visit.address for visit in visits] == ["", ""]
    assert log.take() == []


def test_records_are_taken_in_order_and_the_oldest_go_if_nobody_takes_them():
    log = RequestRecorder(room=3)
    for n in range(5):
        log.append(record(n))
    assert (log.appended, log.lost) == (5, 2)
    assert [r.url[-1] for r in log.take(2)] == ["2", "3"]
    assert [r.url[-1] for r in log.take()] == ["4"]
    assert log.take() == []
