"""When each host is due, told by a clock that stands still."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from polite import policy

from geohound.model.visit import Failure, FailureReason, Response
from geohound.net.pace import Pace

NOW = datetime(2026, 5, 1, 12, 0, 0, tzinfo=UTC)
RULES = policy(host_delay_s=1, slow_host_factor=5, max_crawl_delay_s=300, max_retry_after_s=86_400.0)


def answer(status=200, elapsed_s=0.0, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response("u", "u", status, named, b"", NOW, elapsed_s)


def failure(reason, retry_s=None):
    return Failure("u", reason, "", NOW, retry_after_s=retry_s)


def test_a_host_is_due_after_its_pause(clock):
    pace = Pace(clock, RULES)
    assert pace.wait_s("a") == 0
    assert pace.record("a", answer(elapsed_s=1)) == clock.seconds + 5
    assert (pace.wait_s("a"), pace.wait_s("b")) == (5, 0)
    clock.seconds += 4
    assert pace.wait_s("a") == 1
    clock.seconds += 4
    assert pace.wait_s("a") == 0


def test_trouble_in_a_row_doubles_the_pause_and_an_answer_ends_it(clock):
    pace = Pace(clock, RULES)
    pauses = []
    for visit in (answer(503), answer(503), failure(FailureReason.RESET), answer(200), answer(503)):
        pace.record("a", visit)
        pauses.append(pace.wait_s("a"))
        clock.seconds += pauses[-1]
    assert pauses == [60, 120, 240, 1, 60]


@pytest.mark.parametrize("reason", [FailureReason.ROBOTS, FailureReason.TLS, FailureReason.BAD_URL, FailureReason.DNS])
def test_failures_that_say_nothing_about_load_cost_the_usual_pause(clock, reason):
    pace = Pace(clock, RULES)
    pace.record("a", failure(reason))
    assert pace.wait_s("a") == 1


def test_an_answer_that_was_under_way_does_not_shorten_a_long_pause(clock):
    pace = Pace(clock, RULES)
    pace.record("a", answer(429, retry_after="500"))
    pace.record("a", answer(200))
    assert pace.wait_s("a") == 500


def test_only_hosts_in_need_of_it_are_remembered(clock, monkeypatch):
    monkeypatch.setattr("geohound.net.pace._MAX_HOSTS", 100)
    pace = Pace(clock, RULES)
    pace.record("busy", answer(429, retry_after="80000"))
    for n in range(1000):
        pace.record(f"h{n}", answer())
        clock.seconds += 0.1
    assert pace.wait_s("busy") > 70_000
    assert len(pace._hosts) <= 101
