"""How long each host is left alone, told by a clock that stands still."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from polite import policy

from geohound.model.failure import FailureReason
from geohound.model.visit import Failure, Response
from geohound.politeness import (
    PolitenessPolicy,
    VisitFacts,
    address_pause_s,
    pause_s,
    retry_after_s,
    retry_in_s,
)

NOW = datetime(2026, 5, 1, 12, 0, 0, tzinfo=UTC)
DAY_S = 86_400.0
RULES = policy(
    host_delay_s=1,
    slow_host_factor=5,
    max_crawl_delay_s=300,
    retry_after_s=30,
    max_retry_after_s=DAY_S,
)


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
        ("999999999", 999_999_999.0),
        ("9999999999", None),
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
    assert pause_s(VisitFacts.of(visit, crawl_delay_s), troubles, RULES) == expected_s


@pytest.mark.parametrize(
    ("asked_s", "expected_s"),
    [(None, 30.0), (0.0, 30.0), (31.0, 31.0), (10 * DAY_S, DAY_S)],
)
def test_a_url_is_tried_again_when_the_host_asks_but_neither_at_once_nor_never(
    asked_s, expected_s
):
    assert retry_in_s(failure(FailureReason.UNAVAILABLE, asked_s), RULES) == expected_s


def test_an_address_has_its_share_of_the_pause_and_trouble_doubles_it_up_to_a_bound():
    pauses = [
        address_pause_s(VisitFacts(elapsed_s=2), troubles, RULES)
        for troubles in (0, 1, 2, 10, 1000)
    ]
    assert pauses == [2.5, 5.0, 10.0, 30.0, 30.0]


def test_no_policy_can_be_made_without_the_values_of_the_settings():
    with pytest.raises(TypeError, match="missing 9 required"):
        PolitenessPolicy()  # type: ignore[call-arg]


@given(
    st.sampled_from([200, 429, 503, 404]),
    st.floats(0, 1000),
    st.integers(0, 100),
    st.none() | st.floats(0, 1e6),
    st.text(max_size=20),
)
def test_no_pause_is_shorter_than_the_minimum_or_longer_than_a_day(
    status, elapsed_s, troubles, delay_s, header
):
    seen = VisitFacts.of(answer(status, elapsed_s, retry_after=header), delay_s)
    pause = pause_s(seen, troubles, RULES)
    assert 1.0 <= pause <= 86400.0
