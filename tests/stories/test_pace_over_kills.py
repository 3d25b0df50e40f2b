"""A site owner sees one visitor: that it was killed and came back is no reason to be asked sooner."""

from __future__ import annotations

import time
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest
from geoweb_rig import Hound, Observed, calm, ended, kill_group

from geoweb import World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

ASKED = 2  # then the kill comes
DELAY_S = 3.0  # longer than a restart takes
WORLD = World(seed=5, hosts=12, pages=200, trouble=calm())


def test_no_host_is_asked_sooner_because_the_crawl_was_killed(tmp_path: Path) -> None:
    with Observed(WORLD) as web:
        hound = Hound(
            tmp_path / "c.db",
            web.port,
            {"host_delay_s": DELAY_S, "slow_host_factor": 0},
        )
        for number in range(3):
            process = hound.resume() if number else hound.crawl(WORLD.seeds)
            with ended(process):
                before, end = len(web.asked), time.monotonic() + 40
                while len(web.asked) < before + ASKED and time.monotonic() < end:
                    time.sleep(0.01)
                kill_group(process)
            assert len(web.asked) >= before + ASKED
    times: dict[str, list[float]] = defaultdict(list)
    for one in web.asked:
        times[one.host].append(one.at_s)
    gaps = [later - earlier for of in times.values() for earlier, later in pairwise(of)]
    assert len(gaps) >= 2
    assert min(gaps) >= DELAY_S - 0.005, sorted(gaps)[:5]
