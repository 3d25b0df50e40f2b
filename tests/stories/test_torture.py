"""A crawl that is killed again and again, and resumed, ends as if nothing had happened."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).parents[2] / "bench"
KILLS, FETCHERS, TESTERS = 12, 16, 4
REQUESTS_OF_A_TEST = 5  # what one candidate may cost: probe.py

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("torture"),
    pytest.mark.timeout(400),
]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """One torture for all tests of this story."""
    out = tmp_path_factory.mktemp("torture") / "found.json"
    command = [
        sys.executable, "torture.py", "--kills", str(KILLS), "--pages", "1200", "--hosts", "50", "--seed", "3",
        "--fetchers", str(FETCHERS), "--testers", str(TESTERS), "--max-s", "300", "--out", str(out),
    ]  # fmt: skip
    ran = subprocess.run(
        command, cwd=BENCH, capture_output=True, text=True, timeout=390, check=False
    )
    assert out.exists(), ran.stderr
    told: dict[str, Any] = json.loads(out.read_text())
    return told


def test_the_crawl_was_truly_killed_and_came_to_its_end(found: dict[str, Any]) -> None:
    assert found["kills"] == KILLS
    assert found["finished"], found["complaints"]
    assert sum(run["requests"] > 0 for run in found["runs"]) > KILLS / 2


def test_it_found_the_same_services(found: dict[str, Any]) -> None:
    assert found["services"] > 20
    assert (found["services_lost"], found["services_gained"]) == ([], [])


def test_it_visited_the_same_pages(found: dict[str, Any]) -> None:
    assert found["pages"] > 1000
    assert (found["pages_lost"], found["pages_gained"]) == ([], [])


def test_no_service_that_was_announced_is_lost(found: dict[str, Any]) -> None:
    assert found["announced_but_lost"] == []


def test_only_what_was_in_flight_was_fetched_again(found: dict[str, Any]) -> None:
    assert found["most_times_again"] <= KILLS
    assert found["fetched_again"] <= KILLS * (FETCHERS + TESTERS * REQUESTS_OF_A_TEST)


def test_no_host_was_asked_faster_than_allowed(found: dict[str, Any]) -> None:
    assert found["pace"]["gaps"] > 1000
    assert found["pace"]["too_near"] == 0


def test_robots_txt_is_not_asked_for_again_because_of_a_kill(
    found: dict[str, Any],
) -> None:
    undisturbed, tortured = found["robots_requests"]
    assert undisturbed > 20
    assert tortured <= undisturbed + KILLS * (FETCHERS + TESTERS)


def test_the_catalogue_is_whole(found: dict[str, Any]) -> None:
    assert found["integrity"] == "ok"
