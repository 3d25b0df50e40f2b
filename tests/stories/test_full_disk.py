"""The disk fills up in the middle of a crawl: it ends with a sentence, and `resume` goes on once there is room."""

from __future__ import annotations

from pathlib import Path

import pytest
from geoweb_rig import Hound, Observed, calm, ended

from geoweb import World

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

SETTINGS = {"host_delay_s": 0.01, "slow_host_factor": 0, "max_depth": 40}
WORLD = World(seed=5, hosts=40, pages=700, trouble=calm())


def crawl_undisturbed(path: Path) -> tuple[set[tuple[str, str]], int]:
    """The services of a crawl with room enough, and the bytes that its catalogue took."""
    with Observed(WORLD) as web:
        hound = Hound(path, web.port, SETTINGS)
        with ended(hound.crawl(WORLD.seeds)) as process:
            assert process.wait(120) == 0
    return hound.services(), path.stat().st_size


def test_a_full_disk_stops_a_crawl_and_costs_nothing(tmp_path: Path) -> None:
    undisturbed, size = crawl_undisturbed(tmp_path / "calm.db")
    with Observed(WORLD) as web:
        hound = Hound(tmp_path / "c.db", web.port, SETTINGS)
        with ended(hound.crawl(WORLD.seeds, max_file_bytes=size // 2)) as process:
            assert process.wait(120) != 0
        complaint = hound.complaints.read_text()
        assert "Traceback" not in complaint
        assert 0 < len(complaint.strip().splitlines()) <= 3, complaint
        confirmed = hound.announced()
        assert confirmed <= hound.services()
        with ended(hound.resume()) as again:
            assert again.wait(120) == 0, hound.complaints.read_text()
    assert hound.summary()["finished"]
    assert hound.services() == undisturbed
    assert confirmed <= hound.services()
    assert hound.integrity() == "ok"
