"""A catalogue that an earlier Geohound wrote, in the middle of a crawl that was killed: it opens, is found in, goes on.

The file was written by version 6 of the schema: `geohound geoweb serve --seed 2 --hosts 24 --pages 400 --kinds
wms,wfs,csw,wmts,stac --no-trouble`, crawled from its seeds and ended by `kill -9` while a catalogue of services waited
to be harvested.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from command_line import geohound
from geoweb_rig import Hound, Observed, ended

from geoweb import World, ground_truth

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

CAPTURE = Path(__file__).parents[1] / "stores" / "captures" / "catalogue-v6.db.gz"
WORLD = World(2, 24, 400, False, ("wms", "wfs", "csw", "wmts", "stac"))


@pytest.fixture
def catalogue(tmp_path: Path) -> Path:
    path = tmp_path / "before.db"
    path.write_bytes(gzip.decompress(CAPTURE.read_bytes()))
    return path


def lines(*args: str) -> list[dict]:
    done = geohound(*args, "--json")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_its_services_are_found_and_shown(catalogue: Path) -> None:
    *hits, last = lines("search", "rivers", "--catalogue", str(catalogue))
    assert {hit["title"] for hit in hits} == {
        "Kelham County Rivers <INSPIRE>",
        "Rivers - Kelham County Web Service",
    }
    assert last["summary"]["total"] == len(hits)
    (shown,) = lines("show", hits[0]["id"], "--catalogue", str(catalogue))
    assert shown["endpoint"] == hits[0]["endpoint"]
    assert shown["sightings"]


def test_its_crawl_goes_on_to_the_end(catalogue: Path) -> None:
    before = lines("visits", "--catalogue", str(catalogue))
    with Observed(WORLD) as web:
        hound = Hound(
            catalogue, web.port, {"host_delay_s": 0.02, "slow_host_factor": 0}
        )
        with ended(hound.resume()) as process:
            assert process.wait(100) == 0
    after = lines("visits", "--catalogue", str(catalogue))
    assert [
        visit["url"] for visit in after if visit["url"] in {v["url"] for v in before}
    ] == [v["url"] for v in before]
    *found, _ = lines("search", "--limit", "500", "--catalogue", str(catalogue))
    alive = {
        service["endpoint"]
        for service in ground_truth(WORLD)["services"]
        if service["alive"]
    }
    assert alive <= {hit["endpoint"] for hit in found}
    asked = {one.url for one in web.asked}
    read = {
        visit["url"]
        for visit in before
        if visit["status"] == 200 and not visit["probe"]
    }
    assert not read & asked, "what was read before the kill is not read again"
