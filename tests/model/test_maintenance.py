"""Maintenance as the settings announce it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from geohound.model.monitoring.maintenance import (
    announced,
    end_of_maintenance,
    read_maintenance,
)

WINDOW = read_maintenance("Example.org 2026-11-20T01:00Z 2026-11-20T03:00 new  disks")


def at(hour: int) -> datetime:
    return datetime(2026, 11, 20, hour, tzinfo=UTC)


def test_a_line_is_a_host_two_times_and_what_it_is_about() -> None:
    assert ("example.org", at(1), at(3), "new disks") == WINDOW


@pytest.mark.parametrize(
    "line",
    ["", "a.test", "a.test now later", "a.test 2026-11-20T03:00Z 2026-11-20T01:00Z"],
)
def test_what_cannot_be_read_is_refused_with_an_example(line: str) -> None:
    with pytest.raises(ValueError, match="write HOST BEGIN END TEXT"):
        read_maintenance(line)


def test_it_is_that_of_the_host_and_of_its_subdomains_and_of_no_other() -> None:
    for name in ("example.org", "example.org:8080", "maps.example.org"):
        assert end_of_maintenance([WINDOW], name, at(2)) == at(3)
    assert end_of_maintenance([WINDOW], "badexample.org", at(2)) is None
    assert end_of_maintenance([WINDOW], "example.org", at(3)) is None


def test_what_is_over_is_announced_no_more() -> None:
    assert announced([WINDOW], at(2)) == [WINDOW]
    assert announced([WINDOW], at(3)) == []
