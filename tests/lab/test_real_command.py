"""`geohound identify`, as a person types it, against real servers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

from lab_truth import MARKS
from lab_world import DEPTH_BOX

pytestmark = MARKS


def run(*urls: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "geohound",
        "identify",
        "--json",
        "--allow-net",
        "127.0.0.0/8",
        *urls,
    ]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False
    )


def test_the_command_names_the_services_and_ends_well(
    address: Callable[[str], str],
) -> None:
    places = [
        "mapserver/cgi-bin/mapserv?map=BALTIC&service=WMS",
        "pywps/wps",
        "stac/",
        "pydap/forecast.nc.das",
    ]
    done = run(*map(address, places))
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["input"] for answer in answers] == [
        address(place) for place in places
    ]
    assert [answer["title"] for answer in answers] == [
        "Baltic MapServer",
        "Baltic PyWPS",
        "Baltic STAC",
        "Baltic wave forecast",
    ]
    assert [answer["kinds"] for answer in (answers[0], answers[1], answers[3])] == [
        ["wms"],
        ["wps"],
        ["opendap"],
    ]
    assert "stac-api" in answers[2]["kinds"]
    assert answers[3]["bbox"] == list(DEPTH_BOX)


def test_the_command_says_by_its_exit_code_that_something_is_no_service(
    address: Callable[[str], str],
) -> None:
    done = run(address("mapserver/"), address("pycsw/csw"))
    assert done.returncode == 1
    refused, found = map(json.loads, done.stdout.splitlines())
    assert (refused["kind"], refused["refusal"]["reason"]) == (None, "HTML page")
    assert (found["kind"], found["refusal"]) == ("csw", None)
