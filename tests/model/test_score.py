"""The score is what its formula says; every expected value is worked out by hand.

PolarHub (Li, Wang & Bhatia 2016, section 5): each service gets a quality score from 0 to 100 after the FGDC's checker.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from books import BOOK

from geohound.health import Timed, checks_of
from geohound.model.addresses import VIEW_LIMIT_S
from geohound.model.availability import wilson
from geohound.model.health import Check, HealthState, assess, outcome_of
from geohound.model.score import (
    Score,
    described,
    score,
    speed,
    stability,
)
from geohound.model.service import (
    NOTHING_KNOWN,
    Access,
    Extent,
    Provider,
    Service,
    Verdict,
)

START = datetime(2026, 1, 1, tzinfo=UTC)


def scored(*reasons: str | None, elapsed_s: float = 1.0, kind: str = "wms") -> Score:
    """Of checks that ended for these reasons; None for a good one."""
    checks = [
        Check(
            "s",
            START + timedelta(days=n),
            True if reason is None else outcome_of(reason),
            reason or "",
            elapsed_s,
        )
        for n, reason in enumerate(reasons)
    ]
    found = score(checks, BOOK.response_limit_s(kind))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("kind", "limit_s"),
    [
        ("csw", 3.0),
        ("ogcapi-records", 3.0),
        ("opensearch", 3.0),
        ("wms", 5.0),
        ("wmts", 5.0),
        ("tms", 5.0),
        ("tilejson", 5.0),
        ("arcgis-mapserver", 5.0),
        ("arcgis-imageserver", 5.0),
        ("ogcapi-maps", 5.0),
        ("ogcapi-tiles", 5.0),
        ("wfs", 10.0),
        ("arcgis-featureserver", 10.0),
        ("a kind of nobody", 10.0),
    ],
)
def test_a_kind_says_within_which_time_it_should_answer(
    kind: str, limit_s: float
) -> None:
    """Regulation (EC) 976/2009, annex I: discovery 3 s, view 5 s, download 10 s to the first answer."""
    assert BOOK.response_limit_s(kind) == limit_s


def test_the_wilson_interval_is_wide_where_there_were_few_checks() -> None:
    # For good = total it is n / (n + z²), with z² = 3.8416.
    assert wilson(1, 1)[0] == pytest.approx(1 / 4.8416)
    assert wilson(5, 5)[0] == pytest.approx(5 / 8.8416)
    # (0.8 + 0.38416 - 1.96 · sqrt(0.032 + 0.038416)) / 1.76832
    assert wilson(4, 5)[0] == pytest.approx(0.37553, abs=1e-5)
    assert wilson(0, 3)[0] == pytest.approx(0.0, abs=1e-12)


def test_speed_falls_with_the_logarithm_of_the_time() -> None:
    assert speed(0.2, 5.0) == speed(1.0, 5.0) == 1.0, "up to a fifth of the limit"
    assert speed(5.0, 5.0) == pytest.approx(1.791759 / 3.401197, abs=1e-6), (
        "ln 6 / ln 30"
    )
    assert speed(30.0**0.5, 5.0) == pytest.approx(0.5), (
        "halfway in the logarithm between 1 s and 30 s"
    )
    assert speed(30.0, 5.0) == speed(90.0, 5.0) == 0.0


def test_a_slow_answer_costs_a_catalogue_more_than_a_download() -> None:
    # 2 s: discovery falls from 0.6 s on (ln 15 / ln 50), view from 1 s on (ln 15 / ln 30), download is fast up to 2 s.
    speeds = [
        scored(None, elapsed_s=2.0, kind=kind).parts.speed
        for kind in ("csw", "wms", "wfs")
    ]
    assert speeds == pytest.approx(
        [2.708050 / 3.912023, 2.708050 / 3.401197, 1.0], abs=1e-6
    )


def test_stability_is_the_share_of_checks_that_ended_as_the_one_before() -> None:
    assert stability([True]) == 1.0
    assert stability([True, True, False, True, True]) == 0.5
    assert stability([True, False, True]) == 0.0


def test_a_service_has_a_provisional_score_when_it_is_found() -> None:
    """PH-18: each new service "will be assigned a quality score" as it is identified (section 5)."""
    found = scored(None, elapsed_s=0.5)
    # 100 · (0.5 / 4.8416 + 0.3 + 0.2)
    assert found.value == pytest.approx(60.327, abs=1e-3)
    assert (found.provisional, found.band) == (True, "good")


def test_five_checks_make_the_score_final() -> None:
    assert scored(*[None] * 4).provisional
    found = scored(*[None] * 5)
    # 100 · (0.5 · 5 / 8.8416 + 0.3 + 0.2)
    assert found.value == pytest.approx(78.275, abs=1e-3)
    assert (found.provisional, found.band) == (False, "excellent")


def test_silence_costs_availability_and_stability_but_is_no_wrong_answer() -> None:
    found = scored(None, None, "no first byte in time", None, None)
    assert found.parts.correct == 1.0
    # 100 · (0.5 · 0.37553 + 0.3 + 0.2 · 0.5)
    assert found.value == pytest.approx(58.776, abs=1e-3)


def test_an_exception_report_allows_no_more_than_25() -> None:
    found = scored(*[None] * 9, "exception report: the data store cannot be reached")
    assert found.parts.correct == 0.9
    # Without the cap: 100 · 0.9 · (0.5 · 0.59584 + 0.3 + 0.2 · 8 / 9) = 69.8
    assert (found.value, found.parts.cap, found.band) == (25.0, 25.0, "very bad")


def test_an_expired_certificate_allows_no_more_than_75() -> None:
    found = scored(*[None] * 20, "certificate expired: a.example")
    # Without the cap: 100 · (0.5 · 20 / 23.8416 + 0.3 + 0.2) = 91.9
    assert (found.value, found.parts.cap, found.band) == (75.0, 75.0, "good")


def test_a_dead_service_scores_nothing() -> None:
    assert scored(*[None] * 9, *["not found: HTTP 404"] * 3).value == 0.0


def test_a_score_is_between_0_and_100() -> None:
    """PH-7, section 5: "ranging from 0 (low quality) to 100 (high quality)".

    100 good checks and a full description: 100 · (0.9 · (0.5 · 100 / 103.8416 + 0.3 + 0.2) + 0.1).
    """
    good = [Check("s", START + timedelta(days=n), True, "", 0.1) for n in range(100)]
    best = score(good, VIEW_LIMIT_S, 1.0)
    assert best is not None
    assert best.value == pytest.approx(98.335, abs=1e-3)
    assert scored(*["not found: HTTP 404"] * 12).value == 0.0


def test_without_a_conclusive_check_there_is_no_score() -> None:
    assert score([], VIEW_LIMIT_S) is None
    assert (
        score([Check("s", START, None, "log-in wall: HTTP 401")], VIEW_LIMIT_S) is None
    )


def test_a_service_that_is_read_in_spite_of_its_certificate_has_at_most_75() -> None:
    """100 good checks alone: 100 · (0.5 · 100 / 103.8416 + 0.3 + 0.2) = 98.15."""
    assert scored(*[None] * 100).value == pytest.approx(98.15, abs=0.01)
    service = Service(
        "wms",
        "https://a.test/wms",
        repairs=("read in spite of: outdated TLS, certificate expired",),
    )
    expired = replace(service, repairs=("read in spite of: certificate expired",))
    days = [Timed(START + timedelta(days=n), 0.5) for n in range(100)]
    for each in (service, expired):
        checks = [
            checks_of(NOTHING_KNOWN, Verdict((each,)), {}, BOOK, day)[0] for day in days
        ]
        found = score(checks, VIEW_LIMIT_S)
        assert found is not None
        assert found.value == found.parts.cap == 75.0
        assert assess(checks).state is HealthState.ALIVE


def test_what_a_service_says_of_itself_is_a_tenth_of_its_score() -> None:
    checks = [Check("s", START, True, "", 0.5)]
    plain, full = (score(checks, VIEW_LIMIT_S, said) for said in (0.0, 1.0))
    assert plain is not None
    assert full is not None
    assert full.value - plain.value == pytest.approx(10.0)
    # 100 · (0.45 / 4.8416 + 0.27 + 0.18)
    assert plain.value == pytest.approx(54.294, abs=1e-3)


def test_a_description_is_the_share_of_six_things_that_it_has() -> None:
    bare = Service("wms", "http://a.test/wms")
    assert described(bare) == 0.0
    half = replace(
        bare, title="A", abstract="Maps", provider=Provider(email="a@a.test")
    )
    assert described(half) == 0.5
    access = Access(licence="CC0-1.0")
    whole = replace(half, keywords=("sea",), access=access, extent=Extent(None))
    assert described(whole) == 1.0
