"""The network goes away in the middle of a crawl and comes back: nothing is lost."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from geoweb_rig import Hound, Observed, calm, ended

from geoweb import World

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("network"),
    pytest.mark.timeout(240),
]

SETTINGS = {
    "host_delay_s": 0.02,
    "slow_host_factor": 0,
    "max_depth": 40,
    "retry_after_s": 0.2,
    "max_retry_after_s": 1.0,
}
WORLD = World(seed=5, hosts=40, pages=700, trouble=calm())
OUTAGE_S = 1.0


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> set[tuple[str, str]]:
    with Observed(WORLD) as web:
        hound = Hound(tmp_path_factory.mktemp("calm") / "c.db", web.port, SETTINGS)
        with ended(hound.crawl(WORLD.seeds)) as process:
            assert process.wait(120) == 0
    services = hound.services()
    assert len(services) > 15
    return services


def wait_for_requests(web: Observed, count: int) -> None:
    end = time.monotonic() + 60
    while len(web.asked) < count and time.monotonic() < end:
        time.sleep(0.01)
    assert len(web.asked) >= count


def test_a_crawl_waits_for_the_network_to_come_back(
    tmp_path: Path, undisturbed: set[tuple[str, str]]
) -> None:
    with Observed(WORLD) as web:
        hound = Hound(tmp_path / "c.db", web.port, SETTINGS)
        process = hound.crawl(WORLD.seeds)
        wait_for_requests(web, 200)
    with ended(process):
        time.sleep(OUTAGE_S)
        with Observed(WORLD, port=web.port):
            assert process.wait(120) == 0, hound.complaints.read_text()
    assert hound.summary()["finished"]
    assert hound.services() == undisturbed


def test_a_crawl_stopped_without_a_network_goes_on_when_it_is_back(
    tmp_path: Path, undisturbed: set[tuple[str, str]]
) -> None:
    with Observed(WORLD) as web:
        hound = Hound(tmp_path / "c.db", web.port, SETTINGS)
        process = hound.crawl(WORLD.seeds)
        wait_for_requests(web, 200)
    with ended(process):
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130, hound.complaints.read_text()
    assert not hound.summary()["finished"]
    with Observed(WORLD, port=web.port), ended(hound.resume()) as again:
        assert again.wait(120) == 0, hound.complaints.read_text()
    assert hound.summary()["finished"]
    assert hound.services() == undisturbed
    assert hound.announced() <= hound.services()
