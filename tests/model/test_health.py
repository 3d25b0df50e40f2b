"""Health is what the checks add up to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from geohound.model.health import Check, State, assess

START = datetime(2026, 1, 1, tzinfo=UTC)


def checks(*outcomes: bool | None) -> list[Check]:
    return [Check("s", START + timedelta(days=i), ok, elapsed_s=0.1 * (i + 1)) for i, ok in enumerate(outcomes)]


def test_without_checks_nothing_is_known() -> None:
    assert assess([]).state is State.UNKNOWN


def test_inconclusive_looks_do_not_make_a_service_dead() -> None:
    health = assess(checks(True, None, None))
    assert health.state is State.ALIVE
    assert health.availability == 1.0
    assert health.checks == 3


def test_the_state_counts_from_its_first_day() -> None:
    health = assess(checks(True, False, True, True))
    assert health.state is State.ALIVE
    assert health.since == START + timedelta(days=2)
    assert health.availability == 0.75


def test_failed_checks_do_not_count_for_the_speed() -> None:
    median = assess(checks(True, False, True)).median_elapsed_s
    assert median is not None
    assert round(median, 3) == 0.2


def test_only_inconclusive_looks_leave_it_unsure() -> None:
    assert assess(checks(None, None)).state is State.UNSURE
