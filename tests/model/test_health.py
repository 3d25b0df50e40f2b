"""Health is what the checks add up to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from geohound.model.health import Check, HealthState, assess, outcome_of, reason_of
from geohound.model.service import Refusal, RefusalReason

START = datetime(2026, 1, 1, tzinfo=UTC)


def checks(*outcomes: bool | None) -> list[Check]:
    return [
        Check("s", START + timedelta(days=i), ok, elapsed_s=0.1 * (i + 1))
        for i, ok in enumerate(outcomes)
    ]


def test_without_checks_nothing_is_known() -> None:
    assert assess([]).state is HealthState.UNKNOWN


def test_inconclusive_looks_do_not_make_a_service_dead() -> None:
    health = assess(checks(True, None, None))
    assert health.state is HealthState.ALIVE
    assert health.checks == 3


def test_the_state_counts_from_its_first_day() -> None:
    health = assess(checks(True, False, True, True))
    assert health.state is HealthState.ALIVE
    assert health.since == START + timedelta(days=2)


def test_failed_checks_do_not_count_for_the_speed() -> None:
    median = assess(checks(True, False, True)).median_elapsed_s
    assert median is not None
    assert round(median, 3) == 0.2


def test_only_inconclusive_looks_leave_it_unsure() -> None:
    assert assess(checks(None, None)).state is HealthState.UNSURE


def looks(*reasons: str, every: timedelta = timedelta(days=1)) -> list[Check]:
    """A good check, then one that ended for each reason."""
    ended = [
        Check("s", START + every * n, outcome_of(reason), reason)
        for n, reason in enumerate(reasons, 1)
    ]
    return [Check("s", START, True), *ended]


def test_one_failed_check_is_not_death() -> None:
    health = assess(looks("not found: HTTP 404"))
    assert (health.state, health.reason) == (HealthState.UNSURE, "not found: HTTP 404")
    assert health.since == START + timedelta(days=1)


def test_what_is_not_found_three_times_in_a_row_is_dead_however_soon() -> None:
    gone = ("not found: HTTP 404", "not found: HTTP 410", "not found: HTTP 404")
    assert (
        assess(looks(*gone[:2], every=timedelta(seconds=1))).state is HealthState.UNSURE
    )
    assert assess(looks(*gone, every=timedelta(seconds=1))).state is HealthState.DEAD


def test_silence_is_death_after_five_checks_over_three_days() -> None:
    silence = "no first byte in time"
    assert assess(looks(*[silence] * 4)).state is HealthState.UNSURE, (
        "four are too few, whatever they span"
    )
    assert (
        assess(looks(*[silence] * 9, every=timedelta(hours=8))).state
        is HealthState.UNSURE
    ), "64 hours"
    assert (
        assess(looks(*[silence] * 10, every=timedelta(hours=8))).state
        is HealthState.DEAD
    ), "72 hours"
    assert assess(looks(*[silence] * 5)).state is HealthState.DEAD


def test_whoever_answers_that_it_does_not_let_us_in_is_never_dead() -> None:
    for reason in (
        "log-in wall: HTTP 401",
        "bot wall: captcha",
        "rate limited: HTTP 429",
        "certificate expired",
    ):
        health = assess(looks(*[reason] * 30))
        assert (health.state, health.reason) == (HealthState.UNSURE, reason)


def test_a_wall_interrupts_a_row_of_failures() -> None:
    gone = "not found: HTTP 404"
    assert (
        assess(looks(gone, gone, "log-in wall: HTTP 403", gone)).state
        is HealthState.UNSURE
    )


def test_a_dead_service_whose_server_falls_silent_stays_dead_until_somebody_answers() -> (
    None
):
    gone = ["not found: HTTP 404"] * 3
    silent = assess(looks(*gone, "name not found", "no first byte in time"))
    assert (silent.state, silent.reason) == (HealthState.DEAD, "no first byte in time")
    assert (
        assess(looks(*gone, "name not found", "log-in wall: HTTP 401")).state
        is HealthState.UNSURE
    )


def test_a_good_check_makes_alive_again_and_the_reason_goes() -> None:
    dead = looks(*["not found: HTTP 404"] * 3)
    health = assess([*dead, Check("s", START + timedelta(days=9), True)])
    assert (health.state, health.reason, health.since) == (
        HealthState.ALIVE,
        "",
        START + timedelta(days=9),
    )


def test_a_check_begins_with_the_kind_of_its_failure() -> None:
    refusals = {
        Refusal(
            RefusalReason.UNREACHABLE, "name not found: no.example"
        ): "name not found: no.example",
        Refusal(RefusalReason.NOT_FOUND, "HTTP 404"): "not found: HTTP 404",
        Refusal(RefusalReason.INCONCLUSIVE, "HTTP 429"): "rate limited: HTTP 429",
        Refusal(RefusalReason.INCONCLUSIVE, "HTTP 400"): "HTTP error: HTTP 400",
        Refusal(RefusalReason.NO_CONTENT): "empty answer",
    }
    assert {refusal: reason_of(refusal) for refusal in refusals} == refusals
