"""How long each host is left alone, told by a clock that stands still."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from geohound.model.visit import Failure, FailureReason, Response
from geohound.net.pace import Pace, PaceRules, pause_s, retry_after_s

NOW = datetime(2026, 5, 1, 12, 0, 0, tzinfo=UTC)
RULES = PaceRules(min_delay_s=1, max_delay_s=30, elapsed_factor=5, max_crawl_delay_s=300, busy_s=60)


def answer(status=200, elapsed_s=0.0, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response("u", "u", status, named, b"", NOW, elapsed_s)


def failure(reason, retry_s=None):
    return Failure("u", reason, "", NOW, retry_after_s=retry_s)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("Fri, 01 May 2026 12:01:30 GMT", 90.0),
        ("Friday, 01-May-26 12:00:10 GMT", 10.0),
        ("Fri, 01 May 2026 11:00:00 GMT", 0.0),
        ("Fri, 01 May 2026 14:00:00 +0200", 0.0),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("٣", None),
        ("Fri, 99 May 2026 12:00:00 GMT", None),
    ],
)
def test_retry_after_is_a_number_or_a_date(value, seconds):
    assert retry_after_s(value, NOW) == seconds


@pytest.mark.parametrize(
    ("visit", "troubles", "crawl_delay_s", "expected_s"),
    [
        (answer(), 0, None, 1.0),
        (answer(elapsed_s=2), 0, None, 10.0),
        (answer(elapsed_s=60), 0, None, 30.0),
        (answer(), 0, 20.0, 20.0),
        (answer(), 0, 9999.0, 300.0),
        (answer(), 0, 0.0, 1.0),
        (answer(elapsed_s=4), 0, 7.0, 20.0),
        (answer(503), 1, None, 60.0),
        (answer(503), 2, None, 120.0),
        (answer(503), 50, None, 60 * 1024.0),
        (answer(429, retry_after="10"), 1, None, 10.0),
        (answer(429, retry_after="10"), 3, 25.0, 25.0),
        (answer(429, retry_after="99999999"), 1, None, 86400.0),
        (answer(429, retry_after="Fri, 01 May 2026 12:05:00 GMT"), 1, None, 300.0),
        (failure(FailureReason.UNAVAILABLE, 600.0), 1, None, 600.0),
        (failure(FailureReason.STALLED), 1, None, 60.0),
    ],
)
def test_the_pause_after_a_visit(visit, troubles, crawl_delay_s, expected_s):
    assert pause_s(visit, troubles, crawl_delay_s, RULES) == expected_s


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


@given(
    st.sampled_from([200, 429, 503, 404]),
    st.floats(0, 1000),
    st.integers(0, 100),
    st.none() | st.floats(0, 1e6),
    st.text(max_size=20),
)
def test_no_pause_is_shorter_than_the_minimum_or_longer_than_a_day(status, elapsed_s, troubles, delay_s, header):
    pause = pause_s(answer(status, elapsed_s, retry_after=header), troubles, delay_s, RULES)
    assert 1.0 <= pause <= 86400.0
