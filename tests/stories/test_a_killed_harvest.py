"""A harvest that is killed goes on where it was: at most one page of the catalogue is read twice."""

from __future__ import annotations

import json
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest
from command_line import geohound
from csw_server import Catalogue, running_catalogue
from geoweb_rig import Hound, ended, kill_group
from harvest_examples import PER_PAGE

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

PAGES = 8
TOTAL = PAGES * PER_PAGE
SETTINGS = {
    "host_delay_s": 0.1,
    "slow_host_factor": 0,
    "retries": 0,
    "address_share": 0,
    "obey_robots": 0,
}


def visits(catalogue: Path) -> list[dict]:
    told = geohound("visits", "--json", "--catalogue", str(catalogue)).stdout
    return [json.loads(line) for line in told.splitlines()]


def kill_at(server: Catalogue, process: subprocess.Popen[bytes], pages: int) -> None:
    """End the process once so many pages were asked for."""
    with ended(process):
        end = time.monotonic() + 30
        while len(server.positions) < pages and time.monotonic() < end:
            time.sleep(0.005)
        kill_group(process)
    assert len(server.positions) >= pages


@pytest.mark.parametrize(
    "command",
    [
        ("crawl", "http://cat.test/csw?service=CSW&request=GetCapabilities"),
        ("harvest", "http://cat.test/csw", "--as", "csw"),
    ],
    ids=["crawl", "harvest"],
)
def test_a_harvest_killed_between_pages_reads_at_most_one_page_again(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    with running_catalogue(TOTAL) as server:
        hound = Hound(tmp_path / "c.db", server.server_port, SETTINGS)
        kill_at(server, hound.start(*command), 2)
        kill_at(server, hound.resume(), 5)
        with ended(hound.resume()) as process:
            assert process.wait(60) == 0, hound.complaints.read_text("utf-8")
    asked = Counter(server.positions)
    assert sorted(asked) == [1 + PER_PAGE * page for page in range(PAGES)]
    assert sum(asked.values()) - PAGES <= 2, "a kill costs one page"
    harvested = {
        visit["url"]
        for visit in visits(hound.catalogue)
        if visit["via"] == "harvest" and visit["clue"]
    }
    assert len(harvested - {"http://cat.test/csw"}) == TOTAL, (
        "and nothing that a page named is lost"
    )
