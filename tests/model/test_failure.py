"""The table of failures: a row for each reason, rows that do not contradict themselves, advice that can be followed."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from pathlib import Path

import pytest

from geohound.document.refusals import WALLS
from geohound.model.failure import (
    BUSY_STATUSES,
    MEANINGS,
    FailureMeaning,
    FailureReason,
    reason_in,
)
from geohound.settings import Settings

OPERATING = Path(__file__).parents[2] / "docs" / "operating.md"
SOURCE = Path(__file__).parents[2] / "src" / "geohound"
ROWS = pytest.mark.parametrize("reason", FailureReason, ids=lambda reason: reason.name)


def test_each_reason_has_one_row_in_the_order_of_the_reasons() -> None:
    assert list(MEANINGS) == list(FailureReason)


@ROWS
def test_a_row_says_in_whole_sentences_what_happened_and_what_to_do(
    reason: FailureReason,
) -> None:
    assert re.fullmatch(r"[A-Z].*\.", reason.means.text)
    assert not reason.means.advice or re.fullmatch(
        r"(--)?[A-Za-z].*\.", reason.means.advice
    )
    assert not reason.means.is_unreached or reason.means.advice, (
        "whoever gave this seed needs to know what to do"
    )


@ROWS
def test_what_a_row_says_does_not_contradict_itself(reason: FailureReason) -> None:
    means = reason.means
    if not means.is_asked:  # nobody was asked, so nothing is known of the host
        assert not (
            means.is_passing or means.is_strain or means.is_outage or means.is_host_gone
        )
    if means.is_outage:  # nobody was reached
        assert means.is_unreached
        assert not means.is_answer
    # a host that bears too much, or was spared, is asked again
    if means.is_strain or not means.is_attempt:
        assert means.is_passing
    if (
        means.is_host_gone
        or means.is_certificate_fault
        or means.is_legacy_tls
        or means.is_endless_redirect
    ):
        assert not means.is_passing
    assert not (means.is_certificate_fault and means.is_legacy_tls)


@ROWS
def test_advice_names_only_settings_that_exist(reason: FailureReason) -> None:
    known = {field.name for field in fields(Settings)}
    named = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", reason.means.advice)) - {
        "timeout_s"
    }
    assert named <= known


def test_what_may_pass_is_what_waiting_can_mend() -> None:
    passing = {
        FailureReason.DNS_TIMEOUT,
        FailureReason.UNREACHABLE,
        FailureReason.RESET,
    }
    passing |= {
        FailureReason.CONNECT_TIMEOUT,
        FailureReason.FIRST_BYTE_TIMEOUT,
        FailureReason.TOTAL_TIMEOUT,
    }
    passing |= {
        FailureReason.STALLED,
        FailureReason.RATE_LIMITED,
        FailureReason.UNAVAILABLE,
    }
    assert {reason for reason in FailureReason if reason.means.is_passing} == passing


def test_only_a_name_that_does_not_exist_says_that_the_host_is_gone() -> None:
    assert [reason for reason in FailureReason if reason.means.is_host_gone] == [
        FailureReason.DNS
    ]


def test_statuses_that_mean_too_much_are_passing_strain() -> None:
    assert set(BUSY_STATUSES) == {429, 503}
    assert all(
        reason.means.is_passing and reason.means.is_strain
        for reason in BUSY_STATUSES.values()
    )


def test_walls_are_the_reasons_that_say_so() -> None:
    assert set(WALLS.values()) == {
        reason for reason in FailureReason if reason.means.is_wall
    }


def test_no_module_keeps_a_set_of_reasons_beside_the_table() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in SOURCE.rglob("*.py")
        if path.name != "failure.py"
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Set | ast.Tuple | ast.List)
        and sum(map(_is_reason, node.elts)) > 1
    ]
    assert found == []


def _is_reason(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and ast.unparse(node.value).endswith(
        "FailureReason"
    )


def test_the_reason_of_a_message_is_the_one_that_it_begins_with() -> None:
    assert reason_in("name not found: no.example") is FailureReason.DNS
    assert reason_in("TLS: handshake") is FailureReason.TLS
    assert reason_in("no service, robots.txt") is None
    assert reason_in("") is None


def test_the_manual_lists_every_reason_as_the_table_has_it() -> None:
    listed = re.findall(
        r"^\| (.+?) \| (.+?) \| (.*?) \|$", OPERATING.read_text("utf-8"), re.MULTILINE
    )
    assert [row for row in listed if row[0] in set(FailureReason)] == [
        (str(reason), reason.means.text, _outcome(reason.means))
        for reason in FailureReason
    ]


def _outcome(means: FailureMeaning) -> str:
    return " ".join(
        part
        for part in ("It is tried again." if means.is_passing else "", means.advice)
        if part
    )
